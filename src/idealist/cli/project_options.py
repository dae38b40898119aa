"""What the project file says in the place of arguments that the command line leaves out."""

from __future__ import annotations

import argparse
import os

from idealist.cli.saved import SETTLED
from idealist.projects.reading import read_project
from idealist.projects.settings import JUDGE, MEASURE, NOT_SHOWN, SEARCH, VOTES_DECIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from idealist.projects.project import Project

    Filled = tuple[str, Any]  # the key of the file, and the value of the argument

# Commands that measure runs, and those that measure one.
MEASURING = ("evaluate", "compare", "report")
ONE_RUN = ("explain", "why")
# Arguments that say what is measured: where the command line has one of them, the project's files are not meant.
SUBJECT = (
    "judgments",
    "runs",
    "run",
    "numbers",
    "evaluations",
    "files",
    "counts",
    "pilot",
    "grades",
    "query_texts",
)
ONE_MEASURE = ("explain", "plot")
# What belongs to the project's own files.
WITH_FILES = (
    "baseline",
    "query_sizes",
    "machine",
    "calibrate",
    "weights",
    "weight_by",
    "segments",
    "segment_by",
    "share",
)
READING = ("columns", "encoding", "decimal", "input_format")
# Commands whose one table has columns of its own.
OTHER_COLUMNS = ("rank-systems", "interleave analyse", "ab", "clicks fit", "clicks estimate", "fetch-run")
LEARNING = ("train", "cross-validate", "rank", "features")


class _Unstated:
    """Stands in an argument that the command line leaves out, and knows its default."""

    def __init__(self, action: argparse.Action) -> None:
        self.default = action.default

    def __copy__(self) -> list[Any]:
        """argparse copies the default of an option that may be repeated before it adds the first value."""
        return []


def parse_in_project(
    parser: argparse.ArgumentParser, words: Sequence[str], path: str
) -> tuple[argparse.Namespace, str]:
    """The arguments of a command, those that are left out as the project file has them; and the line that says which file
    spoke, empty where it did not."""
    for leaf in _leaves(parser):
        for action in leaf._actions:
            if action.dest in _fillable(_name(leaf)):
                action.default = _Unstated(action)
                action.required = False
                if not action.option_strings:
                    action.nargs = "*" if action.nargs in ("+", "*") else "?"
    arguments = parser.parse_args(words)
    unstated = {name: value for name, value in vars(arguments).items() if isinstance(value, _Unstated)}
    if not unstated:
        return arguments, ""
    leaf = _leaf(parser, arguments)
    command = _name(leaf)
    filled = _Filling(read_project(path), command, arguments, leaf).values(unstated)
    for name, value in unstated.items():
        setattr(arguments, name, filled[name][1] if name in filled else value.default)
    _require(leaf, command, arguments)
    arguments.from_project = frozenset(filled)
    return arguments, _spoken(path, filled)


def _leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    parts = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    yield from (leaf for action in parts for leaf in action.choices.values())
    yield parser


