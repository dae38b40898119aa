"""Smooth losses end at the measure that is reported."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.losses import SMOOTH

import idealist as il
from idealist.learn.losses import Loss, PLRank

GAINS = ["linear", "exp", "binary", "{0:0,1:1,2:5,3:6}"]
DISCOUNTS = ["log2", "zipf", "letor", "jarvelin(3)", "rbp(0.7)", "none", "[1,0.9,0.9,0.3,0.2,0.2,0.2,0.1]"]


@pytest.mark.parametrize("loss", [*SMOOTH, PLRank], ids=lambda loss: loss.__name__)
def test_at_a_low_temperature_the_loss_is_minus_the_measure(loss: Callable[..., Loss]) -> None:
    @given(
        st.permutations(range(8)),
        st.lists(st.integers(0, 3), min_size=8, max_size=8),
        st.sampled_from(GAINS),
        st.sampled_from(DISCOUNTS),
        st.sampled_from([None, 1, 3, 8]),
        st.sampled_from([il.NDCG, il.DCG]),
    )
    def law(
        scores: list[int],
        grades: list[int],
        gain: str,
        discount: str,
        k: int | None,
        kind: type[il.NDCG] | type[il.DCG],
    ) -> None:
        measure = kind(k=k, gain=gain, discount=discount)
        run = {"q": {str(at): score for at, score in enumerate(scores)}}
        judgments = {"q": {str(at): grade for at, grade in enumerate(grades)}}
        expected = il.evaluate(judgments, run, measure).mean(measure)
        cold = loss(measure, temperature=1e-3)
        value = cold(torch.tensor(scores, dtype=torch.float64), torch.tensor(grades))
        assert -float(value) == pytest.approx(expected, abs=1e-9)

    law()


@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: loss.__name__)
def test_steps_against_the_gradient_make_the_measure_better(loss: Callable[..., Loss]) -> None:
    """From grades 0, 1, 0 at the top to at least 2, 3, 1, whose nDCG@3 is (2 + 3/log2(3) + ½)/(3 + 2/log2(3) + ½) = 0.92."""
    smooth = loss("nDCG@3", temperature=1.0)
    scores = torch.tensor([2.0, 1.0, 0.5, 0.0, -0.5], dtype=torch.float64, requires_grad=True)
    grades = torch.tensor([0, 1, 0, 2, 3])
    optimiser = torch.optim.Adam([scores], lr=0.2)
    for _ in range(80):
        optimiser.zero_grad()
        smooth(scores, grades).backward()
        optimiser.step()
    ranked = grades[scores.argsort(descending=True)].tolist()
    assert il.NDCG(k=3)(ranked) > 0.91
