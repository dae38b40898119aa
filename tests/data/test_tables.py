"""Tables from files and frames, whole and broken."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from idealist import InputError
from idealist.data import read_table


@pytest.mark.parametrize(
    "text",
    [
        "item,n\na,1\nb,2\n",
        "item\tn\na\t1\nb\t2\n",
        "item;n\na;1\nb;2\n",
        "\ufeffitem,n\r\na,1\r\nb,2",
        "\n\nitem,n\na,1\n\nb,2\n",
        'item,n\n"a","1"\nb , 2\n',
        '{"item": "a", "n": "1"}\n{"item": "b", "n": "2"}\n',
    ],
)
def test_the_same_table_in_every_dress(text: str, tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_text(text, encoding="utf-8", newline="")
    assert read_table(path).columns == {"item": ["a", "b"], "n": ["1", "2"]}


@pytest.mark.parametrize("odd", ["\u2028", "\x85", "\x0b", "\x0c"])
def test_only_line_ends_end_lines(odd: str, tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_text(f"item,n\na{odd}b,1\n", encoding="utf-8", newline="")
    assert read_table(path).columns["item"] == [f"a{odd}b"]
    path.write_text(f'{{"item": "a{odd}b"}}\n'.replace("\x0b", "").replace("\x0c", ""), encoding="utf-8")
    assert len(read_table(path)) == 1


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_text("item,n\na,1\n"))
    writer.start()
    assert read_table(path).columns == {"item": ["a"], "n": ["1"]}
    writer.join()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"item,item\na,b\n", "line 1: two columns are called 'item'"),
        (b"item,n\na\n", "line 2: expected 2 columns, found 1"),
        (b"item\na,b\n", "line 2: expected 1 column, found 2"),
        (b'item,n\n"a,1\n', "this is not CSV"),
        (b"[" * 200_000, "this is not JSON: it is nested too deeply"),
        (b'{"a": 1, "a": 2}\n', "line 1: this is not JSON: a name appears twice"),
        (b'{"a": 1}\n[2]\n', "line 2: every line is one JSON object"),
        (b"\xff\xfe\x00", "this is not utf-16"),
        (b"item\n\x00\n", "this is not text"),
        (b"PAR1 but not really", "the Parquet data cannot be read"),
        (b" \n", "the file is empty"),
    ],
)
def test_broken_files(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_table(path)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"item": 3}, "the column 'item' is 3, not a list of values"),
        ({"item": "abc"}, "the column 'item' is 'abc', not a list of values"),
        ({"item": ["a"], "n": [1, 2]}, "the columns differ in length: item 1, n 2"),
        ([{"item": "a"}, 3], "record 2 is not a mapping"),
        (5, "a table must be a file, a frame"),
        ("a\0b", "cannot be read"),
        (pyarrow.table([["a"], ["b"]], names=["item", "item"]), "two columns are called 'item'"),
    ],
)
def test_broken_objects(source: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_table(source)
    assert message in str(caught.value)


def test_parquet_and_frames(tmp_path: Path) -> None:
    table = pyarrow.table({"item": ["a", "b"], "v": [[0.5, 1.0], [1.0, 0.0]]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    for source in (table, tmp_path / "t.parquet", table.to_pandas()):
        assert read_table(source).columns["item"] == ["a", "b"]
