"""Smooth measures, by hand and by going through all that can happen."""

from __future__ import annotations

from itertools import product
from math import erf, exp, log2

import pytest
import torch
from support.losses import number, some_lists

import idealist as il
from idealist.learn.losses import ApproxNDCG, NeuralNDCG, PiRank, SmoothDCG, SoftRank
from idealist.learn.losses.smooth_discounts import smooth_discount


def sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x))


def test_approx_ndcg_by_hand() -> None:
    """The relevant document is 1 behind: its soft rank is 1 + σ(1/T)."""
    scores, grades = torch.tensor([1.0, 0.0]), torch.tensor([0, 1])
    for temperature in (0.5, 2.0):
        rank = 1 + sigmoid(1 / temperature)
        assert -ApproxNDCG(temperature=temperature)(scores, grades) == pytest.approx(1 / log2(1 + rank))
    rank = 1 + sigmoid(1.0)
    cut = sigmoid((1.5 - rank) / 0.25)
    assert -ApproxNDCG("nDCG@1", temperature=1.0, cutoff_temperature=0.25)(scores, grades) == pytest.approx(
        cut / log2(1 + rank)
    )


def test_discounts_between_ranks() -> None:
    """log2 goes on as it is; the others are straight lines, and a table ends flat."""
    ranks = torch.tensor([1.0, 1.5, 2.0, 2.25, 9.0], dtype=torch.float64)
    log, _ = smooth_discount(il.NDCG(), ranks, 9, 1.0)
    assert log.tolist() == pytest.approx([1 / log2(1 + rank) for rank in ranks.tolist()])
    table, slopes = smooth_discount(il.NDCG(discount=[1, 0.5, 0.1]), ranks, 3, 1.0)
    assert table.tolist() == pytest.approx([1, 0.75, 0.5, 0.4, 0.1])
    assert slopes.tolist() == pytest.approx([-0.5, -0.5, -0.4, -0.4, 0])
    cut, _ = smooth_discount(il.NDCG(k=2, discount="none"), ranks, 9, 0.5)
    assert cut.tolist() == pytest.approx([sigmoid((2.5 - rank) / 0.5) for rank in ranks.tolist()])


def test_smooth_dcg_by_hand() -> None:
    """Scores 1 and 0: each rank holds its own document with 1/(1 + e^(-1/T)) and the other with the rest."""
    own = 1 / (1 + exp(-1 / 0.5))
    scores, grades = torch.tensor([1.0, 0.0]), torch.tensor([0, 1])
    assert -SmoothDCG(temperature=0.5)(scores, grades) == pytest.approx((1 - own) + own / log2(3))


def test_pirank_and_neural_ndcg_of_two_documents_by_hand() -> None:
    """Scores 1 and 0: logits of rank 1 are 1·s - 1, those of rank 2 are -1·s - 1. The matrix is doubly stochastic as it is."""
    own = exp(1 / 0.5) / (exp(1 / 0.5) + 1)
    scores, grades = torch.tensor([1.0, 0.0]), torch.tensor([0, 1])
    for loss in (PiRank(temperature=0.5), NeuralNDCG(temperature=0.5)):
        assert -loss(scores, grades) == pytest.approx((1 - own) + own / log2(3))


def test_neural_ndcg_is_what_the_whole_matrices_give() -> None:
    """The same, with every step of the scaling on the matrix itself, and PyTorch's own gradient."""
    scores, grades, _ = some_lists(2, 3, 6)
    scores.requires_grad_()
    ours = NeuralNDCG("nDCG(gain=exp)@4", steps=7, tolerance=1e-30)
    gains = 2.0 ** grades.double() - 1
    discounts = torch.tensor([1 / log2(rank + 1) if rank <= 4 else 0.0 for rank in range(1, 7)])
    ideal = (gains.sort(dim=-1, descending=True).values * discounts).sum(dim=-1)
    distances = (scores[:, :, None] - scores[:, None, :]).abs().sum(dim=-1)
    steps = torch.tensor([7.0 - 2 * rank for rank in range(1, 7)], dtype=torch.float64)
    matrix = (steps[:, None] * scores[:, None, :] - distances[:, None, :]).softmax(dim=-1)
    for _ in range(7):
        matrix = matrix / matrix.sum(dim=1, keepdim=True)
        matrix = matrix / matrix.sum(dim=2, keepdim=True)
    plain = -((matrix @ gains[..., None])[..., 0] * discounts).sum(dim=-1) / ideal
    assert number(ours(scores, grades)) == pytest.approx(number(plain.mean()))
    (expected,) = torch.autograd.grad(plain.mean(), scores)
    (found,) = torch.autograd.grad(ours(scores, grades), scores)
    assert torch.allclose(found, expected, atol=1e-12)


def test_a_list_stops_scaling_for_itself() -> None:
    """One list needs no step, the other many: neither sees the other."""
    quick, slow = torch.tensor([9.0, 0.0, -9.0]), torch.tensor([0.1, 0.05, -0.3])
    grades = torch.tensor([1, 0, 2])
    loss = NeuralNDCG(reduction="none", tolerance=1e-3)
    both = loss(torch.stack([quick, slow]), torch.stack([grades, grades]))
    assert both.tolist() == pytest.approx([float(loss(quick, grades)), float(loss(slow, grades))], abs=1e-6)


def test_a_matrix_too_large_is_refused() -> None:
    with pytest.raises(il.InputError, match="NeuralNDCG would need a matrix of 50,000 × 50,000"):
        NeuralNDCG()(torch.zeros(50_000), torch.ones(50_000))


@pytest.mark.parametrize("measure", ["nDCG", "nDCG(gain=exp)@2"])
def test_soft_rank_is_the_mean_over_all_outcomes(measure: str) -> None:
    """Each rival is above or not, by itself: all 2³ outcomes for each of four documents."""
    scores, grades = [0.3, -0.2, 0.9, 0.0], [1, 3, 0, 2]
    wide = 2**0.5 * 0.7
    meant = il.parse(measure)
    gains = [2**grade - 1 if "exp" in measure else grade for grade in grades]
    counted = 2 if "@2" in measure else 4
    discounts = [1 / log2(rank + 1) if rank <= counted else 0 for rank in range(1, 5)]
    mean = 0.0
    for i, own in enumerate(scores):
        above = [0.5 * (1 + erf((s - own) / wide / 2**0.5)) for j, s in enumerate(scores) if j != i]
        for outcome in product((False, True), repeat=3):
            chance = 1.0
            for up, share in zip(outcome, above, strict=True):
                chance *= share if up else 1 - share
            mean += gains[i] * chance * discounts[sum(outcome)]
    ideal = sum(g * d for g, d in zip(sorted(gains, reverse=True), discounts, strict=True))
    value = SoftRank(meant, temperature=0.7)(torch.tensor(scores, dtype=torch.float64), torch.tensor(grades))
    assert -float(value) == pytest.approx(mean / ideal)


@pytest.mark.parametrize("loss", [PiRank(), NeuralNDCG(), SmoothDCG()], ids=lambda loss: type(loss).__name__)
def test_equal_scores_share_their_ranks(loss: PiRank) -> None:
    """All scores equal: every rank holds every document with 1/3, and DCG is the mean gain at every rank."""
    value = -loss(torch.zeros(3), torch.tensor([0, 3, 0]))
    assert value == pytest.approx((1 + 1 / log2(3) + 1 / 2) / 3)
