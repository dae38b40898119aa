"""What -h shows: a command on one screen, with the options that most need. --help has everything."""

from __future__ import annotations

import argparse
import re

from idealist.base.system import terminal_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Options that most need, in the order in which they are shown; a command has some of them.
MOST_NEEDED = (
    *(
        "--query",
        "--measure",
        "--baseline",
        "--margin",
        "--gate",
        "--show",
        "--by-query",
        "--numbers",
        "--conventions",
    ),
    *(
        "--columns",
        "--words",
        "--share",
        "--endpoint",
        "--model",
        "--engine",
        "--url",
        "--method",
        "--judged",
    ),
    *("-k", "-n", "--seed", "--format", "--output"),
)
MOST_OPTIONS, MOST_EXAMPLES = 8, 4
OPTION_WIDTH, MOST_LETTERS = 26, 100
MORE = re.compile(r"; | \(default")  # where the first clause of a help ends


def short_help(parser: argparse.ArgumentParser) -> str:
    """How the command is written, what it is for, its arguments, its most needed options, and examples."""
    arguments = [action for action in parser._actions if not action.option_strings]
    options = _chosen(action for action in parser._actions if action.option_strings)
    count = sum(1 for action in parser._actions if action.option_strings) - 1
    lines = [f"usage: {parser.prog} {' '.join(map(_place, arguments))} [OPTIONS]".replace("  ", " ")]
    lines += ["", f"{(parser.description or '').splitlines()[0]}", ""]
    for action in arguments:
        if isinstance(action, argparse._SubParsersAction):
            lines += [_row(part.dest, part.help or "") for part in action._choices_actions]
        else:
            lines.append(_row(str(action.metavar or action.dest), _text(parser, action)))
    lines += [_row(_strings(action), _text(parser, action)) for action in options]
    if examples := [line for line in (parser.epilog or "").splitlines() if line.startswith("  idealist ")]:
        lines += ["", "examples:", *examples[:MOST_EXAMPLES]]
    rest = f"all {count} options and more examples" if count else "everything"
    return "\n".join([*lines, "", f"`{parser.prog} --help` has {rest}."]) + "\n"


def _chosen(actions: Iterable[argparse.Action]) -> list[argparse.Action]:
    """Options that must be stated first, then those that most need."""
    by_string = {text: action for action in actions for text in action.option_strings}
    required = [action for action in dict.fromkeys(by_string.values()) if action.required]
    needed = [by_string[name] for name in MOST_NEEDED if name in by_string]
    return list(dict.fromkeys([*required, *needed]))[:MOST_OPTIONS]


def _place(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    shown = f"{name} …" if action.nargs in ("*", "+", argparse.PARSER) else name
    return f"[{shown}]" if action.nargs in ("*", "?") else shown


def _strings(action: argparse.Action) -> str:
    """An option with its short name first, and what it takes."""
    names = ", ".join(action.option_strings)
    if action.nargs == 0:
        return names
    value = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    return f"{names} {value}"


def _text(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """What the option is for: the first clause of its help."""
    formatter = parser._get_formatter()
    return MORE.split(formatter._expand_help(action))[0] if action.help else ""


def _row(name: str, about: str) -> str:
    from idealist.show.cells import folded_line

    start = f"  {name:<{OPTION_WIDTH}}  "
    return folded_line(
        start + about,
        min(terminal_width() or MOST_LETTERS, MOST_LETTERS),
        len(f"  {'':<{OPTION_WIDTH}}  "),
        [start],
    )
