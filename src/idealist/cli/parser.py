"""Argument parsers. Only the module of the command that was asked for is imported."""

from __future__ import annotations

import argparse
import re
import sys
from importlib import import_module

from idealist import __version__
from idealist.base.system import terminal_width
from idealist.cli.messages import say
from idealist.cli.options import LONGEST_CHOICES
from idealist.errors import IdealistError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType
    from typing import Any, NoReturn

# Under the headings and in the order that `idealist --help` shows; each is a module of cli/commands with SUMMARY, configure
# and run.
GROUPS = {
    "project": ("init",),
    "measure": ("evaluate", "explain", "why", "agree", "sql", "measures", "conventions"),
    "compare and decide": ("compare", "gate", "report", "plot"),
    "votes and clicks": ("gsb", "raters", "rank-systems", "interleave", "ab", "clicks"),
    "plan and judge": ("plan", "judge", "judge-report"),
    "judgments and runs": ("check", "convert", "fetch-run", "fuse"),
    "learn to rank": ("train", "rank", "cross-validate", "features", "model"),
    "in the place of other tools": ("trec-eval", "ranklib"),
    "workbench and installation": ("serve", "completion", "doctor"),
}
COMMANDS = tuple(name for names in GROUPS.values() for name in names)

# Options under the names of other tools; an empty command stands for all of them.
OTHER_NAMES = {
    ("", "--metric"): "--measure",
    ("", "--metrics"): "--measure",
    ("", "--measures"): "--measure",
    ("", "--qrels"): "JUDGMENTS, the first argument",
    ("", "--run"): "RUN, an argument behind the judgments",
    ("", "--runs"): "RUN, an argument behind the judgments",
    ("", "--groups"): "--query-sizes",
    ("", "--permutations"): "--rounds",
    ("fuse", "--weights"): "--run-weights",
    ("gsb", "--column"): "--columns",
    ("fuse", "--normalize"): "--normalisation",
    ("model", "--from"): "--model-format",
}


TWO_COLUMNS = re.compile(r" *\S+( \S+)* {2,}(?=\S)")
CONTINUED = " \\"  # of a command, for the shell
OPTION_AND_VALUE = re.compile(r"(?<= )--?[\w-]+ (?!-)\S+")
USAGE = re.compile(
    r"\[(?:[^][]|\[[^][]*\])*\]|\([^()]*\)"
)  # an option, and a group of which one must be chosen
# What argparse says of a word that is none of its choices, which it has in quotes before Python 3.12 alone.
CHOICES = re.compile(r"invalid choice: '(?P<word>[^']*)' \(choose from (?P<known>.*)\)")


class _Help(argparse.RawDescriptionHelpFormatter):
    """As wide as the terminal. argparse would import shutil to ask for that, and with it every compression module, each
    time a command runs."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=max(60, (terminal_width() or 80) - 2))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Descriptions and epilogs, in the width of the terminal: a paragraph is filled, an indented line stays a line."""
        return "\n".join(_folded(line, width) for line in _paragraphs(text))

    def _format_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any) -> str:
        """argparse lets lines grow beyond the terminal behind the name of a long command."""
        text = super()._format_usage(usage, actions, groups, prefix)
        if "\033" in text or all(len(line) <= self._width for line in text.splitlines()):
            return text
        from idealist.show.cells import folded_line

        line = " ".join(text.split())
        return folded_line(line, self._width, len("usage: "), USAGE.findall(line)) + "\n\n"

    def _metavar_formatter(self, action: argparse.Action, default_metavar: str) -> Any:
        if _has_long_choices(action):
            return lambda size: (default_metavar,) * size
        return super()._metavar_formatter(action, default_metavar)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        """Choices that are too long for the place of a value stand in the help, if they are not named there already."""
        about = action.help or ""
        if not _has_long_choices(action) or all(str(choice) in about for choice in action.choices or ()):
            return about
        return f"{about}; one of %(choices)s"

    def _set_color(self, color: bool, **how: Any) -> None:
        """argparse of Python 3.14 asks for colours whenever a command runs, and imports `dataclasses` for that. Ours asks when a
        help is shown, as that of Python 3.15 does."""
        self._color = color
        if hasattr(argparse.HelpFormatter, "_theme"):
            super()._set_color(color, **how)  # type: ignore[misc]

    def __getattr__(self, name: str) -> Any:
        if name not in ("_theme", "_decolor"):
            raise AttributeError(name)
        super()._set_color(self._color)  # type: ignore[misc]
        return self.__dict__[name]


def _has_long_choices(action: argparse.Action) -> bool:
    """Whether usage would not fit a terminal of 80 letters."""
    return (
        action.metavar is None
        and action.choices is not None
        and len("|".join(map(str, action.choices))) > LONGEST_CHOICES
    )


def _paragraphs(text: str) -> Iterator[str]:
    """The lines of a text, those of a paragraph as one. Indented lines and headings stand alone.

    >>> list(_paragraphs("examples:\\n  idealist doctor\\n\\nOf several files\\neach is a part."))
    ['examples:', '  idealist doctor', '', 'Of several files each is a part.']
    """
    paragraph: list[str] = []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            paragraph.append(line)
        if paragraph and (not line or line.startswith(" ") or line.endswith(":")):
            yield " ".join(paragraph)
            paragraph = []
        if not line or line.startswith(" "):
            yield line
    if paragraph:
        yield " ".join(paragraph)


