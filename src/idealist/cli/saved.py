"""Evaluations that were saved as JSON, in the place of judgments and runs."""

from __future__ import annotations

from idealist.cli.options import MEASURE_DEFAULTS
from idealist.conventions import CHOICES
from idealist.errors import InputError
from idealist.io.sources import parse_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from idealist.evaluation import Evaluation
    from idealist.measures import Measure

# What was settled when the runs were measured.
SETTLED = (
    "profiles",
    "items",
    "clicks",
    "weights",
    "weight_by",
    "threads",
    "columns",
    "input_format",
    "groups",
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
            f"--evaluations takes the place of judgments and runs, and there is {arguments.judgments!r}, too",
            hint="give the one or the other",
        )
    stated = [name for name in SETTLED if getattr(arguments, name, None) is not None]
    if arguments.conventions != "idealist":
        stated.append("conventions")
    if stated:
        option = f"--{stated[0].replace('_', '-')}"
        raise InputError(
            f"{option} changes nothing: the runs are measured already", hint=f"leave {option} out"
        )


def read_evaluations(
    paths: list[str], *, measures: Sequence[Measure] | None, different_judgments: bool
) -> Evaluation:
    """The evaluations of several files, as one."""
    from idealist.evaluation import join_evaluations, read_evaluation

    return join_evaluations(
        _told_apart(paths, [read_evaluation(path) for path in paths]),
        measures=measures,
        different_judgments=different_judgments,
    )


def _told_apart(paths: list[str], evaluations: list[Evaluation]) -> list[Evaluation]:
    """Systems of one name, as they were yesterday and today, are named after their files too."""
    names = [system for one in evaluations for system in one.systems]
    if len(set(names)) == len(names):
        return evaluations
    from idealist.evaluation.joining import rename_systems

    return [
        rename_systems(one, {s: f"{parse_source(path).name}:{s}" for s in one.systems if names.count(s) > 1})
        for path, one in zip(paths, evaluations, strict=True)
    ]


def require_runs(judgments: str | None, runs: Sequence[str], *, different_judgments: bool) -> None:
    """Without evaluations, there are judgments and runs."""
    if different_judgments:
        raise InputError("--different-judgments changes nothing without --evaluations", hint="leave it out")
    if judgments is None or not runs:
        raise InputError(
            "judgments and runs are needed, or --evaluations",
            hint="idealist compare JUDGMENTS RUN RUN, or idealist compare --evaluations FILE FILE",
        )
