"""Evaluations that were saved as JSON, instead of judgments and runs."""

from __future__ import annotations

from idealist.cli.options import MEASURE_DEFAULTS, option_named
from idealist.conventions import CHOICES
from idealist.data.source_names import parse_source
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from idealist.evaluation import Evaluation
    from idealist.measures import Measure

# Options that say how runs are measured, which is done already.
SETTLED = (
    "profiles",
    "items",
    "clicks",
    "weights",
    "weight_by",
    "machine",
    "calibrate",
    "threads",
    "columns",
    "input_format",
    "query_sizes",
    *MEASURE_DEFAULTS,
    *CHOICES,
)


def add_evaluations(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--evaluations",
        nargs="+",
        metavar="FILE",
        help="instead of judgments and runs: what `idealist evaluate --format json --by-query` wrote",
    )
    parser.add_argument(
        "--different-judgments",
        action="store_true",
        help="compare evaluations even if their judgments differ, over the queries they share",
    )


def refuse_settled(arguments: argparse.Namespace) -> None:
    """Raises for options that say how runs are measured, where that is done already."""
    if arguments.judgments is not None:
        raise InputError(
            f"--evaluations stands instead of judgments and runs, but {arguments.judgments!r} is named too",
            hint="give one or the other",
        )
    stated = [name for name in SETTLED if getattr(arguments, name, None) is not None]
    if arguments.conventions != "idealist":
        stated.append("conventions")
    if stated:
        option = option_named(stated[0])
        raise InputError(
            f"{option} changes nothing: the runs are measured already", hint=f"leave {option} out"
        )


def read_evaluations(
    paths: list[str],
    *,
    measures: Callable[[Sequence[str]], Sequence[Measure]] | None,
    different_judgments: bool,
) -> tuple[Evaluation, dict[str, str]]:
    """The evaluations of several files, as one; and by file its system, where it has one. `measures` gives those that
    are wanted, from the names of the columns of numbers among those that were measured."""
    from idealist.evaluation import join_evaluations, read_evaluation

    evaluations = _unique_systems(paths, [read_evaluation(path) for path in paths])
    chosen = None
    if measures is not None:
        columns = {item.label: item for result in evaluations for item in result.measures if item.given}
        chosen = [columns.get(item.label, item) for item in measures(tuple(columns))]
    together = join_evaluations(evaluations, measures=chosen, different_judgments=different_judgments)
    by_file = {
        path: evaluation.systems[0]
        for path, evaluation in zip(paths, evaluations, strict=True)
        if len(evaluation.systems) == 1
    }
    return together, by_file


def _unique_systems(paths: list[str], evaluations: list[Evaluation]) -> list[Evaluation]:
    """Systems of the same name, as of yesterday and today, get the names of their files in front."""
    names = [system for evaluation in evaluations for system in evaluation.systems]
    if len(set(names)) == len(names):
        return evaluations
    from idealist.evaluation.joining import rename_systems

    return [
        rename_systems(
            evaluation,
            {
                system: f"{parse_source(path).name}:{system}"
                for system in evaluation.systems
                if names.count(system) > 1
            },
        )
        for path, evaluation in zip(paths, evaluations, strict=True)
    ]


def require_runs(
    judgments: str | None, runs: Sequence[str], *, command: str, different_judgments: bool
) -> None:
    """Raises unless there are judgments and runs, where there are neither evaluations nor numbers alone."""
    if different_judgments:
        raise InputError("--different-judgments changes nothing without --evaluations", hint="leave it out")
    if judgments is None or not runs:
        raise InputError(
            "judgments and runs are needed, or --evaluations, or --numbers",
            hint=f"idealist {command} JUDGMENTS RUN RUN, or idealist {command} --evaluations FILE FILE, or "
            f"idealist {command} --numbers FILE",
        )
