"""Runs as they were when they were measured."""

from __future__ import annotations

import os

from idealist.data.provenance import Provenance, provenance_of
from idealist.data.run import Run, UnreadRun, as_run
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.data.run import RunLike

STDIN = "-"


class RunSnapshot:
    """A run that is about to be measured, as it is now: so that its digest, if it is ever asked for, is that of
    what was measured."""

    def __init__(self, run: RunLike) -> None:
        self.run = run
        self.source: str | None = getattr(run, "source", None)
        self._state = _state_of(self.source) if isinstance(run, UnreadRun) else None

    def provenance(self, name: str, rows: int, queries: int) -> Provenance:
        if isinstance(self.run, Run):
            return provenance_of(self.run, name=name)
        if rows < 0:
            run_dict: Any = self.run
            rows = sum(len(documents) for documents in run_dict.values())
        piped = self.source is not None and (self.source == STDIN or _is_pipe(self.source))
        digest = None if piped else lambda: self._digest(name, rows)
        return Provenance("run", name, self.source, rows, queries, digest)

    def _digest(self, name: str, rows: int) -> str:
        where = self.source or name
        if self._state is not None and _state_of(self.source) != self._state:
            raise _changed(where)
        run = as_run(self.run)
        if len(run.rows) != rows or (self._state is not None and _state_of(self.source) != self._state):
            raise _changed(where)
        return run.sha256


def _changed(where: str) -> InputError:
    return InputError(
        "this changed since it was measured, so its SHA-256 is not that of what was measured",
        source=where,
        hint="evaluate again",
    )


def _path_of(source: str) -> str:
    """Of FILE::TABLE, the file."""
    path, _, _ = source.rpartition("::")
    return path if path and not os.path.exists(source) else source


def _is_pipe(source: str) -> bool:
    path = _path_of(source)
    return os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))


def _state_of(source: str | None) -> tuple[int, ...] | None:
    if source is None:
        return None
    try:
        state = os.stat(_path_of(source))
    except (OSError, ValueError):
        return None
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns
