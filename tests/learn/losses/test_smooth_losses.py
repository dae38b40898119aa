"""Smooth measures, by hand and by going through all that can happen."""

from __future__ import annotations

from math import exp, log2

import pytest
import torch
from support.losses import number, some_lists

import idealist as il
from idealist.backends.soft.soft_ranks import discounts_between
from idealist.learn.losses import NeuralNDCG, PiRank, Soft


def sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x))


def test_soft_ndcg_by_hand() -> None:
    """The relevant document is 1 behind: its soft rank is 1 + σ(1/T). A cut-off counts that by its logarithm."""
    scores, grades = torch.tensor([1.0, 0.0]), torch.tensor([0, 1])
    for temperature in (0.5, 2.0):
        rank = 1 + sigmoid(1 / temperature)
        assert -Soft(temperature=temperature)(scores, grades) == pytest.approx(1 / log2(1 + rank))
    rank = 1 + sigmoid(1.0)
    cut = 1 / (1 + (rank / 1.5) ** (1 / 0.25))
    assert -Soft("nDCG@1", temperature=1.0, cutoff_temperature=0.25)(scores, grades) == pytest.approx(cut)


def test_discounts_between_ranks() -> None:
    """log2 goes on as it is, and what is constant, too; towards 0 they fall straight, and a table ends flat."""
    ranks = torch.tensor([1.0, 1.5, 2.0, 2.25, 9.0], dtype=torch.float64)
    log = discounts_between([1 / log2(1 + rank) for rank in range(1, 10)], ranks)
    assert log.tolist() == pytest.approx([1 / log2(1 + rank) for rank in ranks.tolist()])
    between = (log2(2.5) - 1) / (log2(3) - 1)  # how far rank 1.5 is from 1 to 2
    table = discounts_between([1, 0.5, 0.5], ranks)
    assert table.tolist() == pytest.approx([1, 1 / (1 + between), 0.5, 0.5, 0.5])
    ending = discounts_between([1, 0.0], ranks)
    assert ending.tolist() == pytest.approx([1, 1 - between, 0, 0, 0])


def test_a_cut_off_of_a_relaxed_sort_by_hand() -> None:
    """Two documents, k = 1: the ranks 1 and 2 count 1/(1 + (r/1.5)^(1/W)), and W is 3/10 at T = 1."""
    counted = [1 / (1 + (rank / 1.5) ** (10 / 3)) for rank in (1, 2)]
    for loss in (PiRank("nDCG@1"), NeuralNDCG("nDCG@1")):
        value = -loss(torch.tensor([1.0, 0.0]), torch.tensor([1, 0]))
        assert value == pytest.approx(sigmoid(1.0) * counted[0] + sigmoid(-1.0) * counted[1])


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
    ours = NeuralNDCG("nDCG(gain=exp)", steps=7, tolerance=1e-30)
    gains = 2.0 ** grades.double() - 1
    discounts = torch.tensor([1 / log2(rank + 1) for rank in range(1, 7)], dtype=torch.float64)
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


@pytest.mark.parametrize("loss", [PiRank(), NeuralNDCG()], ids=lambda loss: type(loss).__name__)
def test_equal_scores_share_their_ranks(loss: PiRank) -> None:
    """All scores equal: every rank holds every document with 1/3, and DCG is the mean gain at every rank."""
    value = -loss(torch.zeros(3), torch.tensor([0, 3, 0]))
    assert value == pytest.approx((1 + 1 / log2(3) + 1 / 2) / 3)
