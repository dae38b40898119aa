"""idealist convert, as a user runs it, and the round trips through every pair of formats."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idealist import Judgments, Run, read_judgments, read_run
from idealist import data as io
from idealist.cli.commands.convert import kind_of
from idealist.cli.progress import Progress, rate_text, time_text
from idealist.data.converting import convert
from idealist.errors import InputError

FORMATS = {
    "trec": "x.trec",
    "csv": "x.csv",
    "tsv": "x.tsv",
    "json": "x.json",
    "jsonl": "x.jsonl",
    "parquet": "x.parquet",
    "arrow": "x.arrow",
    "sqlite": "x.sqlite::t",
    "duckdb": "x.duckdb::t",
    "gz": "y.csv.gz",
    "zst": "y.run.zst",
}
IDS = st.text(st.characters(exclude_categories=["Cs", "Z", "C"]), min_size=1, max_size=4)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
QUERIES = st.dictionaries(IDS, st.dictionaries(IDS, NUMBERS, min_size=1, max_size=4), min_size=1, max_size=4)


@pytest.mark.parametrize("kind", ["run", "judgments"])
@given(QUERIES)
@settings(max_examples=3)  # of 121 pairs each
def test_every_pair_of_formats_keeps_the_content(
    kind: str, tmp_path_factory: pytest.TempPathFactory, queries: dict[str, dict[str, float]]
) -> None:
    folder = tmp_path_factory.mktemp("pairs")
    given_as = Run(queries) if kind == "run" else Judgments(queries)
    for first, name in FORMATS.items():
        source = f"{folder / first}-{name}"
        getattr(io, f"write_{kind}")(given_as, source)
        for second, other in FORMATS.items():
            target = f"{folder / first}-{second}-{other}"
            done = convert(source, target, kind)
            assert (done.rows, done.queries) == (len(given_as.rows), len(given_as))
            assert getattr(io, f"read_{kind}")(target).sha256 == given_as.sha256, (first, second)


@pytest.mark.parametrize("target", ["a.parquet", "a.arrow"])
def test_trec_text_to_tables(target: str, idealist: Any, shop: Path, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / target
    done = idealist("convert", shop / "a.run", path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"a run: 780 rows, 39 queries → {path}\n"
    feather, parquet = pytest.importorskip("pyarrow.feather"), pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(path) if target.endswith("parquet") else feather.read_table(path)
    assert Run(table).sha256 == read_run(shop / "a.run").sha256
    assert table.schema.field("score").type == pyarrow.float64()
    # The rows stand as they stood in the file.
    lines = [line.split() for line in (shop / "a.run").read_text().splitlines()]
    assert table["document"].to_pylist() == [line[2] for line in lines]
    assert table["query"].to_pylist() == [line[0] for line in lines]


def test_compressed_trec_text_to_a_table(idealist: Any, shop: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "a.run.gz").write_bytes(gzip.compress((shop / "a.run").read_bytes()))
    assert idealist("convert", tmp_path / "a.run.gz", tmp_path / "a.parquet").returncode == 0
    assert Run(parquet.read_table(tmp_path / "a.parquet")).sha256 == read_run(shop / "a.run").sha256
    (tmp_path / "b.run.gz").write_bytes((tmp_path / "a.run.gz").read_bytes()[:-100])
    done = idealist("convert", tmp_path / "b.run.gz", tmp_path / "b.parquet", "--as", "run")
    assert done.returncode == 2
    assert "ends too early" in done.stderr
    assert not (tmp_path / "b.parquet").exists()


def test_a_file_of_several_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("idealist.data.opening.WINDOW_PIECES", 1)
    lines = [f"q{n // 100} Q0 document-{n} 1 {n / 3!r} x\n" for n in range(60_000)]
    (tmp_path / "a.run").write_text("".join(lines))
    seen: list[tuple[int, int]] = []
    done = convert(
        str(tmp_path / "a.run"),
        str(tmp_path / "a.parquet"),
        "run",
        progress=lambda at, whole: seen.append((at, whole)),
    )
    assert (done.rows, done.queries) == (60_000, 600)
    table = parquet.read_table(tmp_path / "a.parquet")
    assert table["document"].to_pylist() == [line.split()[2] for line in lines]
    assert table["score"].to_pylist() == [n / 3 for n in range(60_000)]
    size = (tmp_path / "a.run").stat().st_size
    assert len(seen) > 3
    assert seen[:-1] == sorted(seen[:-1])
    assert seen[-2:] == [(size, size), (1, 1)]


def test_a_file_that_changes_meanwhile_leaves_no_target(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    source = tmp_path / "a.run"
    source.write_text("".join(f"q Q0 d{n} 1 {n} x\n" for n in range(1000)))

    def change(done: int, whole: int) -> None:
        with source.open("a") as opened:
            opened.write("q Q0 late 1 0 x\n")

    with pytest.raises(InputError, match="changed while it was read"):
        convert(str(source), str(tmp_path / "a.parquet"), "run", progress=change)
    assert [path.name for path in tmp_path.iterdir()] == ["a.run"]


@pytest.mark.parametrize("target", ["x.parquet", "x.csv", "x.duckdb::t", "x.json.gz"])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q1 Q0 d7 1 high x", "the score is not a number: 'high'"),
        ("q1 Q0 d7 1 2.0", "expected 6 columns, found 5"),
        ("q1 Q0 d1 1 2.0 x", "document 'd1' appears twice for query 'q1'"),
    ],
)
def test_bad_lines_leave_no_target(
    line: str, message: str, target: str, idealist: Any, tmp_path: Path
) -> None:
    source = tmp_path / "bad.run"
    source.write_text(f"q1 Q0 d1 1 2.0 x\nq2 Q0 d2 1 2.0 x\n{line}\n")
    done = idealist("convert", source, tmp_path / target)
    assert done.returncode == 2
    assert message in done.stderr
    assert f"{source}, line 3" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bad.run"]


def test_to_standard_output(idealist: Any, shop: Path) -> None:
    done = idealist("convert", shop / "shop.qrels", "-", "--to", "json")
    assert json.loads(done.stdout) == read_judgments(shop / "shop.qrels").to_dict()
    assert done.stderr == "judgments: 760 rows, 40 queries → standard output\n"
    done = idealist("convert", shop / "a.run", "-", "--name", "bm25")
    assert done.stdout.splitlines()[0].split()[5] == "bm25"


def test_options_that_are_wrong(idealist: Any, shop: Path, tmp_path: Path) -> None:
    for arguments, message in (
        ((shop / "a.run", tmp_path / "x"), "the ending names no format"),
        ((shop / "none.run", tmp_path / "x.csv"), "there is no such file"),
        ((shop / "a.run", tmp_path / "x.tsv", "--to", "msmarco"), "would be lost"),
        ((shop / "a.run", tmp_path / "x.tsv", "--to", "excel"), "not a format that is written"),
        ((shop / "a.run", tmp_path / "x.csv", "--columns", "query"), "is not OURS=THEIRS"),
        ((shop / "a.run", tmp_path / "x.run", "--name", "a b"), "a name with white space"),
        ((shop / "a.run", shop / "a.run", "--force"), "cannot be converted onto itself"),
        ((shop / "a.run", tmp_path / "x.csv", "--as", "judgments"), "expected 4 columns, found 6"),
    ):
        done = idealist("convert", *arguments)
        assert done.returncode == 2, arguments
        assert message in done.stderr
        assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays_unless_forced(idealist: Any, shop: Path, tmp_path: Path) -> None:
    for name in ("x.csv", "x.parquet"):
        (tmp_path / name).write_text("old")
        done = idealist("convert", shop / "a.run", tmp_path / name)
        assert done.returncode == 2
        assert "already" in done.stderr
        assert (tmp_path / name).read_text() == "old"
        assert idealist("convert", shop / "a.run", tmp_path / name, "--force").returncode == 0
        assert (tmp_path / name).read_bytes() != b"old"


def test_what_a_source_is(shop: Path, tmp_path: Path) -> None:
    assert kind_of(str(shop / "a.run"), "x.csv") == "run"
    assert kind_of(str(shop / "shop.qrels"), "x.csv") == "judgments"
    heads = {
        "query,document,score\nq,d,1\n": "run",
        "qid\tdocno\tlabel\nq\td\t1\n": "judgments",
        "query-id\tcorpus-id\tscore\nq\td\t1\n": "judgments",
        "q 0 d 1\n": "judgments",
        "q Q0 d 1 1.0 x\n": "run",
    }
    path = tmp_path / "x"
    for text, kind in heads.items():
        path.write_text(text)
        assert kind_of(str(path), "y.csv") == kind, text
    for name in (
        "t.parquet",
        "t.arrow",
        "t.db::x",
        "t.duckdb::x",
        "t.jsonl",
        "t.csv.gz",
        "t.tsv.zst",
        "t.csv.bz2",
    ):
        for kind in ("run", "judgments"):
            getattr(io, f"write_{kind}")({"q": {"d": 1.0}}, tmp_path / name, force=True)
            assert kind_of(str(tmp_path / name), "y.csv") == kind, name
    path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(InputError, match="a run, or judgments"):
        kind_of(str(path), "y.csv")
    path.write_text("{}")
    assert kind_of(str(path), "y.run") == "run"
    assert kind_of(str(path), "y.tsv", "beir") == "judgments"
    with pytest.raises(InputError, match="a run, or judgments"):
        kind_of(str(path), "y.csv")


def test_progress_says_how_fast_and_how_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr("idealist.cli.progress.monotonic", lambda: clock[0])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    bar = Progress("converting", "bytes")
    bar(10_000_000, 400_000_000)
    assert capsys.readouterr().err == ""
    clock[0] = 1.0
    bar(100_000_000, 400_000_000)
    assert " 25 %  100 MB/s  0:03 left" in capsys.readouterr().err
    bar(400_000_000, 400_000_000)
    assert capsys.readouterr().err == "\r\033[K"
    assert (rate_text(5e6, "rows"), time_text(3661)) == ("5,000,000 rows/s", "1:01:01")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that takes a while to be written."""
    source = tmp_path_factory.mktemp("large") / "a.run"
    with source.open("w") as opened:
        for query in range(1500):
            opened.writelines(f"q{query} Q0 d{query * 1000 + n} {n} {n / 7!r} x\n" for n in range(1000))
    return source


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
@pytest.mark.parametrize("target", ["x.parquet", "x.run.xz", "x.sqlite::t", "x.duckdb::t"])
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_nothing_is_left_after_a_signal(
    target: str, sent: signal.Signals, code: int, large: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "idealist", "convert", str(large), str(tmp_path / target)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while not list(tmp_path.iterdir()) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(sent)
        _, errors = process.communicate()
    if process.returncode == 0:
        pytest.skip("it was done before the signal came")
    assert (process.returncode, errors) == (code, b"")
    assert list(tmp_path.iterdir()) == []


def test_what_would_be_lost_is_refused(idealist: Any, tmp_path: Path, shop: Path) -> None:
    done = idealist("convert", shop / "subtopics.qrels", tmp_path / "x.parquet")
    assert done.returncode == 2
    assert "the second column names groups" in done.stderr
    assert idealist("convert", shop / "subtopics.qrels", tmp_path / "x.parquet", "--lossy").returncode == 0
    done = idealist("convert", shop / "objectives.csv", tmp_path / "o.qrels", "--columns", "grade=relevance")
    assert done.returncode == 2
    assert "the columns margin would be lost" in done.stderr
    (tmp_path / "tagged.run").write_text("q Q0 d 1 0.5 bm25\n")
    assert idealist("convert", tmp_path / "tagged.run", tmp_path / "again.run.gz").returncode == 0
    assert gzip.decompress((tmp_path / "again.run.gz").read_bytes()) == b"q Q0 d 1 0.5 bm25\n"
    done = idealist("convert", tmp_path / "nowhere", tmp_path / "x.csv")
    assert "there is no such file" in done.stderr


@pytest.mark.parametrize("ends", ["\n", "\r\n", " \n"])
def test_names_of_several_systems_in_trec_text_are_not_lost(idealist: Any, tmp_path: Path, ends: str) -> None:
    source = tmp_path / "a.run"
    source.write_bytes(f"q Q0 a 1 2 x{ends}q Q0 b 2 1 x{ends}r Q0 a 1 2 y{ends}".encode())
    for target in ("b.run", "b.csv", "b.parquet"):
        done = idealist("convert", source, tmp_path / target)
        assert done.returncode == 2
        assert "the last column names several systems (x, y, …)" in done.stderr
        for more in (["--lossy"], ["--name", "z", "--force"]):
            assert idealist("convert", source, tmp_path / target, *more).returncode == 0
    assert {line.split()[5] for line in (tmp_path / "b.run").read_text().splitlines()} == {"z"}
    source.write_bytes(f"q Q0 a 1 2 x{ends}{ends}q Q0 b 2 1 x".encode())
    done = idealist("convert", source, tmp_path / "b.run", "--force")
    assert done.returncode == 0, done.stderr
