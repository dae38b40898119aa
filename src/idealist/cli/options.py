"""Options that several commands share."""

from __future__ import annotations

import os
import sys

from idealist.conventions import CHOICES, Conventions
from idealist.measures import parse_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.measures import Measure


def add_conventions(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("conventions (printed below the numbers)")
    default = Conventions()
    for field, (about, choices) in CHOICES.items():
        group.add_argument(
            f"--{field}",
            choices=tuple(choices),
            default=getattr(default, field),
            metavar="|".join(choices),
            help=f"{about} (default: {getattr(default, field)})",
        )


def conventions_of(arguments: argparse.Namespace) -> Conventions:
    return Conventions(**{field: getattr(arguments, field) for field in CHOICES})


def add_measure_defaults(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("parameters of measures that do not state their own")
    group.add_argument("--gain", help="linear, exp, or a table such as {1:3,2:9}")
    group.add_argument("--discount", help="log2, jarvelin(2), letor, zipf, rbp(0.8), none, or a table")
    group.add_argument("--level", help="the lowest grade that counts as relevant")


def measures_of(texts: list[str], arguments: argparse.Namespace) -> tuple[Measure, ...]:
    """The measures asked for, with --gain, --discount and --level where they state none."""
    given = {name: getattr(arguments, name) for name in ("gain", "discount", "level")}
    return parse_all(texts, defaults={name: value for name, value in given.items() if value is not None})


def use_color() -> bool:
    """Only on a terminal, and not against the user's wish (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
