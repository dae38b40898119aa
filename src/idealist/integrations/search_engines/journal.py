"""The journal: every list that was fetched, on disk as soon as it is there, so that a stopped command goes on."""

from __future__ import annotations

import json
import os
from threading import Lock

from idealist.errors import InputError
from idealist.integrations.search_engines.dialects import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import IO, Any, Self

Lists = dict[str, list[Hit]]


class Journal:
    """A file of JSON lines: what is asked (`question`), then a line for each query. Without a path, nothing is kept.

    A file of another question is refused: its lists would be mixed with these. A last line that was cut off, because
    the machine stopped while it was written, is dropped, and its query asked again.
    """

    def __init__(self, path: str | None, question: Mapping[str, Any]) -> None:
        self.path = path
        self.lists: Lists = {}
        self._lock = Lock()
        self._file: IO[str] | None = None
        if path is None:
            return
        header = json.dumps({"idealist fetch-run": 1, **question}, sort_keys=True)
        try:
            end = self._read(path, header) if os.path.exists(path) else 0
            self._file = open(path, "r+" if end else "w", encoding="utf-8", newline="\n")  # noqa: SIM115
            self._file.seek(end)
            self._file.truncate()
            if not end:
                self._write(header)
        except OSError as error:
            raise self._wrong(error) from None

    def _read(self, path: str, header: str) -> int:
        """Reads the lists that are there; where the last whole line ends."""
        with open(path, "rb") as file:
            first = file.readline()
            if not first.endswith(b"\n"):
                return 0  # stopped before there was anything
            if first.decode("utf-8", "replace").rstrip("\n") != header:
                raise InputError(
                    "these lists are of other queries, or were asked for in another way: another address, template, depth or field of ids",
                    source=path,
                    hint="remove the file to begin again, or ask as before to go on",
                )
            end = len(first)
            for number, line in enumerate(file, 2):
                if not line.endswith(b"\n"):
                    break
                try:
                    record = json.loads(line)
                    self.lists[record["query"]] = [Hit(*hit) for hit in record["hits"]]
                except (KeyError, TypeError, ValueError):
                    raise InputError(
                        "this is not a list that was fetched",
                        source=path,
                        line=number,
                        hint="remove the file to begin again",
                    ) from None
                end += len(line)
        return end

    def add(self, query: str, hits: list[Hit]) -> None:
        """Keeps the list of a query; it is on disk when this returns."""
        with self._lock:
            if self._file is not None:
                try:
                    self._write(
                        json.dumps({"query": query, "hits": [[hit.document, hit.score] for hit in hits]})
                    )
                except OSError as error:
                    raise self._wrong(error) from None
            self.lists[query] = hits

    def _write(self, line: str) -> None:
        assert self._file is not None
        self._file.write(line + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Closes the file; one without a list is removed, so that whoever corrects an address can begin again."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None
                if self.path is not None and not self.lists:
                    os.unlink(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _wrong(self, error: OSError) -> InputError:
        return InputError(
            f"lists cannot be kept: {error.strerror}",
            source=self.path,
            hint="name a folder with space that can be written",
        )
