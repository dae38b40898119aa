"""Popularity bias, personalisation, confidence and rated lists against twins written from their definitions."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pytest import approx
from sklearn.metrics import auc, roc_auc_score

from idealist import AUC, InputError, evaluate
from idealist.evaluation import agree
from idealist.measures import PartialAUC, parse

DOCUMENTS = "abcdefghij"
POPULARITY = dict(zip(DOCUMENTS, [90, 60, 40, 30, 20, 10, 5, 4, 2, 1], strict=True))
HEAD = {"a", "b"}  # a fifth of ten items
ITEMS = {"item": list(DOCUMENTS), "popularity": list(POPULARITY.values())}
lists = st.lists(st.permutations(DOCUMENTS).map(lambda order: order[:4]), min_size=2, max_size=5)
relevant_sets = st.lists(st.sets(st.sampled_from(DOCUMENTS), min_size=1, max_size=6), min_size=5, max_size=5)


def task(shown: list[list[str]], relevant: list[set[str]]) -> tuple[dict[str, Any], dict[str, Any]]:
    run = {str(at): order for at, order in enumerate(shown)}
    return run, {query: dict.fromkeys(relevant[int(query)], 1) for query in run}


def aggregate(measure: str, run: Any, judged: Any, **given: Any) -> float:
    return evaluate(judged, run, measure, **{"items": ITEMS, **given}).aggregate(measure)


@given(lists, relevant_sets)
def test_two_groups_by_counting(shown: list[list[str]], relevant: list[set[str]]) -> None:
    run, judged = task(shown, relevant)
    tail = set(DOCUMENTS) - HEAD
    by_group = []
    for group in (HEAD, tail):
        hits = sum(len(set(run[q]) & set(judged[q]) & group) for q in run)
        wanted = sum(len(set(judged[q]) & group) for q in run)
        by_group.append((hits, wanted, sum(len(set(run[q]) & group) for q in run)))
    assert aggregate("ACLT@4", run, judged) == approx(by_group[1][2] / len(run))
    shares = [by_group[0][2] / (2 * len(run)), by_group[1][2] / (8 * len(run))]
    assert aggregate("PopRSP@4", run, judged) == approx(np.std(shares) / np.mean(shares))
    # Who has an item is not shown it: an item with popularity 90 of 100 can be shown to a tenth.
    free = [sum(1 - POPULARITY[d] / 100 for d in group) for group in (HEAD, tail)]
    shares = [by_group[g][2] / (free[g] * len(run)) for g in (0, 1)]
    assert aggregate("PopRSP(users=100)@4", run, judged) == approx(np.std(shares) / np.mean(shares))
    assume(by_group[0][1] and by_group[1][1] and by_group[0][0] + by_group[1][0])
    recalls = [hits / wanted for hits, wanted, _ in by_group]
    assert aggregate("PopREO@4", run, judged) == approx(np.std(recalls) / np.mean(recalls))


@given(lists, relevant_sets)
def test_bias_disparity_by_counting(shown: list[list[str]], relevant: list[set[str]]) -> None:
    run, judged = task(shown, relevant)
    items = {**ITEMS, "category": ["war" if d in "abc" else "comedy" for d in DOCUMENTS]}
    s = sum(d in "abc" for q in run for d in run[q]) / sum(map(len, run.values()))
    t = sum(d in "abc" for q in run for d in judged[q]) / sum(map(len, judged.values()))
    assume(t > 0)
    assert aggregate("BiasDisparity(group=war)@4", run, judged, items=items) == approx(s / t - 1)


def test_bias_disparity_needs_a_group() -> None:
    items = {"item": ["a"], "category": ["war"]}
    with pytest.raises(InputError, match="needs group") as caught:
        aggregate("BiasDisparity", {"q": ["a"]}, {"q": {"a": 1}}, items=items)
    assert caught.value.hint == "column category has war"


def test_surprisal_is_scaled_self_information() -> None:
    run, judged = {"q": list("aj")}, {"q": {"a": 1}}
    expected = (math.log2(90 / 90) + math.log2(90 / 1)) / math.log2(90) / 2
    assert aggregate("Surprisal@2", run, judged) == approx(expected)
    with pytest.raises(InputError, match="popularity 90, above users=50"):
        aggregate("Surprisal(users=50)@2", run, judged)
    many = {"item": ["a"], "popularity": [1_234_567]}
    with pytest.raises(InputError, match="popularity 1234567, above users=1000000"):
        aggregate("Surprisal(users=1000000)@2", {"q": ["a"]}, judged, items=many)


@given(
    st.lists(
        st.permutations(DOCUMENTS).flatmap(lambda o: st.integers(1, 4).map(lambda n: o[:n])),
        min_size=2,
        max_size=6,
    )
)
def test_personalisation_is_the_mean_over_pairs(shown: list[list[str]]) -> None:
    run = {str(at): order for at, order in enumerate(shown)}
    distances = [
        1 - len(set(a) & set(b)) / math.sqrt(len(a) * len(b)) for a, b in itertools.combinations(shown, 2)
    ]
    judged = {query: {"a": 1} for query in run}
    assert aggregate("Personalisation@10", run, judged) == approx(sum(distances) / len(distances), abs=1e-12)


def test_unexpectedness_is_what_the_other_run_lacks() -> None:
    result = agree({"q": list("abcd")}, {"q": list("bxay")}, ["Unexpectedness@2", "Unexpectedness@4"])
    assert result.mean("Unexpectedness@2") == 0.5  # b is in both
    assert result.mean("Unexpectedness@4") == 0.5  # a and b


def sureness(scores: list[float], confidence: str) -> float:
    ordered = sorted(scores)[::-1]
    return {"max": ordered[0], "std": float(np.std(scores)), "diff1": ordered[0] - ordered[1]}[confidence]


@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 50), min_size=3, max_size=3, unique=True), st.integers(0, 2)),
        min_size=2,
        max_size=25,
    ),
    st.sampled_from(["max", "std", "diff1"]),
)
def test_abstention_as_areas_under_curves(queries: list[tuple[list[int], int]], confidence: str) -> None:
    run = {
        f"{q:02}": {f"d{i}": float(s) for i, s in enumerate(scores)} for q, (scores, _) in enumerate(queries)
    }
    judged = {f"{q:02}": {f"d{relevant}": 1} for q, (_, relevant) in enumerate(queries)}
    values = np.array([1 / (sorted(scores)[::-1].index(scores[r]) + 1) for scores, r in queries])
    sure = np.array([sureness([float(s) for s in scores], confidence) for scores, _ in queries])
    rates = np.linspace(0, 1, 11)[:-1]

    def area(by: Any) -> float:
        left = [min(round(rate * len(values)), len(values) - 1) for rate in rates]
        ordered = np.array(
            [values[by == sureness].mean() for sureness in np.sort(by)]
        )  # ties share their mean
        return float(auc(rates, [ordered[first:].mean() for first in left]))

    oracle, flat = area(values), values.mean() * 0.9
    assume(oracle - flat > 1e-9)
    expected = (area(sure) - flat) / (oracle - flat)
    measure = f"nAUC(of=RR,confidence={confidence})"
    assert evaluate(judged, run, measure).aggregate(measure) == approx(expected, abs=1e-9)


def test_equally_sure_queries_have_no_order() -> None:
    """Both have the score 2: leaving out the better or the worse is a coin's throw, as if by chance."""
    run = {query: {"a": 2.0, "b": 1.0} for query in ("1", "2")}
    assert evaluate({"1": {"a": 1}, "2": {"b": 1}}, run, "nAUC(of=RR)").aggregate("nAUC(of=RR)") == approx(0)
    assert evaluate({"1": {"b": 1}, "2": {"a": 1}}, run, "nAUC(of=RR)").aggregate("nAUC(of=RR)") == approx(0)


