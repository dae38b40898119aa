"""Tie-averaged DCG and nDCG against scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import dcg_score, ndcg_score

from idealist import DCG, NDCG, Conventions, Rankings, evaluate

AVERAGED = Conventions(ties="averaged")
SHAPES = st.tuples(st.integers(1, 5), st.integers(2, 30))


@st.composite
def matrices(draw: st.DrawFn) -> tuple[Any, Any]:
    shape = draw(SHAPES)
    grades = draw(
        st.one_of(
            hnp.arrays(np.int64, shape, elements=st.integers(0, 4)),
            hnp.arrays(np.float64, shape, elements=st.floats(0, 10, width=32)),
        )
    )
    kind = draw(st.sampled_from([np.float64, np.float32]))
    scores = draw(
        hnp.arrays(
            kind,
            shape,
            elements=st.one_of(
                st.sampled_from([-1.0, 0.0, -0.0, 0.5]), st.floats(-5, 5, width=32, allow_subnormal=False)
            ),
        )
    )
    return scores, grades


@given(matrices(), st.sampled_from([None, 1, 2, 5, 10]))
def test_matrices_agree(pair: tuple[Any, Any], k: int | None) -> None:
    scores, grades = pair
    rankings = Rankings.from_arrays(grades, scores, AVERAGED, depth=k)
    for ours, theirs in ((DCG(k=k), dcg_score), (NDCG(k=k), ndcg_score)):
        expected = [theirs(g[None], s[None].astype(float), k=k) for s, g in zip(scores, grades, strict=True)]
        np.testing.assert_allclose(
            np.asarray(ours.values_with_conventions(rankings)), expected, atol=1e-12, rtol=0
        )


@given(matrices(), st.sampled_from([None, 3, 10]))
def test_dicts_agree(pair: tuple[Any, Any], k: int | None) -> None:
    scores, grades = pair
    run = {str(q): {str(d): s for d, s in enumerate(row)} for q, row in enumerate(scores)}
    judged = {str(q): {str(d): g for d, g in enumerate(row)} for q, row in enumerate(grades)}
    result = evaluate(judged, run, NDCG(k=k), conventions=AVERAGED)
    assert result.mean(NDCG(k=k)) == pytest.approx(ndcg_score(grades, scores.astype(float), k=k), abs=1e-12)


def test_long_rows_take_the_radix_sort() -> None:
    random = np.random.default_rng(3)
    grades = random.integers(0, 5, (20, 2000))
    for scores in (
        random.normal(size=(20, 2000)),
        random.normal(size=(20, 2000)).astype(np.float32),
        random.integers(0, 50, (20, 2000)).astype(float),  # many ties
        1.0 + random.integers(0, 50, (20, 2000)) * 2.0**-52,  # differ in the last bits only
    ):
        for k in (None, 10, 400):
            rankings = Rankings.from_arrays(grades, scores, AVERAGED, depth=k)
            ours = np.asarray(NDCG(k=k).values_with_conventions(rankings))
            expected = [
                ndcg_score(g[None], s[None].astype(float), k=k) for s, g in zip(scores, grades, strict=True)
            ]
            np.testing.assert_allclose(ours, expected, atol=1e-12, rtol=0)
