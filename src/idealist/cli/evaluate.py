"""idealist evaluate: runs against judgments."""

from __future__ import annotations

from idealist.cli.evaluations import add_output, named_files, write_evaluation
from idealist.cli.options import add_conventions, add_measure_defaults, conventions_of, measures_of
from idealist.evaluation import evaluate
from idealist.io import read_judgments

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "measure runs against judgments"
EPILOG = "example: idealist evaluate robust.qrels bm25.run dense.run -m nDCG@10 -m AP"
DEFAULT_MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "Judged@10"]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "judgments", metavar="JUDGMENTS", help="a TREC file of judgments (qrels), plain or gzip"
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help="TREC files of runs")
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        metavar="MEASURE",
        help=f"may be repeated (default: {' '.join(DEFAULT_MEASURES)})",
    )
    add_output(parser)
    add_measure_defaults(parser)
    add_conventions(parser)


def run(arguments: argparse.Namespace) -> int:
    measures = measures_of(arguments.measure or DEFAULT_MEASURES, arguments)
    conventions = conventions_of(arguments)
    threads = arguments.threads
    judgments = read_judgments(arguments.judgments, threads=threads)
    runs = named_files(arguments.runs)
    result = evaluate(runs, judgments, measures, conventions=conventions, threads=threads)
    write_evaluation(result, arguments)
    return 0
