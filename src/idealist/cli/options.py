"""Options that several commands share."""

from __future__ import annotations

import os
import sys

from idealist.base.system import terminal_width
from idealist.base.values import as_finite
from idealist.cli.messages import say, write_to
from idealist.conventions import CHOICES, DEFAULT, PRESETS, Conventions, parse_conventions
from idealist.errors import InputError
from idealist.measures import parse_all
from idealist.measures.measure_parameters import PARAMETERS
from idealist.projects.settings import MEASURE as MEASURE
from idealist.projects.settings import SETTINGS
from idealist.show import FORMATS
from idealist.show.evaluation_tables import BOUNDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from idealist.measures import Measure
    from idealist.show import Table
    from idealist.show.view import View


CONFIDENCE: float = SETTINGS["confidence"].preset
LONGEST_CHOICES = 40  # letters of choices in the place of a value
# Parameters that may be given for all measures at once.
MEASURE_DEFAULTS = ("gain", "discount", "level", "max_grade")


def add_setting(
    group: argparse._ActionsContainer, name: str, metavar: str | None = None, *, more: str = ""
) -> None:
    """The option of a setting of projects: what it is for, its choices and its default are those of the table. `more` is
    what else to say of it."""
    setting = SETTINGS[name]
    default = setting.preset
    shown = "" if default is None else f" (default: {default})"
    group.add_argument(
        option_named(name),
        metavar=metavar,
        default=default,
        type=type(default) if isinstance(default, (int, float)) else str,
        choices=None if setting.choices is None else setting.choices(),
        help=f"{setting.about}{more}{shown}".replace("%", "%%"),
    )


def add_conventions(
    parser: argparse.ArgumentParser, fields: Sequence[str] = tuple(CHOICES), *, bounds: bool = False
) -> None:
    group = parser.add_argument_group("conventions (what is not the default is printed below the numbers)")
    group.add_argument(
        "--conventions",
        default="idealist",
        metavar="TOOL",
        help=f"the conventions of a tool; other options override them: {', '.join(PRESETS)}",
    )
    for field in fields:
        about, known = CHOICES[field]
        choices, more = tuple(known), ""
        if bounds and field == "ties":
            choices, more = (*choices, BOUNDS), f"; {BOUNDS}: the values under the worst and the best order"
        shown = "|".join(choices)
        if len(shown) > LONGEST_CHOICES:  # usage would not fit a terminal of 80 letters
            shown, about = "RULE", f"{about}: {', '.join(choices)}"
        group.add_argument(
            f"--{field}",
            choices=choices,
            metavar=shown,
            help=f"{about} (default: {getattr(DEFAULT, field)}, or as TOOL has it){more}",
        )


def conventions_of(arguments: argparse.Namespace) -> Conventions:
    """The conventions of the tool that was named, or ours, but for what is stated."""
    tool = parse_conventions(arguments.conventions)
    stated = {field: getattr(arguments, field, None) for field in CHOICES}
    return tool.replace(**{field: choice for field, choice in stated.items() if choice not in (None, BOUNDS)})


def add_measures(parser: argparse.ArgumentParser, default: Sequence[str]) -> None:
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        metavar="MEASURE",
        help=f"a measure by its name, such as nDCG@10, or one of your own, module:Class; may be repeated (default: {' '.join(default)})",
    )


