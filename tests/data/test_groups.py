"""Judgments by group from files: against a plain reader, and what may be wrong."""

from __future__ import annotations

import gzip
import itertools
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.plain_trec import write
from test_trec import ENDS, GAPS, IDS

from idealist import InputError, evaluate
from idealist.data import GroupedJudgments, read_groups
from idealist.data.compression import compression_of
from idealist.kernels import Feed

GRADES = st.sampled_from([b"0", b"1", b"-2", b"1.5", b"2e0", b"+3"])


def plain_reader(text: bytes) -> dict[str, dict[str, dict[str, float]]]:
    rows: dict[str, dict[str, dict[str, float]]] = {}
    for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if line.split():
            query, group, document, grade = line.split()
            names = [one.decode("utf-8", "surrogateescape") for one in (query, group, document)]
            documents = rows.setdefault(names[0], {}).setdefault(names[1], {})
            assert names[2] not in documents
            documents[names[2]] = float(grade)
    return rows


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    rows = draw(
        st.lists(st.tuples(IDS, IDS, IDS, GRADES), min_size=1, max_size=30, unique_by=lambda row: row[:3])
    )
    text = draw(st.sampled_from([b"", b"\n", b"\xef\xbb\xbf"]))
    for row in rows:
        gaps = [draw(GAPS) for _ in range(3)] + [b""]
        text += b"".join(field + gap for field, gap in zip(row, gaps, strict=True)) + draw(ENDS)
    return text if draw(st.booleans()) else text.rstrip(b"\n")


@given(texts(), st.integers(1, 3))
def test_reader_agrees_with_a_plain_one(
    tmp_path_factory: pytest.TempPathFactory, text: bytes, threads: int
) -> None:
    assume(compression_of(text) is None)
    folder = tmp_path_factory.mktemp("groups")
    judgments = read_groups(write(folder / "x.qrels", text), threads=threads)
    assert judgments.to_dict() == plain_reader(text)
    assert read_groups(write(folder / "x.qrels.gz", gzip.compress(text))) == judgments
    assert GroupedJudgments(plain_reader(text)) == judgments


@given(st.lists(st.integers(0, 200), max_size=6), texts())
def test_blocks_may_be_cut_anywhere(cuts: list[int], text: bytes) -> None:
    feed = Feed("groups")
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    for begin, end in itertools.pairwise(edges):
        feed.add(text[begin:end])
    rows = feed.finish(1)
    found: dict[str, Any] = {query: rows.documents(query) for query in rows.queries()}
    assert found == {
        query: {f"{group} {doc}": grade for group, docs in groups.items() for doc, grade in docs.items()}
        for query, groups in plain_reader(text).items()
    }


def test_odd_ids_stay_whole(tmp_path: Path) -> None:
    text = "q\t1\ta\u00a0b 1\r\nq 1 a\u2003c 2\r\n".encode() + b"q \xff\x80 \xfe 3\r\n\r\n"
    assert read_groups(write(tmp_path / "x", text)).to_dict() == {
        "q": {"1": {"a\u00a0b": 1.0, "a\u2003c": 2.0}, "\udcff\udc80": {"\udcfe": 3.0}}
    }


def test_name_source_and_weights(tmp_path: Path) -> None:
    path = write(tmp_path / "web09.qrels", b"q 1 a 1\nq 2 b 1\n")
    judgments = read_groups(path, weights={"q": {1: 3, 2: 1}})
    assert (judgments.name, judgments.source) == ("web09", str(path))
    assert judgments.weights("q") == {"1": 3.0, "2": 1.0}
    assert evaluate(judgments, {"q": {"a": 1.0}}, "P-IA@1").mean("P-IA@1") == 3 / 4


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (b"", None, "the file is empty"),
        (b"q 1 a\n", 1, "expected 4 columns, found 3: 'q 1 a'"),
        (b"q 1 a 1\n\nq 1 b 1 x\n", 3, "expected 4 columns, found 5"),
        (b"q Q0 a 1 0.5 t\n", 1, "expected 4 columns, found 6"),
        (b"q 1 a 1\nq 1 b good\n", 2, "the grade is not a number: 'good'"),
        (b"q 1 a inf\n", 1, "the grade is infinite: 'inf'"),
        (
            b"q 1 a 1\nq 2 a 1\nr 1 a 1\nq 1 a 0\n",
            4,
            "document 'a' of group '1' appears twice for query 'q', first on line 1",
        ),
        (
            b"q 1 a 1\n\nq\t1\t\ta\t1\r\nq 1  a 1\n",
            3,
            "document 'a' of group '1' appears twice for query 'q', first on line 1 (and 1 more duplicate)",
        ),
        (b"q 1 \0 1\n", 1, "this is binary data, not text"),
    ],
)
@pytest.mark.parametrize("compressed", [False, True])
def test_bad_files(tmp_path: Path, text: bytes, line: int | None, message: str, compressed: bool) -> None:
    path = write(tmp_path / "bad.qrels", gzip.compress(text) if compressed else text)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_groups(path)
    assert caught.value.line == line
    assert caught.value.source == str(path)
    assert str(path) in str(caught.value)
    assert caught.value.hint


def test_columns_that_join_to_the_same_text_are_not_the_same(tmp_path: Path) -> None:
    judgments = read_groups(write(tmp_path / "x", b"q 1 11 1\nq 11 1 1\n"))
    assert judgments.to_dict() == {"q": {"1": {"11": 1.0}, "11": {"1": 1.0}}}


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_groups(tmp_path / "missing")
    with pytest.raises(InputError, match="this is a folder"):
        read_groups(tmp_path)
