"""Wilcoxon's signed ranks."""

from __future__ import annotations

from idealist.statistics.tests.base import LEAST_P, PairedTest, Significance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.statistics.paired import Sample


class WilcoxonTest(PairedTest, name="wilcoxon", label="Wilcoxon"):
    """Wilcoxon's signed ranks: the sum of the ranks of the differences with the rarer sign.

    Queries that did not change are left out; p = 1 when none changed. It asks whether differences are symmetric
    around 0, not whether their mean is 0. Wilcoxon, Biometrics Bulletin 1945.

    >>> WilcoxonTest()([1.0, 2.0, 3.0])  # of 8 patterns of signs, 2 are as far out
    Significance(p_value=0.25, statistic=0.0)
    """

    takes_weights = False

    def find(self, sample: Sample) -> Significance:
        changed = sample.changes[sample.changes != 0]
        if not len(changed):
            return Significance(1.0, 0.0)
        from scipy.stats import wilcoxon

        result = wilcoxon(changed)
        return Significance(float(max(result.pvalue, LEAST_P)), float(result.statistic))

    @property
    def about(self) -> str:
        return "Wilcoxon's signed ranks"
