"""Lambda gradients against a loop that really exchanges each pair of documents."""

from __future__ import annotations

from math import exp, log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from idealist import kernels

LOG2 = [1 / log2(rank + 1) for rank in range(1, 40)]
ALL = 2**64 - 1


def gradients(
    scores: list[float],
    worth: list[float],
    stops: list[float] | None = None,
    *,
    sizes: list[int] | None = None,
    scale: list[float] | None = None,
    discounts: list[float] = LOG2,
    form: str = "sum",
    sigmoid: float = 1.0,
    highest: int = ALL,
    normalised: bool = False,
    threads: int = 1,
) -> tuple[Any, Any]:
    sizes = [len(scores)] if sizes is None else sizes
    gradient, hessian = np.full(len(scores), np.nan), np.full(len(scores), np.nan)
    kernels.lambda_gradients(
        np.array(scores, float),
        np.array(worth, float),
        np.array(stops or [], float),
        np.cumsum([0, *sizes]).astype(np.uint64),
        np.array(scale or [1.0] * len(sizes)),
        np.array(discounts, float),
        form,
        sigmoid,
        highest,
        normalised,
        gradient,
        hessian,
        threads,
    )
    return gradient, hessian


def value(form: str, worth: list[float], stops: list[float], discounts: list[float]) -> float:
    """The value of documents in ranked order, by its definition."""
    total, reading, running = 0.0, 1.0, 0.0
    for u, q, d in zip(worth, stops, discounts, strict=False):
        running += u
        total += d * u * {"sum": 1.0, "cascade": reading, "running": running}[form]
        reading *= 1 - q
    return total


def by_exchanging(
    scores: list[float],
    worth: list[float],
    stops: list[float],
    form: str,
    discounts: list[float],
    sigmoid: float,
    highest: int,
    normalised: bool,
) -> tuple[list[float], list[float]]:
    order = sorted(range(len(scores)), key=lambda document: -scores[document])
    gradient, hessian = [0.0] * len(scores), [0.0] * len(scores)
    before = value(form, [worth[i] for i in order], [stops[i] for i in order], discounts)
    for a in range(min(len(order), highest)):
        for b in range(a + 1, len(order)):
            other = list(order)
            other[a], other[b] = order[b], order[a]
            gained = value(form, [worth[i] for i in other], [stops[i] for i in other], discounts) - before
            if abs(gained) < 1e-12:
                continue
            better, worse = (order[b], order[a]) if gained > 0 else (order[a], order[b])
            difference = scores[better] - scores[worse]
            weight = abs(gained)
            if normalised and max(scores) != min(scores):
                weight /= 0.01 + abs(difference)
            wrong = 1 / (1 + exp(sigmoid * difference))
            gradient[better] -= sigmoid * weight * wrong
            gradient[worse] += sigmoid * weight * wrong
            for document in (better, worse):
                hessian[document] += sigmoid**2 * weight * wrong * (1 - wrong)
    return gradient, hessian


documents = st.lists(
    st.tuples(
        st.sampled_from([-2.0, -0.5, 0.0, 0.1, 3.0]),  # equal scores occur
        st.sampled_from([0.0, 1.0, 3.0, 7.0]),
        st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    ),
    min_size=1,
    max_size=9,
)


@given(
    documents,
    st.sampled_from(["sum", "cascade", "running"]),
    st.integers(1, 9),
    st.sampled_from([1, 3, ALL]),
    st.sampled_from([0.5, 2.0]),
)
def test_every_form_is_what_exchanging_two_documents_changes(
    rows: list[tuple[float, float, float]], form: str, k: int, highest: int, sigmoid: float
) -> None:
    scores, worth, stops = (list(column) for column in zip(*rows, strict=True))
    discounts = [d if rank <= k else 0.0 for rank, d in enumerate(LOG2[: len(rows)], 1)]
    found = gradients(
        scores,
        worth,
        stops if form == "cascade" else None,
        discounts=discounts,
        form=form,
        highest=highest,
        sigmoid=sigmoid,
    )
    expected = by_exchanging(scores, worth, stops, form, discounts, sigmoid, highest, False)
    assert_allclose(found, expected, atol=1e-10)
    assert abs(found[0].sum()) < 1e-10  # what one document gains in a pair, the other loses
    assert (found[1] >= 0).all()


