"""idealist explain: one query worked out by hand."""

from __future__ import annotations

import re
import sys

from idealist.cli.options import (
    add_conventions,
    add_measure_defaults,
    conventions_of,
    measures_of,
    rendered,
)
from idealist.cli.sources import JUDGMENTS, RUN, add_sources, add_system, named_files, one_of, read_judged
from idealist.data.values import as_count
from idealist.errors import InputError
from idealist.evaluation.explanation import explain, explain_grades
from idealist.measures.grade_lists import whole
from idealist.report import FORMATS, Table
from idealist.report.cells import cell_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from idealist.evaluation.explanation import ExplainedDocument, Explanation
    from idealist.report.table import Cell

SUMMARY = "work out a measure's value for one query, rank by rank"
UNJUDGED = "–"
EPILOG = """examples:
  idealist explain robust.qrels bm25.run --query 301 --measure nDCG@10
  idealist explain robust.qrels bm25.run --query 301 --measure AP --ties averaged
  idealist explain --grades 3,2,3,0,1,2 --gain exp
  idealist explain --grades 1,0,1,- --measure RBP"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("judgments", metavar="JUDGMENTS", nargs="?", help=JUDGMENTS)
    parser.add_argument("run", metavar="RUN", nargs="?", help=RUN)
    parser.add_argument("--query", metavar="ID", help="which query to explain")
    add_system(parser)
    parser.add_argument(
        "--grades",
        metavar="LIST",
        help="grades in ranked order instead of files; - is an unjudged document (--grades=-,3 if it is the first)",
    )
    parser.add_argument(
        "--judged", metavar="LIST", help="with --grades: all judged grades, if there are more"
    )
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        metavar="MEASURE",
        help="a measure that is a sum over ranks: nDCG, DCG, AP, RR, P, R, ERR, RBP and more (default: nDCG@10; with --grades nDCG)",
    )
    parser.add_argument("--rows", type=int, default=20, metavar="N", help="show N ranks (default: 20)")
    parser.add_argument("--format", choices=tuple(FORMATS), default="table", help="default: table")
    add_sources(parser)
    add_measure_defaults(parser)
    add_conventions(parser)


def run(arguments: argparse.Namespace) -> int:
    conventions = conventions_of(arguments)
    default = "nDCG@10" if arguments.grades is None else "nDCG"
    measure, *more = measures_of(arguments.measure or [default], arguments)
    if more:
        raise InputError("explain shows one measure at a time", hint="give one --measure")
    if arguments.judged is not None and arguments.grades is None:
        raise InputError("--judged goes with --grades", hint="files say themselves what was judged")
    if arguments.grades is not None:
        if arguments.judgments or arguments.query or arguments.system:
            raise InputError(
                "--grades stands instead of files, --query and --system", hint="give one or the other"
            )
        judged = None if arguments.judged is None else _grades(arguments.judged)
        explanation = explain_grades(
            _grades(arguments.grades), measure, judged=judged, conventions=conventions
        )
    else:
        if not (arguments.judgments and arguments.run and arguments.query):
            raise InputError(
                "explain needs JUDGMENTS, RUN and --query, or --grades",
                hint=EPILOG.partition("\n")[2].strip(),
            )
        (file,) = named_files(one_of([arguments.run]), arguments, judgments=arguments.judgments).values()
        judgments, system = read_judged(arguments.judgments, arguments), file.read()
        explanation = explain(system, judgments, measure, query=arguments.query, conventions=conventions)
    as_count(arguments.rows, "--rows")
    table = _table(explanation, arguments.rows, rule=arguments.format == "table")
    sys.stdout.write(rendered(table, arguments.format))
    return 0


def _grades(text: str) -> list[float | None]:
    if not text.strip():
        raise InputError("--grades is empty", hint="for example --grades 3,2,3,0,1,2")
    grades: list[float | None] = []
    for part in re.split(r"\s*,\s*|\s+", text.strip()):
        try:
            grades.append(None if part in ("-", "–", "?") else float(part))
        except ValueError:
            raise InputError(f"{part!r} is not a grade", hint="for example --grades 3,2,-,0,1") from None
    return grades


def _table(explanation: Explanation, most: int, *, rule: bool) -> Table:
    """A row per rank; the ideal list stands beside the ranking where its sum is part of the value."""
    with_ideal = explanation.ideal_title in explanation.sums
    with_documents = explanation.query is not None
    titles = ["rank", *(["document", "score"] if with_documents else []), "grade", *explanation.columns]
    titles += [explanation.contribution_title, *filter(None, [explanation.running_title])]
    width = len(titles)
    if with_ideal:
        titles += [*(["│"] * rule), *(["ideal document"] * with_documents), "ideal grade"]
        titles += [f"ideal {explanation.contribution_title}", explanation.ideal_title, "loss"]
    ideal = explanation.ideal if with_ideal else ()
    ranks = max(len(explanation.ranking), len(ideal))
    losses = explanation.losses
    rows: list[list[Cell]] = []
    for at in range(min(ranks, most)):
        row: list[Cell] = [at + 1]
        if at < len(explanation.ranking):
            row += _cells(explanation.ranking[at], with_documents, bool(explanation.running_title))
        row += [None] * (width - len(row))
        if with_ideal:
            row += [*(["│"] * rule), *_ideal_cells(ideal[at : at + 1], with_documents), losses[at]]
        rows.append(row)
    return Table(titles, rows, below=_below(explanation, ranks - len(rows)))


def _cells(document: ExplainedDocument, with_documents: bool, with_running: bool) -> list[Cell]:
    cells: list[Cell] = [document.document, document.score] if with_documents else []
    cells += [_grade_cell(document.grade), *document.numbers, document.contribution]
    return [*cells, document.running] if with_running else cells


def _ideal_cells(documents: Sequence[ExplainedDocument], with_documents: bool) -> list[Cell]:
    if not documents:
        return [None] * (3 + with_documents)
    (document,) = documents
    cells: list[Cell] = [document.document] if with_documents else []
    return [*cells, _grade_cell(document.grade), document.contribution, document.running]


def _grade_cell(grade: float | None) -> Cell:
    return UNJUDGED if grade is None else whole(grade)


def _below(explanation: Explanation, ranks_left: int) -> list[str]:
    lines = [""]
    if ranks_left:
        lines.append(f"… and {ranks_left:,} more rank{'s' if ranks_left > 1 else ''} (--rows)")
    lines += explanation.notes
    if any(document.grade is None for document in explanation.ranking):
        lines.append(f"{UNJUDGED} in the column grade: unjudged")
    of = "" if explanation.query is None else f" of query {explanation.query}"
    return [
        *lines,
        *_value_lines(explanation, f"{explanation.measure}{of}"),
        f"conventions: {explanation.conventions}",
    ]


def _value_lines(explanation: Explanation, name: str) -> list[str]:
    """How the value is made of the sums."""
    value, total, divisor = explanation.value, explanation.total, explanation.divisor
    if value != value:
        return [f"{name}: left out by the conventions"]
    if explanation.undefined:
        return [f"{name} is undefined: {explanation.undefined}; it counts as {value:.4f}"]
    if divisor is None:
        return [f"{name} = {value:.4f}"]
    sums = f"{total.name} / {divisor.name} = {cell_text(total.value)} / {cell_text(divisor.value)}"
    if not divisor.value:
        return [f"{name} = {sums}, which counts as {value:.4f}"]
    lines = [f"{name} = {sums} = {value:.4f}"]
    if explanation.ideal_title == divisor.name:
        lost = max(0.0, divisor.value - total.value)
        lines.append(f"lost: {divisor.name} - {total.name} = {lost:.4f}")
    return lines
