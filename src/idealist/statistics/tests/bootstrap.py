"""The bootstrap test."""

from __future__ import annotations

from idealist.statistics.resampling import Resampled
from idealist.statistics.tests.base import ROUNDS, UNDEFINED, PairedTest, Significance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.statistics.paired import Sample


class BootstrapTest(PairedTest, name="bootstrap"):
    """The bootstrap, shifted to a mean of 0: queries drawn again with replacement.

    How often is the mean of queries drawn again as far from the mean that was seen as that is from 0? Of more than
    1,000 queries the distribution is found without drawing; else p = (1 + as far) / (1 + rounds). The statistic is
    the mean difference. p = 1 when all differences are 0; undefined when all are the same but not 0. With few
    queries it is too sure: of ten without a difference it finds one 10 % of the time, at 5 %. Efron and Tibshirani,
    An Introduction to the Bootstrap, 1993; Smucker, Allan and Carterette, CIKM 2007.

    >>> BootstrapTest(rounds=999)([1.0, -1.0])  # the mean is 0, and all others are as far
    Significance(p_value=1.0, statistic=0.0)
    """

    rounds: int = ROUNDS
    seed: int = 0

    def find(self, sample: Sample) -> Significance:
        resampled = Resampled(sample.changes, sample.weights, rounds=self.rounds, seed=self.seed)
        if resampled.alike:
            return Significance(1.0, 0.0) if resampled.n > 1 and resampled.mean == 0 else UNDEFINED
        return Significance(resampled.share_as_far(abs(sample.mean)), sample.mean)

    @property
    def about(self) -> str:
        return f"{self.rounds:,} bootstrap resamples, seed {self.seed} (exact above 1,000 queries)"
