"""The part of `idealist plan` that says which documents to judge next."""

from __future__ import annotations

import json
import sys

from idealist.cli.options import add_conventions, conventions_of, rendered
from idealist.cli.sources import JUDGMENTS, RUNS, add_sources, expanded, named_files, read_judged
from idealist.data.values import as_count
from idealist.frozen import Frozen
from idealist.plan.next_judgments import next_documents, open_differences
from idealist.report import FORMATS, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from idealist.plan.next_judgments import OpenDifference, OpenDocument
    from idealist.report.table import Cell

SUMMARY = "which documents to judge next: those that can move the difference between runs most"
NO_SAMPLE = (
    "these decide between the runs; for the value of each run, judge a sample: idealist plan pool --strata"
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "move: what a gain of 1 would add to the difference in DCG@k of the query; of more than two runs, for the\n"
        "two where that is most. Measure all queries when they are judged: compare JUDGMENTS RUN RUN"
    )
    parser.add_argument("judgments", metavar="JUDGMENTS", help=JUDGMENTS)
    parser.add_argument("runs", metavar="RUN", nargs="+", help=f"two at least: {RUNS}")
    parser.add_argument("-k", type=int, default=10, help="how deep to look (default: 10)")
    parser.add_argument("-n", type=int, default=20, help="how many documents (default: 20)")
    parser.add_argument("--discount", default="log2", help="log2, none, rbp(0.8), … (default: log2)")
    parser.add_argument("--format", choices=(*FORMATS, "json"), default="table", help="default: table")
    add_sources(parser)
    add_conventions(parser, ("ties",))


def run(arguments: argparse.Namespace) -> int:
    n = as_count(arguments.n, "the number of documents")
    files = named_files(expanded(arguments.runs), arguments, judgments=arguments.judgments)
    judgments = read_judged(arguments.judgments, arguments)
    how: dict[str, Any] = {
        "k": arguments.k,
        "discount": arguments.discount,
        "conventions": conventions_of(arguments),
    }
    found = next_documents(files, judgments, **how)
    chosen = _by_query(found[:n])
    differences = open_differences(files, judgments, **how)
    if arguments.format == "json":
        record = {
            "k": arguments.k,
            "open": len(found),
            "documents": [as_record(one) for one in chosen],
            "differences": [as_record(one) for one in differences],
        }
        sys.stdout.write(json.dumps(record, ensure_ascii=False, indent=2) + "\n")
        return 0
    several = len(files) > 2
    titles = ["query", "document", "move", *(["runs"] if several else [])]
    rows: list[list[Cell]] = [
        [one.query, one.document, one.move, *([" – ".join(one.systems)] if several else [])] for one in chosen
    ]
    table = Table(titles, rows, below=_below(found, chosen, differences, arguments.k))
    sys.stdout.write(rendered(table, arguments.format))
    return 0


def _by_query(documents: list[OpenDocument]) -> list[OpenDocument]:
    """The documents of a query together, as one rater judges them; the query of the first document first."""
    place = {query: at for at, query in enumerate(dict.fromkeys(one.query for one in documents))}
    return sorted(documents, key=lambda one: place[one.query])


def _below(
    found: list[OpenDocument], chosen: list[OpenDocument], differences: list[OpenDifference], k: int
) -> list[str]:
    queries = len({one.query for one in found})
    count = (
        f"{len(found):,} unjudged documents of {queries:,} queries in the first {k} can move the difference"
    )
    if not found:
        return ["", f"no unjudged document in the first {k} can move the difference"]
    share = sum(one.move for one in chosen) / sum(one.move for one in found)
    lines = ["", f"{count}; these {len(chosen):,} hold {100 * share:.0f} % of what they can move"]
    for one in differences:
        first, other = one.systems
        line = f"{other} less {first} in mean DCG@{k}: {one.judged:.4f} with unjudged documents worth nothing"
        if one.projected is not None:
            line += f", {one.projected:.4f} if they are as good as the judged ones that favour the same run"
        lines.append(line)
    return [*lines, NO_SAMPLE]


def as_record(value: Frozen) -> dict[str, Any]:
    """The fields of an object, and of those within it, for JSON."""
    return {
        field: as_record(one) if isinstance(one := getattr(value, field), Frozen) else one
        for field in value.fields
    }
