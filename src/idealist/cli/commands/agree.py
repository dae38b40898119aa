"""idealist agree: how much rankings have in common."""

from __future__ import annotations

from idealist.cli.evaluations import add_presentation, write_evaluation
from idealist.cli.options import add_conventions, add_measures, conventions_of
from idealist.cli.sources import RUN, add_sources, add_system, expanded, named_files, one_of, sources_of
from idealist.data.run import runs_by_name
from idealist.errors import InputError
from idealist.evaluation.run_agreement import DEFAULT_MEASURES, agree
from idealist.show.segment_tables import Breakdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

SUMMARY = "compare rankings with those of another run, without judgments"
EPILOG = """examples:
  idealist agree bm25.run dense.run
  idealist agree bm25.run dense.run -m KendallTau -m 'RBO(p=0.95)'
  idealist agree systems.csv --system bm25"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("other", metavar="RUN", help=RUN)
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="*",
        help="runs that are compared with the first (default: with --system, the other systems of its file)",
    )
    add_system(parser, "the system of the first RUN that the others are compared with")
    add_measures(parser, DEFAULT_MEASURES)
    add_presentation(parser)
    add_sources(parser, features=True)
    add_conventions(parser, ("ties", "empty", "precision"))


def run(arguments: argparse.Namespace) -> int:
    (name, other), runs = _runs(arguments)
    result = agree(
        runs,
        other,
        arguments.measure or DEFAULT_MEASURES,
        conventions=conventions_of(arguments),
        threads=arguments.threads,
    )
    reference = Breakdown(lines=(f"compared with {name}",), record={"against": name})
    write_evaluation(
        result,
        [reference],
        kind=arguments.format,
        by_query=arguments.by_query,
        provenance=arguments.provenance,
    )
    return 0


def _runs(arguments: argparse.Namespace) -> tuple[tuple[str, Any], dict[str, Any]]:
    """The run that the others are compared with, by its name, and the others."""
    path, system = one_of([arguments.other]), arguments.system
    if system is None:
        if not arguments.runs:
            raise InputError(
                "there is no run to compare with the first",
                hint="name one, or with --system take the first from a table of several systems",
            )
        first, *runs = named_files([*path, *expanded(arguments.runs)], sources_of(arguments)).items()
        return first, dict(runs)
    options = sources_of(arguments)
    ((name, other),) = named_files(path, options).items()
    others = runs_by_name(named_files(expanded(arguments.runs) or path, options.replace(system=None)))
    return (name, other), {
        other_name: run for other_name, run in others.items() if arguments.runs or other_name != system
    }
