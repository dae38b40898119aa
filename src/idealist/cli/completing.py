"""What may come next on the command line, from the parsers of the commands themselves."""

from __future__ import annotations

import argparse

from idealist.cli.parser import COMMANDS, command_parser, has_parser, summary_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Candidate = tuple[str, str]  # what may come, and what it is


def answer(shell: str, words: Sequence[str]) -> str:
    """The candidates as a shell reads them, a line each; bash shows no descriptions."""
    between = ":" if shell == "zsh" else "\t"
    if shell == "bash" and "=" in words:  # it takes --option=value apart, and replaces what follows the sign
        *before, last = words
        words = [*(word for word in before if word != "="), "" if last == "=" else last]
    lines = []
    for text, about in candidates(words, described=shell != "bash"):
        shown = text.replace(":", r"\:") if shell == "zsh" else text
        lines.append(shown if shell == "bash" or not about else f"{shown}{between}{about}")
    return "".join(f"{line}\n" for line in lines)


def candidates(words: Sequence[str], *, described: bool = True) -> list[Candidate]:
    """What the last of the words after `idealist` may be; nothing where a file or a free text is meant.

    >>> [text for text, _ in candidates(["co"])]
    ['conventions', 'compare', 'convert', 'completion']
    >>> [text for text, _ in candidates(["evaluate", "--format", "m"])]
    ['markdown']
    """
    *before, last = words or [""]
    if before[:1] == ["help"]:  # `idealist help plan` is `idealist plan --help`
        before = before[1:]
    if not before:
        found: Iterable[Candidate] = _commands(described)
        if last.startswith("-"):
            found = [("--help", "list the commands"), ("--version", "print the version")]
    elif before[0] in COMMANDS and has_parser(before[0]):
        _, parser = command_parser(before[0])
        found = _within(parser, before[1:], last)
    else:
        found = []
    return [(text, about) for text, about in found if text.startswith(last)]


def _commands(described: bool) -> Iterator[Candidate]:
    """To describe them all, all their modules are imported."""
    for name in COMMANDS:
        yield name, summary_of(name) if described else ""


def _within(parser: argparse.ArgumentParser, before: list[str], last: str) -> Iterator[Candidate]:
    """Candidates within a command: its parts, its options, or the values of the option that stands before."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            part = next((word for word in before if word in action.choices), None)
            if part is not None:
                yield from _within(action.choices[part], before[before.index(part) + 1 :], last)
                return
            yield from ((choice.dest, choice.help or "") for choice in action._choices_actions)
    named, equals, _ = last.partition("=")
    if equals and named in parser._option_string_actions:
        values = _values(parser._option_string_actions[named])
        yield from ((f"{named}={text}", about) for text, about in values)
        return
    if last.startswith("-"):
        for action in parser._actions:
            if action.help != argparse.SUPPRESS:
                about = " ".join((action.help or "").replace("%%", "%").split())
                yield from ((option, about) for option in action.option_strings)
        return
    option = _open_option(parser, before)
    if option is not None:
        yield from _values(option)
        return
    for action in parser._actions:
        if (
            not action.option_strings
            and action.choices
            and not isinstance(action, argparse._SubParsersAction)
        ):
            yield from ((str(choice), "") for choice in action.choices)


def _open_option(parser: argparse.ArgumentParser, before: list[str]) -> argparse.Action | None:
    """The option whose value comes next, if one is open."""
    at = next((at for at in reversed(range(len(before))) if before[at].startswith("-")), None)
    if at is None:
        return None
    action = parser._option_string_actions.get(before[at])
    if action is None:
        return None
    values = len(before) - at - 1
    if isinstance(action.nargs, int):
        most = action.nargs  # 0 for a flag
    else:
        most = 1 if action.nargs in (None, "?") else len(before)
    return action if values < most else None


def _values(option: argparse.Action) -> Iterator[Candidate]:
    """The values that an option takes, where they can be listed."""
    if option.choices:
        yield from ((str(choice), "") for choice in option.choices)
    elif option.dest == "measure":
        from idealist.measures import registry

        for name, cls in registry().items():
            yield name, (cls.__doc__ or "").strip().split("\n")[0]
    elif option.dest in ("conventions", "between"):
        from idealist.conventions import PRESETS

        yield from ((name, preset.about) for name, preset in PRESETS.items())
