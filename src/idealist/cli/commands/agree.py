"""idealist agree: how much rankings have in common."""

from __future__ import annotations

from idealist.cli.breakdowns import Breakdown
from idealist.cli.evaluations import add_output, write_evaluation
from idealist.cli.options import add_conventions, add_measures, conventions_of
from idealist.cli.sources import RUN, add_sources, expanded, named_files, one_of, sources_of
from idealist.evaluation.agreement import DEFAULT_MEASURES, agree

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "hold runs against another run, without judgments"
EPILOG = "example: idealist agree bm25.run dense.run -m KendallTau -m RBO(p=0.95)"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("other", metavar="RUN", help=RUN)
    parser.add_argument("runs", metavar="RUN", nargs="+", help="runs that are held against the first")
    add_measures(parser, DEFAULT_MEASURES)
    add_output(parser)
    add_sources(parser, features=True)
    add_conventions(parser, ("ties", "empty", "precision"))


def run(arguments: argparse.Namespace) -> int:
    paths = [*one_of([arguments.other]), *expanded(arguments.runs)]
    other, *runs = named_files(paths, sources_of(arguments)).items()
    result = agree(
        dict(runs),
        other[1],
        arguments.measure or DEFAULT_MEASURES,
        conventions=conventions_of(arguments),
        threads=arguments.threads,
    )
    against = Breakdown(lines=(f"held against {other[0]}",), record={"against": other[0]})
    write_evaluation(
        result,
        [against],
        kind=arguments.format,
        by_query=arguments.by_query,
        provenance=arguments.provenance,
    )
    return 0
