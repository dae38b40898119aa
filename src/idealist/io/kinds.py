"""Whether a source holds a run or judgments: told by the columns it has."""

from __future__ import annotations

import os

from idealist.data.columns import ROLES, plain_name
from idealist.io.destinations import PART
from idealist.io.opening import Opened
from idealist.io.trec import COLUMNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SQLITE = b"SQLite format 3\0"
DELIMITERS = (b"\t", b",", b";", b"|")


def kind_of_names(names: Iterable[str]) -> str | None:
    """What has columns of these names: a run, judgments, or either.

    >>> kind_of_names(["qid", "docno", "label"]), kind_of_names(["query", "document", "score"])
    ('judgments', 'run')
    """
    found = {plain_name(name) for name in names}
    roles = {role for role, common in ROLES.items() if found & {plain_name(name) for name in common}}
    if "corpusid" in found and not roles & {"grade", "rank"}:
        return "judgments"  # BEIR calls a grade a score
    if "grade" in roles and "score" not in roles:
        return "judgments"
    if "grade" not in roles and roles & {"score", "rank"}:
        return "run"
    return None


def kind_of_source(source: str) -> str | None:
    """What is in a file or in FILE::TABLE; None when its content does not tell. What cannot be read is not told
    here: reading says why."""
    path, _, part = source.rpartition(PART) if not os.path.exists(source) else (source, "", "")
    if not os.path.isfile(path):
        return None
    try:
        return _told(path, part)
    except Exception:  # whatever the libraries of formats raise for a file that is damaged
        return None


def _told(path: str, part: str) -> str | None:
    head = head_of(path)
    if head.startswith(b"PAR1"):
        from pyarrow import parquet

        return kind_of_names(parquet.read_schema(path).names)
    if head.startswith(b"ARROW1"):
        from pyarrow import ipc

        with ipc.open_file(path) as opened:
            return kind_of_names(opened.schema.names)
    if head.startswith(SQLITE):
        import sqlite3
        from contextlib import closing

        with closing(sqlite3.connect(path)) as database:
            rows = database.execute("SELECT name FROM pragma_table_info(?)", (part,)).fetchall()
        return kind_of_names(name for (name,) in rows)
    if head[8:12] == b"DUCK":
        import duckdb

        with duckdb.connect(path, read_only=True) as database:
            query = "SELECT column_name FROM information_schema.columns WHERE table_name = ?"
            return kind_of_names(name for (name,) in database.execute(query, [part]).fetchall())
    return _told_by_line(head.lstrip().partition(b"\n")[0])


def _told_by_line(first: bytes) -> str | None:
    if first.startswith(b"{"):
        import json

        record = json.loads(first)
        return kind_of_names(record) if not any(isinstance(one, dict) for one in record.values()) else None
    fields = len(first.split())
    for kind in ("run", "judgments"):
        if fields == len(COLUMNS[kind]):
            return kind
    between = next((one for one in DELIMITERS if one in first), None)
    if between is None:
        return None
    return kind_of_names(name.decode("utf-8", "replace").strip(' "\r') for name in first.split(between))


def head_of(path: str) -> bytes:
    """How a file begins, decompressed."""
    with Opened(path) as opened:
        return opened.head
