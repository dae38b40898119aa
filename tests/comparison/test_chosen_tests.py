"""compare with the statistical tests that were asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from idealist import InputError, compare
from idealist.show.comparison_tables import contrast_rows, contrast_table, legend
from idealist.statistics import RandomisationTest, SignTest, TTest, holm
from idealist.statistics.paired_tests import parse_tests

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
    return compare(JUDGED, RUNS, ["RR", "P@1"], **how)


def test_the_p_value_is_the_intervals_own_whatever_else_is_tested() -> None:
    plain, found = compared(), compared(tests=["sign", "t"])
    for one, other in zip(plain, found, strict=True):
        assert one.tests == {}
        assert list(other.tests) == [SignTest(), TTest()]
        assert one.p_value == other.p_value == one.bounded.p_value()
    assert [one.p_adjusted for one in plain] == [one.p_adjusted for one in found]
    assert [one.p_adjusted for one in plain] == holm([one.p_value for one in plain])


def test_with_students_interval_the_p_value_is_students() -> None:
    for one in compared(interval="student"):
        assert one.interval == one.student
        assert one.p_value == TTest()(one.paired.differences).p_value


@pytest.mark.parametrize("interval", ["best-third", "cautious", "student"])
@pytest.mark.parametrize("confidence", [0.6, 0.8, 0.9, 0.95])
def test_the_interval_leaves_out_0_just_where_p_is_below_the_level(interval: str, confidence: float) -> None:
    for one in compared(interval=interval, confidence=confidence):
        assert (0 not in one.interval) == (one.p_value < 1 - confidence)


def test_what_was_not_asked_for_is_found_when_it_is() -> None:
    [one, *_] = compared(tests="t")
    assert one.significance("sign") == SignTest()(one.paired.differences)
    assert one.significance("bootstrap(rounds=99)").p_value > 0


def test_nothing_is_drawn_that_was_not_asked_for() -> None:
    steps: list[tuple[int, int]] = []
    compared(tests=["t", "sign"], progress=lambda *step: steps.append(step))
    assert steps == []
    compared(progress=lambda *step: steps.append(step))
    assert steps == []
    compared(tests="randomisation", progress=lambda *step: steps.append(step))
    assert steps[-1] == (10_000, 10_000)


def test_seed_and_permutations_are_for_tests_that_state_none() -> None:
    found = compared(tests=["randomisation", "randomisation(seed=9)"], seed=3, rounds=500)
    assert found.settings.tests == (RandomisationTest(500, 3), RandomisationTest(500, 9))
    alone = compared(tests="randomisation", seed=9, rounds=500)
    for one, other in zip(found, alone, strict=True):
        assert one.significance("randomisation(rounds=500, seed=9)").p_value == other.p_randomised


def test_with_weights_a_test_that_does_not_take_them_is_undefined() -> None:
    weights = {query: 1 + at % 3 for at, query in enumerate(JUDGED)}
    for one in compared(tests=["wilcoxon", "t"], weights=weights):
        assert one.significance("wilcoxon").p_value is None
        assert one.significance("t").p_value is not None


def test_tables_have_a_column_for_every_test() -> None:
    found = compared(tests=["wilcoxon", "randomisation(seed=1)", "randomisation(seed=2)"])
    expected = ["p", "p (Holm)", "p (Wilcoxon)", "p (randomisation(seed=1))", "p (randomisation(seed=2))"]
    assert contrast_table(found.contrasts).titles[5:10] == expected
    tall = contrast_rows(found)
    first = tall.titles.index("p_wilcoxon")
    assert tall.titles[first : first + 3] == ["p_wilcoxon", "randomisation(seed=1)", "randomisation(seed=2)"]
    assert [row[first] for row in tall.rows] == [one.p_wilcoxon for one in found]
    said = legend(found)[1]
    # Two systems, two measures.
    assert said.startswith(
        "p: the interval's own, of no difference; p (Holm): adjusted for all 4 tests here; "
    )
    assert "p (Wilcoxon): Wilcoxon's signed ranks; p (randomisation(seed=1)): 10,000 random" in said


def test_records() -> None:
    record = json.loads(compared(tests=["t", "sign"]).to_json(bootstrap=False))
    assert record["settings"]["tests"] == ["t", "sign"]
    one = record["contrasts"][0]
    assert list(one["tests"]) == ["t", "sign"]
    assert one["tests"]["t"]["p_value"] != one["p_value"]
    assert one["interval_name"] == record["settings"]["interval"] == "best-third"


def test_segments_have_the_same_tests() -> None:
    found = compared(tests=["sign", "bootstrap(rounds=99)"])
    parts = found.segments({query: query[-1] for query in JUDGED})
    assert all(
        list(one.tests) == list(parse_tests(found.settings.tests)) for part in parts.values() for one in part
    )


def test_a_test_that_there_is_not() -> None:
    with pytest.raises(InputError, match="there is no test 'anova'"):
        compared(tests=["anova"])
