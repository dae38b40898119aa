"""Guards that two measured systems need: no harm elsewhere, the same queries, and as much judged."""

from __future__ import annotations

from idealist.comparison.margin import read_margin
from idealist.comparison.verdict import Guard
from idealist.comparison.wording import signed
from idealist.evaluation import count_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.comparison.contrast import Contrast
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure

JUDGED_GAP = 0.02  # shares of judged documents that differ by less are the same


def judged_depths(evaluation: Evaluation) -> list[int | None]:
    """The cut-offs where shares of judged documents are held against each other, the least first: those of the
    measures; all ranks, where few documents are judged anyway, only if no measure has one."""
    stated: list[int | None] = [k for k in evaluation.judged if k is not None]
    return stated or list(evaluation.judged)


def judged_at(k: int | None) -> str:
    """What the share of judged documents is called.

    >>> judged_at(10), judged_at(None)
    ('judged@10', 'judged (all ranks)')
    """
    return "judged (all ranks)" if k is None else f"judged@{k}"


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
        for name, one in contrasts.items()
        if (reason := _harm(name, one, margins.get(name))) is not None
    ]
    return [Guard(title, not failures, ", ".join(failures or contrasts))]


def _harm(name: str, contrast: Contrast, given: float | str | None) -> str | None:
    """Why a guarded contrast does not pass; None when it does."""
    gain = signed(contrast.gain)
    if given is None:
        p = contrast.p_in_family
        return (
            f"{name} is significantly worse, {gain}, p {p:.2g}" if contrast.harmed and p is not None else None
        )
    margin = read_margin(given, baseline=contrast.baseline_value)
    interval = contrast.gain_interval
    if interval is not None and interval.low > -margin.size:
        return None
    ends = (
        "no interval" if interval is None else f"interval {signed(interval.low)} to {signed(interval.high)}"
    )
    return f"{name} may be worse by more than {margin} ({gain}, {ends})"


def equally_judged(evaluation: Evaluation, measure: Measure, baseline: str, system: str) -> list[Guard]:
    """Whether as much of what the measure looks at was judged; nothing where no measure looks at judgments."""
    depths = judged_depths(evaluation)
    if not depths:
        return []
    k = measure.depth if measure.depth in depths else depths[0]
    before, after = evaluation.judged[k][baseline], evaluation.judged[k][system]
    gap = abs(after - before)
    passed = not gap > JUDGED_GAP + 1e-9  # shares are sums of floats
    digits = next((d for d in (2, 3, 4, 6) if (round(gap, d) <= JUDGED_GAP) == passed), 9)
    message = (
        f"{judged_at(k)} {before:.{digits}f} and {after:.{digits}f}: {gap:.{digits}f} apart, "
        f"at most {JUDGED_GAP:g} is asked for"
    )
    return [
        Guard(
            "equally judged",
            passed,
            message + ("" if passed else "; `idealist plan next` says what to judge"),
        )
    ]


def same_queries(evaluation: Evaluation, baseline: str, system: str) -> list[Guard]:
    """Whether the system answers every query that the baseline answers: what it lacks may be left out of the
    means, or count as a value that is not its own."""
    lost = set(evaluation.missing.get(system, ())) - set(evaluation.missing.get(baseline, ()))
    if not lost:
        return []
    first = min(lost)
    message = f"{count_queries(len(lost))} of {baseline} missing from {system}, such as {first!r}"
    return [Guard("same queries", False, message)]
