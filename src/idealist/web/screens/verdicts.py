"""A verdict in the words of the reader, where those are not the words of the commands."""

from __future__ import annotations

from idealist.web.texts.catalogue import DEFAULT
from idealist.wording import signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.decision.verdict import Verdict
    from idealist.web.screens.visit import Visit

# The guards of comparisons and studies; a rule of a gate may have a name of its own.
GUARDS = {
    name: name.replace(" ", "-")
    for name in (
        *("other measures", "segments", "equally judged", "same queries", "enough judged", "large losses"),
        *("agreement of raters", "sides", "known answers", "votes"),
        *("one group a user", "other metrics"),
    )
}


def verdict_words(visit: Visit, verdict: Verdict) -> list[str]:
    """The outcome, and sentences on the numbers and the guards behind it; nothing on English pages, where `reporting` says
    the same."""
    if visit.language == DEFAULT:
        return []
    words = [visit.text(f"verdict.{verdict.outcome}")]
    if verdict.outcome == "unchanged":  # stands in the place of the interval and the margin
        words.append(visit.text("verdict.same"))
    else:
        words += [_difference(visit, verdict), visit.text("verdict.margin", margin=signed(verdict.margin))]
    if failed := [guard_name(visit, guard.name) for guard in verdict.guards if guard.stops]:
        words.append(visit.text("verdict.failed", guards="、".join(failed)))
    elif verdict.guards:
        words.append(visit.text("verdict.passed", count=len(verdict.guards)))
    if verdict.needed is not None:
        words.append(visit.text(f"verdict.needed.{verdict.unit}", count=f"{verdict.needed:,}"))
    return words


def _difference(visit: Visit, verdict: Verdict) -> str:
    interval = verdict.interval
    value = signed(verdict.value)
    if interval is None:
        return visit.text("verdict.difference", value=value)
    place = "above" if interval.low > 0 else "below" if interval.high < 0 else "holds"
    return visit.text(
        f"verdict.{place}",
        value=value,
        confidence=f"{100 * interval.confidence:g}",
        low=signed(interval.low),
        high=signed(interval.high),
    )


def guard_name(visit: Visit, name: str) -> str:
    return visit.text(f"guard.{GUARDS[name]}") if name in GUARDS else name
