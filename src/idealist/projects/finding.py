"""What the files of a folder hold, by their content, and the project file that says so."""

from __future__ import annotations

import json
import os

from idealist.base.frozen import Frozen
from idealist.data.column_names import GRADE, plain_name
from idealist.data.detection import kind_of_source, names_of_source
from idealist.data.reading import read_judgments
from idealist.errors import InputError
from idealist.votes.vote_layouts import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_FILES = 1000  # that are looked into
# Endings of what is no data, or of what others make of it.
PASSED_OVER = (
    ".py",
    ".md",
    ".toml",
    ".html",
    ".lock",
    ".png",
    ".svg",
    ".ipynb",
    ".pdf",
    ".zip",
    ".partial",
    ".log",
)
# Columns of a log of clicks, which has documents and positions as a run has.
LOGGED = ("impression", "click", "clicked")
SETTINGS = """
# The first measure decides, and `idealist COMMAND --help` has what else may be said: docs/project.md.
# measures = ["nDCG@10", "AP"]
# conventions = "trec_eval-9"
# margin = "2%"

# For `idealist gate`: may the candidate replace the baseline?
# baseline = {baseline}
# candidate = {candidate}
"""


class FoundFiles(Frozen):
    """Files by what they hold: judgments, those that are taken first; runs; votes."""

    judgments: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    votes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.judgments or self.runs or self.votes)


def find_files(folder: str = ".") -> FoundFiles:
    """The judgments, runs and votes in a folder and in the folders within it, recognised by their content."""
    kinds: dict[str, list[str]] = {"judgments": [], "run": [], "votes": []}
    for path in _files(folder):
        kind = _kind(os.path.join(folder, path))
        if kind is not None:
            kinds[kind].append(path)
    return FoundFiles(
        tuple(_likeliest(folder, kinds["judgments"])), tuple(kinds["run"]), tuple(kinds["votes"])
    )


def _files(folder: str) -> Iterator[str]:
    """Files that may hold data, with slashes between folders, in the order of their names."""
    seen = 0
    for here, folders, names in os.walk(folder):
        below = os.path.relpath(here, folder)
        folders[:] = [] if below != "." else sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.startswith(".") or name.lower().endswith(PASSED_OVER):
                continue
            seen += 1
            if seen > MOST_FILES:
                return
            yield name if below == "." else f"{below.replace(os.sep, '/')}/{name}"


def _kind(path: str) -> str | None:
    kind = kind_of_source(path)
    names = {plain_name(name) for name in names_of_source(path) or ()}
    if kind == "run" and names & set(LOGGED):
        return None
    if kind is None and _are_of_votes(names):
        return "votes"
    return kind


def _are_of_votes(names: set[str]) -> bool:
    """Whether columns of these names are those of votes, or of counts of them."""

    def has(role: str) -> bool:
        return bool(names & {plain_name(name) for name in NAMES[role] if role != "vote" or name not in GRADE})

    pairs = {"left", "right"} <= names  # of several systems, which `idealist rank-systems` takes
    return has("query") and not pairs and (has("vote") or all(map(has, ("good", "same", "bad"))))


def _likeliest(folder: str, paths: list[str]) -> list[str]:
    """Of several files of judgments, that of most queries first, then the shortest name: variants have longer ones."""
    if len(paths) < 2:
        return paths
    queries = {}
    for path in paths:
        try:
            queries[path] = len(read_judgments(os.path.join(folder, path)))
        except InputError:
            queries[path] = 0
    return sorted(paths, key=lambda path: (-queries[path], len(path), path))


def project_text(found: FoundFiles) -> str:
    """A project file that names what was found."""
    lines = ["# What `idealist evaluate`, `compare`, `gate` and the other commands measure here, and how."]
    if found.judgments:
        first, *others = found.judgments
        lines.append(f"judgments = {_quoted(first)}")
        lines += [f"# judgments = {_quoted(path)}" for path in others]
    if found.runs:
        lines.append(f"runs = {_run_list(found.runs)}")
    if found.votes:
        first, *others = found.votes
        lines.append(f"votes = {_quoted(first)}")
        lines += [f"# votes = {_quoted(path)}" for path in others]
    baseline, candidate = map(_quoted, found.runs[:2] if len(found.runs) > 1 else ("old.run", "new.run"))
    return "\n".join(lines) + "\n" + SETTINGS.format(baseline=baseline, candidate=candidate)


def _run_list(runs: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, runs))}]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
