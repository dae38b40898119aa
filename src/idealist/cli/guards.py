"""Guards of a verdict, as options state them."""

from __future__ import annotations

from idealist.cli.options import measures_of
from idealist.comparison.result import GUARDS
from idealist.errors import InputError

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


def guard_margins(stated: Sequence[str] | None) -> dict[str, str]:
    """The margins that --guard gives, by the name of a measure or segment."""
    margins: dict[str, str] = {}
    for text in stated or ():
        name, equals, margin = text.rpartition("=")
        if not equals or not name.strip() or not margin.strip():
            raise InputError(f"--guard {text!r} has no name and margin", hint="--guard nDCG@10=1%")
        if name.strip() in margins:
            raise InputError(f"--guard {name.strip()} is given twice", hint="give it once")
        margins[name.strip()] = margin.strip()
    return margins


def guarded_too(measures: tuple[Measure, ...], arguments: argparse.Namespace) -> tuple[Measure, ...]:
    """With the measures that --guard names; a name that is no measure may be a segment's."""
    for name in guard_margins(arguments.guard):
        try:
            more = measures_of([name], arguments)
        except InputError:
            continue
        measures = (*measures, *(measure for measure in more if measure not in measures))
    return measures
