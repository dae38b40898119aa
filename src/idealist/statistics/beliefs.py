"""Posterior probabilities of a mean difference: worse, equivalent, or better."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.values import as_within
from idealist.statistics.means import has_no_spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.statistics.means import Estimate

REGION = 0.01


class Posterior(Frozen):
    """The posterior of the true mean difference under a flat prior: the probabilities
    that it is worse, or better, by more than `region`, and that it is neither."""

    worse: float
    equivalent: float
    better: float
    region: float


def posterior(
    estimate: Estimate | None, *, region: float = REGION, better: str = "higher"
) -> Posterior | None:
    """The posterior of the true mean: Student's t around the mean, which is what remains of a flat prior on mean and
    log deviation. None when there are too few values.

    >>> from idealist.statistics.means import estimate_mean
    >>> posterior(estimate_mean([-1.0, 1.0]), region=0.0)
    Posterior(worse=0.5, equivalent=0.0, better=0.5, region=0.0)
    """
    as_within(region, "the region of practical equivalence", 0)
    if estimate is None:
        return None
    if has_no_spread(estimate):
        low, high = float(estimate.mean < -region), float(estimate.mean > region)
    else:
        from scipy.special import stdtr

        low = float(stdtr(estimate.freedom, (-region - estimate.mean) / estimate.error))
        high = float(stdtr(estimate.freedom, (estimate.mean - region) / estimate.error))
    worse, best = (high, low) if better == "lower" else (low, high)
    return Posterior(worse, max(0.0, 1.0 - low - high), best, region)
