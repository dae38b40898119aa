"""Guards of a verdict, as options state them."""

from __future__ import annotations

from idealist.cli.options import measures_of
from idealist.comparison.comparison import GUARDS
from idealist.errors import InputError
from idealist.measures.column import column_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from idealist.measures import Measure


def add_guards(group: argparse._ActionsContainer, guards: Sequence[str] = GUARDS) -> None:
    """`guards` are the default."""
    group.add_argument(
        "--guards",
        metavar="LIST",
        help=f"checks that can keep a run from shipping, separated by commas, or none (default: {','.join(guards)})",
    )


def add_unjudged_rate(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--unjudged-rate",
        type=float,
        metavar="SHARE",
        help="how often unjudged documents above the cut-off are taken to be relevant, where a guard asks whether they would "
        "turn the verdict (default: as often as judged ones there)",
    )


def guards_named(text: str) -> tuple[str, ...]:
    """The guards that --guards names, separated by commas."""
    names = tuple(name.strip() for name in text.split(","))
    return () if names == ("none",) else names


def add_guard_margins(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--guard",
        action="append",
        metavar="NAME=MARGIN",
        help="a measure or segment that must be shown not to lose more than this, such as AP=1%% or mobile=0.01; "
        "measures=1%% and segments=1%% are for all of them; may be repeated",
    )


def guard_margins(stated: Sequence[str] | None, example: str = "nDCG@10=1%") -> dict[str, str]:
    """The margins that --guard gives, by the name of a measure or segment; `example` is one for errors."""
    margins: dict[str, str] = {}
    for text in stated or ():
        name, equals, margin = text.rpartition("=")
        if not equals or not name.strip() or not margin.strip():
            raise InputError(f"--guard {text!r} has no name and margin", hint=f"--guard {example}")
        if name.strip() in margins:
            raise InputError(f"--guard {name.strip()} is given twice", hint="give it once")
        margins[name.strip()] = margin.strip()
    return margins


def guarded_too(
    measures: tuple[Measure, ...], arguments: argparse.Namespace, columns: Sequence[str] = ()
) -> tuple[Measure, ...]:
    """With the measures that --guard names, and of --numbers the `columns`; a name that is neither may be a segment's."""
    for name in guard_margins(arguments.guard):
        column = column_named(name, columns)
        if column is not None:
            known = any(column.label == measure.label for measure in measures)
            measures = measures if known else (*measures, column)
            continue
        try:
            more = measures_of([name], arguments)
        except InputError:
            continue
        measures = (*measures, *(measure for measure in more if measure not in measures))
    return measures
