"""compare with the statistical tests that were asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from idealist import InputError, compare
from idealist.reporting.comparison_records import contrast_rows
from idealist.reporting.comparisons import contrast_table, legend
from idealist.statistics import RandomisationTest, SignTest, TTest, holm
from idealist.statistics.testing import parse_tests

QUERIES = 20
JUDGED = {f"q{i:02}": {"a": 1} for i in range(QUERIES)}


def ranked(ranks: list[int]) -> dict[str, dict[str, float]]:
    """The relevant document of every query at these ranks, in turn."""
    return {
        query: {f"x{rank}": -rank for rank in range(1, ranks[at % len(ranks)])}
        | {"a": -float(ranks[at % len(ranks)])}
        for at, query in enumerate(JUDGED)
    }


RUNS = {"old": ranked([3, 2, 1]), "new": ranked([1, 2]), "odd": ranked([4, 1, 2, 1, 1])}


def compared(**how: Any) -> Any:
    return compare(RUNS, JUDGED, ["RR", "P@1"], **how)


def test_by_default_t_and_randomisation() -> None:
    for one in compared():
        assert list(one.tests) == [TTest(), RandomisationTest()]
        assert one.p_value == TTest()(one.paired.differences).p_value
        assert [found.p_value for found in one.tests.values()] == [one.p_value, one.p_randomised]
        assert one.p_in_family == one.p_value


def test_the_family_goes_by_the_first_test() -> None:
    found = compared(tests=["sign", "t"])
    p_values = [one.significance("sign").p_value for one in found]
    assert [one.p_in_family for one in found] == p_values == [one.p_sign for one in found]
    assert [one.p_adjusted for one in found] == holm(p_values)
    assert all(one.p_randomised is None for one in found)
    assert [one.p_value for one in found] == [one.p_value for one in compared()]


def test_what_was_not_asked_for_is_found_when_it_is() -> None:
    [one, *_] = compared(tests="t")
    assert one.significance("sign") == SignTest()(one.paired.differences)
    assert one.significance("bootstrap(rounds=99)").p_value > 0


def test_nothing_is_drawn_that_was_not_asked_for() -> None:
    steps: list[tuple[int, int]] = []
    compared(tests=["t", "sign"], progress=lambda *step: steps.append(step))
    assert steps == []
    compared(progress=lambda *step: steps.append(step))
    assert steps[-1] == (10_000, 10_000)


def test_seed_and_permutations_are_for_tests_that_state_none() -> None:
    found = compared(tests=["randomisation", "randomisation(seed=9)"], seed=3, rounds=500)
    assert found.settings.tests == (RandomisationTest(500, 3), RandomisationTest(500, 9))
    alone = compared(seed=9, rounds=500)
    for one, other in zip(found, alone, strict=True):
        assert one.significance("randomisation(rounds=500, seed=9)").p_value == other.p_randomised


def test_with_weights_the_family_goes_by_a_test_that_takes_them() -> None:
    weights = {query: 1 + at % 3 for at, query in enumerate(JUDGED)}
    for one in compared(tests=["wilcoxon", "t"], weights=weights):
        assert one.significance("wilcoxon").p_value is None
        assert one.p_in_family == one.p_value is not None


def test_tables_have_a_column_for_every_test() -> None:
    found = compared(tests=["wilcoxon", "randomisation(seed=1)", "randomisation(seed=2)"])
    expected = ["p (Wilcoxon)", "p (randomisation(seed=1))", "p (randomisation(seed=2))", "p (Holm)"]
    assert contrast_table(found.contrasts).titles[5:9] == expected
    tall = contrast_rows(found)
    assert tall.titles[16:20] == [
        "p_wilcoxon",
        "randomisation(seed=1)",
        "randomisation(seed=2)",
        "p_adjusted",
    ]
    assert [row[16] for row in tall.rows] == [one.p_wilcoxon for one in found]
    said = legend(found)[1]
    assert said.startswith("p (Wilcoxon): Wilcoxon's signed ranks; p (randomisation(seed=1)): 10,000 random")
    assert said.endswith("; p (Holm): p (Wilcoxon) adjusted for all 4 tests here")  # 2 systems, 2 measures


def test_records() -> None:
    record = json.loads(compared(tests=["t", "sign"]).to_json(bootstrap=False))
    assert record["settings"]["tests"] == ["t", "sign"]
    one = record["contrasts"][0]
    assert list(one["tests"]) == ["t", "sign"]
    assert one["tests"]["t"]["p_value"] == one["p_value"]


def test_segments_have_the_same_tests() -> None:
    found = compared(tests=["sign", "bootstrap(rounds=99)"])
    parts = found.segments({query: query[-1] for query in JUDGED})
    assert all(
        list(one.tests) == list(parse_tests(found.settings.tests)) for part in parts.values() for one in part
    )


def test_a_test_that_there_is_not() -> None:
    with pytest.raises(InputError, match="there is no test 'anova'"):
        compared(tests=["anova"])
