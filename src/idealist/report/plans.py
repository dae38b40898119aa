"""Plans: how many queries or judgments are needed, what they stand on, and which documents to judge next."""

from __future__ import annotations

from idealist.frozen import Frozen
from idealist.planning.votes import VotePilot
from idealist.report.cells import ends_of
from idealist.report.table import Table
from idealist.report.view import Lines, View
from idealist.wording import count_of, count_queries, interval_title, percent, range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.planning.next_judgments import OpenDifference, OpenDocument
    from idealist.planning.pilots import PairPilot
    from idealist.report.table import Cell

NO_SAMPLE = (
    "these decide between the runs; for the value of each run, judge a sample: idealist plan pool --strata"
)


def plan_view(
    sentences: Sequence[str],
    titles: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    record: dict[str, Any],
    pilot: PairPilot | VotePilot | None = None,
) -> View:
    """What is needed in a sentence, the pilot that it stands on, and a table of how power grows."""
    table = Table(titles, rows)
    said = [*sentences[:1], *([pilot_line(pilot)] if pilot is not None else []), *sentences[1:]]
    whole = {**record, **({} if pilot is None else {"pilot": plain_record(pilot)})}
    return View([Lines(tuple(said)), table], rows=lambda: table, record=lambda: whole)


def pilot_view(pilot: PairPilot | VotePilot) -> View:
    """A pilot by itself."""
    record = plain_record(pilot)
    flat = {name: value for name, value in record.items() if not isinstance(value, (dict, tuple))}
    if not isinstance(pilot, VotePilot):
        ends = dict(zip(("sd_low", "sd_high"), ends_of(pilot.interval), strict=True))
        flat = {"first": pilot.systems[0], "second": pilot.systems[1], **flat, **ends}
    table = Table(list(flat), [list(flat.values())])
    return View([Lines((pilot_line(pilot),))], rows=lambda: table, record=lambda: record)


def pilot_line(pilot: PairPilot | VotePilot) -> str:
    """What a pilot says, in a sentence."""
    if isinstance(pilot, VotePilot):
        return (
            f"Pilot: {count_of(pilot.n, 'judged item')} of {count_queries(pilot.queries)}, GSB {percent(pilot.value)}, "
            f"{percent(pilot.same)} same, ICC {pilot.icc:.3g}."
        )
    one, other = pilot.systems
    interval = f"{interval_title(pilot.interval.confidence)} {range_text(pilot.interval)}"
    return (
        f"Pilot: {pilot.measure} of {other} less that of {one} on {count_queries(pilot.n)}, mean "
        f"{signed(pilot.difference)}, sd {signed(pilot.sd)} ({interval})."
    )


def next_view(
    found: Sequence[OpenDocument],
    chosen: Sequence[OpenDocument],
    differences: Sequence[OpenDifference],
    k: int,
) -> View:
    """The documents to judge next, `chosen` of all that were `found`, and how open the differences still are."""
    several = len({system for one in differences for system in one.systems}) > 2
    titles = ["query", "document", "move", *(["runs"] if several else [])]
    rows: list[list[Cell]] = [
        [one.query, one.document, one.move, *([" – ".join(one.systems)] if several else [])] for one in chosen
    ]
    table = Table(titles, rows)
    record = {
        "k": k,
        "open": len(found),
        "documents": [plain_record(one) for one in chosen],
        "differences": [plain_record(one) for one in differences],
    }
    lines = tuple(_next_lines(found, chosen, differences, k))
    return View([table, Lines(lines)], rows=lambda: table, record=lambda: record)


def _next_lines(
    found: Sequence[OpenDocument],
    chosen: Sequence[OpenDocument],
    differences: Sequence[OpenDifference],
    k: int,
) -> list[str]:
    if not found:
        return [f"no unjudged document in the first {k} can move the difference"]
    queries = len({one.query for one in found})
    share = sum(one.move for one in chosen) / sum(one.move for one in found)
    lines = [
        f"{count_of(len(found), 'unjudged document')} of {count_queries(queries)} in the first {k} can move the "
        f"difference; these {len(chosen):,} hold {100 * share:.0f} % of what they can move"
    ]
    for one in differences:
        first, other = one.systems
        line = f"{other} less {first} in mean DCG@{k}: {one.judged:.4f} with unjudged documents worth nothing"
        if one.projected is not None:
            line += f", {one.projected:.4f} if they are as good as the judged ones that favour the same run"
        lines.append(line)
    return [*lines, NO_SAMPLE]


def plain_record(value: Frozen) -> dict[str, Any]:
    """The fields of an object, and of those within it, for JSON."""
    return {
        field: plain_record(one) if isinstance(one := getattr(value, field), Frozen) else one
        for field in value.fields
    }
