"""idealist explain: one query worked out by hand."""

from __future__ import annotations

import re

from idealist.base.values import as_count
from idealist.cli.options import (
    MEASURE,
    add_conventions,
    add_measure_defaults,
    add_result,
    add_threads,
    conventions_of,
    measures_of,
    write_view,
)
from idealist.cli.sources import (
    JUDGMENTS,
    RUN,
    add_sources,
    add_system,
    named_files,
    one_of,
    read_judged,
    sources_of,
)
from idealist.data.columns import quoted
from idealist.errors import InputError
from idealist.evaluation.explanation import explain, explain_grades
from idealist.show.explanation_tables import MOST_RANKS, explanation_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "work out a measure's value for one query, rank by rank"
EPILOG = """examples:
  idealist explain robust.qrels bm25.run --query 301 --measure nDCG@10
  idealist explain robust.qrels bm25.run --query 301 --measure AP --ties averaged
  idealist explain robust.qrels old.run new.run --query 301
  idealist explain --grades 3,2,3,0,1,2 --gain exp
  idealist explain --grades 1,0,1,- --measure RBP"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("judgments", metavar="JUDGMENTS", nargs="?", help=JUDGMENTS)
    parser.add_argument(
        "run", metavar="RUN", nargs="*", help=f"{RUN}; of two, what moved from the old to the new"
    )
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
        help="a measure of one grade per document: nDCG, DCG, AP, RR, P, R, ERR, RBP and more (default: "
        f"{MEASURE}; with --grades nDCG)",
    )
    parser.add_argument(
        "--rows", type=int, default=MOST_RANKS, metavar="N", help=f"show N ranks (default: {MOST_RANKS})"
    )
    add_result(parser)
    add_threads(parser)
    add_sources(parser)
    add_measure_defaults(parser)
    add_conventions(parser)


def run(arguments: argparse.Namespace) -> int:
    as_count(arguments.rows, "--rows")
    conventions = conventions_of(arguments)
    default = MEASURE if arguments.grades is None else "nDCG"
    measure, *more = measures_of(arguments.measure or [default], arguments)
    if more:
        raise InputError("explain shows one measure at a time", hint="give one --measure")
    if arguments.judged is not None and arguments.grades is None:
        raise InputError(
            "--judged goes with --grades", hint="leave it out: the file of judgments says what is judged"
        )
    if arguments.grades is not None:
        if arguments.judgments or arguments.query or arguments.system:
            raise InputError(
                "--grades is given instead of files, --query and --system", hint="give one or the other"
            )
        judged = None if arguments.judged is None else _grades(arguments.judged)
        explanation = explain_grades(
            _grades(arguments.grades), measure, judged=judged, conventions=conventions
        )
    else:
        if not (arguments.judgments and arguments.run and arguments.query):
            raise InputError(
                "explain needs JUDGMENTS, RUN and --query, or --grades",
                hint=_usage(arguments),
            )
        if len(arguments.run) > 2:
            raise InputError("explain takes one run, or an old and a new one", hint=_usage(arguments))
        options = sources_of(arguments)
        files = named_files(one_of(arguments.run), options, judgments=arguments.judgments)
        judgments = read_judged(arguments.judgments, options)
        runs = {name: file.read() for name, file in files.items()}
        explanation = explain(judgments, runs, measure, query=arguments.query, conventions=conventions)
    write_view(explanation_view(explanation, most=arguments.rows), arguments.format)
    return 0


def _usage(arguments: argparse.Namespace) -> str:
    """The command with the files that were named."""
    files = [arguments.judgments or "JUDGMENTS", *(arguments.run[:2] or ["RUN"])]
    return f"idealist explain {' '.join(map(quoted, files))} --query {quoted(arguments.query or 'ID')}"


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
