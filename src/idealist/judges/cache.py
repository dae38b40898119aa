"""The cache: every answer by the content of its question, in a file of SQLite, so that nothing is paid for twice."""

from __future__ import annotations

import json
import os
import sqlite3
from hashlib import sha256
from threading import Lock

from idealist.errors import InputError
from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType
    from typing import Any, Self

VERSION = 1
COLUMNS = (
    *("key", "model", "prompt", "content", "finish", "input_tokens", "output_tokens", "seconds", "date"),
)
CREATE = f"CREATE TABLE IF NOT EXISTS answers ({COLUMNS[0]} TEXT PRIMARY KEY, {', '.join(COLUMNS[1:])})"


class Reply(Frozen):
    """What a model answered: its `content`, why it ended (`finish`: stop, length, refusal …), how many tokens it read and
    wrote, in how many seconds, and the `date` (UTC) of the answer."""

    content: str
    finish: str = "stop"
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    date: str = ""


def content_key(url: str, body: dict[str, Any], sample: int) -> str:
    """The key of a question: a hash of where it is asked, all that is sent, and which sample it is."""
    text = json.dumps([url, body, sample], sort_keys=True, ensure_ascii=True)
    return sha256(text.encode()).hexdigest()


class AnswerCache:
    """Answers in a file of SQLite, or in memory without a path. Each is written as soon as it is there; several threads,
    and several processes, may use one file."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else os.fspath(path)
        self._lock = Lock()
        try:
            self._connection = sqlite3.connect(
                self.path or ":memory:", timeout=30, check_same_thread=False, isolation_level=None
            )
        except sqlite3.Error as error:
            raise self._wrong(error) from None
        try:
            self._prepare()
        except BaseException as error:
            self._connection.close()
            if isinstance(error, sqlite3.Error):
                raise self._wrong(error) from None
            raise

    def _prepare(self) -> None:
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        tables = {row[0] for row in self._connection.execute("SELECT name FROM sqlite_master")}
        if version not in (0, VERSION) or (tables and "answers" not in tables):
            raise InputError(
                "this is not a cache of answers" if tables else f"a cache of version {version}",
                source=self.path,
                hint="name another file, which is made where there is none",
            )
        self._connection.execute(CREATE)
        self._connection.execute(f"PRAGMA user_version = {VERSION}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def find(self, keys: Iterable[str]) -> dict[str, Reply]:
        """The answers that are there, by key."""
        found: dict[str, Reply] = {}
        fields = ", ".join(("key", *Reply.fields))
        with self._lock:
            for key in keys:
                row = self._execute(f"SELECT {fields} FROM answers WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    found[key] = Reply(*row[1:])
        return found

    def add(self, key: str, reply: Reply, *, model: str, prompt: str) -> None:
        """Keeps an answer; it is on disk when this returns."""
        row = {field: getattr(reply, field) for field in Reply.fields}
        row |= {"key": key, "model": model, "prompt": prompt}
        with self._lock:
            self._execute(
                f"INSERT OR REPLACE INTO answers ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})",
                tuple(row[column] for column in COLUMNS),
            )

    def mean_seconds(self, model: str) -> float | None:
        """How long this model took for an answer, on average; None where it has given none."""
        with self._lock:
            row = self._execute("SELECT avg(seconds) FROM answers WHERE model = ?", (model,)).fetchone()
        return None if row[0] is None else float(row[0])

    def _execute(self, statement: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        try:
            return self._connection.execute(statement, values)
        except sqlite3.Error as error:
            raise self._wrong(error) from None

    def _wrong(self, error: sqlite3.Error) -> InputError:
        return InputError(
            f"the cache cannot be used: {error}",
            source=self.path,
            hint="name a file that can be written, or another one if it is damaged",
        )
