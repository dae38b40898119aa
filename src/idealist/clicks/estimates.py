"""The result of estimating the clicks of a run from a log of other lists."""

from __future__ import annotations

from idealist.frozen import Frozen
from idealist.results import Drawable
from idealist.wording import count_of, range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.statistics.interval import Interval


class SlateEstimate(Frozen):
    """Clicks per impression that the run would get, by one estimator, with its interval. `effective` is the
    effective number of impressions, (Σw)²/Σw², `largest` the largest weight as a share of all (of the position where
    each is worst, for estimators that weigh positions), `weighed` the share of impressions whose first place has a weight
    above 0."""

    estimator: str
    about: str
    value: float
    interval: Interval | None
    effective: float
    largest: float
    weighed: float


class SlateEstimates(Drawable, Frozen):
    """A run by the clicks of a log, by several estimators, beside the clicks that the log itself has.

    `support` is the share of the run's places (query and position, by impressions) at which the log ever showed the
    run's document; `overlap` the share of impressions whose first document is the run's.
    """

    run: str
    estimates: tuple[SlateEstimate, ...]
    logged: float
    logged_interval: Interval | None
    k: int
    impressions: int
    users: int
    support: float
    overlap: float
    confidence: float
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    def __iter__(self) -> Iterator[SlateEstimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def __getitem__(self, estimator: str) -> SlateEstimate:
        from idealist.data.values import as_choice

        names = [estimate.estimator for estimate in self.estimates]
        return self.estimates[names.index(as_choice(estimator, "the estimator", names))]

    def _gist(self) -> str:
        best = self.estimates[0]
        ends = "" if best.interval is None else f" ({range_text(best.interval)})"
        return f"{best.estimator} {signed(best.value)}{ends}; {count_of(self.impressions, 'impression')}"
