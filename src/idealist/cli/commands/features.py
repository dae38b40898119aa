"""idealist features: what features are like, and what a model owes to each."""

from __future__ import annotations

import sys

from idealist.cli.feature_files import FEATURES, add_feature_sources, read_feature_files
from idealist.cli.options import (
    MEASURE,
    add_conventions,
    add_measure_defaults,
    add_result,
    add_seed,
    conventions_of,
    measures_of,
    rendered,
)
from idealist.cli.progress import Progress
from idealist.errors import InputError
from idealist.show import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.data.features import Features
    from idealist.show.table import Cell

SUMMARY = "statistics of features, their importance to a model, a selection of them"
EPILOG = """examples:
  idealist features train.txt
  idealist features vali.txt --model model.json -m nDCG@10
  idealist features vali.txt --model model.json --select 10

With --model, every feature is shuffled among the documents of each query: what the measure loses by it is its importance.
--select prints names alone, for --features of `idealist train`: the N most important, or with 0 those whose interval lies
above 0. Select on validation queries, and measure on others."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "rows", metavar="FEATURES", nargs="+", help=f"{FEATURES}; several files are one table"
    )
    parser.add_argument("--model", metavar="MODEL", help="a model file: the importance of its features")
    parser.add_argument(
        "-m",
        "--measure",
        metavar="MEASURE",
        help=f"the measure (default: {MEASURE}, if there are grades)",
    )
    parser.add_argument(
        "--rounds", type=int, default=5, metavar="N", help="how often a feature is shuffled (default: 5)"
    )
    parser.add_argument(
        "--select",
        type=int,
        metavar="N",
        help="print the names of the N most important features, separated by commas",
    )
    add_result(parser)
    add_seed(parser)
    add_feature_sources(parser)
    add_measure_defaults(parser)
    add_conventions(parser)


def run(arguments: argparse.Namespace) -> int:
    from idealist.data.features import join_features

    if arguments.select is not None and arguments.select < 0:
        raise InputError(
            f"--select must be 0 or more, not {arguments.select}",
            hint="the number of features, or 0 for those whose interval lies above 0",
        )
    if arguments.select is not None and arguments.model is None:
        raise InputError("--select goes by what features are worth to a model", hint="name one with --model")
    if arguments.model is not None:
        return _importance(arguments)
    rows = join_features(read_feature_files(arguments.rows, arguments, fill="keep"))
    _write(_summary_table(rows, arguments), arguments.format)
    return 0


def _summary_table(rows: Features, arguments: argparse.Namespace) -> Table:
    from idealist.learn.ranking_features import summarise_features

    measure = None
    if rows.grades is not None:
        (measure,) = measures_of([arguments.measure or MEASURE], arguments)
    elif arguments.measure is not None:
        raise InputError(
            "these features have no grades to measure by", source=rows.source, hint="leave --measure out"
        )
    titles = ["feature", "min", "mean", "max", "std", "distinct", "missing", "constant in queries"]
    titles += [] if measure is None else [f"{measure} alone", "order"]
    cells: list[list[Cell]] = [
        [
            feature.name,
            feature.lowest,
            feature.mean,
            feature.highest,
            feature.deviation,
            feature.distinct,
            feature.missing,
            f"{100 * feature.constant_queries:.0f} %",
            *(
                []
                if measure is None
                else [feature.value, "high first" if feature.descending else "low first"]
            ),
        ]
        for feature in summarise_features(rows, measure, conventions_of(arguments))
    ]
    below = [repr(rows)[1:-1].replace("Features: ", "")]
    return Table(titles, cells, below=below)


def _importance(arguments: argparse.Namespace) -> int:
    from idealist.data.features import join_features
    from idealist.learn.models.model_storage import load_model
    from idealist.learn.ranking_features import permutation_importance, select_features

    model = load_model(arguments.model)
    rows = join_features(read_feature_files(arguments.rows, arguments, names=model.names))
    (measure,) = measures_of([arguments.measure or MEASURE], arguments)
    bar = Progress("shuffling features")
    try:
        importances = permutation_importance(
            model,
            rows,
            measure,
            conventions_of(arguments),
            rounds=arguments.rounds,
            seed=arguments.seed,
            progress=bar,
        )
    finally:
        bar.wipe()
    if arguments.select is not None:
        print(",".join(select_features(importances, arguments.select or None)))
        return 0
    cells: list[list[Cell]] = [
        [
            feature.name,
            feature.loss,
            None if feature.interval is None else (feature.interval.low, feature.interval.high),
            feature.worse,
            feature.better,
        ]
        for feature in importances
    ]
    below = [
        f"what {measure} loses when a feature is shuffled within queries, over {arguments.rounds} rounds "
        f"(seed {arguments.seed}); 95 % intervals over queries"
    ]
    table = Table(["feature", "loss", "95 % interval", "worse queries", "better queries"], cells, below=below)
    _write(table, arguments.format)
    return 0


def _write(table: Table, kind: str) -> None:
    sys.stdout.write(table.to_json() if kind == "json" else rendered(table, kind))