def add_measure_defaults(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("parameters of measures that do not state their own")
    group.add_argument("--gain", help="linear, exp, binary, or a table such as {0:0,1:3,2:9}")
    group.add_argument(
        "--discount",
        help="log2, jarvelin(2), letor, zipf, rbp(0.8), none, or a table by rank such as [1,0.5]",
    )
    group.add_argument("--level", help="the lowest grade that counts as relevant")
    group.add_argument("--max-grade", metavar="GRADE", help="the highest grade of the scale")


def measures_of(
    texts: Sequence[str], arguments: argparse.Namespace, columns: Sequence[str] = (), *, besides: bool = True
) -> tuple[Measure, ...]:
    """The measures asked for; --gain and the like, and the parameters of a tool, are for those that state none.
    `columns` are those of --numbers, and `besides` is whether anything is measured besides these."""
    options = {name: getattr(arguments, name) for name in MEASURE_DEFAULTS}
    stated = {name: PARAMETERS[name].read(value) for name, value in options.items() if value is not None}
    defaults = {**conventions_of(arguments).parameters, **stated}
    if any(":" in text for text in texts):
        from idealist.measures.own import with_modules

        texts = [with_modules(text) for text in texts]
    if columns:
        from idealist.measures.column import measures_and_columns

        measures = measures_and_columns(texts, columns, defaults=defaults, besides=besides)
    else:
        measures = parse_all(texts, defaults=defaults)
    for name in stated:
        if not any(name in measure.fields for measure in measures):
            names = ", ".join(map(str, measures))
            option = option_named(name)
            raise InputError(f"{option} changes nothing: {names} has no {name}", hint=f"leave {option} out")
    return measures


def option_named(name: str) -> str:
    """How an argument is written on the command line.

    >>> option_named("weight_by")
    '--weight-by'
    """
    return f"--{name.replace('_', '-')}"


def add_margin(group: argparse._ActionsContainer, default: str = "2 %% of the baseline's mean") -> None:
    group.add_argument(
        "--margin",
        metavar="M",
        help=f"how much worse may still ship: 0.02 is a difference, 2%% a share (default: {default}, and a "
        "significant loss never ships)",
    )


def add_shares(group: argparse._ActionsContainer, whose: str, what: str) -> None:
    """`whose` shares are stated, such as those of a SEGMENT, and `what` they are."""
    group.add_argument("--share", action="append", metavar=f"{whose}=SHARE", help=f"{what}; may be repeated")


def shares_of(stated: Sequence[str] | None) -> dict[str, float] | None:
    """The shares that --share gives, by name."""
    if stated is None:
        return None
    shares: dict[str, float] = {}
    for text in stated:
        name, equals, share = text.rpartition("=")
        if not equals or not name.strip():
            raise InputError(f"--share {text!r} has no name and share", hint="--share head=0.7")
        if name.strip() in shares:
            raise InputError(f"--share {name.strip()} is given twice", hint="give it once")
        title = f"the share of {name.strip()!r}"
        shares[name.strip()] = as_finite(share, title, text=True, hint="such as 0.7")
    return shares


def add_policy(group: argparse._ActionsContainer) -> None:
    add_setting(group, "policy")


def add_gate(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--gate",
        action="store_true",
        help="set the exit code by the verdict: 0 ship or unchanged, 1 block, 3 undecided",
    )


def add_confidence(group: argparse._ActionsContainer) -> None:
    add_setting(group, "confidence", "P")


def add_requests(group: argparse._ActionsContainer, timeout: float) -> None:
    """How requests are sent to a server."""
    group.add_argument(
        "--concurrency", type=int, default=4, metavar="N", help="requests at a time (default: 4)"
    )
    group.add_argument("--rate", type=float, metavar="N", help="most requests in a minute")
    group.add_argument(
        "--retries", type=int, default=5, metavar="N", help="how often a request is sent again (default: 5)"
    )
    group.add_argument(
        "--timeout",
        type=float,
        default=timeout,
        metavar="S",
        help=f"seconds to wait for an answer (default: {timeout:g})",
    )


def add_seed(group: argparse._ActionsContainer) -> None:
    add_setting(group, "seed", "N")


def add_threads(group: argparse._ActionsContainer) -> None:
    group.add_argument("--threads", type=int, metavar="N", help="number of threads (default: all cores)")


def add_format(
    group: argparse._ActionsContainer,
    formats: Sequence[str] = (*FORMATS, "json"),
    *,
    about: str = "output format",
) -> None:
    """`formats` begin with the default."""
    group.add_argument(
        "--format", choices=tuple(formats), default=formats[0], help=f"{about} (default: {formats[0]})"
    )


def add_result(
    group: argparse._ActionsContainer,
    formats: Sequence[str] = (*FORMATS, "json"),
    *,
    about: str = "output format",
    force: bool = True,
) -> None:
    """The format of a result that is printed, and -o FILE; without `force`, the command has an option --force already."""
    add_format(group, formats, about=about)
    add_result_file(group, force=force)


def add_result_file(group: argparse._ActionsContainer, *, force: bool = True) -> None:
    """-o FILE of a command that prints its result."""
    group.add_argument(
        "-o",
        "--output",
        dest="result_file",
        metavar="FILE",
        help="write the result to this file (default: standard output)",
    )
    if force:
        group.add_argument("--force", action="store_true", help="replace a file that exists already")


def add_output(
    group: argparse._ActionsContainer,
    about: str = "the file to write (default: standard output)",
    *,
    required: bool = False,
) -> None:
    """-o FILE, and whether it may replace a file."""
    group.add_argument("-o", "--output", metavar="FILE", required=required, help=about)
    group.add_argument("--force", action="store_true", help="replace a file that exists already")


def write_view(view: View, kind: str) -> None:
    """To standard output; lines that have no place in CSV go to standard error."""
    if kind == "csv":
        for line in view.beside:
            say(line)
    write_to(sys.stdout, view.written(kind, color=use_color(), width=width_to_fit()))


def write_lines(*lines: str) -> None:
    """To standard output, in the width of a terminal."""
    from idealist.show.view import Lines

    write_to(sys.stdout, Lines(lines).to_text(width=width_to_fit()))


def rendered(table: Table, kind: str) -> str:
    if kind == "table":
        return table.to_text(color=use_color(), width=width_to_fit())
    return FORMATS[kind](table)


def width_to_fit() -> int | None:
    """The width that tables must fit: that of a terminal. A file and another program get them whole."""
    return terminal_width() if sys.stdout.isatty() else None


def use_color() -> bool:
    """Only on a terminal, and not against the user's wish (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
