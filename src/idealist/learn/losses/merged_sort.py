"""A relaxed sort by merging: parts of a list are sorted, and the first of each go up to be merged with those of others."""

from __future__ import annotations

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.losses.lists import Lists


def merged_gains(
    lists: Lists, gains: torch.Tensor, *, temperature: float, branching: int, rows: int
) -> torch.Tensor:
    """What stands at the first `rows` ranks: lists × ranks of gains, 0 where a list has no such rank.

    Each level takes `branching` parts together, sorts them as NeuralSort does, and keeps the first `rows` ranks: of each
    the mean score and the mean gain by its distribution, which are what the next level sorts. So no matrix is larger than
    rows × (branching · rows), and a list of n documents takes about n · rows · branching steps. As the temperature goes
    to 0 every level is an exact merge, and so is the whole.
    """
    scores, values, there = _ordered(lists, gains)
    while scores.shape[1] > 1:
        scores, values, there = _level(scores, values, there, temperature, branching, rows)
    held = values[:, 0] * there[:, 0]
    return torch.nn.functional.pad(held, (0, max(0, rows - held.shape[1])))[:, :rows]


def _ordered(lists: Lists, gains: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Documents as parts of one each: lists × parts × 1.

    They are put in order of score and gain, so that the order of the input shows nowhere, and padding comes last.
    Documents alike in both have one score, their mean, so that each gets its share of the gradient wherever it comes to stand.
    """
    keys = lists.scores.detach().masked_fill(~lists.mask, -torch.inf)
    by_gain = gains.argsort(dim=-1, descending=True, stable=True)
    by_score = keys.gather(1, by_gain).argsort(dim=-1, descending=True, stable=True)
    order = by_gain.gather(1, by_score)
    mask = lists.mask.gather(1, order)
    scores = lists.scores.gather(1, order).masked_fill(~mask, 0)
    values = gains.gather(1, order)
    pair = torch.stack([keys.gather(1, order), values])
    new = (pair[..., 1:] != pair[..., :-1]).any(dim=0)
    run = torch.nn.functional.pad(new.cumsum(dim=-1), (1, 0))
    alike = torch.zeros_like(scores).scatter_add(1, run, torch.ones_like(scores))
    summed = torch.zeros_like(scores).scatter_add(1, run, scores)
    means = (summed / alike.clamp(min=1)).gather(1, run).masked_fill(~mask, 0)
    return means[..., None], values[..., None], mask.to(scores.dtype)[..., None]


def _level(
    scores: torch.Tensor,
    gains: torch.Tensor,
    there: torch.Tensor,
    temperature: float,
    branching: int,
    rows: int,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Neighbouring parts taken together, `branching` at a time, sorted and cut to their first ranks. A part without a
    neighbour stays as it is, so that what is padded behind it changes nothing."""
    lists, parts, size = scores.shape
    groups = -(-parts // branching)
    missing = groups * branching - parts

    def joined(tensor: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.pad(tensor, (0, 0, 0, missing)).view(lists, groups, -1)

    alone = joined(there)[..., size:].sum(dim=-1, keepdim=True) == 0
    scores, gains, there = joined(scores), joined(gains), joined(there)
    counts = there.sum(dim=-1, keepdim=True)
    kept = min(rows, scores.shape[-1])
    ranks = torch.arange(1, kept + 1, device=scores.device, dtype=scores.dtype)
    # Around their mean, so that large scores lose no digits; a shift changes no row.
    mean = (scores.detach() * there).sum(dim=-1, keepdim=True) / counts.clamp(min=1)
    away = (scores - mean) * there
    distances = ((away[..., :, None] - away[..., None, :]).abs() * there[..., None, :]).sum(dim=-1)
    logits = (counts + 1 - 2 * ranks)[..., None] * away[..., None, :] - distances[..., None, :]
    absent = (there == 0)[..., None, :] & (counts > 0)[..., None]
    shares = (logits / temperature).masked_fill(absent, -torch.inf).softmax(dim=-1)
    filled = (ranks <= counts).to(scores.dtype)
    held = torch.matmul(shares, torch.stack([away, gains], dim=-1))
    sorted_scores = torch.where(alone, scores[..., :kept], held[..., 0] + mean)
    sorted_gains = torch.where(alone, gains[..., :kept], held[..., 1])
    return sorted_scores * filled, sorted_gains * filled, filled
