"""What commands that measure runs share: options for the output, and writing it."""

from __future__ import annotations

import sys

from idealist.cli.options import write_view
from idealist.errors import visible
from idealist.reporting import FORMATS
from idealist.reporting.evaluations import evaluation_notes, evaluation_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from idealist.evaluation import Evaluation
    from idealist.reporting.breakdowns import Breakdown


def add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--by-query", action="store_true", help="every query's value too")
    parser.add_argument(
        "--format", choices=(*FORMATS, "json", "jsonl"), default="table", help="default: table"
    )
    parser.add_argument(
        "--provenance",
        action="store_true",
        help="source, rows and SHA-256 of the content of judgments and runs too (JSON always has them)",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="default: all cores")


def write_evaluation(
    result: Evaluation,
    breakdowns: Sequence[Breakdown] = (),
    *,
    kind: str = "table",
    by_query: bool = False,
    provenance: bool = False,
    bounds: bool = False,
) -> None:
    """Numbers to standard output in the format `kind`, notes to standard error; with `bounds`, values under the worst
    and the best order of ties, for the measures that have them."""
    weighting = kind in ("csv", "json", "jsonl")  # elsewhere it stands below the numbers
    for note in evaluation_notes(result, bounds=bounds, weighting=weighting):
        print(f"note: {visible(note)}", file=sys.stderr)
    if kind == "jsonl":
        from idealist.reporting.evaluation_records import record_lines

        lines = record_lines(result, by_query=by_query, bounds=bounds, breakdowns=breakdowns)
        sys.stdout.write(lines)
        return
    view = evaluation_view(
        result,
        by_query=by_query,
        bounds=bounds,
        breakdowns=breakdowns,
        provenance=provenance,
        notes=False,
    )
    write_view(view, kind)
