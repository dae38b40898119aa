"""idealist evaluate: runs against judgments."""

from __future__ import annotations

from idealist.cli.evaluations import add_output, named_files, write_evaluation
from idealist.cli.inputs import add_tables, read_needed, tables_of
from idealist.cli.options import (
    BOUNDS,
    add_conventions,
    add_measure_defaults,
    add_measures,
    conventions_of,
    measures_of,
)
from idealist.evaluation import evaluate

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "measure runs against judgments"
EPILOG = "example: idealist evaluate robust.qrels bm25.run dense.run -m nDCG@10 -m AP"
DEFAULT_MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "Judged@10"]
BREAKDOWNS = ("objective", "at_least", "at_most", "segment_by")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "judgments",
        metavar="JUDGMENTS",
        help="a TREC file of judgments (qrels), plain or gzip, in the layout the measures need",
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help="TREC files of runs")
    add_measures(parser, DEFAULT_MEASURES)
    add_output(parser)
    add_tables(parser)
    add_measure_defaults(parser)
    add_conventions(parser, bounds=True)


def run(arguments: argparse.Namespace) -> int:
    default = DEFAULT_MEASURES if arguments.objective is None else ["nDCG@10"]
    measures = measures_of(arguments.measure or default, arguments)
    plan = None
    if any(getattr(arguments, option) is not None for option in BREAKDOWNS):
        from idealist.cli.breakdowns import Plan

        plan = Plan(arguments, measures)
        measures = plan.measures
    tables = tables_of(arguments, measures)
    judgments = read_needed(arguments.judgments, measures, arguments.threads)
    result = evaluate(
        named_files(arguments.runs),
        judgments,
        measures,
        conventions=conventions_of(arguments),
        threads=arguments.threads,
        **tables,
    )
    breakdowns = plan.breakdowns(result, tables) if plan else []
    write_evaluation(result, arguments, breakdowns, bounds=arguments.ties == BOUNDS)
    return 0