def _folded(line: str, width: int) -> str:
    """A line within the width: a second column stays one, and a command can still be copied."""
    from idealist.show.cells import folded_line

    if columns := TWO_COLUMNS.match(line):
        return folded_line(line, width, len(columns[0]))
    if line.startswith("  idealist "):
        lines = folded_line(line, width - len(CONTINUED), whole=OPTION_AND_VALUE.findall(line))
        return lines.replace("\n", f"{CONTINUED}\n")
    return folded_line(line, width, len(line) - len(line.lstrip(" ")))


class _ShowHelp(argparse._HelpAction):
    """-h shows a screen, --help everything."""

    def __init__(self, option_strings: Any, **settings: Any) -> None:
        super().__init__(
            option_strings,
            **{**settings, "help": "show what most need (-h) or everything (--help), and exit"},
        )

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: Any, values: Any, option_string: str | None = None
    ) -> None:
        if option_string == "-h" and parser.prog != "idealist":
            from idealist.cli.short_help import short_help

            sys.stdout.write(short_help(parser))
            parser.exit()
        super().__call__(parser, namespace, values, option_string)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong as every other error here does."""

    def register(self, registry_name: str, value: Any, object: Any) -> None:
        """What argparse makes of -h and --help."""
        shows_help = (registry_name, value) == ("action", "help")
        super().register(registry_name, value, _ShowHelp if shows_help else object)

    def error(self, message: str) -> NoReturn:
        error = IdealistError(message, hint=self._hint(message))
        say(*f"idealist: {error}".split("\n"))
        self.exit(2)

    def _choices_of_missing(self, message: str) -> str:
        """What may stand in the place of the arguments that are missing, where that can be listed."""
        _, missing, names = message.partition("arguments are required: ")
        return "".join(
            f"{action.metavar} is one of {', '.join(map(str, action.choices))}; "
            for action in self._actions
            if missing
            and action.choices
            and action.metavar in names.split(", ")
            and not action.option_strings
        )

    def _hint(self, message: str) -> str:
        words = [word.partition("=")[0] if word.startswith("--") else word for word in message.split()]
        unknown = words if message.startswith("unrecognized arguments") else []
        for (command, theirs), ours in OTHER_NAMES.items():
            if command in ("", self.prog.removeprefix("idealist ")) and theirs in unknown:
                return f"{theirs} is called {ours}"
        hint = f"{self._choices_of_missing(message)}`{self.prog} --help` lists the options"
        if match := CHOICES.search(message):
            known = [choice.strip("'") for choice in match["known"].split(", ")]
            return suggestion(match["word"], known) + hint
        option = next((word for word in unknown if word.startswith("--")), None)
        return hint if option is None else suggestion(option, self._option_string_actions) + hint


def misplaced_option(word: str) -> IdealistError:
    """What to say of an option where a command should be."""
    return IdealistError(
        f"there is no command before {word!r}",
        hint="options come after a command, as in `idealist evaluate --help`; `idealist --help` lists the commands",
    )


def unknown_command(word: str) -> IdealistError:
    """What to say of a command that there is not."""
    hint = suggestion(word, COMMANDS) + "`idealist --help` lists the commands"
    return IdealistError(f"there is no command {word!r}", hint=hint)


def suggestion(word: str, known: Iterable[str]) -> str:
    """A question that names what was likely meant, with a blank behind it; empty where nothing is similar.

    >>> suggestion("evalute", COMMANDS)
    'did you mean evaluate? '
    """
    from difflib import get_close_matches

    similar = get_close_matches(word, known, n=1)
    return f"did you mean {similar[0]}? " if similar else ""


def _made(**settings: str | None) -> argparse.ArgumentParser:
    """A parser whose headings are not looked up in the system's message catalogues: that would import
    `locale` and read folders each time a command runs, and our own texts are in none of them."""
    translated = argparse._  # type: ignore[attr-defined]
    try:
        argparse._ = str  # type: ignore[attr-defined]
        parser = _Parser(formatter_class=_Help, allow_abbrev=False, **settings)  # type: ignore[arg-type]
    finally:
        argparse._ = translated  # type: ignore[attr-defined]
    parser.suggest_on_error = False  # type: ignore[attr-defined] # that of Python 3.15; ours is a hint of its own
    return parser


def command_parser(name: str) -> tuple[ModuleType, argparse.ArgumentParser]:
    module = _module(name)
    parser = _made(
        prog=f"idealist {name}", description=module.SUMMARY, epilog=getattr(module, "EPILOG", None)
    )
    module.configure(parser)
    return module, parser


def _module(name: str) -> ModuleType:
    return import_module(f"idealist.cli.commands.{name.replace('-', '_')}")


def has_parser(name: str) -> bool:
    """Whether a command has a parser of ours, and not a command line of its own."""
    return hasattr(_module(name), "configure")


def summary_of(name: str) -> str:
    """A command in a line."""
    summary: str = _module(name).SUMMARY
    return summary


def overview() -> argparse.ArgumentParser:
    """The parser of the bare command: its help lists the others."""
    width = max(map(len, COMMANDS))
    lines = []
    for heading, names in GROUPS.items():
        lines += ["", f"{heading}:", *(f"  {name:<{width}}  {summary_of(name)}" for name in names)]
    parser = _made(
        prog="idealist",
        usage="idealist COMMAND …",
        description="\n".join(["Measures rankings, each compared with its ideal list.", *lines]),
        epilog="`idealist COMMAND -h` is a screen of what most need, `idealist COMMAND --help` everything.",
    )
    parser.add_argument("--version", action="version", version=f"idealist {__version__}")
    parser.add_argument("command", metavar="COMMAND", choices=COMMANDS, help=argparse.SUPPRESS)
    return parser
