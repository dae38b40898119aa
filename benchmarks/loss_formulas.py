"""Losses of other projects on plain tensors, for `loss_laws.py`: sentence-transformers' own classes around a stand-in for the
model, and the formulas of allRank and keras-rs written down from what those projects do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from sentence_transformers.cross_encoder import losses as theirs

Form = Callable[..., torch.Tensor]
TINY = 1e-10  # what both projects add inside logarithms


class StandIn:
    """In the place of a cross encoder: a document is the number of its score."""

    num_labels = 1
    device = torch.device("cpu")

    def __init__(self) -> None:
        self.scores = torch.zeros(0)

    def preprocess(self, pairs: list[tuple[str, int]], **_: Any) -> dict[str, torch.Tensor]:
        return {"places": torch.tensor([place for _, place in pairs], dtype=torch.long)}

    def __call__(self, tokens: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {"scores": self.scores[tokens["places"]]}


def of_sentence_transformers(make: Callable[..., Any], **settings: Any) -> Form:
    """A class of theirs as a function of scores, grades and mask; it pads lists of different lengths itself."""
    model = StandIn()
    loss = make(model, **settings)

    def call(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        model.scores = scores.flatten()
        places = torch.arange(scores.numel()).view(scores.shape)
        documents = [row[there].tolist() for row, there in zip(places, mask, strict=True)]
        labels = [row[there] for row, there in zip(grades, mask, strict=True)]
        result: torch.Tensor = loss([["query"] * len(scores), documents], labels)
        return result

    return call


def with_padding(values: torch.Tensor, mask: torch.Tensor, filler: float) -> torch.Tensor:
    return values.masked_fill(~mask, filler)


def ideal(grades: torch.Tensor, mask: torch.Tensor, k: int | None = None) -> torch.Tensor:
    gains = (2.0**grades - 1).masked_fill(~mask, 0).sort(dim=-1, descending=True).values
    discounts = 1 / torch.log2(torch.arange(2.0, gains.shape[1] + 2))
    return (gains * discounts)[:, :k].sum(dim=-1)


def allrank_list_net(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Padding is minus infinity on both sides."""
    wanted = with_padding(grades, mask, -torch.inf).softmax(dim=-1)
    shares = with_padding(scores, mask, -torch.inf).softmax(dim=-1)
    return -(wanted * (shares + TINY).log()).sum(dim=-1).mean()


