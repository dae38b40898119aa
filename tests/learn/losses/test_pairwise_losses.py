"""Losses of pairs against loops over the pairs; their memory; their kernels."""

from __future__ import annotations

import os
import subprocess
import sys
from math import exp, log, log2

import pytest
import torch
from support.losses import some_lists
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

import idealist as il
from idealist.learn.losses import LambdaLoss, LambdaRank, PairwiseLoss, RankNet, Soft
from idealist.learn.losses.graded_lists import lists_from
from idealist.learn.losses.loss import BLOCK
from idealist.learn.losses.pair_weights import standing


def lost(behind: float) -> float:
    return log(1 + exp(behind))


def discount(rank: int, k: int | None) -> float:
    return 1 / log2(rank + 1) if k is None or rank <= k else 0.0


def weight_of(kind: str, k: int | None, gains: tuple[float, float], ranks: tuple[int, int]) -> float:
    """The weight of a pair as the papers write it, gains already divided by the ideal list's sum."""
    (g, h), (r, s) = gains, ranks
    swap = abs(discount(r, k) - discount(s, k))
    if kind == "first":
        return g * (discount(r, k) if k is None or r <= k else 1 / k)
    if g <= h:
        return 0.0
    if kind == "plain":
        return 1.0
    if kind == "swap":
        return (g - h) * swap
    delta = discount(abs(r - s), None) - discount(abs(r - s) + 1, None)
    if k is not None:
        if min(r, s) > k:
            delta = 0.0
        elif max(r, s) > k:
            delta /= 1 - discount(max(r, s), None)
    return (g - h) * (delta if kind == "loss2" else swap + 10 * delta)


@pytest.mark.parametrize("k", [None, 1, 3])
@pytest.mark.parametrize(
    ("loss", "kind"),
    [
        (RankNet, "plain"),
        (LambdaRank, "swap"),
        (LambdaLoss, "loss1"),
        (LambdaLoss, "loss2"),
        (LambdaLoss, "loss2++"),
    ],
)
def test_the_sum_over_pairs(loss: type[PairwiseLoss], kind: str, k: int | None) -> None:
    scores, grades, _ = some_lists(4, 1, 6)
    gains = [2.0**grade - 1 for grade in grades[0].tolist()]
    ideal = sum(g * discount(rank, k) for rank, g in enumerate(sorted(gains, reverse=True), 1))
    order = scores[0].argsort(descending=True).tolist()
    ranks = [order.index(i) + 1 for i in range(6)]
    total, pairs = 0.0, 0
    for i in range(6):
        for j in range(6):
            if i != j:
                name = "first" if kind == "loss1" else kind
                shares = (gains[i] / ideal, gains[j] / ideal)
                weight = weight_of(name, k, shares, (ranks[i], ranks[j]))
                total += weight * lost(1.5 * float(scores[0, j] - scores[0, i]))
                pairs += gains[i] > gains[j]
    total /= {"plain": pairs, "swap": 1}.get(kind, log(2))
    measure = il.NDCG(k=k, gain="exp")
    extra = {"kind": kind} if loss is LambdaLoss else {}
    assert loss(measure, sigma=1.5, **extra)(scores, grades) == pytest.approx(total)


def test_equals_share_their_place_and_the_worse_of_a_tie_stands_first() -> None:
    """Scores 1, 0, 0, 0 with grades 1, 2, 0, 0: ranks 1, then the two of grade 0 share 2 and 3, then grade 2 at 4."""
    scores, grades = torch.tensor([[0.0, 1.0, 0.0, 0.0]]), torch.tensor([[2, 1, 0, 0]])
    stands = standing(lists_from(scores, grades, il.NDCG(k=2)))
    assert stands.ranks.tolist() == [[4.0, 1.0, 2.5, 2.5]]
    half = 1 / log2(3) / 2
    assert stands.discounts[0].tolist() == pytest.approx([0.0, 1.0, half, half])


