"""Texts of queries and documents in files of two columns without names."""

from __future__ import annotations

from pathlib import Path

import pytest

from idealist import InputError
from idealist.data.tables import read_texts


def test_only_an_end_of_a_line_ends_a_text(tmp_path: Path) -> None:
    """Unicode has more signs that Python's splitlines takes for one."""
    odd = "scarf \u2028 two \x0c three \x85 four"
    path = tmp_path / "queries.tsv"
    path.write_bytes(f"q1\tred lipstick\r\nq2\t{odd}\r\n".encode())
    assert read_texts(path, "queries") == {"q1": "red lipstick", "q2": odd}
    path.write_bytes(f"q1\t{odd}\nno tab\n".encode())
    with pytest.raises(InputError, match=r"queries\.tsv, line 2: expected an id, a tab and a text"):
        read_texts(path, "queries")


def test_a_mark_of_the_encoding_is_no_part_of_an_id(tmp_path: Path) -> None:
    path = tmp_path / "queries.tsv"
    path.write_text("q1\tred lipstick\nq2\tscarf\n", encoding="utf-8-sig")
    assert read_texts(path, "queries") == {"q1": "red lipstick", "q2": "scarf"}
    path.write_text("id\ttext\nq1\tred lipstick\n", encoding="utf-8-sig")
    assert read_texts(path, "queries") == {"q1": "red lipstick"}
