"""Measures without an oracle, against a plain reading of their definitions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import ceil, floor, isnan, log, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from support.strategies import tasks

from idealist import Conventions, InputError, Judgments, Measure, evaluate
from idealist.data import match
from idealist.measures import parse
from idealist.measures.families.gain import G, NDCGRel
from idealist.measures.families.pairs import AUC, PNR
from idealist.measures.families.recall_levels import IPrec, RprecMult
from idealist.measures.families.sets import Utility

GRADES = st.one_of(st.integers(-2, 4), st.sampled_from([0.5, 1.5, 2.25]))


def ranked(run: dict[str, float], judged: dict[str, float]) -> list[float | None]:
    """The grades in ranked order, None for an unjudged document."""
    by_id = sorted(run, key=lambda document: document.encode("utf-8", "surrogateescape"), reverse=True)
    return [judged.get(document) for document in sorted(by_id, key=lambda document: -run[document])]


def hits(grades: list[float | None], level: float) -> int:
    return sum(grade is not None and grade >= level for grade in grades)


def check(measure: Measure | str, task: Any, by_hand: Any) -> None:
    """`by_hand` makes the value of a list of grades and of all judged grades."""
    run, judged = task
    measure = parse(measure)
    values = measure.values(match(Judgments(judged), run))
    for query, value in zip(sorted(judged, key=str.encode), values, strict=True):
        expected = by_hand(ranked(run.get(query, {}), judged[query]), list(judged[query].values()))
        assert value == approx(expected, abs=1e-12, nan_ok=True), (measure, query)


@given(tasks(GRADES))
def test_unjudged(task: Any) -> None:
    for k in (1, 3, 20):
        check(
            f"unj_{k}",
            task,
            lambda grades, _, k=k: sum(grade is None or grade < 0 for grade in grades[:k]) / k,
        )
    check("Unjudged", task, lambda g, _: sum(x is None or x < 0 for x in g) / len(g) if g else 0.0)


@given(tasks(GRADES))
def test_normalized_cumulative_gain(task: Any) -> None:
    def ncg(grades: list[float | None], judged: list[float], k: int) -> float:
        best = sum(sorted((max(grade, 0) for grade in judged), reverse=True)[:k])
        return sum(max(grade or 0, 0) for grade in grades[:k]) / best if best else nan

    for k in (1, 3, 100):
        check(f"NCG@{k}", task, lambda grades, judged, k=k: ncg(grades, judged, k))


@given(tasks(GRADES))
def test_yaap(task: Any) -> None:
    def yaap(grades: list[float | None], judged: list[float]) -> float:
        ranks = [rank for rank, grade in enumerate(grades, 1) if grade is not None and grade >= 1]
        found, relevant = sum(i / rank for i, rank in enumerate(ranks, 1)), sum(g >= 1 for g in judged)
        return log((1 + found) / (1 + relevant - found)) if relevant else nan

    check("yaap", task, yaap)


CUTS: dict[str, Any] = {
    "ceiling": lambda share, relevant: ceil(Fraction(str(share)) * relevant),
    "nearest": lambda share, relevant: floor(share * relevant + 0.5),
    "nine-tenths": lambda share, relevant: floor(share * relevant + 0.9),
}


@given(tasks(GRADES), st.sampled_from([0, 0.05, 0.1, 0.25, 0.3, 0.7, 1]))
def test_precision_at_recall(task: Any, share: float) -> None:
    def interpolated(grades: list[float | None], judged: list[float], rule: str) -> float:
        cut = CUTS[rule](share, hits(list(judged), 1))
        found = [hits(grades[:rank], 1) for rank in range(1, len(grades) + 1)]
        reached = [count / rank for rank, count in enumerate(found, 1) if count >= cut]
        return max(reached, default=0.0) if hits(list(judged), 1) else nan

    def at_multiple(grades: list[float | None], judged: list[float], rule: str) -> float:
        cut = CUTS[rule](share, hits(list(judged), 1))
        return nan if not hits(list(judged), 1) else hits(grades[:cut], 1) / cut if cut else 0.0

    for rule in CUTS:
        check(IPrec(recall=share, cut=rule), task, lambda g, j, rule=rule: interpolated(g, j, rule))
        if share:
            measure = RprecMult(multiple=share, cut=rule)
            check(measure, task, lambda g, j, rule=rule: at_multiple(g, j, rule))


def test_shares_that_a_product_misses() -> None:
    # 0.55·100 is 55.00000000000001 in double precision.
    assert IPrec(recall=0.55)([1] * 55, judged=[1] * 100) == 1.0
    assert IPrec(recall=0.55)([1] * 54, judged=[1] * 100) == 0.0
    # A twentieth of 21 is 1.05: two documents, or one.
    assert IPrec(recall=0.05)([1], judged=[1] * 21) == 0.0
    assert IPrec(recall=0.05, cut="nine-tenths")([1], judged=[1] * 21) == 1.0
    assert RprecMult(multiple=0.55)([0] * 54 + [1], judged=[0] * 54 + [1] * 100) == 1 / 55
    assert RprecMult(multiple=1e6)([1, 0], judged=[1, 0]) == 1e-6


@given(tasks(GRADES))
def test_pairs(task: Any) -> None:
    def pairs(grades: list[float | None], judged: list[float]) -> tuple[list[Any], list[Any]]:
        """Those of two retrieved documents, or of one and another that was not: upper grade, lower grade."""
        found = [grade for grade in grades if grade is not None]
        lost = list(judged)
        for grade in found:
            lost.remove(grade)
        above = list(combinations(found, 2)) + [(grade, other) for grade in found for other in lost]
        return above, list(combinations(lost, 2))

    def ratio(grades: list[float | None], judged: list[float]) -> float:
        above, _ = pairs(grades, judged)
        in_order = sum(upper > lower for upper, lower in above)
        out_of_order = sum(upper < lower for upper, lower in above)
        return in_order / max(out_of_order, 1) if in_order + out_of_order else nan

    def area(grades: list[float | None], judged: list[float]) -> float:
        above, level = pairs(grades, judged)
        relevant = sum(grade >= 1 for grade in judged)
        count = relevant * (len(judged) - relevant)
        in_order = sum(upper >= 1 > lower for upper, lower in above)
        halves = sum((upper >= 1) != (lower >= 1) for upper, lower in level)
        return (in_order + halves / 2) / count if count else nan

    check(PNR(), task, ratio)
    check(AUC(), task, area)


def test_a_perfect_order_counts_as_if_one_pair_were_out_of_order() -> None:
    assert PNR()([2, 1, 0]) == 3 / 1
    assert isnan(PNR()([1, 1], conventions=Conventions(empty="skip")))
    assert PNR()([1, 2, 0]) == 2 / 1
    assert PNR()([0], judged=[0, 1, 1]) == 0.0  # both ones stand below


def test_better_documents_may_lower_some_values() -> None:
    # Far below where they belong, the 10 before the 11 is worth more to G.
    above = [0] * 8
    assert G()([*above, 10, 11]) > G()([*above, 11, 10])
    # A little gain at rank 1 is averaged in with 1/4, when it could have been the whole list's nDCG.
    judged = [4, 1, 0]
    assert NDCGRel()([1, 4], judged=judged) < NDCGRel()([0, 4], judged=judged)


def test_utility_counts_what_was_not_retrieved() -> None:
    # Two relevant retrieved, one other retrieved, one relevant missed, six of ten documents neither.
    grades, judged = [1, 0, 1], [1, 0, 1, 1]
    measure = Utility(coefficients=(1, -1, -2, 0.5), collection_size=10)
    assert measure(grades, judged=judged) == 2 - 1 - 2 + 6 * 0.5
    with pytest.raises(InputError, match=r"'0' has 4 documents .* said to have 3") as caught:
        measure.replace(collection_size=3)(grades, judged=judged)
    assert "collection_size=" in str(caught.value.hint)
    with pytest.raises(InputError, match="coefficients must hold 4 numbers, not 2"):
        Utility(coefficients=(1, 2))
    with pytest.raises(InputError, match="a whole number"):
        Utility(collection_size=1.5)


def test_negative_grades_are_pooled_but_not_judged() -> None:
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    judged = {"q": {"a": -1, "b": 0, "c": 1}}
    for negative, value in {"not-relevant": 2, "unjudged": 1}.items():
        result = evaluate(judged, run, ["infAP", "Bpref"], conventions=Conventions(negative=negative))
        # At rank 3: as many pooled documents above, none of those judged relevant.
        assert result.value("infAP", "q") == approx((1 + value * 0.00001 / 1.00002) / 3)
        assert result.value("Bpref", "q") == 0.0
    assert evaluate(judged, run, "Bpref").value("Bpref", "q") == parse("Bpref")([None, 0, 1])