def allrank_list_mle(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Ties in an order drawn anew for every call; sums of exponentials below the greatest score."""
    drawn = torch.randperm(scores.shape[1])
    order = drawn[with_padding(grades, mask, -1.0)[:, drawn].argsort(dim=-1, descending=True, stable=True)]
    there = mask.gather(1, order)
    ranked = with_padding(scores.gather(1, order), there, -torch.inf)
    ranked = ranked - ranked.max(dim=-1, keepdim=True).values
    left = ranked.exp().flip(-1).cumsum(dim=-1).flip(-1)
    return ((left + TINY).log() - ranked).masked_fill(~there, 0).sum(dim=-1).mean()


def allrank_lambda_loss(k: int | None) -> Form:
    """NDCG-Loss2++; with a cut-off only pairs of which both documents stand within it; summed over the batch."""

    def call(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        ranked, order = with_padding(scores, mask, -torch.inf).sort(dim=-1, descending=True)
        wanted, there = grades.gather(1, order), mask.gather(1, order)
        gains = (2.0**wanted - 1) * there / ideal(grades, mask, k).clamp(min=TINY)[:, None]
        places = torch.arange(1, scores.shape[1] + 1)
        discounts = 1 / torch.log2(places + 1.0)
        apart = (places[:, None] - places[None, :]).abs()
        deltas = (1 / torch.log2(apart.clamp(min=1) + 1.0) - 1 / torch.log2(apart + 2.0)).abs()
        deltas.fill_diagonal_(0)
        changes = 10 * deltas + (discounts[:, None] - discounts[None, :]).abs()
        weights = changes * (gains[:, :, None] - gains[:, None, :]).abs()
        pairs = (wanted[:, :, None] > wanted[:, None, :]) & there[:, :, None] & there[:, None, :]
        if k is not None:
            pairs[:, k:, :] = False
            pairs[:, :, k:] = False
        chances = (ranked[:, :, None] - ranked[:, None, :]).clamp(-1e8, 1e8).sigmoid().clamp(min=TINY)
        return -(chances**weights).clamp(min=TINY).log2()[pairs].sum()

    return call


def allrank_rank_net(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The mean over all pairs of the batch."""
    pairs = (grades[:, :, None] > grades[:, None, :]) & mask[:, :, None] & mask[:, None, :]
    return torch.nn.functional.softplus(scores[:, None, :] - scores[:, :, None])[pairs].mean()


def allrank_approx_ndcg(temperature: float) -> Form:
    def call(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        pairs = mask[:, :, None] & mask[:, None, :] & ~torch.eye(scores.shape[1], dtype=torch.bool)
        ahead = (scores[:, None, :] - scores[:, :, None]) / temperature
        ranks = 1 + (ahead.sigmoid().clamp(min=TINY) * pairs).sum(dim=-1)
        gains = (2.0**grades - 1) * mask / ideal(grades, mask).clamp(min=TINY)[:, None]
        return -(gains / torch.log2(1 + ranks)).sum(dim=-1).mean()

    return call


def allrank_neural_ndcg(temperature: float, k: int | None = None) -> Form:
    """All lists of a batch are scaled until the last one is done; the mean is over lists with something relevant."""

    def call(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        inside = mask[:, :, None] & mask[:, None, :]
        between = ((scores[:, :, None] - scores[:, None, :]).abs() * inside).sum(dim=-1)
        ranks = torch.arange(1, scores.shape[1] + 1)
        steps = (mask.sum(dim=-1, keepdim=True) + 1 - 2 * ranks).to(scores.dtype)
        logits = (steps[:, :, None] * scores[:, None, :] - between[:, None, :]) / temperature
        # Padding is a block of its own, so that its rows and columns add up to 1 by themselves.
        block = torch.zeros_like(logits).masked_fill(mask[:, :, None] | mask[:, None, :], -torch.inf)
        matrix = logits.where(inside, block).softmax(dim=-1)
        for _ in range(50):
            matrix = matrix / matrix.sum(dim=1, keepdim=True).clamp(min=TINY)
            matrix = matrix / matrix.sum(dim=2, keepdim=True).clamp(min=TINY)
            if (matrix.sum(dim=1) - 1).abs().max() < 1e-6:
                break
        held = (matrix * ((2.0**grades - 1) * mask)[:, None, :]).sum(dim=-1)
        best = ideal(grades, mask, k)
        found = (held / torch.log2(ranks + 1.0))[:, :k].sum(dim=-1) / (best + TINY)
        if not bool((best > 0).any()):
            return torch.zeros(())
        return -found[best > 0].sum() / (best > 0).sum()

    return call


def keras_pairwise(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """A number for each document, averaged over all places of the batch."""
    pairs = (grades[:, :, None] > grades[:, None, :]) & mask[:, :, None] & mask[:, None, :]
    return (torch.nn.functional.softplus(scores[:, None, :] - scores[:, :, None]) * pairs).sum(dim=-1).mean()


def keras_list_mle(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Ties in the order of the input; padding has the score -10⁹."""
    order = with_padding(grades, mask, -1e9).argsort(dim=-1, descending=True, stable=True)
    there = mask.gather(1, order)
    ranked = with_padding(scores.gather(1, order), there, -1e9)
    greatest = ranked.max(dim=-1, keepdim=True).values
    ranked = with_padding(ranked - greatest.where(mask.any(dim=-1, keepdim=True), 0 * greatest), there, -1e9)
    left = ranked.exp().flip(-1).cumsum(dim=-1).flip(-1)
    return -(ranked - (left + TINY).log()).masked_fill(~there, 0).sum(dim=-1).mean()


def sentence_transformers_losses(k: int) -> dict[str, tuple[Form, int | None]]:
    """Each with the cut-off that it has."""
    return {
        "LambdaLoss": (of_sentence_transformers(theirs.LambdaLoss), None),
        f"LambdaLoss, k={k}": (of_sentence_transformers(theirs.LambdaLoss, k=k), k),
        "RankNetLoss": (of_sentence_transformers(theirs.RankNetLoss), None),
        "ListNetLoss": (of_sentence_transformers(theirs.ListNetLoss), None),
        "ListMLELoss": (of_sentence_transformers(theirs.ListMLELoss), None),
        "ListMLELoss by labels": (
            of_sentence_transformers(theirs.ListMLELoss, respect_input_order=False),
            None,
        ),
        "PListMLELoss by labels": (
            of_sentence_transformers(theirs.PListMLELoss, respect_input_order=False),
            None,
        ),
    }
