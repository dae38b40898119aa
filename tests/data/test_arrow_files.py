"""Parquet and Arrow IPC files, plain, compressed, through pipes, and broken."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.plain_trec import write

from idealist import InputError, check, read_judgments, read_run
from idealist.data import RunFile, match, read_features, read_table

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
ipc = pytest.importorskip("pyarrow.ipc")

RUN = {
    f"q{query}": {f"d{document}": (query * 31 + document * 17) % 23 / 4 for document in range(50)}
    for query in range(40)
}


def table(**columns: Any) -> Any:
    rows = [(query, document, score) for query, found in RUN.items() for document, score in found.items()]
    names = ("user_id", "item_id", "score")
    made = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    return pyarrow.table({"text": ["long text"] * len(rows), **made, **columns})


def save(path: Path, kind: str, made: Any) -> Path:
    if kind == "parquet":
        parquet.write_table(made, path, row_group_size=300)
        return path
    start = ipc.new_file if kind == "arrow" else ipc.new_stream
    with start(path, made.schema) as writer:
        writer.write_table(made, max_chunksize=300)
    return path


KINDS = ["parquet", "arrow", "stream"]


@pytest.mark.parametrize("kind", KINDS)
def test_runs_and_judgments(tmp_path: Path, kind: str) -> None:
    path = save(tmp_path / "bm25.x", kind, table())
    run = read_run(path)
    assert (run.name, run.to_dict()) == ("bm25", RUN)
    judgments = read_judgments(path, columns={"grade": "score"})
    assert judgments.to_dict() == RUN
    assert match(judgments, RunFile(path)) == match(judgments, run)


@pytest.mark.parametrize("kind", KINDS)
def test_compressed_and_through_a_pipe(tmp_path: Path, kind: str) -> None:
    content = save(tmp_path / "x", kind, table()).read_bytes()
    assert read_run(write(tmp_path / "x.gz", gzip.compress(content))).to_dict() == RUN
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    assert read_run(path).to_dict() == RUN
    writer.join()


@pytest.mark.parametrize("kind", KINDS)
def test_columns_that_are_missing(tmp_path: Path, kind: str) -> None:
    path = save(tmp_path / "x", kind, table())
    with pytest.raises(
        InputError, match=r"x: there is no column 'grade'|x: there is no column 'sku'"
    ) as caught:
        read_run(path, columns={"document": "sku"})
    assert "there are text, user_id, item_id, score" in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_cut_short_and_damaged(tmp_path: Path, kind: str) -> None:
    content = save(tmp_path / "x", kind, table()).read_bytes()
    for cut in (10, len(content) // 2, len(content) - 4):
        path = write(tmp_path / "cut", content[:cut])
        if kind == "stream" and cut == len(content) - 4:
            continue  # all of its batches are there
        with pytest.raises(InputError, match=r"cut: the (Parquet|Arrow) data cannot be read"):
            read_run(path)
    for at in range(8, len(content), max(1, len(content) // 40)):
        path = write(tmp_path / "bad", content[:at] + b"\xff\0\xff" + content[at + 3 :])
        try:
            read_run(path)
        except InputError as error:
            assert "bad" in str(error)


def test_nulls_are_named(tmp_path: Path) -> None:
    made = pyarrow.table({"qid": ["q", "q"], "docid": ["a", "b"], "score": [1.0, None]})
    with pytest.raises(InputError, match=r"row 2"):
        read_run(save(tmp_path / "x", "parquet", made))


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_in_it(tmp_path: Path, kind: str) -> None:
    path = save(tmp_path / "x", kind, table().slice(0, 0))
    with pytest.raises(InputError, match="there are no rows of a run"):
        read_run(path)
    with pytest.raises(InputError, match="there are no rows of a run"):
        match(read_judgments({"q": {"a": 1}}), RunFile(path))


def test_rows_in_any_order_are_measured_alike(tmp_path: Path) -> None:
    """Queries that do not lie together are read a second time."""
    made = table()
    order = sorted(range(len(made)), key=lambda row: row * 7919 % 1009)
    path = save(tmp_path / "x", "parquet", made.take(order))
    judgments = read_judgments({"q1": {"d1": 1, "d7": 2}, "q9": {"d3": 1}})
    assert match(judgments, RunFile(path)) == match(judgments, read_run(RUN))


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("read", [read_run, read_judgments, read_features, read_table, check])
def test_a_name_that_is_not_utf_8(tmp_path: Path, kind: str, read: Callable[[Path], object]) -> None:
    """Of a column that nobody asks for, in a file that its format does not allow."""
    named = pyarrow.table({"query": ["q"], "document": ["d"], "score": [1.0], "grade": [1], "caf_": ["x"]})
    path = tmp_path / f"a.{kind}"
    if kind == "parquet":
        parquet.write_table(named, path)
    else:
        with ipc.new_file(path, named.schema) as writer:
            writer.write_table(named)
    path.write_bytes(path.read_bytes().replace(b"caf_", b"caf\xe9"))
    try:
        said = str(read(path).files[0].findings[0].message)  # type: ignore[attr-defined]
    except InputError as error:
        said = str(error)
    assert r"a name or a text in it is not UTF-8: b'caf\xe9'" in said


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("read", [read_features, read_table])
def test_a_text_that_is_not_utf_8(tmp_path: Path, kind: str, read: Callable[[Path], object]) -> None:
    path = save(tmp_path / "x", kind, pyarrow.table({"query": ["caf_"], "document": ["d"], "length": [1.0]}))
    path.write_bytes(path.read_bytes().replace(b"caf_", b"caf\xe9"))
    with pytest.raises(InputError, match=r"UTF-?8"):
        read(path)
