"""The result of an A/B test: the difference of every metric, the sample ratio, and the verdict."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.results import Drawable, Result
from idealist.wording import count_of, p_text, percent, range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.decision.verdict import Verdict
    from idealist.measures.column import Column
    from idealist.statistics.interval import Interval


class GroupDifference(Result, Frozen):
    """A metric in both groups: `value` and `baseline_value` are means over users, `difference` is the first less the
    second, with interval and p-value of one method."""

    metric: Column
    baseline_value: float
    value: float
    difference: float
    interval: Interval
    p_value: float

    @property
    def gain(self) -> float:
        """The difference, above 0 when the candidate is better."""
        return -self.difference if self.metric.better == "lower" else self.difference

    @property
    def gain_interval(self) -> Interval:
        return -self.interval if self.metric.better == "lower" else self.interval

    def _gist(self) -> str:
        return f"{self.metric.column}: {signed(self.difference)} ({range_text(self.interval)})"


class SampleRatio(Result, Frozen):
    """How many users each group has, the share that the candidate's was to have, and the probability of a share as
    far from it when users are assigned as planned (exact binomial)."""

    baseline_users: int
    users: int
    expected: float
    p_value: float

    @property
    def share(self) -> float:
        return self.users / (self.users + self.baseline_users)

    def _gist(self) -> str:
        total = self.users + self.baseline_users
        return (
            f"{self.users:,} of {count_of(total, 'user')}, {percent(self.share)}, where {percent(self.expected)} were "
            f"planned, p {p_text(self.p_value)}"
        )


class ABTest(Drawable, Frozen):
    """A candidate's users beside those of the baseline: `differences` of the metrics, the primary one first, the
    `ratio` of users, those `in_both` groups, who count for neither, and the verdict."""

    baseline: str
    candidate: str
    differences: tuple[GroupDifference, ...]
    ratio: SampleRatio
    in_both: int
    confidence: float
    notes: tuple[str, ...]
    verdict: Verdict

    def __getitem__(self, metric: str) -> GroupDifference:
        for entry in self.differences:
            if metric in (entry.metric.column, str(entry.metric)):
                return entry
        names = ", ".join(entry.metric.column for entry in self.differences)
        raise InputError(f"no metric is called {metric!r}", hint=f"name one of: {names}")

    def _gist(self) -> str:
        first = self.differences[0]
        users = count_of(self.ratio.users + self.ratio.baseline_users, "user")
        return f"{self.candidate} beside {self.baseline}; {first._gist()}; {users}; {self.verdict.outcome}"
