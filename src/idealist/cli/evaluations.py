"""What commands that measure runs share: options for the output, and writing it."""

from __future__ import annotations

import sys

from idealist.cli.messages import say_note
from idealist.cli.options import add_result, add_threads, write_view
from idealist.show import FORMATS
from idealist.show.evaluation_tables import evaluation_notes, evaluation_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from idealist.evaluation import Evaluation
    from idealist.show.segment_tables import Breakdown


def add_presentation(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--by-query", action="store_true", help="also print the value of every query")
    add_result(parser, (*FORMATS, "json", "jsonl"))
    parser.add_argument(
        "--provenance",
        action="store_true",
        help="also print the source, number of rows and SHA-256 of judgments and runs (JSON always has them)",
    )
    add_threads(parser)


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
    weighting = kind in ("csv", "json", "jsonl")  # other formats have it below the numbers
    for note in evaluation_notes(result, bounds=bounds, weighting=weighting):
        say_note(note)
    if kind == "jsonl":
        from idealist.show.evaluation_tables import record_lines

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
