"""The inputs that a report names: files by their bytes, objects by their content."""

from __future__ import annotations

import os

from idealist.data.run import UnreadRun
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.io.detection import resolve_folder
from idealist.io.request import ReadRequest
from idealist.io.sources import STREAM
from idealist.reporting.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from idealist.data.provenance import Sources
    from idealist.reporting.table import Cell

BY_CONTENT = (
    "without bytes: not read from a file here; the SHA-256 is that of its content, whatever the format"
)
# By the role of an input; what has another role is a table.
READ_AS = {"judgments": "judgments", "machine": "judgments", "run": "run", "baseline": "run"}


class InputFile(Frozen):
    """An input file: its role, its name, and enough to recognise it again."""

    role: str
    path: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        return os.path.basename(self.path)


class InputFiles:
    """The files that a report is made of, by their role. None may change between here and `described`, so that the
    SHA-256 on the page is that of what was read."""

    def __init__(self, paths: Iterable[tuple[str, str | os.PathLike[str]]]) -> None:
        self.paths = list(dict.fromkeys((role, plain_file(os.fspath(path), role)) for role, path in paths))
        self._states = {path: _state_of(path) for _, path in self.paths}

    def described(self) -> list[InputFile]:
        """Every file with its size and SHA-256; it is an error if one has changed."""
        return [self._described(role, path) for role, path in self.paths]

    def _described(self, role: str, path: str) -> InputFile:
        if self._states[path] != _state_of(path):
            raise InputError("the file changed while it was read", source=path, hint="make the report again")
        return InputFile(role, path, *size_and_sha256(path))


def size_and_sha256(path: str) -> tuple[int, str]:
    """How many bytes a file has, and their SHA-256 in hex."""
    import hashlib

    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return file.tell(), digest.hexdigest()


def plain_file(source: str, role: str) -> str:
    """The file that a source is in, such as that of FILE::TABLE. `role` says what it is read as. Standard input is
    refused: a report reads its inputs twice, once to measure them and once for their SHA-256."""
    if source == STREAM:
        raise InputError(
            "a report reads its inputs twice, and standard input can be read only once",
            hint="save it to a file",
        )
    return resolve_folder(ReadRequest(source, READ_AS.get(role, "table"))).path


def _state_of(path: str) -> tuple[int, int] | None:
    """A file's size and time of change; None where there is no such file. A pipe is refused, as standard input is."""
    if not os.path.exists(path):
        return None
    if not os.path.isfile(path):
        raise InputError(
            "this is not a regular file",
            source=path,
            hint="a report reads its inputs twice: save it to a file",
        )
    state = os.stat(path)
    return state.st_size, state.st_mtime_ns


def paths_among(inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The files among the arguments of `report`, by role: paths, and runs that are not read yet. There may be several of
    runs and judgments; the text in a list or a dict of anything else is no path."""
    for role, value in inputs.items():
        items: Iterable[Any] = (value,)
        if role in READ_AS or (role == "numbers" and isinstance(value, (list, tuple))):
            several = value.values() if hasattr(value, "values") and not hasattr(value, "columns") else value
            items = several if isinstance(several, (list, tuple, type({}.values()))) else items
        for item in items:
            if isinstance(item, UnreadRun):
                item = item.source
            if isinstance(item, (str, os.PathLike)):
                yield role, os.fspath(item)


def inputs_table(files: Iterable[InputFile], provenance: Sources | None) -> Table | None:
    """The inputs of a report: its files, then the judgments and runs that are from none of them; None where there are
    no inputs to name."""
    files = list(files)
    rows: list[list[Cell]] = [[file.name, file.role, file.size, file.sha256] for file in files]
    paths = {file.path for file in files}
    objects = [] if provenance is None else [provenance.judgments, *provenance.runs.values()]
    by_content: list[list[Cell]] = [
        [
            os.path.basename(item.source or item.name),
            "run" if item.kind == "run" else "judgments",
            None,
            item.affordable_sha256,
        ]
        for item in objects
        if item is not None
        and (
            item.source in (None, STREAM)
            or plain_file(str(item.source), "run" if item.kind == "run" else "judgments") not in paths
        )
    ]
    if not rows and not by_content:
        return None
    below = [BY_CONTENT] if by_content else []
    return Table(["file", "what", "bytes", "SHA-256"], [*rows, *by_content], below=below)
