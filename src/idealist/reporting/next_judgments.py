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
    open_documents: Sequence[OpenDocument],
    chosen: Sequence[OpenDocument],
    differences: Sequence[OpenDifference],
    k: int,
) -> View:
    """The documents to judge next, `chosen` among all `open_documents`, and how open the differences still are."""
    several = len({system for document in differences for system in document.systems}) > 2
    titles = ["query", "document", "move", *(["runs"] if several else [])]
    rows: list[list[Cell]] = [
        [
            document.query,
            document.document,
            document.move,
            *([" – ".join(document.systems)] if several else []),
        ]
        for document in chosen
    ]
    table = Table(titles, rows)
    record = {
        "k": k,
        "open": len(open_documents),
        "documents": [plain_record(document) for document in chosen],
        "differences": [plain_record(document) for document in differences],
    }
    lines = tuple(_next_lines(open_documents, chosen, differences, k))
    return View(lambda: [table, Lines(lines)], rows=lambda: table, record=lambda: record)


def _next_lines(
    open_documents: Sequence[OpenDocument],
    chosen: Sequence[OpenDocument],
    differences: Sequence[OpenDifference],
    k: int,
) -> list[str]:
    if not open_documents:
        return [f"no unjudged document in the first {k} can move the difference"]
    queries = len({item.query for item in open_documents})
    share = sum(item.move for item in chosen) / sum(item.move for item in open_documents)
    lines = [
        f"{count_of(len(open_documents), 'unjudged document')} of {count_queries(queries)} in the first {k} can move the "
        f"difference; these {len(chosen):,} hold {100 * share:.0f} % of what they can move"
    ]
    for item in differences:
        first, other = item.systems
        line = (
            f"{other} less {first} in mean DCG@{k}: {item.judged:.4f} with unjudged documents worth nothing"
        )
        if item.projected is not None:
            line += f", {item.projected:.4f} if they are as good as the judged ones that favour the same run"
        lines.append(line)
    return [*lines, NO_SAMPLE]
