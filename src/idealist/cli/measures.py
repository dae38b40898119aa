"""idealist measures: what can be measured."""

from __future__ import annotations

import sys

from idealist.cli.options import use_color
from idealist.measures import parse, registry
from idealist.measures.gains import number_text
from idealist.measures.parameters import PARAMETERS
from idealist.report import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from idealist.measures import Measure

SUMMARY = "list the measures, or describe one"
EPILOG = "example: idealist measures nDCG"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="a measure, by any name it has")


def run(arguments: argparse.Namespace) -> int:
    sys.stdout.write(_described(arguments.name) if arguments.name else _listed())
    return 0


def _listed() -> str:
    rows = []
    families = []
    for name, cls in registry().items():
        if cls.family not in families:
            families.append(cls.family)
        rows.append([cls.family, name, " ".join(cls.fields), _first_line(cls)])
    starts = {next(i for i, row in enumerate(rows) if row[0] == family) for family in families[1:]}
    table = Table(
        ["family", "measure", "parameters", "what it is"],
        rows,
        rules=starts,
        below=["", "`idealist measures NAME` tells more"],
    )
    return table.to_text(color=use_color())


def _described(name: str) -> str:
    cls = type(parse(name))
    low, high = (number_text(b) if abs(b) != float("inf") else "∞" for b in cls.bounds)
    facts = [["bounds", f"{low} to {high}"], ["over queries", cls.aggregate]]
    if cls.aliases:
        facts.append(["also called", ", ".join(_alias(name, given) for name, given in cls.aliases.items())])
    width = max(len(name) for name, _ in facts)
    lines = [f"{cls.name} ({cls.family} family)", "", *_dedented(cls.__doc__ or ""), ""]
    lines += [f"{name:<{width}}  {fact}" for name, fact in facts]
    if cls.fields:
        rows = [[field, _default(cls, field), PARAMETERS[field].meaning] for field in cls.fields]
        lines += ["", Table(["parameter", "default", "meaning"], rows).to_text().rstrip()]
    return "\n".join(lines) + "\n"


def _alias(name: str, given: Mapping[str, object]) -> str:
    stated = ", ".join(f"{field}={value}" for field, value in given.items())
    return f"{name} ({stated})" if stated else name


def _default(cls: type[Measure], field: str) -> str:
    value = getattr(cls, field)
    return "none" if value is None else PARAMETERS[field].text(value)


def _first_line(cls: type[Measure]) -> str:
    return (cls.__doc__ or "").strip().partition("\n")[0]


def _dedented(text: str) -> list[str]:
    from inspect import cleandoc

    return cleandoc(text).splitlines()