def test_one_pair_by_hand() -> None:
    # The worse document stands first: exchanging them gains (1 − 1/log2 3)·(3 − 1); they are equally far, σ(0) = 1/2.
    gained = (1 - 1 / log2(3)) * 2
    gradient, hessian = gradients([0.0, 0.0], [1.0, 3.0])
    assert gradient == pytest.approx([gained / 2, -gained / 2])
    assert hessian == pytest.approx([gained / 4, gained / 4])
    half = gradients([0.0, 0.0], [1.0, 3.0], scale=[0.5])
    assert half[0] == pytest.approx(gradient / 2)


def test_normalised_gradients_are_by_distance_and_by_their_sum() -> None:
    scores, worth = [0.3, 0.1, 0.7, -0.2], [3.0, 0.0, 1.0, 7.0]
    plain = by_exchanging(scores, worth, [0.0] * 4, "sum", LOG2, 1.0, 4, True)
    # Each pair adds its lambda to two documents; their sum S becomes log2(1 + S).
    total = 0.0
    order = sorted(range(4), key=lambda document: -scores[document])
    for a in range(4):
        for b in range(a + 1, 4):
            i, j = order[a], order[b]
            gained = (LOG2[a] - LOG2[b]) * abs(worth[i] - worth[j])
            difference = (scores[i] - scores[j]) * (1 if worth[i] > worth[j] else -1)
            total += 2 * gained / (0.01 + abs(difference)) / (1 + exp(difference))
    factor = log2(1 + total) / total
    gradient, hessian = gradients(scores, worth, normalised=True)
    assert gradient == pytest.approx(np.array(plain[0]) * factor)
    assert hessian == pytest.approx(np.array(plain[1]) * factor)


def test_the_document_just_below_the_cut_off_is_pulled_up() -> None:
    gradient, _ = gradients([3.0, 2.0, 1.0], [0.0, 0.0, 1.0], discounts=[1.0, 0.5, 0.0])
    assert gradient[2] < 0
    # Two below it have nothing to gain from each other.
    gradient, _ = gradients([3.0, 2.0, 1.0], [1.0, 0.0, 1.0], discounts=[1.0, 0.0, 0.0])
    assert gradient[2] == 0
    assert gradient[1] > 0


def test_queries_do_not_know_each_other() -> None:
    rng = np.random.default_rng(7)
    sizes = [1, 5, 2, 17, 3]
    scores, worth = rng.normal(size=28).tolist(), rng.integers(0, 4, 28).tolist()
    scale = [1.0, 2.0, 0.0, 0.5, 1.0]
    together = gradients(scores, worth, sizes=sizes, scale=scale, normalised=True, threads=3)
    begin = 0
    for size, factor in zip(sizes, scale, strict=True):
        rows = slice(begin, begin + size)
        alone = gradients(scores[rows], worth[rows], scale=[factor], normalised=True)
        assert np.array_equal(together[0][rows], alone[0])
        assert np.array_equal(together[1][rows], alone[1])
        begin += size
    assert (together[0][:1] == 0).all()  # a document by itself
    assert (together[0][6:8] == 0).all()  # a query that is left out


def test_scores_far_apart_stay_finite() -> None:
    gradient, hessian = gradients([1e300, -1e300, 0.0], [0.0, 1.0, 3.0], normalised=True)
    assert np.isfinite(gradient).all()
    assert np.isfinite(hessian).all()


def test_arrays_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        gradients([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="differ in length"):
        gradients([1.0, 2.0], [1.0, 0.0], form="cascade")
    with pytest.raises(ValueError, match="fewer discounts"):
        gradients([1.0, 2.0], [1.0, 0.0], discounts=[1.0])
    with pytest.raises(ValueError, match="end at the number of documents"):
        gradients([1.0, 2.0], [1.0, 0.0], sizes=[1])
    with pytest.raises(ValueError, match="form must be"):
        gradients([1.0, 2.0], [1.0, 0.0], form="product")
