"""The reader against a plain one, and everything that may be wrong with a file."""

from __future__ import annotations

import gzip
import itertools
import math
import os
import threading
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.plain_trec import BAD, PIECE, plain_reader, write

from idealist import InputError, Judgments, Run, read_judgments, read_run
from idealist.data.compression import compression_of
from idealist.kernels import Feed

# Any bytes but white space and NUL are an id.
IDS = st.binary(min_size=1, max_size=20).map(
    lambda raw: bytes(byte for byte in raw if byte not in b" \t\n\r\v\f\0") or b"x"
)
NUMBERS = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.integers(-(10**25), 10**25).map(lambda number: str(int(float(number)))),
    st.decimals(allow_nan=False, allow_infinity=False, places=6).map(str),
    st.sampled_from(
        ["1", "-0", "+5", "5.", ".5", "1e5", "1E-3", "1e400", "-1e400", "1e-400", "inf", "-Infinity"]
    ),
    st.sampled_from(
        ["0." + "0" * 400 + "1", "0" * 400 + "1", "0e99999", "123456789.12345678", "99999999.99999999"]
    ),
).map(str.encode)
GAPS = st.sampled_from([b" ", b"\t", b"  ", b" \t ", b"\v", b"\f"])
ENDS = st.sampled_from([b"\n", b"\r\n", b"\n\n", b"\n \t\r\n", b" \n"])


@st.composite
def run_texts(draw: st.DrawFn) -> bytes:
    rows = draw(st.lists(st.tuples(IDS, IDS, NUMBERS), min_size=1, max_size=30, unique_by=lambda r: r[:2]))
    text = draw(st.sampled_from([b"", b"\n", b"\xef\xbb\xbf"]))
    for query, document, score in rows:
        fields = [query, b"Q0", document, b"1", score, b"tag"]
        gaps = [draw(GAPS) for _ in range(5)] + [b""]
        text += b"".join(field + gap for field, gap in zip(fields, gaps, strict=True)) + draw(ENDS)
    return text if draw(st.booleans()) else text.rstrip(b"\n")


@given(run_texts(), st.integers(1, 4))
@settings(max_examples=300)
def test_reader_agrees_with_a_plain_one(
    tmp_path_factory: pytest.TempPathFactory, text: bytes, threads: int
) -> None:
    assume(compression_of(text) is None)
    folder = tmp_path_factory.mktemp("runs")
    run = read_run(write(folder / "x.run", text), threads=threads)
    expected = plain_reader(text, 6, 2, 4)
    assert run.to_dict() == expected
    assert list(run) == sorted(expected, key=lambda q: q.encode("utf-8", "surrogateescape"))
    assert read_run(write(folder / "x.run.gz", gzip.compress(text))) == run
    assert Run(expected) == run


@given(st.binary(max_size=400), st.integers(1, 4))
@settings(max_examples=400)
def test_any_bytes_give_rows_or_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, text: bytes, threads: int
) -> None:
    path = write(tmp_path_factory.mktemp("junk") / "x", text)
    for read in (read_run, read_judgments):
        try:
            assert len(read(path, threads=threads)) > 0
        except InputError as error:
            assert str(path) in str(error)


@given(st.lists(st.integers(0, 400), max_size=6), run_texts())
def test_blocks_may_be_cut_anywhere(cuts: list[int], text: bytes) -> None:
    feed = Feed("run")
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    for begin, end in itertools.pairwise(edges):
        feed.add(text[begin:end])
    rows = feed.finish(1)
    expected = plain_reader(text, 6, 2, 4)
    assert {query: rows.documents(query) for query in rows.queries()} == expected


@pytest.mark.parametrize("size", [PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7])
@pytest.mark.parametrize("final", [b"\n", b""])
def test_pieces_meet_at_every_boundary(tmp_path: Path, size: int, final: bytes) -> None:
    """Lines of changing length, so that pieces begin within, at and behind line ends."""
    lines, length, number = [], 0, 0
    while length < size:
        line = b"q%d Q0 d%d 1 %d.5 t" % (number // 500, number, number % 97)
        lines.append(line + b" " * (number % 7))
        length += len(lines[-1]) + 1
        number += 1
    for shift in range(3):
        text = b"\n" * shift + b"\n".join(lines) + final
        path = write(tmp_path / "x.run", text)
        results = [read_run(path, threads=threads) for threads in (1, 2, 3, 4)]
        assert results[0].to_dict() == plain_reader(text, 6, 2, 4)
        assert all(one == results[0] for one in results)


def test_queries_may_be_scattered(tmp_path: Path) -> None:
    lines = [f"q{i % 7} Q0 d{i} 1 {i} t" for i in range(5000)]
    run = read_run(write(tmp_path / "x.run", "\n".join(lines).encode()))
    assert run["q3"] == {f"d{i}": float(i) for i in range(3, 5000, 7)}
    assert run.ranking("q3")[:2] == ["d4994", "d4987"]


def test_judgments_have_real_grades(tmp_path: Path) -> None:
    text = b"q 0 a 1.5\nq 0 b -1\r\n\nq\t0\tc 2e0"
    assert read_judgments(write(tmp_path / "x", text)).to_dict() == {"q": {"a": 1.5, "b": -1.0, "c": 2.0}}


@pytest.mark.parametrize("query", ["PAR1", "BZh9", "ARROW1"])
def test_ids_may_look_like_other_formats(tmp_path: Path, query: str) -> None:
    assert list(read_run(write(tmp_path / "x", f"{query} Q0 a 1 1 t\n".encode()))) == [query]


def test_infinity_is_a_score(tmp_path: Path) -> None:
    run = read_run(write(tmp_path / "x", b"q Q0 a 1 inf t\nq Q0 b 2 -inf t\nq Q0 c 3 1e999 t"))
    assert run["q"] == {"a": math.inf, "b": -math.inf, "c": math.inf}


@pytest.mark.parametrize(("text", "line", "message"), BAD)
@pytest.mark.parametrize("kind", ["plain", "gzip", "pipe"])
def test_bad_runs(tmp_path: Path, text: bytes, line: int | None, message: str, kind: str) -> None:
    path = tmp_path / "bad.run"
    if kind == "pipe":
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_bytes, args=(text,))
        writer.start()
    else:
        path.write_bytes(gzip.compress(text) if kind == "gzip" else text)
    with pytest.raises(InputError, match=message) as caught:
        read_run(path)
    if kind == "pipe":
        writer.join()
    if kind == "plain":
        assert caught.value.line == line
    assert caught.value.source == str(path)
    assert str(path) in str(caught.value)
    if line is not None:
        assert f"line {line}" in str(caught.value)
    assert caught.value.hint


