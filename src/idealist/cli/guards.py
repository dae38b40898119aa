"""Guards beside the difference that decides, as options state them."""

from __future__ import annotations

from idealist.cli.options import measures_of
from idealist.comparison.result import GUARDS
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from idealist.measures import Measure


def add_guards(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--guards",
        metavar="LIST",
        help=f"what keeps a run from shipping, by commas, or none (default: {','.join(GUARDS)})",
    )
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
    """With the measures that --guard names; a name that is none may be a segment's."""
    for name in guard_margins(arguments.guard):
        try:
            more = measures_of([name], arguments)
        except InputError:
            continue
        measures = (*measures, *(one for one in more if one not in measures))
    return measures
