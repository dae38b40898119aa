"""Texts of measures that are long, deep or many: taken in linear time, or refused."""

from __future__ import annotations

import difflib
from typing import Any

import pytest

import idealist as il
from idealist.base.frozen import Frozen
from idealist.measures import parse, parse_all
from idealist.measures.naming import DEEPEST, LONGEST


def test_thousands_of_cutoffs_are_one_text() -> None:
    measures = parse_all("P." + ",".join(map(str, range(1, 4001))))
    assert measures == tuple(il.P(k=k) for k in range(1, 4001))


def test_a_long_unknown_name_is_not_compared_with_all_names(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> list[str]:
        raise AssertionError("similar names take time that grows with the length")

    monkeypatch.setattr(difflib, "get_close_matches", refuse)
    for name in ("x" * 9_000, "x_1" * 3_000, "x" * 1_000_000):
        with pytest.raises(il.InputError):
            parse(name)


def test_one_measure_has_a_longest_text() -> None:
    with pytest.raises(il.InputError, match=f"at most {LONGEST:,} characters, not {LONGEST + 1:,}"):
        parse("x" * (LONGEST + 1))


def test_measures_within_measures_have_a_depth() -> None:
    def nested(depth: int) -> str:
        return "Condensed(of=" * depth + "AP" + ")" * depth

    assert str(parse(nested(DEEPEST - 1))).count("Condensed") == DEEPEST - 1
    with pytest.raises(il.InputError, match=f"more than {DEEPEST} deep"):
        parse(nested(DEEPEST + 1))


def test_asking_for_a_value_compares_no_other_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look-up, not a search: of 200 measures, each value is found with at most a few comparisons."""
    measures = [il.P(k=k) for k in range(1, 201)]
    result = il.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, measures)
    compared = 0
    equal = Frozen.__eq__

    def counted(self: Frozen, other: object) -> bool:
        nonlocal compared
        compared += 1
        return equal(self, other)

    monkeypatch.setattr(Frozen, "__eq__", counted)
    for measure in measures:
        result.mean(measure)
    assert compared <= 5 * len(measures)
