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
from idealist.cli.sources import JUDGMENTS, RUN, add_sources, named_files, one_of, read_judged, sources_of
from idealist.data.values import as_count
from idealist.errors import InputError
from idealist.evaluation.explanation import explain, explain_grades
from idealist.measures import CG, DCG, IDCG
from idealist.report import FORMATS, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.evaluation.explanation import Explanation, Place, Step
    from idealist.report.table import Cell

SUMMARY = "work out one query rank by rank, beside its ideal list"
UNJUDGED = "–"
EPILOG = """examples:
  idealist explain robust.qrels bm25.run --query 301 --measure nDCG@10
  idealist explain --grades 3,2,3,0,1,2 --gain exp"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("judgments", metavar="JUDGMENTS", nargs="?", help=JUDGMENTS)
    parser.add_argument("run", metavar="RUN", nargs="?", help=RUN)
    parser.add_argument("--query", metavar="ID", help="which query to explain")
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
        help="CG, DCG, IDCG or nDCG (default: nDCG@10; with --grades nDCG)",
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
        if arguments.judgments or arguments.query:
            raise InputError("--grades stands instead of files and --query", hint="give one or the other")
        judged = None if arguments.judged is None else _grades(arguments.judged)
        found = explain_grades(_grades(arguments.grades), measure, judged=judged, conventions=conventions)
    else:
        if not (arguments.judgments and arguments.run and arguments.query):
            raise InputError(
                "explain needs JUDGMENTS, RUN and --query, or --grades",
                hint=EPILOG.partition("\n")[2].strip(),
            )
        (file,) = named_files(
            one_of([arguments.run]), sources_of(arguments), judgments=arguments.judgments
        ).values()
        judgments, one = read_judged(arguments.judgments, sources_of(arguments)), file.read()
        found = explain(one, judgments, arguments.query, measure, conventions=conventions)
    as_count(arguments.rows, "--rows")
    table = _table(found, arguments.rows, rule=arguments.format == "table")
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


def _table(found: Explanation, most: int, *, rule: bool) -> Table:
    discounted = not isinstance(found.measure, CG)
    ideal = not isinstance(found.measure, (CG, DCG))
    with_documents = found.query is not None
    titles = ["rank"] + ["document"] * with_documents + ["grade", "gain"]
    titles += ["discount", "gain×discount"] * discounted + ["DCG" if discounted else "CG"]
    titles += (
        ["│"] * rule
        + ["ideal document"] * with_documents
        + ["ideal grade", "ideal gain×discount", "IDCG", "loss"]
    ) * ideal
    rows = []
    for step in found.steps[:most]:
        row: list[Cell] = [step.rank, *_found_cells(step.found, with_documents, discounted)]
        if ideal:
            row += [*(["│"] * rule), *_ideal_cells(step, with_documents)]
        rows.append(row)
    return Table(titles, rows, below=_below(found, most))


def _found_cells(place: Place | None, with_documents: bool, discounted: bool) -> list[Cell]:
    if place is None:
        return [None] * (3 + with_documents + 2 * discounted)
    cells: list[Cell] = [place.document] if with_documents else []
    cells += [_grade_cell(place.grade), _number_cell(place.gain)]
    return [*cells, *([place.discount, place.contribution] if discounted else []), place.running]


def _ideal_cells(step: Step, with_documents: bool) -> list[Cell]:
    if step.ideal is None:
        return [*([None] * (3 + with_documents)), step.loss]
    cells: list[Cell] = [step.ideal.document] if with_documents else []
    return [*cells, _grade_cell(step.ideal.grade), step.ideal.contribution, step.ideal.running, step.loss]


def _number_cell(number: float) -> Cell:
    return int(number) if number == int(number) else number


def _grade_cell(grade: float | None) -> Cell:
    return UNJUDGED if grade is None else _number_cell(grade)


def _below(found: Explanation, most: int) -> list[str]:
    lines = [""]
    if len(found.steps) > most:
        left = len(found.steps) - most
        lines.append(f"… and {left:,} more rank{'s' if left > 1 else ''} (--rows)")
    if found.query is not None and not any(step.found for step in found.steps):
        lines.append("the run does not have this query")
    if found.conventions.ties == "averaged":
        lines.append("tied documents share the mean discount of their places within the cut-off")
    if any(step.found and step.found.grade is None for step in found.steps[:most]):
        lines.append(f"{UNJUDGED} in the column grade: unjudged")
    of = "" if found.query is None else f" of query {found.query}"
    if found.value != found.value:
        lines.append(f"{found.measure}{of}: left out by the conventions")
    elif isinstance(found.measure, (CG, DCG)):
        lines.append(f"{found.measure}{of} = {found.value:.4f}")
    elif isinstance(found.measure, IDCG):
        lines.append(f"{found.measure}{of} = {found.idcg:.4f}")
    elif found.idcg == 0:
        lines.append(f"{found.measure}{of} is undefined: nothing has a gain; it counts as {found.value:.4f}")
    else:
        lines.append(
            f"{found.measure}{of} = DCG / IDCG = {found.dcg:.4f} / {found.idcg:.4f} = {found.value:.4f}"
        )
        lines.append(f"lost: IDCG - DCG = {max(0.0, found.idcg - found.dcg):.4f}")
    lines.append(f"conventions: {found.conventions}")
    return lines
