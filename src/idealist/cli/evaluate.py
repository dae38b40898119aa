"""idealist evaluate: runs against judgments."""

from __future__ import annotations

from idealist.cli.evaluations import add_output, named_files, write_evaluation
from idealist.cli.inputs import add_tables, read_needed, tables_of
from idealist.cli.options import (
    add_conventions,
    add_measure_defaults,
    add_measures,
    conventions_of,
    measures_of,
)
from idealist.errors import InputError
from idealist.evaluation import evaluate

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from idealist.cli.breakdowns import Breakdown
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure

SUMMARY = "measure runs against judgments"
EPILOG = "example: idealist evaluate robust.qrels bm25.run dense.run -m nDCG@10 -m AP"
DEFAULT_MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "Judged@10"]


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
    add_conventions(parser)


def run(arguments: argparse.Namespace) -> int:
    default = DEFAULT_MEASURES if arguments.objective is None else ["nDCG@10"]
    measures = measures_of(arguments.measure or default, arguments)
    single: tuple[Measure, ...] = ()
    if arguments.objective is not None:
        measures, single = _of_objectives(measures, arguments.objective)
    if arguments.segment_by is not None and arguments.profiles is None:
        raise InputError("--segment-by names a column of --profiles", hint="give --profiles FILE too")
    judgments = read_needed(arguments.judgments, measures, arguments.threads)
    tables = tables_of(arguments)
    if arguments.profiles is not None:
        from idealist.io import read_profiles

        tables["profiles"] = read_profiles(arguments.profiles)
    result = evaluate(
        named_files(arguments.runs),
        judgments,
        measures,
        conventions=conventions_of(arguments),
        threads=arguments.threads,
        **tables,
    )
    write_evaluation(result, arguments, _breakdowns(result, arguments, tables, single))
    return 0


def _of_objectives(
    measures: tuple[Measure, ...], stated: str
) -> tuple[tuple[Measure, ...], tuple[Measure, ...]]:
    """Every measure with the objectives weighed, and with each alone; the latter again by themselves."""
    from idealist.measures.objectives import MultiObjective
    from idealist.measures.weights import read_weights

    weights = read_weights(stated)
    if not weights:
        raise InputError("--objective names no objective", hint="for example relevance=0.7,novelty=0.3")
    together = [MultiObjective(of=measure, weights=weights) for measure in measures]
    alone = [MultiObjective(of=measure, weights={name: 1.0}) for measure in measures for name in weights]
    return tuple(dict.fromkeys([*together, *alone])), tuple(alone)


def _breakdowns(
    result: Evaluation, arguments: argparse.Namespace, tables: dict[str, Any], single: tuple[Measure, ...]
) -> list[Breakdown]:
    if not (single or arguments.at_least or arguments.segment_by is not None):
        return []
    from idealist.cli.breakdowns import of_objectives, of_segments, of_thresholds

    found = []
    if single:
        found.append(of_objectives(result, single))
    if arguments.at_least:
        found.append(of_thresholds(result, arguments.at_least))
    if arguments.segment_by is not None:
        found.append(of_segments(result, tables["profiles"], arguments.segment_by))
    return found
