"""The sign test."""

from __future__ import annotations

from idealist.statistics.tests.base import LEAST_P, PairedTest, Significance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.statistics.paired import Sample


class SignTest(PairedTest, name="sign"):
    """The sign test: the numbers of queries that rose and that fell, as tosses of a coin.

    The statistic is the number of queries that rose. Those that did not change are left out; p = 1 when none
    changed. How far they changed counts for nothing. Dixon and Mood, JASA 1946.

    >>> SignTest()([1.0, 2.0, 3.0])  # 2 · 1/8
    Significance(p_value=0.25, statistic=3.0)
    """

    takes_weights = False

    def find(self, sample: Sample) -> Significance:
        rose, fell = int((sample.changes > 0).sum()), int((sample.changes < 0).sum())
        return Significance(coin_p(rose, fell), float(rose))

    @property
    def about(self) -> str:
        return "the sign test"


def coin_p(heads: int, tails: int) -> float:
    """The two-sided p-value of a fair coin.

    >>> coin_p(3, 0)
    0.25
    """
    if heads + tails == 0:
        return 1.0
    from scipy.stats import binomtest

    return float(max(binomtest(heads, heads + tails).pvalue, LEAST_P))
