"""trec_eval's command line: GNU's getopt_long, with options before, between and behind the two files."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.drop_ins.trec_eval.measure_catalogue import LONGEST, atol, requested

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
# Long name: the letter it stands for. Those whose letter has a colon in SHORT take an argument, and so does the
# long form of -o.
LONG = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure": "m",
    "complete_rel_info_wanted": "c",
    "level_for_rel": "l",
    "nosummary": "n",
    "Debug_level": "D",
    "Judged_docs_only": "J",
    "Number_docs_in_coll": "N",
    "Max_retrieved_per_topic": "M",
    "Rel_info_format": "R",
    "Results_format": "T",
    "Output_old_results_format": "o",
    "Zscore": "Z",
}
USAGE = """\
Usage: idealist trec-eval [9|10] [-h] [-q] {-m measure}* judgments results
   -h: say more, also about other options
   -q: print the values of every query too
   -m: print this measure, or this set of measures; 'official' if there is no -m
"""


class Stopped(Exception):
    """The command ends before its work is done: what goes to standard error, and the exit status."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class Settings(Frozen):
    """What was asked for."""

    version: int = 9
    help: bool = False
    per_query: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    depth: int = LONGEST
    collection_size: int = 0
    requests: tuple[str, ...] = ()
    only_query: str | None = None
    judgment_format: str = "qrels"
    run_format: str = "trec_results"
    scores: str | None = None
    files: tuple[str, ...] = ()


def read_settings(arguments: Sequence[str], version: int) -> Settings:
    """The settings that a command line gives; options take effect from left to right."""
    fields: dict[str, Any] = {"version": version}
    requests: list[str] = []
    files: list[str] = []
    for letter, value in _options(arguments, files):
        if letter == "v":
            raise Stopped(f"trec_eval version {VERSION_NAMES[version]}\n", 0)
        if letter == "m":
            requested([value], version)  # an unknown measure ends it here
            requests.append(value)
        elif letter == "D":
            _, dot, query = value.partition(".")
            fields["only_query"] = query if dot else fields.get("only_query")
        elif letter in _FLAGS:
            field, to = _FLAGS[letter]
            fields[field] = to
        elif letter in _NUMBERS:
            fields[_NUMBERS[letter]] = atol(value)
        elif letter in _TEXTS:
            fields[_TEXTS[letter]] = value
    settings = Settings(**fields, requests=tuple(requests), files=tuple(files))
    if not settings.help and len(files) != 2:
        raise Stopped(USAGE, 1)
    return settings


VERSION_NAMES = {9: "9.0.8", 10: "10.0"}
_FLAGS: dict[str, tuple[str, bool]] = {
    "h": ("help", True),
    "q": ("per_query", True),
    "c": ("complete", True),
    "n": ("summary", False),
    "J": ("judged_only", True),
}
_NUMBERS = {"l": "level", "N": "collection_size", "M": "depth"}
_TEXTS = {"R": "judgment_format", "T": "run_format", "Z": "scores"}


def _takes_argument(letter: str) -> bool:
    return f"{letter}:" in SHORT


def _options(arguments: Sequence[str], files: list[str]) -> Iterator[tuple[str, str]]:
    """Every option as its letter and its argument; what is none goes to `files`."""
    remaining = iter(arguments)
    for argument in remaining:
        if argument == "--":
            files.extend(remaining)
        elif argument.startswith("--"):
            yield _long_option(argument[2:], remaining)
        elif argument.startswith("-") and argument != "-":
            yield from _short_options(argument[1:], remaining)
        else:
            files.append(argument)


def _short_options(letters: str, remaining: Iterator[str]) -> Iterator[tuple[str, str]]:
    for at, letter in enumerate(letters, 1):
        if letter == ":" or letter not in SHORT:
            raise _wrong(f"invalid option -- '{letter}'")
        if not _takes_argument(letter):
            yield letter, ""
            continue
        value = letters[at:] or next(remaining, None)
        if value is None:
            raise _wrong(f"option requires an argument -- '{letter}'")
        yield letter, value
        return


def _long_option(text: str, remaining: Iterator[str]) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    close = [name] if name in LONG else [option for option in LONG if option.startswith(name)]
    if not close:
        raise _wrong(f"unrecognized option '--{text}'")
    if len(close) > 1:
        possible = " ".join(f"'--{option}'" for option in close)
        raise _wrong(f"option '--{text}' is ambiguous; possibilities: {possible}")
    letter = LONG[close[0]]
    if not (_takes_argument(letter) or letter == "o"):
        if equals:
            raise _wrong(f"option '--{close[0]}' doesn't allow an argument")
        return letter, ""
    if equals:
        return letter, value
    argument = next(remaining, None)
    if argument is None:
        raise _wrong(f"option '--{close[0]}' requires an argument")
    return letter, argument


def _wrong(message: str) -> Stopped:
    return Stopped(f"trec_eval: {message}\n{USAGE}", 1)
