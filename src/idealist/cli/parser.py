"""Argument parsers. Only the module of the command that was asked for is imported."""

from __future__ import annotations

import argparse
import re
from importlib import import_module

from idealist import __version__
from idealist.errors import IdealistError
from idealist.system import terminal_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType
    from typing import Any, NoReturn

# In the order `idealist --help` shows them; each is a module of cli/commands with SUMMARY, configure and run.
COMMANDS = (
    "evaluate",
    "compare",
    "gsb",
    "raters",
    "rank-systems",
    "interleave",
    "clicks",
    "plan",
    "judge",
    "gate",
    "judge-report",
    "explain",
    "why",
    "agree",
    "check",
    "convert",
    "fetch-run",
    "sql",
    "fuse",
    "train",
    "rank",
    "cross-validate",
    "features",
    "model",
    "measures",
    "conventions",
    "report",
    "serve",
    "plot",
    "trec-eval",
    "ranklib",
    "completion",
    "doctor",
)

# Options that have another name now; an empty command stands for all of them.
RENAMED = {
    ("", "--groups"): "--query-sizes",
    ("", "--permutations"): "--rounds",
    ("fuse", "--weights"): "--run-weights",
    ("gsb", "--column"): "--columns",
    ("fuse", "--normalize"): "--normalisation",
    ("model", "--from"): "--model-format",
}


# What argparse says of a word that is none of its choices, which it has in quotes before Python 3.12 alone.
CHOICES = re.compile(r"invalid choice: '(?P<word>[^']*)' \(choose from (?P<known>.*)\)")


class _Help(argparse.RawDescriptionHelpFormatter):
    """As wide as the terminal. argparse would import shutil to ask for that, and with it every compression module, each
    time a command runs."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=max(60, (terminal_width() or 80) - 2))

    def _set_color(self, color: bool) -> None:
        """From Python 3.14 on, argparse asks for colours whenever a command runs, and imports `dataclasses` for that. Ours asks
        when a help is shown."""
        self._color = color

    def __getattr__(self, name: str) -> Any:
        if name not in ("_theme", "_decolor"):
            raise AttributeError(name)
        super()._set_color(self._color)  # type: ignore[misc]
        return self.__dict__[name]


class _Parser(argparse.ArgumentParser):
    """Says what is wrong as every other error here does."""

    def error(self, message: str) -> NoReturn:
        error = IdealistError(message, hint=self._hint(message))
        self.exit(2, f"idealist: {error}\n")

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
        words = message.split()
        for (command, old), new in RENAMED.items():
            if command in ("", self.prog.removeprefix("idealist ")) and old in words:
                return f"{old} is called {new} now"
        hint = f"{self._choices_of_missing(message)}`{self.prog} --help` lists the options"
        if match := CHOICES.search(message):
            known = [choice.strip("'") for choice in match["known"].split(", ")]
            return suggestion(match["word"], known) + hint
        unknown = next((word for word in words if word.startswith("--")), None)
        if unknown is None or not message.startswith("unrecognized arguments"):
            return hint
        return suggestion(unknown.partition("=")[0], self._option_string_actions) + hint


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
        return _Parser(formatter_class=_Help, allow_abbrev=False, **settings)  # type: ignore[arg-type]
    finally:
        argparse._ = translated  # type: ignore[attr-defined]


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
    lines = [f"  {name:<14} {summary_of(name)}" for name in COMMANDS]
    parser = _made(
        prog="idealist",
        usage="idealist COMMAND …",
        description="Measures rankings, each compared with its ideal list.\n\ncommands:\n" + "\n".join(lines),
        epilog="`idealist COMMAND --help` has its options and examples.",
    )
    parser.add_argument("--version", action="version", version=f"idealist {__version__}")
    parser.add_argument("command", metavar="COMMAND", choices=COMMANDS, help=argparse.SUPPRESS)
    return parser
