"""What the values of a measure lie between, by the judgments where the measure itself has no end."""

from __future__ import annotations

from math import log2
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealist import InputError, compare, evaluate
from idealist.comparison import compare_evaluations
from idealist.evaluation import read_evaluation
from idealist.evaluation.aggregates import range_of
from idealist.measures import parse, registry

LIMITED = ("CG@3", "DCG@3", "DCG(gain=exp)@3", "Hits@3", "DCG(discount=zipf)@5")


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8))
@pytest.mark.parametrize("text", LIMITED)
def test_no_list_of_such_grades_is_worth_more(text: str, grades: list[int]) -> None:
    measure = parse(text)
    low, high = measure.range_with(0, 3)
    assert low <= measure(grades) <= high + 1e-9
    assert measure([3] * 8) == pytest.approx(high)


@pytest.mark.parametrize("text", ["nDCG@3", "AP", "RR", "P@5"])
def test_a_measure_that_has_a_range_keeps_it(text: str) -> None:
    assert parse(text).range_with(0, 3) == parse(text).bounds == (0, 1)


@pytest.mark.parametrize("text", ["DCG", "CG", "DCG(gain={0:0,1:5})@3"])
def test_without_a_depth_or_with_other_gains_there_is_none(text: str) -> None:
    assert parse(text).range_with(0, 1)[1] == float("inf")


def test_negative_grades_may_cost_anything() -> None:
    assert parse("DCG@3").range_with(-1, 3)[1] == float("inf")


JUDGED = {f"q{at:02}": {"a": 1, "b": 2, "c": 0} for at in range(20)}
OLD = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in JUDGED}
# Every query gains, one somewhat more: there is a spread, but nothing of what may be lost was seen.
NEW = {query: {"b": 3.0, "a": 2.0, "c": 1.0} for query in JUDGED} | {"q00": {"b": 2.0, "a": 1.0}}
UP = (2 + 1 / log2(3)) - (1 + 2 / log2(3))


def test_dcg_allows_for_what_ndcg_allows_for() -> None:
    """Student's interval ships on five queries that happen to gain; neither measure does."""
    five = {query: JUDGED[query] for query in list(JUDGED)[:5]}
    runs = {
        "old": {query: OLD[query] for query in five},
        "new": {query: NEW[query] for query in five} | {"q01": {"b": 2.0, "c": 1.5, "a": 1.0}},
    }
    found = compare(five, runs, ["DCG@3", "nDCG@3", "DCG"])
    dcg, ndcg, endless = found
    assert dcg.range == (0.0, 2 * (1 + 1 / log2(3) + 1 / 2))
    assert dcg.interval_method == ndcg.interval_method == "test inversion, best third"
    assert endless.interval_method == "Student's t"
    by_student = compare(five, runs, ["DCG@3", "nDCG@3"], interval="student")
    assert [one.harmed or one.interval.low > 0 for one in by_student if one.interval] == [True, True]
    assert [found.verdict(measure).outcome for measure in ("DCG@3", "nDCG@3")] == ["undecided"] * 2


def test_the_range_is_saved_and_joined(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    old = evaluate(JUDGED, {"old": OLD}, "DCG@3")
    path.write_text(old.to_json())
    again = read_evaluation(path)
    assert again.grades == old.grades == (0, 2)
    both = compare_evaluations([again, evaluate(JUDGED, {"new": NEW}, "DCG@3")])
    (one,) = both
    assert one.range == range_of(old, parse("DCG@3"))
    assert one.difference == pytest.approx(UP, rel=0.01)


def test_whatever_measure_has_such_a_range_stays_in_it() -> None:
    """All measures that have a depth and no end: perfect lists, and lists of documents that are worse."""
    lists = [[2] * 6, [2, 0, 1, 2], [0, 0, 2], [1] * 9, [0], [2, 2, 2, 2, 1, 1, 1]]
    limited = set()
    for name, cls in registry().items():
        if "k" not in cls.fields:
            continue
        try:
            measure = cls(k=3)
            low, high = measure.range_with(0, 2)
        except (InputError, TypeError):
            continue
        if not measure.bounds[1] < float("inf") and high < float("inf"):
            limited.add(name)
            assert all(low <= measure(grades) <= high + 1e-9 for grades in lists), name
    assert {"DCG", "CG", "Hits"} <= limited
