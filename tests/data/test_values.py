"""Values that people set are read alike, and refused in the same words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from idealist import InputError, compare, gsb
from idealist.base.values import (
    as_choice,
    as_count,
    as_finite,
    as_flag,
    as_seed,
    as_share,
    as_text,
    as_within,
)
from idealist.cli.gate_file import read_gate
from idealist.fusion import Method
from idealist.measures import parse

READERS: dict[str, Callable[[Any], Any]] = {
    "finite": lambda value: as_finite(value, "x"),
    "0 to 1": lambda value: as_within(value, "x", 0, 1),
    "above 0": lambda value: as_within(value, "x", 0, ends="(]"),
    "0 and below 1": lambda value: as_within(value, "x", 0, 1, "[)"),
    "at most 5": lambda value: as_within(value, "x", high=5),
    "share": lambda value: as_share(value, "x"),
    "count": lambda value: as_count(value, "x"),
    "few": lambda value: as_count(value, "x", 2, 9),
    "written": lambda value: as_count(value, "x", text=True),
    "choice": lambda value: as_choice(value, "x", ("a", "b", "c")),
    "flag": lambda value: as_flag(value, "x"),
    "text": lambda value: as_text(value, "x"),
}


@pytest.mark.parametrize(
    ("reader", "value", "message"),
    [
        ("finite", "1", "x must be a number, not '1'"),
        ("finite", True, "x must be a number, not True"),
        ("finite", float("nan"), "x must be a number, not nan"),
        ("finite", float("-inf"), "x must be finite, not -inf"),
        ("finite", [1], "x must be a number, not [1]"),
        ("0 to 1", 1.5, "x must be from 0 to 1, not 1.5"),
        ("above 0", 0, "x must be above 0, not 0"),
        ("0 and below 1", 1, "x must be 0 or more and below 1, not 1"),
        ("at most 5", 6, "x must be at most 5, not 6"),
        ("share", 2, "x must lie between 0 and 1, not 2"),
        ("share", 0, "x must lie between 0 and 1, not 0"),
        ("count", 0, "x must be a whole number, 1 or more, not 0"),
        ("count", 2.5, "x must be a whole number, 1 or more, not 2.5"),
        ("count", "2", "x must be a whole number, 1 or more, not '2'"),
        ("few", 1, "x must be a whole number, 2 or more, not 1"),
        ("few", 10, "x must be at most 9, not 10"),
        ("written", "two", "x must be a whole number, 1 or more, not 'two'"),
        ("choice", "d", "x must be a, b or c, not 'd'"),
        ("choice", None, "x must be a, b or c, not None"),
        ("flag", 1, "x must be true or false, not 1"),
        ("text", "", "x must be text, not ''"),
    ],
)
def test_what_is_refused(reader: str, value: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        READERS[reader](value)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("reader", "value", "expected"),
    [
        ("finite", -2, -2.0),
        ("0 to 1", 0, 0.0),
        ("0 to 1", 1, 1.0),
        ("share", 0.95, 0.95),
        ("count", 3.0, 3),
        ("few", 9, 9),
        ("written", "12", 12),
        ("choice", "b", "b"),
        ("flag", False, False),
        ("text", "a", "a"),
    ],
)
def test_what_is_taken(reader: str, value: object, expected: object) -> None:
    found = READERS[reader](value)
    assert found == expected
    assert type(found) is type(expected)


def test_a_seed_may_be_larger_than_a_float_can_hold() -> None:
    assert as_seed(2**64 + 1) == 2**64 + 1
    for wrong in (-1, 1.5, True, "1"):
        with pytest.raises(InputError, match="the seed must be a whole number, 0 or more, not"):
            as_seed(wrong)


def test_the_words_are_the_same_wherever_a_value_is_set(tmp_path: Any) -> None:
    gate = tmp_path / "gate.toml"
    gate.write_text('votes = "v.csv"\nconfidence = 2\n', encoding="utf-8")
    votes = {"query": ["q", "r"], "vote": ["good", "bad"]}
    runs = {"a": {"q": {"d": 1.0}}, "b": {"q": {"d": 2.0}}}
    for set_confidence in (
        lambda: gsb(votes, confidence=2),
        lambda: compare({"q": {"d": 1}}, runs, "RR", confidence=2),
        lambda: read_gate(str(gate)),
    ):
        with pytest.raises(InputError, match="confidence must lie between 0 and 1, not 2"):
            set_confidence()
    for set_p in (lambda: parse("RBP(p=2)"), lambda: Method.parse("rbc", p=2)):
        with pytest.raises(InputError, match="p must lie between 0 and 1, not 2"):
            set_p()
