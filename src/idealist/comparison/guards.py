"""The guard against harm: other measures and segments must not be worse."""

from __future__ import annotations

from idealist.decision.margin import LARGE_SHARE, read_margin
from idealist.decision.segments import SegmentGains, judge_segments, segment_guard
from idealist.decision.verdict import Guard
from idealist.statistics.means import has_no_spread
from idealist.wording import p_text, percent, range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.comparison.contrast import Contrast
    from idealist.decision.margin import Margin

LARGE_LOSSES_LEVEL = 0.1  # with it, at most 5 % of truly better pairs of real runs do not ship
LEAST_EXCESS = 0.01  # of the queries: less is no reason to stop a system, however many queries show it


def unharmed(
    title: str, contrasts: Mapping[str, Contrast], margins: Mapping[str, float | str | None]
) -> list[Guard]:
    """One guard over several contrasts, each by its own unadjusted interval, so that more of them never make it
    easier to pass. With a margin, a contrast must be shown to be no worse than that; without one it must not
    be significantly worse."""
    if not contrasts:
        return []
    failures = [
        reason
        for name, contrast in contrasts.items()
        if (reason := _harm(name, contrast, margins.get(name))) is not None
    ]
    return [Guard.of(title, not failures, ", ".join(failures or contrasts))]


def unharmed_segments(
    contrasts: Mapping[str, Contrast], margins: Mapping[str, float | str | None], margin: Margin
) -> list[Guard]:
    """The guard of the segments of one system: by the rule of `judge_segments`; those that have a margin must be shown to
    be no worse than that. `margin` is the verdict's: a loss within it is not large."""
    if not contrasts:
        return []
    level = 1 - next(iter(contrasts.values())).confidence
    judged = judge_segments([_gains(name, contrast, margin) for name, contrast in contrasts.items()], level)
    guards = []
    for guard in judged:
        if (stated := margins.get(guard.name)) is not None:
            harm = _harm(guard.name, contrasts[guard.name], stated)
            guard = Guard.of(guard.name, harm is None, harm or "")
        guards.append(guard)
    return segment_guard(guards)


def _gains(name: str, contrast: Contrast, margin: Margin) -> SegmentGains:
    gain, interval, _ = contrast.decisive
    paired = contrast.paired
    weights = [1.0] * len(paired) if paired.weights is None else list(paired.weights)
    gains = (contrast.sign * paired.changes).tolist()
    return SegmentGains(
        name,
        gain,
        [weight * each for weight, each in zip(weights, gains, strict=True) if weight],
        [weight for weight in weights if weight],
        interval,
        contrast.p_of_harm if gain < 0 else None,
        max(margin.size, LARGE_SHARE * abs(contrast.baseline_value)),
    )


def few_large_losses(contrast: Contrast) -> list[Guard]:
    """Whether no more queries lose over half of their value than two equal systems of the same spread would show."""
    losses = contrast.large_losses
    if losses is None:
        return []
    passed = losses.p_value >= LARGE_LOSSES_LEVEL or losses.excess < LEAST_EXCESS
    message = (
        f"{percent(losses.share)} of queries lost more than half of their value, {percent(losses.expected)} would with "
        "equal systems of the same spread"
    )
    return [Guard.of("large losses", passed, message + ("" if passed else f", p {p_text(losses.p_value)}"))]


def _harm(name: str, contrast: Contrast, stated_margin: float | str | None) -> str | None:
    """Why a guarded contrast does not pass, with the difference as tables have it; None when it does."""
    gain, interval, _ = contrast.decisive
    difference = signed(contrast.sign * gain)
    if stated_margin is None:
        p = contrast.p_of_harm
        if not contrast.harmed or p is None:
            return None
        return f"{name} is significantly worse, {difference}, p {p_text(p)}"
    margin = read_margin(stated_margin, baseline=contrast.baseline_value)
    if interval is not None and interval.low > -margin.size:
        return None
    if interval is None:
        estimate = contrast.estimate
        if estimate is not None and has_no_spread(estimate) and gain > -margin.size:
            return None  # every query changed alike, and there is no range for what was not seen
        return f"{name} may be worse by more than {margin} ({difference}, no interval)"
    ends = range_text(interval if contrast.sign > 0 else -interval)
    verb = "is" if interval.high < -margin.size else "may be"
    return f"{name} {verb} worse by more than {margin} ({difference}, interval {ends})"
