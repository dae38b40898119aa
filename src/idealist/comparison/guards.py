"""The guard against harm: other measures and segments must not be worse."""

from __future__ import annotations

from idealist.decision.margin import read_margin
from idealist.decision.verdict import Guard
from idealist.wording import p_text, range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.comparison.contrast import Contrast


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
    return [Guard(title, not failures, ", ".join(failures or contrasts))]


def _harm(name: str, contrast: Contrast, stated_margin: float | str | None) -> str | None:
    """Why a guarded contrast does not pass; None when it does."""
    number, interval, _ = contrast.decisive
    gain = signed(number)
    if stated_margin is None:
        p = contrast.p_in_family if contrast.corrected is None else contrast.corrected.p_value
        if not contrast.harmed or p is None:
            return None
        return f"{name} is significantly worse, {gain}, p {p_text(p)}"
    margin = read_margin(stated_margin, baseline=contrast.baseline_value)
    if interval is not None and interval.low > -margin.size:
        return None
    interval_text = "no interval" if interval is None else f"interval {range_text(interval)}"
    return f"{name} may be worse by more than {margin} ({gain}, {interval_text})"
