"""Student's t."""

from __future__ import annotations

from idealist.statistics.means import has_no_spread
from idealist.statistics.tests.base import LEAST_P, UNDEFINED, PairedTest, Significance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.statistics.paired import Sample


class TTest(PairedTest, name="t", label="t-test"):
    """Student's paired t: the mean difference over its standard error.

    t has n − 1 degrees of freedom. With weights, error and degrees of freedom are those of `estimate_mean`. p = 1
    when all differences are 0; undefined when all are the same but not 0, as there is no spread to compare the mean
    with. Student, Biometrika 1908.

    >>> found = TTest()([1.0, 3.0])  # t = 2 / 1, one degree of freedom: 1 − 2/π · arctan 2
    >>> round(found.p_value, 4), found.statistic
    (0.2952, 2.0)
    """

    def find(self, sample: Sample) -> Significance:
        estimate = sample.estimate
        if estimate is None:
            return UNDEFINED
        if has_no_spread(estimate):
            return Significance(1.0, 0.0) if estimate.mean == 0 else UNDEFINED
        from scipy.special import stdtr

        t = estimate.mean / estimate.error
        return Significance(float(max(2 * stdtr(estimate.freedom, -abs(t)), LEAST_P)), t)

    @property
    def about(self) -> str:
        return "Student's"
