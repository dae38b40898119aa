"""The guards against harm: other measures and segments of queries must not be worse.

A segment *failed* if its loss is significant by its own test, at a level that is divided among the segments (Bonferroni).
It *cannot tell*, and keeps the system from shipping, if its loss is large, its interval does not exclude a large loss, and
the loss is no mere chance: as many queries, drawn from those of all segments, would lose as much in some segment with a
probability of at most 10 %; or if every one of its queries lost, which is judged in the same way. It *cannot tell*, and
stops nothing, if its interval merely leaves room for a large loss. It *passed* if the interval excludes one.

With no difference between segments, 3 to 9 % of verdicts are stopped (tests/comparison/test_segment_answers.py simulates it).
"""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.wording import count_queries, p_text, percent, range_text, signed
from idealist.comparison.verdict import CANNOT_TELL, FAILED, LARGE_SHARE, PASSED, Guard, read_margin
from idealist.statistics.inversion import CELLS, CellSums
from idealist.statistics.mean_estimates import has_no_spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.comparison.contrast import Contrast
    from idealist.comparison.verdict import Margin
    from idealist.statistics.mean_estimates import Interval


CHANCE = 0.1  # how often segments that do not differ may stop a verdict
LEAST_TO_LOSE_ALL = 2  # one query that lost is no pattern


class SegmentGains(Frozen):
    """The numbers that a segment is judged by: its mean gain with its interval and two-sided p-value, what loss is a large one, and
    for every query of it weight · gain (`sums`) and the weight, as `MeanTest` has them."""

    name: str
    gain: float
    sums: Sequence[float]
    weights: Sequence[float]
    interval: Interval | None
    p_value: float | None
    large: float

    @property
    def lost_everywhere(self) -> bool:
        return len(self.sums) >= LEAST_TO_LOSE_ALL and max(self.sums) < 0


def segment_guard(guards: Iterable[Guard]) -> list[Guard]:
    """One guard over the segments, each of which has its own, named like the segment: those that stop a verdict come
    first, those that cannot tell and stop nothing are named together. No guard without segments.

    >>> vip, rest = Guard(name="vip", answer="cannot tell", message="vip may lose", stops=True), Guard(name="new", answer="passed")
    >>> print(*segment_guard([rest, vip]))
    cannot tell  segments: vip may lose; passed: new
    """
    by_answer = sorted(guards, key=lambda guard: (not guard.stops, guard.answer != FAILED))
    if not by_answer:
        return []
    parts = [guard.message or guard.name for guard in by_answer if guard.stops]
    open_names = [guard.name for guard in by_answer if guard.answer == CANNOT_TELL and not guard.stops]
    passed_names = [guard.name for guard in by_answer if guard.answer == PASSED]
    if open_names:
        parts.append(f"too few queries to exclude a large loss: {', '.join(open_names)}")
    if passed_names:
        parts.append(f"passed: {', '.join(passed_names)}" if parts else ", ".join(passed_names))
    answers = {guard.answer for guard in by_answer}
    answer = next(answer for answer in (FAILED, CANNOT_TELL, PASSED) if answer in answers)
    return [Guard("segments", answer, "; ".join(parts), any(guard.stops for guard in by_answer))]


def judge_segments(segments: Sequence[SegmentGains], level: float) -> list[Guard]:
    """The answer of every segment, by the rule above. The segments are all that there are: what chance makes of so many
    queries is known from all together.

    >>> from idealist.statistics.mean_estimates import Interval
    >>> vip = SegmentGains("vip", -1.0, [-1.0] * 3, [1.0] * 3, Interval(-1.0, 0.4152, 0.95), 0.25, 0.1)
    >>> rest = SegmentGains("rest", 0.1, [0.1] * 297, [1.0] * 297, Interval(0.08, 0.11, 0.95), 0.0, 0.05)
    >>> [(guard.name, guard.answer, guard.stops) for guard in judge_segments([vip, rest], 0.05)]
    [('vip', 'cannot tell', True), ('rest', 'passed', False)]
    """
    chances = chances_of_loss(segments)
    everywhere = _chances_everywhere(segments)
    return [
        _answer(segment, len(segments), chance, everywhere[len(segment.sums)], level)
        for segment, chance in zip(segments, chances, strict=True)
    ]


def chances_of_loss(segments: Sequence[SegmentGains]) -> list[float]:
    """For every segment, how probable a mean as low as its own is, of as many queries drawn from those of all segments.

    >>> lost, won = [-1.0] * 2, [1.0] * 2
    >>> segments = [SegmentGains("a", -1.0, lost, [1.0] * 2, None, None, 0.1), SegmentGains("b", 1.0, won, [1.0] * 2, None, None, 0.1)]
    >>> [round(chance, 9) for chance in chances_of_loss(segments)]  # (1/2)², and 1
    [0.25, 1.0]
    """
    import numpy as np

    sums = [np.asarray(segment.sums, dtype=float) for segment in segments]
    weights = [np.asarray(segment.weights, dtype=float) for segment in segments]
    mean = sum(map(np.sum, sums)) / sum(map(np.sum, weights))
    losses = [mean * weight - total for total, weight in zip(sums, weights, strict=True)]
    every: NDArray[Any] = np.concatenate(losses)
    spread = float(every.std())
    if len(segments) < 2 or not spread > 1e-12 * max(1.0, float(np.abs(every).max())):
        return [1.0] * len(segments)
    cell = spread / CELLS
    positions, counts = np.unique(np.rint(every / cell).astype(int), return_counts=True)
    drawn = CellSums(positions, counts / len(every))
    # What falls on the same cells counts as equally low.
    return [drawn.tail(len(loss), float(np.rint(loss / cell).sum())) for loss in losses]


def _chances_everywhere(segments: Sequence[SegmentGains]) -> dict[int, float]:
    """By the number of queries: how probable it is that all queries of some segment with as many or more lose, when
    every query loses as often as all do together."""
    sizes = sorted((len(segment.sums) for segment in segments), reverse=True)
    lost = sum(value < 0 for segment in segments for value in segment.sums) / sum(sizes)
    chances: dict[int, float] = {}
    total = 0.0
    for size in sizes:
        total += lost**size
        chances[size] = min(1.0, total)
    return chances


def _answer(segment: SegmentGains, count: int, chance: float, everywhere: float, level: float) -> Guard:
    gain, p, interval = segment.gain, segment.p_value, segment.interval
    n = count_queries(len(segment.sums))
    if gain < 0 and p is not None and p * count < level:
        return Guard(
            segment.name,
            FAILED,
            f"{segment.name} is significantly worse, {signed(gain)} in {n}, p {p_text(min(1.0, p * count))}"
            + (f", adjusted for {count} segments" if count > 1 else ""),
            True,
        )
    open_loss = interval is None or interval.low <= -segment.large
    interval_text = "no interval" if interval is None else f"interval {range_text(interval)}"
    if segment.lost_everywhere and everywhere <= CHANCE:
        message = f"{segment.name} lost in each of its {n}, {signed(gain)}, {interval_text}"
        return Guard(segment.name, CANNOT_TELL, message, True)
    if gain <= -segment.large and open_loss and chance * count <= CHANCE:
        message = (
            f"{segment.name} may have lost much, {signed(gain)} in {n}, {interval_text}; as many queries drawn from all "
            f"lose as much with probability {p_text(chance)}"
        )
        return Guard(segment.name, CANNOT_TELL, message, True)
    return Guard(segment.name, CANNOT_TELL if open_loss else PASSED)


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
