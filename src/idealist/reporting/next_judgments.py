"""Which documents to judge next, and how open the differences between runs still are."""

from __future__ import annotations

from idealist.reporting.plans import plain_record
from idealist.reporting.table import Table
from idealist.reporting.view import Lines, View
from idealist.wording import count_of, count_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.plan.next_judgments import OpenDifference, OpenDocument
    from idealist.reporting.table import Cell

NO_SAMPLE = (
    "these decide between the runs; for the value of each run, judge a sample: idealist plan pool --strata"
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
    return View(lambda: [table, Lines(lines)], rows=lambda: table, record=lambda: record)


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
