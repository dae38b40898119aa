"""idealist why: from one tool's number to another's, or from a number to the conventions behind it."""

from __future__ import annotations

from idealist.cli.options import MEASURE, add_result, add_threads, write_view
from idealist.cli.sources import (
    JUDGMENTS,
    RUN,
    add_sources,
    add_system,
    judgments_and_run,
)
from idealist.conventions import PRESETS
from idealist.errors import InputError
from idealist.evaluation import find_conventions, why
from idealist.show.convention_tables import difference_view, search_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "show why two tools give different numbers"
EPILOG = """examples:
  idealist why robust.qrels bm25.run -m nDCG@10 --between trec_eval-9 lightgbm
  idealist why robust.qrels bm25.run -m nDCG@10 --between trec_eval-9,missing=zero idealist,gain=exp
  idealist why robust.qrels bm25.run -m nDCG@10 --observed 0.353"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("judgments", metavar="JUDGMENTS", help=JUDGMENTS)
    parser.add_argument("run", metavar="RUN", help=RUN)
    add_system(parser)
    parser.add_argument("-m", "--measure", default=MEASURE, help=f"the measure (default: {MEASURE})")
    question = parser.add_mutually_exclusive_group(required=True)
    question.add_argument(
        "--between",
        nargs=2,
        metavar="CONVENTIONS",
        help=f"show the steps from one to the other: {', '.join(PRESETS)}; choices may follow, as in ranx,empty=skip",
    )
    question.add_argument(
        "--observed", metavar="NUMBER", help="find the conventions that give this number, to its last digit"
    )
    parser.add_argument(
        "--by-query", action="store_true", help="with --between: also print every query whose value changes"
    )
    add_result(parser)
    add_threads(parser)
    add_sources(parser)


def run(arguments: argparse.Namespace) -> int:
    judgments, run = judgments_and_run(arguments)
    if arguments.observed is not None:
        if arguments.by_query:
            raise InputError("--by-query goes with --between", hint="leave it out")
        search = find_conventions(
            judgments, run, arguments.measure, arguments.observed, threads=arguments.threads
        )
        write_view(search_view(search), arguments.format)
        return 0
    difference = why(
        judgments, run, arguments.measure, between=tuple(arguments.between), threads=arguments.threads
    )
    write_view(difference_view(difference, by_query=arguments.by_query), arguments.format)
    return 0
