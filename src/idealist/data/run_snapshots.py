"""Runs as they were when they were measured."""

from __future__ import annotations

import os

from idealist import kernels
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

    def __init__(self, run: RunLike | None) -> None:
        """None for a run that is not at hand, of which a saved evaluation has the rankings."""
        self.run = run
        self.source: str | None = getattr(run, "source", None)
        # Its judged documents, once it was measured; kept where some documents above the cut-off are not judged.
        self.rankings: kernels.Rankings | None = None
        self._state = _state_of(self.source) if isinstance(run, UnreadRun) else None

    def provenance(self, name: str, rows: int, queries: int) -> Provenance:
        if isinstance(self.run, Run):
            return provenance_of(self.run, name=name)
        if rows < 0:
            run_dict: Any = self.run
            rows = sum(len(documents) for documents in run_dict.values())
        digest = None if self.piped else lambda: self.run_again(rows).sha256
        return Provenance("run", name, self.source, rows, queries, digest)

    @property
    def piped(self) -> bool:
        """Whether it came through a pipe and was not stored."""
        return self.source is not None and (self.source == STDIN or _is_pipe(self.source))

    def __reduce__(self) -> tuple[Any, ...]:
        """For other processes: the rankings, without the run."""
        import zlib

        packed = None if self.rankings is None else zlib.compress(kernels.packed(self.rankings))
        return _without_run, (packed,)

    def run_again(self, rows: int) -> Run:
        """The run in memory, of so many rows: an error where it is not what was measured."""
        where = str(self.source or getattr(self.run, "name", "run"))
        if self.run is None:
            raise InputError("the run is not at hand", source=where)
        if isinstance(self.run, UnreadRun) and self.piped:
            raise InputError("this was read from a pipe and not stored", source=where)
        if self._state is not None and _state_of(self.source) != self._state:
            raise _changed(where)
        run = as_run(self.run)
        if len(run.rows) != rows or (self._state is not None and _state_of(self.source) != self._state):
            raise _changed(where)
        return run


def _without_run(packed: bytes | None) -> RunSnapshot:
    import zlib

    snapshot = RunSnapshot(None)
    snapshot.rankings = None if packed is None else kernels.unpacked(zlib.decompress(packed))
    return snapshot


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