def _leaf(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> argparse.ArgumentParser:
    part = getattr(arguments, "part", None)
    return next((leaf for leaf in _leaves(parser) if _name(leaf).endswith(f" {part}")), parser)


def _name(parser: argparse.ArgumentParser) -> str:
    return parser.prog.removeprefix("idealist ")


def _fillable(command: str) -> tuple[str, ...]:
    """The arguments of a command that a project may say."""
    if command in ("gate", "plan decision"):
        return ("gate",)
    text = READING if command not in OTHER_COLUMNS else ("encoding", "decimal")
    if command in LEARNING:
        return ("measure", "conventions", "seed", *text[1:])
    if command == "fetch-run":
        return (*SEARCH, "seed", *text)
    if command == "judge":
        return ("query_texts", "document_texts", "runs", *JUDGE, "seed", *text)
    if command == "gsb":
        return (
            "files",
            "words",
            "candidate",
            "margin",
            "policy",
            "fold",
            "confidence",
            "rounds",
            "seed",
            "agreement_floor",
            "measure",
            "conventions",
            *text,
        )
    how = ("conventions", "confidence", "seed", "rounds", *text)
    if command in MEASURING:
        deciding = ("margin", "policy", "tests", "interval", "guard", "guards", "unjudged_rate")
        return ("judgments", "runs", "numbers", "measure", *WITH_FILES, *deciding, *how)
    if command in ONE_RUN:
        return ("judgments", "run", "measure", "query_sizes", *how)
    if command == "plan next":
        return ("judgments", "runs", "query_sizes", *how)
    if command in ("plan pool", "fuse", "interleave lists"):
        return ("runs", *how) if command == "plan pool" else how
    if command in ("check", "plot"):
        return ("files", "measure", "query_sizes", *how)
    if command in ("plan queries", "plan detectable"):
        return ("measure", "conventions", *text)
    if command == "serve":
        return ()
    return how


class _Filling:
    """What a project says to one command."""

    def __init__(
        self,
        project: Project,
        command: str,
        arguments: argparse.Namespace,
        parser: argparse.ArgumentParser,
    ) -> None:
        self.project, self.command, self.arguments, self.parser = project, command, arguments, parser
        self.given = [
            name
            for name in SUBJECT
            if not isinstance(value := getattr(arguments, name, None), _Unstated)
            and value not in (None, [], False)
        ]
        self.own_files = not self.given

    def values(self, unstated: dict[str, _Unstated]) -> dict[str, Filled]:
        """By argument, what the file says, where that is not the default anyway."""
        filled = {}
        for name, missing in unstated.items():
            found = self._of(name)
            if found is not None and found[1] not in (None, [], "") and found[1] != missing.default:
                filled[name] = found
        return filled

    def _of(self, name: str) -> Filled | None:
        project, arguments = self.project, self.arguments
        if name in SUBJECT or name in WITH_FILES:
            return self._file(name) if self.own_files else None
        if getattr(arguments, "evaluations", None) and name in SETTLED:
            return None
        if self.command in LEARNING and _has_settings_file(arguments):
            return None
        if self.command in ("plan queries", "plan detectable") and len(arguments.pilot or ()) < 2:
            return None
        if self.command == "gsb" and name in ("measure", "conventions") and "judgments" not in self.given:
            return None  # of votes
        if name == "gate":
            return "rules", project.source
        if self.command == "judge" and name == "document_texts":
            return "documents", project.path("documents") if self.own_files else None
        if (
            self.command in ("judge", "fetch-run")
            and name in {"judge": JUDGE, "fetch-run": SEARCH}[self.command]
        ):
            return self._connection(name)
        special: dict[str, Callable[[], Filled]] = {
            "measure": self._measures,
            "columns": self._columns,
            "tests": lambda: ("tests", ",".join(project.settings.get("tests", ()))),
            "margin": self._margin,
            "guard": self._guard,
            "guards": self._guards,
            "unjudged_rate": lambda: ("guards", project.guards.get("unjudged_rate")),
            "agreement_floor": lambda: ("guards", project.guards.get("agreement_floor")),
            "words": lambda: ("words", _pairs(project.settings.get("words"))),
            "candidate": lambda: ("votes_candidate", project.settings.get("votes_candidate")),
        }
        return special[name]() if name in special else (name, project.settings.get(name))

    def _file(self, name: str) -> Filled | None:
        """The files of the project, and what goes with them."""
        project = self.project
        if name == "files":
            if self.command == "gsb":
                return "votes", _several(project.path("votes"))
            return "judgments, runs", [*_several(project.path("judgments")), *project.runs]
        if name == "run":
            runs = project.runs
            chosen = (
                project.run("candidate")
                if "candidate" in project.settings
                else runs[0]
                if len(runs) == 1
                else None
            )
            key = "candidate" if "candidate" in project.settings else "runs"
            return key, _several(chosen) if self.command == "explain" else chosen  # which takes two as well
        if name == "query_texts":
            return "queries", project.path("queries")
        if name in ("runs", "numbers"):
            return name, getattr(project, name)
        if name == "baseline" and "baseline" in project.settings:
            return name, project.run(name) if project.runs else project.settings[name]
        if name == "share":
            shares = project.settings.get("shares") or {}
            return "shares", [f"{segment}={share}" for segment, share in shares.items()]
        if name in ("judgments", "query_sizes", "machine", "weights", "segments"):
            return name, project.path(name)
        return name, project.settings.get(name)

    def _connection(self, name: str) -> Filled:
        table = self.project.judge if self.command == "judge" else self.project.search
        value = table.get(name)
        if value is not None and name in ("template", "cache"):
            value = self.project.relative(value)
        return self.command if self.command == "judge" else "search", value

    def _measures(self) -> Filled:
        """All, or the first where an option takes one."""
        measures = self.project.measures
        if "numbers" in self.given and "judgments" not in self.given:
            return "measures", None  # columns of other numbers are named by the command line
        action = next(action for action in self.parser._actions if action.dest == "measure")
        if not isinstance(action, argparse._AppendAction):
            return "measures", "".join(measures[:1])
        return "measures", measures[:1] if self.command in ONE_MEASURE else measures

    def _columns(self) -> Filled:
        votes = self.command in ("gsb", "raters")
        columns = self.project.columns_of("votes") if votes else self.project.settings.get("columns")
        return "columns", _pairs(columns)

    def _margin(self) -> Filled:
        """The margin of what decides; that of votes where they do not."""
        project = self.project
        measured = any(source in project.settings for source in ("judgments", "numbers"))
        default = MEASURE if measured else VOTES_DECIDE
        if self.command == "gsb" and project.settings.get("measure", default) != VOTES_DECIDE:
            return "guards", project.guards.get("votes")
        return "margin", project.settings.get("margin")

    def _guard(self) -> Filled:
        """The margins of guarded measures and segments."""
        guards = self.project.guards
        margins = {name: margin for name, margin in guards.get("measures", {}).items() if margin is not None}
        if not self.own_files:  # columns of numbers, and segments, are those of the project's files
            margins = {name: margin for name, margin in margins.items() if _is_measure(name)}
        elif "segment_margin" in guards and "segments" in self.project.settings:
            margins["segments"] = guards["segment_margin"]
        return "guards", [f"{name}={margin}" for name, margin in margins.items()]

    def _guards(self) -> Filled:
        from idealist.comparison.comparison import GUARDS

        left_out = [name for name in GUARDS if self.project.guards.get(name) is False]
        return "guards", ",".join(name for name in GUARDS if name not in left_out) if left_out else None


def _several(path: str | None) -> list[str]:
    return [] if path is None else [path]


def _pairs(table: Any) -> str | None:
    return ",".join(f"{ours}={theirs}" for ours, theirs in table.items()) if table else None


def _is_measure(name: str) -> bool:
    from idealist.errors import InputError
    from idealist.measures import parse

    try:
        parse(name)
    except InputError:
        return False
    return True


def _has_settings_file(arguments: argparse.Namespace) -> bool:
    """Whether a command of learning has a file of settings, which says what is not stated."""
    models = getattr(arguments, "model", None)
    named = models if isinstance(models, list) else []
    return bool(getattr(arguments, "settings", None)) or any(name.endswith(".toml") for name in named)


def _require(parser: argparse.ArgumentParser, command: str, arguments: argparse.Namespace) -> None:
    """Raises as argparse does for what neither the command line nor the file has."""
    needed = {
        "judge": ("query_texts", "document_texts", "runs", "endpoint", "model"),
        "fetch-run": ("engine", "url"),
        "why": ("judgments", "run"),
        "plan next": ("judgments", "runs"),
        "plan pool": ("runs",),
        "plot": ("files",),
    }.get(command, ())
    missing = [
        "/".join(action.option_strings) or action.metavar
        for action in parser._actions
        if action.dest in needed and getattr(arguments, action.dest) in (None, [], "")
    ]
    if missing:
        parser.error(f"the following arguments are required: {', '.join(map(str, missing))}")


def _spoken(path: str, filled: dict[str, Filled]) -> str:
    """Which file said what, in a line."""
    parts = {}
    for key, value in filled.values():
        shown = key not in (*NOT_SHOWN, "rules", "judgments, runs") and isinstance(value, (str, int, float))
        parts[key] = f"{key} {value}" if shown else key
    return f"from {os.path.normpath(path)}: {', '.join(parts.values())}" if parts else ""