def test_abstention_needs_a_run_and_a_mean() -> None:
    with pytest.raises(InputError, match="needs a run with its documents and scores"):
        parse("nAUC(of=RR)")([1, 0])
    with pytest.raises(InputError, match="cannot be of GAUC"):
        parse("nAUC(of=GAUC)")


@given(st.lists(st.booleans(), min_size=2, max_size=12), st.sampled_from([0.1, 0.25, 0.5, 1.0]))
def test_partial_auc_is_that_of_scikit_learn(relevant: list[bool], most: float) -> None:
    assume(any(relevant) and not all(relevant))
    scores = list(range(len(relevant), 0, -1))
    # 1 is the whole area, which scikit-learn does not rescale.
    expected = roc_auc_score(relevant, scores, max_fpr=most)
    assert PartialAUC(max_fpr=most)([int(hit) for hit in relevant]) == approx(expected)


@given(
    st.lists(st.integers(0, 1), min_size=2, max_size=8),
    st.integers(0, 3),
    st.integers(0, 3),
    st.sampled_from([0.2, 0.6]),
)
def test_what_was_not_retrieved_shares_the_last_place(
    grades: list[int], good: int, bad: int, most: float
) -> None:
    judged = [*grades, *[1] * good, *[0] * bad]
    assume(0 < sum(judged) < len(judged))
    scores = [*range(len(judged), len(judged) - len(grades), -1), *[0] * (good + bad)]
    expected = roc_auc_score(judged, scores, max_fpr=most)
    assert PartialAUC(max_fpr=most)(grades, judged=judged) == approx(expected)