def test_a_pair_counts_by_its_better_document() -> None:
    scores, grades = torch.tensor([0.0, 0.0, 0.0]), torch.tensor([2, 1, 0])
    weights = torch.tensor([3.0, 0.0, 5.0])
    # Pairs (2, 1) and (2, 0) count 3 each, pair (1, 0) nothing; three pairs in all.
    assert RankNet()(scores, grades, item_weights=weights) == pytest.approx(6 * log(2) / 3)


class Largest(TorchDispatchMode):  # type: ignore[misc]
    """How many numbers the largest tensor has that any operation makes."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        result = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(result):
            if isinstance(leaf, torch.Tensor):
                self.numbers = max(self.numbers, leaf.untyped_storage().nbytes() // leaf.element_size())
        return result


@pytest.mark.parametrize(
    "loss", [RankNet(), LambdaRank(), LambdaLoss("nDCG@10"), LambdaLoss(kind="loss1"), Soft()], ids=str
)
def test_no_matrix_of_all_pairs_is_made(loss: RankNet) -> None:
    scores, grades, _ = some_lists(1, 3, 900)
    scores.requires_grad_()
    with Largest() as seen:
        loss(scores, grades).backward()
    assert seen.numbers <= BLOCK["cpu"] < 3 * 900 * 900 / 10


def test_the_kernels_give_what_the_blocks_give() -> None:
    """In Triton's interpreter, which wants a process of its own; on a GPU benchmarks/learn_losses.py compares them."""
    pytest.importorskip("triton")
    code = """
import torch
import idealist as il
from idealist.backends.soft import soft_ranks, triton_ranks
from idealist.learn.losses import pair_weights, pairwise, triton_pairs
from idealist.learn.losses.graded_lists import lists_from
from support.losses import some_lists

scores, grades, mask = some_lists(1, 3, 20)
scores[:, 5:9] = 0.25
mask[2] = False
scores.requires_grad_()
for measure in ("nDCG", "nDCG(gain=exp)@5"):
    lists = lists_from(scores, grades, il.measures.parse(measure), mask=mask, item_weights=torch.rand(3, 20).double())
    for weights in (
        pair_weights.plain_weights(lists),
        pair_weights.swap_weights(lists),
        pair_weights.first_weights(lists),
        pair_weights.distance_weights(lists, True, 10.0),
        pair_weights.distance_weights(lists, False, 1.0),
    ):
        blocks = pairwise._in_blocks(lists, weights, 1.3)
        kernel = triton_pairs.pair_sums_in_kernel(lists, weights, 1.3)
        for one, other in zip(blocks, kernel, strict=True):
            assert torch.allclose(one, other, atol=1e-12), (measure, weights.kind)
some = torch.tensor([[3, 0, 7]] * 3)
outer = torch.rand(3, 20).double()
for rows in (None, some):
    found = []
    for kernels in (None, triton_ranks):
        soft_ranks._kernels = lambda scores: kernels
        values = soft_ranks.soft_ranks(scores, mask, 0.3, rows)
        there = mask if rows is None else mask.gather(1, rows)
        weights = outer[:, : values.shape[1]] * there
        found += [values.detach() * there, torch.autograd.grad((values * weights).sum(), scores)[0]]
    assert torch.allclose(found[0], found[2], atol=1e-12)
    assert torch.allclose(found[1], found[3], atol=1e-12)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": ":".join(sys.path)},
    )
    assert done.returncode == 0, done.stderr


def test_a_discount_that_does_not_fall_at_first_leaves_weights_finite() -> None:
    """Under letor rank 2 counts in full: 1/(1 - d(2)) is no factor then."""
    scores = torch.tensor([2.0, 1.0, 0.0], requires_grad=True)
    for kind in ("loss1", "loss2", "loss2++"):
        value = LambdaLoss("DCG(discount=letor)@1", kind=kind)(scores, torch.tensor([0, 1, 2]))
        (gradient,) = torch.autograd.grad(value, scores)
        assert value.isfinite()
        assert gradient.isfinite().all()
