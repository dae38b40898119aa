"""SoftRank: the measure's mean when every score has a normal error."""

from __future__ import annotations

from math import sqrt

import torch

from idealist.learn.losses.base import Loss, positive
from idealist.learn.losses.gradients import blocks, known_gradient, most_relevant_first, wants_gradient

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.losses.lists import Lists
    from idealist.measures.base import Measure


BLOCKS = 16  # how many times the numbers of a block may be in memory


class SoftRank(Loss):
    """Minus SoftNDCG: -(1/I) Σ_i G_i Σ_r d(r)·p_i(r), where p_i is the exact distribution of i's rank.

    A rival j stands above i with probability Φ((s_j - s_i)/(√2·T)), T being the deviation of a score. p_i starts at rank 1,
    and rivals are inserted one after the other: p(r) ← p(r - 1)·π + p(r)·(1 - π). As T goes to 0 the loss goes to minus the
    measure. Time goes by documents² × ranks up to the cut-off, cubic without one; some documents at a time. Taylor,
    Guiver, Robertson and Minka, WSDM 2008.

    >>> loss = SoftRank()
    >>> round(float(loss(torch.tensor([0.0, 0.0]), torch.tensor([1, 0]))), 4)  # (1 + 1/log2(3))/2
    -0.8155
    """

    claims = ("shift", "cut-off", "limit")
    parameters_of_loss = ("temperature",)

    def __init__(
        self, measure: str | Measure = "nDCG", *, temperature: float = 1.0, reduction: str = "mean"
    ) -> None:
        super().__init__(measure, reduction=reduction)
        self.temperature = positive(temperature, "temperature")

    def values(self, lists: Lists) -> torch.Tensor:
        scores = lists.scores.detach()
        worth = lists.shares(lists.weighted_gains)
        ranks = lists.depth
        discounts = lists.discounts()[:ranks]
        order, rows = most_relevant_first(worth)
        wide = sqrt(2) * self.temperature
        values = torch.zeros_like(scores[:, 0])
        gradient = torch.zeros_like(scores) if wants_gradient(lists.scores) else None
        # In memory are, for each document, the worths of its ranks before each rival comes.
        for some, here in blocks(len(scores), rows, scores.shape[1] * ranks // BLOCKS + 1, scores.device):
            own, mask = order[some, here], lists.mask[some, None, :]
            apart = (scores[some, None, :] - scores[some].gather(1, own)[..., None]) / wide
            above = torch.special.ndtr(apart) * mask
            above.scatter_(2, own[..., None], 0.0)  # nobody is above himself
            expected, slopes = expected_discounts(above, discounts, gradient is not None)
            gained = worth[some].gather(1, own)
            values[some] -= (gained * expected).sum(dim=-1)
            if gradient is None:
                continue
            density = torch.exp(-0.5 * apart * apart) / (sqrt(2 * torch.pi) * wide)
            by_pair = -gained[..., None] * slopes * density * mask
            by_pair.scatter_(2, own[..., None], 0.0)
            gradient[some] += by_pair.sum(dim=1)
            gradient[some] = gradient[some].scatter_add(1, own, -by_pair.sum(dim=2))
        return known_gradient(lists.scores, values, gradient)


def expected_discounts(
    above: torch.Tensor, discounts: torch.Tensor, with_slopes: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """The mean discount of documents whose rivals (last dimension) stand above them with these probabilities, and its
    slopes by the probabilities.

    What a rank is worth while rivals j, j+1, … are still to come is found backwards, and how likely it is then forwards:
    the slope by π_j is Σ_r p(r)·(worth(r + 1) - worth(r)).
    """
    rivals, ranks = above.shape[-1], len(discounts)
    worth = [discounts.expand(*above.shape[:-1], ranks)]
    for j in reversed(range(rivals)):
        later = worth[-1]
        worth.append(later + above[..., j, None] * _falls(later))
    worth.reverse()  # worth[j]: before rival j comes
    expected = worth[0][..., 0]
    slopes = torch.zeros_like(above)
    if not with_slopes:
        return expected, slopes
    chances = torch.zeros_like(worth[0])
    chances[..., 0] = 1
    for j in range(rivals):
        slopes[..., j] = (chances * _falls(worth[j + 1])).sum(dim=-1)
        moved = chances * above[..., j, None]
        chances = chances - moved
        chances[..., 1:] += moved[..., :-1]
    return expected, slopes


def _falls(worth: torch.Tensor) -> torch.Tensor:
    """What is lost by standing one rank lower; beyond the last rank nothing is worth anything."""
    return torch.nn.functional.pad(worth[..., 1:], (0, 1)) - worth
