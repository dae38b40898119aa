"""How far values hang on the order of documents with equal scores."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import mixed, tasks

from idealist import NDCG, RR, Conventions, InputError, Judgments, P, Rankings, evaluate
from idealist.evaluation import TieBounds, agree
from idealist.measures import parse

RULES = ["id-descending", "id-ascending", "input-order", "averaged", "optimistic", "pessimistic"]
MEASURES = ["nDCG@3", "nDCG(gain=exp)", "AP", "RR", "P@2", "R@3", "ERR", "RBP", "Bpref", "NumRelRet", "GMAP"]


@given(
    tasks(),
    st.sampled_from(RULES),
    st.sampled_from(["not-relevant", "unjudged", "keep"]),
    st.sampled_from(["not-relevant", "removed"]),
    st.sampled_from(["zero", "skip", "one"]),
    st.sampled_from(["zero", "skip"]),
    st.booleans(),
)
def test_the_bounds_are_what_the_rules_give(
    task: Any, ties: str, negative: str, unjudged: str, empty: str, missing: str, weighted: bool
) -> None:
    run, judged = task
    chosen = Conventions(ties=ties, negative=negative, unjudged=unjudged, empty=empty, missing=missing)
    measures = [text for text in MEASURES if ties != "averaged" or parse(text).averages_ties]
    weights = {query: 1.0 + at for at, query in enumerate(judged)} if weighted else None
    result, worst, best = (
        evaluate(judged, run, measures, conventions=chosen.replace(ties=rule), weights=weights)
        for rule in (ties, "pessimistic", "optimistic")
    )
    moved = set()
    for measure in measures:
        low, high = worst.by_query(measure), best.by_query(measure)
        assert result.ties_by_query(measure) == {query: (low[query], high[query]) for query in low}
        gaps = {query: high[query] - low[query] for query in low if high[query] - low[query] > 1e-12}
        bounds = result.ties(measure)
        assert (bounds.queries, bounds.largest) == (len(gaps), max(gaps.values(), default=0.0))
        ends = (bounds.pessimistic, bounds.optimistic)
        assert repr(ends) == repr((worst.aggregate(measure), best.aggregate(measure)))
        moved |= set(gaps)
    assert result.tied() == len(moved)
    assert ("\nties: run: " in str(result)) == bool(moved)


@given(tasks(), st.randoms(use_true_random=False))
def test_no_order_is_beyond_the_bounds(task: Any, random: Any) -> None:
    run, judged = task
    result = evaluate(judged, run, MEASURES)
    given_order = Conventions(ties="input-order")
    for _ in range(3):
        other = evaluate(judged, mixed(run, random), MEASURES, conventions=given_order)
        for measure in MEASURES:
            for query, (low, high) in result.ties_by_query(measure).items():
                assert low - 1e-12 <= other.value(measure, query) <= high + 1e-12, (measure, query)


def test_a_constant_scorer_is_seen_through() -> None:
    """Every document has the same score, and the relevant one happens to come first by its id."""
    run = {f"q{i}": {f"d{j:02}": 1.0 for j in range(50)} for i in range(4)}
    judged = {f"q{i}": {"d49": 1} for i in range(4)}
    result = evaluate(judged, run, "RR@10")
    assert result.mean("RR@10") == 1.0
    assert result.ties("RR@10") == TieBounds(queries=4, largest=1.0, pessimistic=0.0, optimistic=1.0)
    line = "ties: run: 4 of 4 queries could change, RR@10 of one by up to 1.0000; mean RR@10 from 0.0000 to 1.0000"
    assert line in str(result)


def test_nothing_is_said_where_nothing_could_change() -> None:
    apart = evaluate({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, "AP")
    alike = evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "AP")
    below = evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0, "b": 1.0, "c": 1.0}}, "RR")
    for result in (apart, alike, below):
        assert "ties:" not in str(result)
        assert result.tied() == 0
        value = result.aggregate(result.measures[0])
        assert result.ties(result.measures[0]) == TieBounds(0, 0.0, value, value)


def test_each_system_has_its_own() -> None:
    runs = {"tied": {"q": {"a": 1.0, "b": 1.0}}, "clear": {"q": {"a": 1.0, "b": 2.0}}}
    result = evaluate({"q": {"a": 1}}, runs, ["RR", "P@1"])
    assert result.ties("RR", "tied") == TieBounds(1, 0.5, 0.5, 1.0)
    assert result.ties("P@1", "tied") == TieBounds(1, 1.0, 0.0, 1.0)
    assert result.ties("RR", "clear") == TieBounds(0, 0.0, 0.5, 0.5)
    assert [line for line in str(result).splitlines() if line.startswith("ties")] == [
        "ties: tied: 1 of 1 queries could change, P@1 of one by up to 1.0000; mean P@1 from 0.0000 to 1.0000"
    ]
    first, *_ = json.loads(result.to_json())["ties"]
    assert first == {
        "system": "tied",
        "measure": "RR",
        "queries": 1,
        "largest": 0.5,
        "pessimistic": 0.5,
        "optimistic": 1.0,
    }


@pytest.mark.parametrize(
    "measure",
    [
        "Judged@2",  # asks whether there is a grade
        "nDCG(gain={0:1,1:0})",  # better documents gain less
        "nDCG(gain={0:-1,1:1})",  # an unjudged document is better than a judged one
        "ExpectedDepth",
        "Sampled(of=RR,items=10,samples=1,estimator=bias-variance)",
    ],
)
def test_measures_without_bounds(measure: str) -> None:
    result = evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}, [measure, "RR"])
    assert not result.bounded(measure)
    with pytest.raises(InputError, match="has no best and worst order of ties"):
        result.ties(measure)
    with pytest.raises(InputError, match="has no best and worst order of ties"):
        result.ties_by_query(measure)
    assert [one["measure"] for one in result.tie_bounds()] == ["RR"]
    assert result.tied() == 1


def test_an_order_for_which_a_measure_is_undefined_has_no_bounds() -> None:
    """What was not asked for is no error."""
    judged = {"q": {"a": 1, "b": -1}}
    strict = Conventions(empty="error")
    for text in ("nDCG", "AUC", "infAP", "PNR", "Bpref"):
        result = evaluate(judged, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, [text, "RR"], conventions=strict)
        assert result.ties("RR").queries == 1
        result.bounded(text)


def test_what_was_not_measured_is_an_error() -> None:
    result = evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR")
    with pytest.raises(InputError, match="AP was not evaluated"):
        result.ties("AP")
    agreement = agree({"q": {"a": 1.0}}, {"q": {"a": 1.0}})
    assert not any(agreement.bounded(measure) for measure in agreement.measures)


def test_matrices_have_both_orders_without_the_scores() -> None:
    rankings = Rankings.from_arrays([[0, 0, 2, 1]], [[0.5, 0.5, 0.5, 0.1]], depth=2)
    worst, best = rankings.with_ties("pessimistic"), rankings.with_ties("optimistic")
    assert [list(RR(k=2).values_with_conventions(one)) for one in (worst, best)] == [[0.0], [1.0]]
    assert best.conventions.ties == "optimistic"
    assert best.with_ties("pessimistic") == worst
    for measure in (NDCG(k=2), P(k=1)):
        low, value, high = (measure.values_with_conventions(one)[0] for one in (worst, rankings, best))
        assert low <= value <= high
    with pytest.raises(InputError, match="which needs the run"):
        rankings.with_ties("id-ascending")


def test_counts_and_richer_judgments_stay_as_they_are() -> None:
    judged = Judgments({"q": {"a": 1}})
    result = evaluate(judged, {"q": {"a": 1.0, "b": 1.0}}, [parse("NumRet"), parse("NumQ")])
    assert all(result.ties(measure).queries == 0 for measure in result.measures)


@pytest.mark.parametrize("measure", ["RankingLoss", "CoverageError", "PNR", "AP(divisor=found)"])
def test_measures_of_order_have_bounds_too(measure: str) -> None:
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}, "r": {"a": 2.0, "b": 1.0}}
    judged = {"q": {"a": 0, "b": 1, "c": 2}, "r": {"a": 1, "b": 0}}
    bounds = evaluate(judged, run, measure).ties(measure)
    ends = [
        evaluate(judged, run, measure, conventions=Conventions(ties=ties)).mean(measure)
        for ties in ("pessimistic", "optimistic")
    ]
    assert [bounds.pessimistic, bounds.optimistic] == ends
    assert ends[0] != ends[1]
    assert bounds.queries == 1
    assert bounds.largest == pytest.approx(abs(ends[1] - ends[0]) * 2)
