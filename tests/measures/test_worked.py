"""Values worked out by hand, in the literature and here."""

from __future__ import annotations

from math import log, log2

import pytest
from pytest import approx

from idealist import (
    AP,
    DCG,
    NDCG,
    RR,
    Conventions,
    F,
    Hits,
    InputError,
    Judged,
    P,
    R,
    Rprec,
    Success,
    evaluate,
)
from idealist.measures import CG, IDCG  # fmt: skip

EXP_CASES = [
    ([5, 1, 3, 2, 4], 42.2258, 45.6428, 0.9251),
    ([5, 3, 4, 2, 1], 44.5954, 45.6428, 0.9771),
    ([3, 1, 2, 3, 2, 0], 13.3062, 14.5954, 0.9117),
    # An article in circulation prints 9.26, 10.75 and 0.86 for this one: slips of arithmetic.
    ([3, 2, 0, 1, 3], 12.0314, 13.3472, 0.9014),
]


@pytest.mark.parametrize(("grades", "dcg", "idcg", "ndcg"), EXP_CASES)
def test_exponential_gain(grades: list[int], dcg: float, idcg: float, ndcg: float) -> None:
    assert round(DCG(gain="exp")(grades), 4) == dcg
    assert round(IDCG(gain="exp")(grades), 4) == idcg
    assert round(NDCG(gain="exp")(grades), 4) == ndcg
    by_hand = sum((2**grade - 1) / log2(rank + 1) for rank, grade in enumerate(grades, 1))
    assert DCG(gain="exp")(grades) == approx(by_hand, abs=1e-12)


def test_linear_gain() -> None:
    grades = [3, 2, 3, 0, 1, 2]
    assert round(DCG()(grades), 4) == 6.8611
    assert round(IDCG()(grades), 4) == 7.1410
    assert round(NDCG()(grades), 4) == 0.9608


def test_cumulative_gain_ignores_order() -> None:
    assert CG()([5, 1, 3, 2, 4]) == CG()([5, 3, 4, 2, 1]) == 15
    assert CG(k=2)([5, 1, 3]) == 6
    assert CG(gain="exp")([2, 1]) == 3 + 1


def test_binary_grades_make_linear_and_exponential_equal_but_not_jarvelin() -> None:
    grades = [0, 1, 1, 0, 1]
    assert DCG()(grades) == DCG(gain="exp")(grades)
    assert round(DCG()(grades), 4) == 1.5178
    assert round(DCG(discount="jarvelin(2)")(grades), 4) == 2.0616


@pytest.mark.parametrize(
    ("discount", "by_hand"),
    [
        ("log2", [1, 1 / log2(3), 1 / log2(4), 1 / log2(5)]),
        ("jarvelin", [1, 1, 1 / log2(3), 1 / log2(4)]),
        ("jarvelin(3)", [1, 1, 1, log(3) / log(4)]),
        ("letor", [1, 1, 1 / log2(3), 1 / log2(4)]),
        ("zipf", [1, 1 / 2, 1 / 3, 1 / 4]),
        ("rbp(0.8)", [1, 0.8, 0.8**2, 0.8**3]),
        ("none", [1, 1, 1, 1]),
        ([4, 3, 2, 1], [4, 3, 2, 1]),
        (lambda rank: 10.0**-rank, [0.1, 0.01, 0.001, 0.0001]),
    ],
)
def test_discounts(discount: object, by_hand: list[float]) -> None:
    grades = [1, 3, 5, 7]
    expected = sum(g * d for g, d in zip(grades, by_hand, strict=True))
    assert DCG(discount=discount)(grades) == approx(expected, abs=1e-12)  # type: ignore[arg-type]


def test_gains_from_tables_and_functions() -> None:
    assert DCG(gain={0: 0.5, 1: 2.5})([1, 0]) == approx(2.5 + 0.5 / log2(3))
    assert DCG(gain=lambda grade: grade**2)([3, 2]) == approx(9 + 4 / log2(3))
    # The ideal list is sorted by gain, which need not rise with the grade.
    falling = {1: 5, 2: 3}
    assert IDCG(gain=falling)([2, 1]) == approx(5 + 3 / log2(3))
    assert NDCG(gain=falling)([1, 2]) == 1.0
    # Gains less than 1 apart, which trec_eval truncates to nothing.
    assert NDCG(gain={1: 0.2, 2: 0.7})([2, 1]) == 1.0


def test_ideal_of_all_judged_or_of_the_retrieved_only() -> None:
    assert NDCG(k=1)([1], judged=[1, 3]) == approx(1 / 3)
    assert NDCG(k=1, ideal="retrieved")([1], judged=[1, 3]) == 1.0
    assert NDCG(k=1, ideal="retrieved")([1, 2], judged=[1, 2, 3]) == approx(1 / 2)


def test_binary_family_at_cutoffs_and_levels() -> None:
    grades, judged = [2, 0, 1, None, 2], [2, 0, 1, 2, 2, 1]  # five relevant, three retrieved
    assert P(k=2)(grades, judged=judged) == 1 / 2
    assert P(k=10)(grades, judged=judged) == 3 / 10
    assert P()(grades, judged=judged) == 3 / 5
    assert R(k=3)(grades, judged=judged) == 2 / 5
    assert R(level=2)(grades, judged=judged) == 2 / 3
    assert F(k=5)(grades, judged=judged) == approx(2 * (3 / 5) * (3 / 5) / (3 / 5 + 3 / 5))
    assert F(k=5, beta=2)([1, 1, 0, 0, 0], judged=[1] * 4 + [0] * 3) == approx(
        5 * (2 / 5) * (2 / 4) / (4 * (2 / 5) + 2 / 4)
    )
    assert AP()(grades, judged=judged) == approx((1 / 1 + 2 / 3 + 3 / 5) / 5)
    assert AP(k=3)(grades, judged=judged) == approx((1 / 1 + 2 / 3) / 5)
    assert AP(level=2)(grades, judged=judged) == approx((1 / 1 + 2 / 5) / 3)
    assert RR(level=2)([1, 2]) == 1 / 2
    assert RR(k=2)([0, 0, 1]) == 0
    assert Rprec()(grades, judged=judged) == 3 / 5
    assert Success(k=1)([0, 1]) == 0
    assert Hits(k=3)(grades, judged=judged) == 2
    assert Judged(k=4)(grades, judged=judged) == 3 / 4
    assert Judged(k=10)(grades, judged=judged) == 4 / 5


def test_average_precision_of_what_was_found_does_not_need_an_order() -> None:
    # a and b tied, c not retrieved: 1/1 or 1/2, of one found.
    run, judged = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1, "b": 0, "c": 1}}
    averaged = Conventions(ties="averaged")
    result = evaluate(judged, run, "AP(divisor=found)", conventions=averaged)
    assert result.mean("AP(divisor=found)") == (1 / 1 + 1 / 2) / 2
    # Among the first one, a is found in one order only.
    with pytest.raises(InputError, match="no closed form for averaged ties"):
        evaluate(judged, run, "AP(divisor=found)@1", conventions=averaged)


def test_readme_and_issue_form() -> None:
    assert NDCG(k=5, gain="exp")([5, 1, 3, 2, 4]) == approx(0.92513, abs=1e-5)
    assert NDCG(k=3)([3, 2, 0, 1]) == approx((3 + 2 / log2(3)) / (3 + 2 / log2(3) + 1 / 2))
