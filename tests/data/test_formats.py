"""What a source is, is told by its content, and the ending helps only in doubt."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plain_trec import write

from idealist import InputError, read_judgments, read_run
from idealist.data import RunFile, match
from idealist.data.column_names import find_roles
from idealist.data.format_list import detect, formats, names, with_tables, written_lines
from idealist.data.formats.format import ANYTHING, Head
from idealist.data.source_names import Source, parse_source

RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 0.5}}
TOLD = [
    ("trec", b"301 Q0 FR940202 1 0.5 bm25\n"),
    ("trec", b"301 0 FR940202 1\n"),
    ("trec", b"301 0 FR940202 0.123456789012\n"),
    ("trec", b"\xef\xbb\xbf\n301\t0\tFR940202\t1\r\n"),
    ("trec", b"{q Q0 [a 1 0.5 t\n"),
    ("trec", b"1\t0\t5\t1\n"),
    ("csv", b"query,document,score\n1,2,3\n"),
    ("csv", b'"Query ID";"Doc ID";"Score"\n1;2;3\n'),
    ("csv", b"user_id|item_id|rank\n1|2|3\n"),
    ("tsv", b"query-id\tcorpus-id\tscore\n1\t2\t3\n"),
    ("tsv", b"query\tQ0\tdocument\trank\tscore\ttag\n"),
    ("json", b'{"q1": {"d1": 1}}'),
    ("json", b'{\n  "q1": {\n    "d1": 1}}'),
    ("json", b'[{"query": "q1", "document": "d", "score": 1}]'),
    ("json", b'{"requests": {"d1": 1}}'),
    ("jsonl", b'{"query": "q1", "document": "d", "score": 1}\n'),
    (
        "jsonl",
        b'{"query": "q1", "document": "d", "score": 1}\n{"query": "q1", "document": "e", "score": 2}\n',
    ),
    ("rank_eval", b'{"requests": [{"id": "q"}]}'),
    ("rank_eval", b'{"metric_score": 0.5, "details": {}}'),
    ("letor", b"2 qid:10 1:0.03 2:0.1 #docid = GX008\n"),
    ("letor", b"0 1:0.5 7:1\n"),
    ("letor", b"0.25\n1e-3\n-5\n"),
    ("movielens", b"userId,movieId,rating,timestamp\n1,2,3.5,964982703\n"),
    ("movielens", b"1::1193::5::978300760\n"),
    ("movielens", b"196\t242\t3\t881250949\n186\t302\t3\t891717742\n"),
    ("msmarco", b"1048585\t7187158\t1\n1048585\t7187157\t2\n"),
    ("msmarco", b"q1 d9 1\nq1 d2 2\nq2 d1 1\n"),
    ("parquet", b"PAR1\x15\x04"),
    ("arrow", b"ARROW1\0\0\xff\xff\xff\xff"),
    ("xlsx", b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml"),
    ("sqlite", b"SQLite format 3\0\x10\0"),
    ("duckdb", b"\0" * 8 + b"DUCK" + b"\0" * 8),
]


@pytest.mark.parametrize(("name", "text"), TOLD)
def test_told_by_content(name: str, text: bytes) -> None:
    found = detect(Head(text), "some.csv", "x")
    assert found is not None
    assert found.name == name


def test_every_format_is_told_somewhere() -> None:
    assert {name for name, _ in TOLD} == set(names()) - {"beir"}
    for module, one in zip(names(), formats(), strict=True):
        assert one.name == module
        assert set(one.carries) <= set(ANYTHING)
        assert set(one.writes) <= set(one.carries)


def test_the_ending_decides_only_in_doubt(tmp_path: Path) -> None:
    assert read_run(write(tmp_path / "x.csv", b"q Q0 a 1 1 t\n")).to_dict() == {"q": {"a": 1.0}}
    with pytest.raises(InputError, match=r"there is no column 'query'\nhint: there are left, right"):
        read_run(write(tmp_path / "x.csv", b"left,right\n1,2\n"))
    with pytest.raises(
        InputError, match=r"line 1: expected 6 columns, found 1.*\n.*\nformats: TREC text, MovieLens"
    ):
        read_run(write(tmp_path / "x.txt", b"left,right\n1,2\n"))
    with pytest.raises(InputError, match=r"this is not Parquet, though its name says so"):
        read_run(write(tmp_path / "x.parquet", b"hello\n"))
    with pytest.raises(InputError, match=r"the file is empty"):
        read_run(write(tmp_path / "x.csv", b""))


@pytest.mark.parametrize(
    ("text", "what"),
    [(b"\x93NUMPY\x01\0", "a NumPy array"), (b"%PDF-1.7", "a PDF"), (b"<!DOCTYPE html>", "a web page")],
)
def test_strangers_are_named(tmp_path: Path, text: bytes, what: str) -> None:
    with pytest.raises(InputError, match=f"this is {what}, which cannot be read\n.*formats: TREC"):
        read_judgments(write(tmp_path / "x", text))


def test_a_number_that_may_be_rank_or_score_is_not_guessed(tmp_path: Path) -> None:
    for text in (b"q a 0.5\nq b 0.25\n", b"q a 3\nq b 2\nq c 1\n", b"q a 2\n", b"q a 1\nq b 1\n"):
        with pytest.raises(InputError, match=r"the third of three columns may be a rank or a score"):
            read_run(write(tmp_path / "x.tsv.txt", text))
    with pytest.raises(InputError, match=r"this is MS MARCO runs.*: a run, not judgments"):
        read_judgments(write(tmp_path / "x", b"q a 1\nq b 2\n"))
    run = read_run(write(tmp_path / "x", b"q a 3\nq b 2\nq c 1\n"), format="msmarco")
    assert run.ranking("q") == ["c", "b", "a"]


def test_formats_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "x", b"q Q0 a 1 1 t\n")
    with pytest.raises(InputError, match=r"there is no format 'word'\nhint: name one of: arrow, beir, csv"):
        read_run(path, format="word")
    with pytest.raises(InputError, match=r"MovieLens ratings: judgments, not a run"):
        read_run(path, format="movielens")
    # What is told wrong can be said: a time as a grade.
    path = write(tmp_path / "u", b"196\t242\t3\t881250949\n")
    assert read_judgments(path).to_dict() == {"196": {"242": 3.0}}
    assert read_judgments(path, format="trec").to_dict() == {"196": {"3": 881250949.0}}


@given(st.binary(max_size=300), st.sampled_from([None, *sorted(names())]), st.booleans())
@settings(max_examples=400)
def test_any_bytes_as_any_format(
    tmp_path_factory: pytest.TempPathFactory, text: bytes, name: str | None, run: bool
) -> None:
    path = write(tmp_path_factory.mktemp("any") / "x", text)
    try:
        read = read_run if run else read_judgments
        assert len(read(path, format=name)) > 0
    except InputError as error:
        assert name is not None or str(path) in str(error)


@given(
    st.sampled_from([text for _, text in TOLD]),
    st.lists(st.tuples(st.integers(0, 80), st.binary(max_size=3)), max_size=3),
    st.booleans(),
)
@settings(max_examples=400)
def test_anything_like_a_format_is_read_or_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, text: bytes, changes: list[tuple[int, bytes]], run: bool
) -> None:
    for at, new in changes:
        text = text[:at] + new + text[at + len(new) :]
    path = write(tmp_path_factory.mktemp("like") / "x", text)
    try:
        (read_run if run else read_judgments)(path)
    except InputError as error:
        assert str(path) in str(error)


def test_columns_by_common_names() -> None:
    assert find_roles(["userId", "movieId", "rating", "timestamp"], "judgments") == {
        "query": 0,
        "document": 1,
        "grade": 2,
    }
    assert find_roles(["QUERY-ID", "corpus-id", "score"], "judgments") == {
        "query": 0,
        "document": 1,
        "grade": 2,
    }
    assert find_roles(["qid", "docno", "score", "rank"], "run") == {"query": 0, "document": 1, "score": 2}
    assert find_roles(["q_id", "doc", "doc_id", "rank"], "run") == {"query": 0, "document": 2, "rank": 3}


def test_columns_that_are_mapped() -> None:
    names = ["uid", "sku", "s", "score", "rank"]
    mapped = {"query": "uid", "document": "sku"}
    assert find_roles(names, "run", mapped) == {"query": 0, "document": 1, "score": 3}
    assert find_roles(names, "run", {**mapped, "score": "s"})["score"] == 2
    assert find_roles(names, "run", {**mapped, "rank": "rank"}) == {"query": 0, "document": 1, "rank": 4}
    # One mapping is for judgments and runs.
    assert find_roles(names, "run", {**mapped, "score": "s", "grade": "g"})["score"] == 2
    with pytest.raises(
        InputError,
        match=r"no column 'article', which columns names as the document\nhint: there are uid, sku",
    ):
        find_roles(names, "run", {"query": "uid", "document": "article"})
    with pytest.raises(
        InputError, match=r"'user' is not a known column\nhint: name one of: query, document, score"
    ):
        find_roles(names, "run", {"user": "uid"})
    with pytest.raises(InputError, match=r"x.csv: there is no column 'grade'\nhint: there are qid, docid"):
        find_roles(["qid", "docid"], "judgments", source="x.csv")


def test_parts_of_sources(tmp_path: Path) -> None:
    assert parse_source("a/b.db::t") == Source("a/b.db::t", "a/b.db", "t")
    assert parse_source("a::b::t") == Source("a::b::t", "a::b", "t")
    odd = write(tmp_path / "a::b", b"q Q0 a 1 1 t\n")
    assert parse_source(odd) == Source(str(odd), str(odd), None)
    assert read_run(odd).to_dict() == {"q": {"a": 1.0}}
    plain = write(tmp_path / "x.run", b"q Q0 a 1 1 t\n")
    with pytest.raises(InputError, match=r"there is no part 'part': this is TREC text"):
        read_run(f"{plain}::part")


def test_what_is_in_memory_already() -> None:
    run = read_run(RUN, name="mine")
    assert (run.name, run.to_dict()) == ("mine", RUN)
    assert read_run(run) is run
    with pytest.raises(InputError, match=r"expected {query"):
        read_run(7)  # type: ignore[arg-type]


def test_frames_in_memory() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    frame = pyarrow.table({"qid": ["q1", "q1", "q2"], "docid": ["a", "b", "c"], "s": [2.0, 1.0, 0.5]})
    assert read_run(frame, columns={"score": "s"}).to_dict() == RUN


@pytest.mark.parametrize(
    "text", [b"query,document,score\nq1,a,2\nq1,b,1\nq2,c,.5\n", b'{"q1":{"a":2,"b":1},"q2":{"c":0.5}}']
)
def test_pipes_are_read_once_in_any_format(tmp_path: Path, text: bytes) -> None:
    judgments = read_judgments({"q1": {"b": 1}})
    expected = match(judgments, read_run(RUN))
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(text,))
    writer.start()
    assert match(judgments, RunFile(path)) == expected
    writer.join()


@pytest.mark.parametrize("piped", [True, False])
def test_standard_input(tmp_path: Path, piped: bool) -> None:
    path = write(tmp_path / "x.run", b"q1 Q0 a 1 2 t\n")
    code = "from idealist import read_run; run = read_run('-'); print(run.name, run.to_dict())"
    with path.open("rb") as file:
        command = [sys.executable, "-c", code]
        if piped:
            done = subprocess.run(command, capture_output=True, check=True, input=path.read_bytes())
        else:
            done = subprocess.run(command, capture_output=True, check=True, stdin=file)
    assert done.stdout.strip() == b"stdin {'q1': {'a': 2.0}}"


def test_the_documentation_has_the_formats_as_they_are() -> None:
    page = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    assert page == with_tables(page), "make docs writes it again"
    for format in formats():
        assert f"| `{format.name}` | {format.about} |" in page


def test_the_help_of_convert_has_the_formats_as_they_are() -> None:
    lines = written_lines()
    assert "beir (judgments)" in lines
    assert "msmarco (run, --lossy)" in lines
    for format in formats():
        assert (f" {format.name}" in lines) == bool(format.writes)
