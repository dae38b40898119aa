"""idealist measures: what can be measured."""

from __future__ import annotations

import sys
from importlib import import_module

from idealist.cli.options import use_color
from idealist.errors import UnknownMeasure
from idealist.measures import parse, registry
from idealist.measures.nicknames import NICKNAMES
from idealist.measures.parameters import PARAMETERS
from idealist.measures.registry import FAMILIES
from idealist.reporting import Table
from idealist.reporting.table import BOLD, DIM, PLAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from idealist.measures import Measure

SUMMARY = "list the measures, or describe one"
EPILOG = """examples:
  idealist measures            all of them, family by family
  idealist measures diversity  one family
  idealist measures nDCG       one measure: definition, parameters, bounds, citation, example"""
OVER_QUERIES = {
    "mean": "the mean",
    "sum": "the sum",
    "geometric": "the geometric mean",
    "pooled": "one number of all of them together",
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="a family, or a measure by any name it has")
    parser.add_argument(
        "--format", choices=("table", "markdown"), default="table", help="markdown: the reference page"
    )


def run(arguments: argparse.Namespace) -> int:
    name: str | None = arguments.name
    family = (name or "").replace("-", "_")
    if name in NICKNAMES:
        sys.stdout.write(f"{name} (a set of trec_eval's)\n\n{_wrapped(NICKNAMES[name])}\n")
        return 0
    if name is not None and family not in FAMILIES:
        chosen = [_class_named(name)]
    else:
        chosen = [cls for cls in registry().values() if name is None or cls.family == family]
    if arguments.format == "markdown":
        sys.stdout.write(_page(chosen))
    elif name is None or family in FAMILIES:
        sys.stdout.write(_listed(chosen))
    else:
        sys.stdout.write("\n".join(_described(chosen[0])) + "\n")
    return 0


def _class_named(name: str) -> type[Measure]:
    try:
        return type(parse(name))
    except UnknownMeasure as error:
        from difflib import get_close_matches

        close = get_close_matches(name.replace("-", "_"), [*FAMILIES, *NICKNAMES], n=1, cutoff=0.75)
        if not close:
            raise
        raise UnknownMeasure(error.message, hint=f"did you mean {close[0]}?") from None


def _wrapped(text: str) -> str:
    from textwrap import fill

    return fill(text, 100, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def _listed(measures: list[type[Measure]]) -> str:
    bold, dim, plain = (BOLD, DIM, PLAIN) if use_color() else ("", "", "")
    width = max(len(cls.name) for cls in measures)
    lines = []
    for family, members in _by_family(measures).items():
        lines += [f"{bold}{family}{plain}  {dim}{_about(family)}{plain}"]
        lines += [f"  {cls.name:<{width}}  {_first_line(cls)}" for cls in members]
        lines.append("")
    lines.append(f"sets of trec_eval's: {', '.join(NICKNAMES)}")
    lines.append("`idealist measures NAME` tells more")
    return "\n".join(lines) + "\n"


def _by_family(measures: list[type[Measure]]) -> dict[str, list[type[Measure]]]:
    families: dict[str, list[type[Measure]]] = {}
    for cls in measures:
        families.setdefault(cls.family, []).append(cls)
    return families


def _described(cls: type[Measure]) -> list[str]:
    lines = [f"{cls.name} ({cls.family} family)", "", *_dedented(cls.__doc__ or ""), ""]
    facts = _facts(cls)
    width = max(map(len, facts))
    lines += [f"{name:<{width}}  {fact}" for name, fact in facts.items()]
    if cls.fields:
        lines += ["", Table(["parameter", "default", "meaning"], _parameters(cls)).to_text().rstrip()]
    return lines


def _facts(cls: type[Measure]) -> dict[str, str]:
    low, high = (_bound(bound) for bound in cls().bounds)
    facts = {
        "bounds": f"{low} to {high}",
        "better": cls().better,
        "over queries": OVER_QUERIES[cls().aggregate],
    }
    if (need := cls().needs).given_apart:
        facts["needs"] = f"{cls().needs_in_words()}: {need.instructions}"
    if cls.aliases:
        facts["also called"] = ", ".join(_alias(name, given) for name, given in cls.aliases.items())
    return facts


def _parameters(cls: type[Measure]) -> list[list[str]]:
    return [[field, _default(cls, field), PARAMETERS[field].meaning] for field in cls.fields]


def _page(measures: list[type[Measure]]) -> str:
    """Everything about the measures as one Markdown page."""
    lines = ["# Measures", "", "Made by `idealist measures --format markdown`.", ""]
    for family, members in _by_family(measures).items():
        lines += [f"## {family}", "", _about(family), ""]
        for cls in members:
            text, mark, example = (cls.__doc__ or "").partition(">>>")
            lines += [f"### {cls.name}", "", *_dedented(text.rstrip()), ""]
            if mark:
                lines += ["```pycon", *_dedented(" " * 4 + mark + example), "```", ""]
            lines += [f"- {name}: {fact}" for name, fact in _facts(cls).items()]
            lines += [
                f"- `{field}` (default {default}): {meaning}" for field, default, meaning in _parameters(cls)
            ]
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _about(family: str) -> str:
    """The first paragraph of the family's module, behind its name."""
    text = (import_module(f"idealist.measures.families.{family}").__doc__ or "").partition("\n\n")[0]
    return " ".join(text.split())


def _bound(bound: float) -> str:
    return f"{bound:.4g}" if abs(bound) != float("inf") else "∞" if bound > 0 else "−∞"


def _alias(name: str, given: Mapping[str, object]) -> str:
    stated = ", ".join(f"{field}={value}" for field, value in given.items())
    shown = f"{name}N" if name[-1] in "._" else name
    return f"{shown} ({stated})".replace("{}", "N") if stated else shown


def _default(cls: type[Measure], field: str) -> str:
    value = getattr(cls(), field)
    return "none" if value is None else PARAMETERS[field].text(value) or "none"


def _first_line(cls: type[Measure]) -> str:
    return (cls.__doc__ or "").strip().partition("\n")[0]


def _dedented(text: str) -> list[str]:
    from inspect import cleandoc

    return cleandoc(text).splitlines()