def test_group_auc_weighs_by_what_was_shown() -> None:
    run = {"u": list("abc"), "v": list("abcd"), "w": list("ab")}
    judged = {"u": {"a": 0, "b": 1, "c": 0}, "v": {"a": 1, "b": 1, "c": 0, "d": 1}, "w": {"a": 1, "b": 1}}
    values = [AUC()([0, 1, 0]), AUC()([1, 1, 0, 1])]  # w has no pair, and does not count
    assert evaluate(judged, run, "GAUC").aggregate("GAUC") == approx((3 * values[0] + 4 * values[1]) / 7)
    by_clicks = "GAUC(weighting=relevant)"
    assert evaluate(judged, run, by_clicks).aggregate(by_clicks) == approx((values[0] + 3 * values[1]) / 4)


def test_rated_lists_by_hand() -> None:
    # Azure's example scale of 0 to 4: 25·(3 + 0.6·0 + 0.36·2)/1.96 of 100.
    assert parse("XDCG@3")([3, None, 2, 4]) == approx(25 * (3 + 0.36 * 2) / 1.96 / 100)
    assert parse("Fidelity")([3, None, 1, 0], judged=[4, 3, 1, 0]) == approx((15 + 3) / (31 + 15 + 3))
    with pytest.raises(InputError, match="grade 5"):
        parse("XDCG@3")([5])


def test_holes_are_what_is_judged_for_no_query() -> None:
    run = {"p": list("abc"), "q": list("cde"), "r": list("x")}
    judged = {"p": {"a": 1, "d": 0}, "q": {"c": 2}, "r": {"b": 1}}
    # Of a to d, all are judged for some query; e and x are not.
    result = evaluate(judged, run, ["Hole@3", "Unjudged@3"])
    assert [result.value("Hole@3", query) for query in "pqr"] == [0, approx(1 / 3), approx(1 / 3)]
    assert [result.value("Unjudged@3", query) for query in "pqr"] == approx([2 / 3, 2 / 3, 1 / 3])


def test_names_of_other_tools() -> None:
    assert parse("calibrated_recall@5") == parse("R_cap@5") == parse("RelP@5")
    assert parse("holes_ratio") == parse("Unjudged")
    assert parse("holes")([1, None, None]) == 2
    assert parse("ACLT@5") == parse("TailCount@5")
