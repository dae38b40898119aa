from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import pytest

from idealist import InputError
from idealist.data import read_preferences

PREFS = "q ann s1 a 3\nq ann s1 b 2.5\n\nq\tbob  s1 b 1\nq ann s2 b 5\r\nr ann s1 é -1\nq bob s1 a 0"
READ = {
    "q": {"ann": {"s1": {"a": 3.0, "b": 2.5}, "s2": {"b": 5.0}}, "bob": {"s1": {"b": 1.0, "a": 0.0}}},
    "r": {"ann": {"s1": {"é": -1.0}}},
}
QRELS = "q ann a 3\nq ann b 2.5\nq bob b 1\n"
READ_QRELS = {"q": {"ann": {"0": {"a": 3.0, "b": 2.5}}, "bob": {"0": {"b": 1.0}}}}


@pytest.mark.parametrize(("text", "read"), [(PREFS, READ), ("\n\n" + PREFS, READ), (QRELS, READ_QRELS)])
def test_both_formats_plain_compressed_or_piped(tmp_path: Path, text: str, read: object) -> None:
    plain, compressed, pipe = tmp_path / "some.prefs", tmp_path / "some.prefs.gz", tmp_path / "pipe"
    plain.write_bytes(text.encode())
    compressed.write_bytes(gzip.compress(text.encode()))
    made = read_preferences(plain)
    assert dict(made.items()) == read
    assert made.name == "some"
    assert dict(read_preferences(compressed).items()) == read
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(text.encode(),))
    writer.start()
    assert dict(read_preferences(pipe).items()) == read
    writer.join()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q g s a 1\nq g a 1\n", ", line 2: expected 5 columns, found 4"),
        ("q g a 1\nq g s a 1\n", ", line 2: expected 4 columns, found 5"),
        ("q g a\n", ", line 1: expected 5 columns, found 3"),
        ("q g s a 1\nq g s b high\n", ", line 2: the level is not a number: 'high'"),
        ("q g a 1\nq g b high\n", ", line 2: the grade is not a number: 'high'"),
        ("q g s a inf\n", ", line 1: the level is infinite"),
        (
            "q g s a 1\nq g s b 1\nq g s a 2\n",
            ", line 3: document 'a' of group 'g', subgroup 's' appears twice",
        ),
        (
            "q g s a 1\nq g  s a 2\n",
            ", line 2: document 'a' of group 'g', subgroup 's' appears twice",
        ),
        ("q g s a 2\nq g s b 1\nq g t b 2\nq g t a 1\n", ": query 'q', group 'g': its subgroups contradict"),
        ("", ": the file is empty"),
        ("\n \n", ": the file is empty"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    for path, content in (
        (tmp_path / "bad.prefs", text.encode()),
        (tmp_path / "bad.prefs.gz", gzip.compress(text.encode())),
    ):
        path.write_bytes(content)
        with pytest.raises(InputError) as error:
            read_preferences(path)
        assert error.value.message.startswith(f"{path}{message}")


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_preferences(tmp_path / "none")