def test_bad_judgments(tmp_path: Path) -> None:
    for text, message in [
        (b"q 0 a 1 extra\n", "line 1: expected 4 columns, found 5"),
        (b"q 0 a good\n", "line 1: the grade is not a number: 'good'"),
        (b"q 0 a inf\n", "line 1: the grade is infinite: 'inf'"),
        (b"q 0 a 1e999\n", "line 1: the grade is infinite: '1e999'"),
        (
            b"q 0 a 1\nq 0 a 1\nq 0 a 1\n",
            r"line 2: document 'a' appears twice.*first on line 1 \(and 1 more duplicate\)",
        ),
    ]:
        with pytest.raises(InputError, match=message):
            read_judgments(write(tmp_path / "x", text))


def test_line_numbers_far_into_a_large_file(tmp_path: Path) -> None:
    lines = [b"q%d Q0 d%d 1 1 t" % (i // 1000, i) for i in range(200_000)]
    lines[150_000] = b"oops"
    lines[150_001] = b"oops again"
    lines[10] = b""
    with pytest.raises(InputError, match=r"line 150001: expected 6 columns, found 1: 'oops' \(and 1 more"):
        read_run(write(tmp_path / "x", b"\n".join(lines)))
    lines[150_000:150_002] = [lines[149_500], b"q150 Q0 other 1 1 t"]
    with pytest.raises(InputError, match=r"line 150001: document 'd149500' appears twice .* line 149501"):
        read_run(write(tmp_path / "x", b"\n".join(lines)), threads=3)


def test_lines_without_end(tmp_path: Path) -> None:
    path = write(tmp_path / "x", b"q Q0 a 1 1 t\nq Q0 b 1 1 t\n" + b"x" * (5 * PIECE))
    for read_path in (path, write(tmp_path / "x.gz", gzip.compress(path.read_bytes()))):
        with pytest.raises(InputError, match="line 3: the line is longer than a megabyte"):
            read_run(read_path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_run(tmp_path / "missing.run")
    with pytest.raises(InputError, match="this is a folder, not a file"):
        read_run(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_run("a\0b")


def test_damaged_gzip(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b"q Q0 d%d 1 %d t\n" % (i, i) for i in range(9000)))
    with pytest.raises(InputError, match="the gzip data ends too early"):
        read_run(write(tmp_path / "cut.gz", whole[: len(whole) // 2]))
    with pytest.raises(InputError, match="the gzip data ends too early"):
        read_run(write(tmp_path / "cut.gz", whole[:-4]))
    with pytest.raises(InputError, match="the gzip data is damaged"):
        read_run(write(tmp_path / "bad.gz", whole[:100] + b"\xff" * 50 + whole[150:]))
    with pytest.raises(InputError, match="the gzip data is damaged"):
        read_run(write(tmp_path / "tail.gz", whole + b"garbage"))


def test_gzip_of_several_members(tmp_path: Path) -> None:
    parts = [b"q Q0 d%d 1 %d t\n" % (i, i) for i in range(5)]
    text = b"".join(map(gzip.compress, parts)) + b"\0" * 100
    assert len(read_run(write(tmp_path / "x", text))["q"]) == 5
    large = [b"".join(b"q Q0 d%d_%d 1 1 t\n" % (part, i) for i in range(90_000)) for part in range(2)]
    whole = b"".join(map(gzip.compress, large))
    assert min(map(len, large)) > 1 << 20
    assert len(read_run(write(tmp_path / "x", whole + b"\0" * 512)).rows) == 180_000
    with pytest.raises(InputError, match="the gzip data is damaged"):
        read_run(write(tmp_path / "x", whole + b"junk"))


def test_a_run_does_not_look_at_its_file_again(tmp_path: Path) -> None:
    path = write(tmp_path / "x.run", b"q Q0 a 1 1 t\n")
    run = read_run(path)
    os.truncate(path, 0)
    path.unlink()
    assert run["q"] == {"a": 1.0}


def test_names_come_from_the_file(tmp_path: Path) -> None:
    for name in ("bm25.run", "bm25.run.gz", "bm25"):
        assert read_run(write(tmp_path / name, b"q Q0 a 1 1 t\n")).name == "bm25"
    assert read_run(tmp_path / "bm25", name="mine").name == "mine"
    judgments = read_judgments(write(tmp_path / "robust.qrels", b"q 0 a 1\n"))
    assert isinstance(judgments, Judgments)
    assert judgments.source == str(tmp_path / "robust.qrels")
