"""What is written can be read again, here and by others."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealist import Judgments, Run, read_judgments, read_run
from idealist.data import write_judgments, write_run
from idealist.data.targets import Target, refuse_unwritable, uninterrupted
from idealist.errors import InputError

Dicts = dict[str, dict[str, float]]

RUN = Run(
    {"q1": {"a": 0.1 + 0.2, "b": 1e300, "c": -5e-324, "d": 3.0}, "q2": {"a": 7.0, "ä": -0.5}}, name="mine"
)
GRADES = Judgments({"q1": {"a": 3, "b": 0.5, "c": -2}, "q2": {"ä": 1}})
WORDS = st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=5)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


def dicts(ids: st.SearchStrategy[str]) -> st.SearchStrategy[Dicts]:
    return st.dictionaries(ids, st.dictionaries(ids, NUMBERS, min_size=1, max_size=4), min_size=1, max_size=4)


def by_query(rows: list[tuple[str, str, float]]) -> Dicts:
    found: Dicts = {}
    for query, document, number in rows:
        assert document not in found.setdefault(query, {})
        found[query][document] = number
    return found


def trec(path: Path) -> Dicts:
    lines = [line.split() for line in path.read_text(encoding="utf-8").split("\n") if line]
    if len(lines[0]) == 6:
        return by_query([(q, d, float(s)) for q, _, d, _, s, _ in lines])
    return by_query([(q, d, float(s)) for q, _, d, s in lines])


def delimited(delimiter: str) -> Callable[[Path], Dicts]:
    def read(path: Path) -> Dicts:
        with path.open(newline="", encoding="utf-8") as opened:
            rows = list(csv.reader(opened, delimiter=delimiter))
        assert rows[0][:2] in (["query", "document"], ["query-id", "corpus-id"])
        return by_query([(q, d, float(s)) for q, d, s in rows[1:]])

    return read


def json_text(path: Path) -> Dicts:
    whole: Dicts = json.loads(path.read_text(encoding="utf-8"))
    return whole


def json_lines(path: Path) -> Dicts:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    return by_query([tuple(row.values()) for row in rows])


def arrow_rows(table: Any) -> Dicts:
    return by_query(list(zip(*(column.to_pylist() for column in table.columns), strict=True)))


def parquet(path: Path) -> Dicts:
    return arrow_rows(pytest.importorskip("pyarrow.parquet").read_table(path))


def ipc(path: Path) -> Dicts:
    return arrow_rows(pytest.importorskip("pyarrow.ipc").open_file(path).read_all())


def sqlite(path: Path) -> Dicts:
    with closing(sqlite3.connect(path)) as database:
        return by_query(database.execute('SELECT * FROM "the ""table"').fetchall())


def duck(path: Path) -> Dicts:
    with pytest.importorskip("duckdb").connect(str(path)) as database:
        return by_query(database.execute('SELECT * FROM "the ""table"').fetchall())


# By format: what a file is called, and who reads it.
READERS: dict[str, tuple[str, Callable[[Path], Dicts]]] = {
    "trec": ("x.trec", trec),
    "csv": ("x.csv", delimited(",")),
    "tsv": ("x.tsv", delimited("\t")),
    "json": ("x.json", json_text),
    "jsonl": ("x.jsonl", json_lines),
    "parquet": ("x.parquet", parquet),
    "arrow": ("x.feather", ipc),
    "sqlite": ("x.db", sqlite),
    "duckdb": ("x.duckdb", duck),
}


def target(folder: Path, format: str) -> tuple[str, Path]:
    path = folder / READERS[format][0]
    part = '::the "table' if format in ("sqlite", "duckdb") else ""
    return f"{path}{part}", path


@pytest.mark.parametrize("format", READERS)
def test_others_read_what_is_written(format: str, tmp_path: Path) -> None:
    name, path = target(tmp_path, format)
    write_run(RUN, name)
    assert READERS[format][1](path) == RUN.to_dict()
    with pytest.raises(InputError, match="already"):
        write_judgments(GRADES, name)
    assert READERS[format][1](path) == RUN.to_dict()
    write_judgments(GRADES, name, force=True)
    assert READERS[format][1](path) == GRADES.to_dict()
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("format", [one for one in READERS if one not in ("sqlite", "duckdb")])
@given(dicts(WORDS))
def test_any_run_is_carried(format: str, tmp_path_factory: pytest.TempPathFactory, queries: Dicts) -> None:
    name, path = target(tmp_path_factory.mktemp("any"), format)
    write_run(queries, name)
    assert Run(READERS[format][1](path)).sha256 == Run(queries).sha256


@pytest.mark.parametrize("format", ["json", "jsonl", "parquet", "arrow"])
@given(dicts(ANY_TEXT))
def test_any_text_is_carried(format: str, tmp_path_factory: pytest.TempPathFactory, queries: Dicts) -> None:
    name, path = target(tmp_path_factory.mktemp("any"), format)
    write_judgments(queries, name)
    assert Judgments(READERS[format][1](path)).sha256 == Judgments(queries).sha256


@given(dicts(st.text("ab\",\t; '", min_size=1, max_size=5)))
def test_signs_of_csv_are_quoted(tmp_path_factory: pytest.TempPathFactory, queries: Dicts) -> None:
    for format in ("csv", "tsv"):
        name, path = target(tmp_path_factory.mktemp("any"), format)
        write_run(queries, name)
        assert READERS[format][1](path) == queries


def test_trec_lines_have_ranks_and_the_name(tmp_path: Path) -> None:
    write_run(Run({"q": {"a": 1.0, "b": 2.5, "c": 1.0}}, name="bm25"), tmp_path / "x.run")
    lines = (tmp_path / "x.run").read_text().splitlines()
    # a before c: of equal scores the one that comes first.
    assert lines == ["q Q0 a 2 1 bm25", "q Q0 b 1 2.5 bm25", "q Q0 c 3 1 bm25"]
    write_judgments({"q": {"a": 1, "b": -1.5}}, tmp_path / "x.qrels")
    assert (tmp_path / "x.qrels").read_text() == "q 0 a 1\nq 0 b -1.5\n"


def test_files_that_were_read_are_written_the_same(shop: Path, tmp_path: Path) -> None:
    judgments, run = read_judgments(shop / "shop.qrels"), read_run(shop / "b.run")
    write_judgments(judgments, tmp_path / "x.qrels")
    write_run(run, tmp_path / "x.run")
    assert read_judgments(tmp_path / "x.qrels") == judgments
    assert read_run(tmp_path / "x.run") == run


def test_many_queries_come_in_blocks(tmp_path: Path) -> None:
    run = Run({f"q{n}": {f"d{m}": n / (m + 1) for m in range(30)} for n in range(1000)})
    for format in ("trec", "json", "jsonl", "csv"):
        name, path = target(tmp_path, format)
        write_run(run, name)
        assert READERS[format][1](path) == run.to_dict()


@pytest.mark.parametrize(
    ("ending", "unpack"), [("gz", gzip.decompress), ("bz2", bz2.decompress), ("xz", lzma.decompress)]
)
def test_compressed_text(ending: str, unpack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    write_run(RUN, tmp_path / "x.csv")
    write_run(RUN, tmp_path / f"x.csv.{ending}")
    assert unpack((tmp_path / f"x.csv.{ending}").read_bytes()) == (tmp_path / "x.csv").read_bytes()


@pytest.mark.parametrize("ending", ["zst", "lz4"])
def test_compressed_by_arrow(ending: str, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    write_run(RUN, tmp_path / "x.tsv")
    write_run(RUN, tmp_path / f"x.tsv.{ending}")
    codec = {"zst": "zstd", "lz4": "lz4"}[ending]
    with arrow.input_stream(tmp_path / f"x.tsv.{ending}", compression=codec) as opened:
        assert opened.read() == (tmp_path / "x.tsv").read_bytes()


def test_beir_and_msmarco(tmp_path: Path) -> None:
    write_judgments(GRADES, tmp_path / "test.tsv", format="beir")
    assert delimited("\t")(tmp_path / "test.tsv") == GRADES.to_dict()
    with pytest.raises(InputError, match="the scores would be lost"):
        write_run(RUN, tmp_path / "x.tsv", format="msmarco")
    write_run(RUN, tmp_path / "x.tsv", format="msmarco", lossy=True)
    lines = (tmp_path / "x.tsv").read_text().splitlines()
    assert lines[:4] == ["q1\tb\t1", "q1\td\t2", "q1\ta\t3", "q1\tc\t4"]
    with pytest.raises(InputError, match="beir carries judgments, not a run"):
        write_run(RUN, tmp_path / "y.tsv", format="beir")
    with pytest.raises(InputError, match="msmarco carries run, not judgments"):
        write_judgments(GRADES, tmp_path / "y.tsv", format="msmarco")


@pytest.mark.parametrize("bad", ["a b", "a\tb", "a\nb", ""])
def test_ids_that_trec_text_cannot_carry(bad: str, tmp_path: Path) -> None:
    for queries in ({"q": {"a": 1, bad: 2}}, {bad: {"a": 1}}):
        with pytest.raises(InputError, match="TREC text cannot carry") as caught:
            write_judgments(queries, tmp_path / "x.qrels")
        assert repr(bad) in str(caught.value)
    with pytest.raises(InputError, match="cannot carry a name with white space"):
        write_run(Run({"q": {"a": 1.0}}, name=f"x{bad} "), tmp_path / "x.run")
    assert list(tmp_path.iterdir()) == []


def test_what_else_cannot_be_carried(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line ends in them"):
        write_run({"q": {"a\nb": 1.0}}, tmp_path / "x.csv")
    with pytest.raises(InputError, match="query 'q', document 'a': JSON has no infinite numbers"):
        write_run({"q": {"a": float("inf")}}, tmp_path / "x.json")
    not_text = {"q": {"\udcff": 1.0}}
    for name in ("x.json", "x.jsonl", "x.parquet", "x.arrow", "x.sqlite::t", "x.duckdb::t"):
        with pytest.raises(InputError, match="not UTF-8"):
            write_run(not_text, tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    write_run(not_text, tmp_path / "x.run")
    assert read_run(tmp_path / "x.run").to_dict() == not_text
    write_run({"q": {"a": float("inf"), "b": float("-inf")}}, tmp_path / "y.run")
    assert read_run(tmp_path / "y.run")["q"] == {"a": float("inf"), "b": float("-inf")}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x", "the ending names no format"),
        ("x.zip", "the ending names no format"),
        ("x.parquet.gz", "not compressed as a whole"),
        ("x.duckdb", "a database needs the name of a table"),
        ("x.csv::t", "only databases have tables"),
        ("none/x.csv", "cannot be written"),
        ("none/x.parquet", "cannot be written"),
        ("none/x.db::t", "cannot be written"),
        ("", "the ending names no format|this is a folder"),
    ],
)
def test_places_that_cannot_be_written(name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        write_run(RUN, f"{tmp_path}/{name}")
    with pytest.raises(InputError, match="not a format that is written"):
        write_run(RUN, tmp_path / "x.run", format="letor")


def test_other_tables_of_a_database_stay(tmp_path: Path) -> None:
    for name in ("x.db", "x.duckdb"):
        path = tmp_path / name
        write_run(RUN, f"{path}::run")
        write_judgments(GRADES, f"{path}::judgments")
        with pytest.raises(InputError, match="the table exists already"):
            write_run({"q": {"a": 1.0}}, f"{path}::judgments")
        with pytest.raises(InputError, match="not UTF-8"):
            write_run({"q": {"\udcff": 1.0}}, f"{path}::run", force=True)
        write_run({"q": {"a": 1.0}}, f"{path}::other")
    with closing(sqlite3.connect(tmp_path / "x.db")) as database:
        assert by_query(database.execute("SELECT * FROM run").fetchall()) == RUN.to_dict()
        assert by_query(database.execute("SELECT * FROM judgments").fetchall()) == GRADES.to_dict()
    with pytest.importorskip("duckdb").connect(str(tmp_path / "x.duckdb")) as database:
        assert by_query(database.execute("SELECT * FROM run").fetchall()) == RUN.to_dict()
        assert by_query(database.execute("SELECT * FROM judgments").fetchall()) == GRADES.to_dict()


def test_what_is_no_database(tmp_path: Path) -> None:
    for name in ("x.db", "x.duckdb"):
        (tmp_path / name).write_text("q1 0 d1 1\n" * 1000)
        with pytest.raises(InputError, match="cannot be written"):
            write_run(RUN, f"{tmp_path / name}::run")
        assert (tmp_path / name).read_text() == "q1 0 d1 1\n" * 1000


def test_nothing_is_left_when_work_is_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run({f"q{n}": {"a": 1.0} for n in range(200)})
    monkeypatch.setattr("idealist.data.targets.BLOCK", 1)

    def stop(done: int, whole: int) -> None:
        raise KeyboardInterrupt

    (tmp_path / "old.csv").write_text("old")
    for name in ("x.csv", "old.csv", "x.json.gz"):
        with pytest.raises(KeyboardInterrupt):
            write_run(run, tmp_path / name, force=True, progress=stop)
    assert [one.name for one in tmp_path.iterdir()] == ["old.csv"]
    assert (tmp_path / "old.csv").read_text() == "old"


def test_unfinished_files_are_out_of_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their folder cannot be named beforehand, and only its owner can put anything there."""
    monkeypatch.setattr("idealist.data.targets.BLOCK", 1)
    seen: list[tuple[str, int]] = []

    def look(done: int, whole: int) -> None:
        (folder,) = (one for one in tmp_path.iterdir() if one.is_dir())
        seen.append((folder.name, folder.stat().st_mode & 0o777))

    for _ in range(2):
        write_run(RUN, tmp_path / "x.csv", force=True, progress=look)
    names = {name for name, _ in seen}
    assert len(names) == 2
    assert {mode for _, mode in seen} == {0o700}
    assert [one.name for one in tmp_path.iterdir()] == ["x.csv"]


@pytest.mark.skipif(os.name == "nt", reason="permissions are others there")
@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.run.gz"])
def test_a_replaced_file_keeps_its_permissions(tmp_path: Path, name: str) -> None:
    write_run(RUN, tmp_path / name)
    plain = (tmp_path / name).stat().st_mode & 0o777
    for mode in (0o600, 0o664, 0o444):
        (tmp_path / name).chmod(mode)
        write_run(RUN, tmp_path / name, force=True)
        assert (tmp_path / name).stat().st_mode & 0o777 == mode
    (tmp_path / name).unlink()
    write_run(RUN, tmp_path / name)
    assert (tmp_path / name).stat().st_mode & 0o777 == plain


@pytest.mark.parametrize("ending", [".csv", ".json.gz", ".parquet", ".sqlite", ".duckdb"])
def test_names_as_long_as_names_can_be(tmp_path: Path, ending: str) -> None:
    table = "::t" if ending in (".sqlite", ".duckdb") else ""
    longest = 251 if ending == ".duckdb" else 255  # DuckDB opens nothing that leaves no room for .wal
    path = tmp_path / ("x" * (longest - len(ending)) + ending)
    if ending == ".duckdb":
        with pytest.raises(InputError, match="the name is too long for DuckDB"):
            write_run(RUN, f"{path.with_name('x' + path.name)}::t")
    write_run(RUN, f"{path}{table}")
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    if table:  # another one in the same file
        write_run(RUN, f"{path}::u")
        assert [one.name for one in tmp_path.iterdir()] == [path.name]
        assert read_run(f"{path}::t").to_dict() == read_run(f"{path}::u").to_dict()
        with pytest.raises(InputError, match="the table exists already"):
            write_run(RUN, f"{path}::u")


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_a_last_step_is_not_interrupted() -> None:
    # A shell starts what runs in its background with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


FULL_DISK = """
import sys
from idealist import InputError, Run, read_run
from idealist.data import write_run

path, queries = sys.argv[1], int(sys.argv[2])
old = Run({"q": {"a": 1.0}})
new = Run({f"q{n}": {f"document {m * n % 9973}": float(m) for m in range(1000)} for n in range(1, queries)})
write_run(old, path + "::old")
try:
    write_run(new, path + "::new")
except InputError as error:
    print(error)
    try:
        read_run(path + "::new")
    except InputError as error:
        print(error)
else:
    print("written:", read_run(path + "::new") == new)
assert read_run(path + "::old") == old
"""


@pytest.mark.parametrize("queries", [30, 100, 300])
@pytest.mark.parametrize("name", ["x.sqlite", "x.duckdb"])
def test_a_full_disk_leaves_a_database_as_it_was(tmp_path: Path, name: str, queries: int) -> None:
    """In a file system of two megabytes, which only this process sees. What is told is what is there."""
    small = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    mount = f"mount -t tmpfs -o size=2m tmpfs {tmp_path}"
    if shutil.which("unshare") is None or subprocess.run([*small, mount], check=False).returncode:
        pytest.skip("no file system can be mounted here")
    command = f"{mount} && exec {sys.executable} - {tmp_path / name} {queries}"
    done = subprocess.run([*small, command], input=FULL_DISK, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    if done.stdout != "written: True\n":
        assert "::new: cannot be written: " in done.stdout
        assert "there is no table 'new'" in done.stdout


def test_polars_and_pandas_read_the_tables(tmp_path: Path) -> None:
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    write_run(RUN, tmp_path / "x.parquet")
    write_run(RUN, tmp_path / "x.arrow")
    for frame in (polars.read_parquet(tmp_path / "x.parquet"), polars.read_ipc(tmp_path / "x.arrow")):
        assert by_query(frame.rows()) == RUN.to_dict()
    frame = pandas.read_parquet(tmp_path / "x.parquet")
    assert by_query(list(frame.itertuples(index=False))) == RUN.to_dict()


def test_queries_without_documents(tmp_path: Path) -> None:
    judgments = Judgments({"q": {"a": 1}, "e": {}})
    for name in ("x.qrels", "x.csv", "x.parquet", "x.db::t"):
        with pytest.raises(InputError, match="query 'e' has no documents, and would be lost"):
            write_judgments(judgments, tmp_path / name)
    write_judgments(judgments, tmp_path / "x.json")
    assert read_judgments(tmp_path / "x.json").sha256 == judgments.sha256


def test_ranks_do_not_contradict_the_lines(tmp_path: Path) -> None:
    write_run({"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, tmp_path / "x.run")
    ranks = [line.split()[3] for line in (tmp_path / "x.run").read_text().splitlines()]
    assert ranks == ["1", "2", "3"]


def test_a_device_is_written_to_where_nothing_may_be_put_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    refuse_unwritable(os.devnull)
    with pytest.raises(InputError, match="cannot be written to"):
        refuse_unwritable(__file__)


def test_what_killed_processes_left_is_removed_after_a_day(tmp_path: Path) -> None:
    """Not what is younger, is of a process that goes on, or of another machine."""
    with Target(tmp_path / "first") as path:
        Path(path).write_text("x")
        mine = Path(path).parent.name
    begin, process, _ = mine.rsplit("-", 2)
    assert int(process) == os.getpid()
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    gone = int(ended.stdout)
    names = {
        "abandoned": f"{begin}-{gone}-1",
        "young": f"{begin}-{gone}-2",
        "in use": f"{begin}-{os.getpid()}-3",
        "elsewhere": f"{begin[:-1]}-{gone}-4",
        "old": ".idealist-0123456789abcdef",
    }
    for title, name in names.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "new").write_text("half")
        if title != "young":
            os.utime(tmp_path / name, (time.time() - 90_000, time.time() - 90_000))
    with Target(tmp_path / "second") as path:
        Path(path).write_text("x")
    left = {path.name for path in tmp_path.iterdir() if path.is_dir()}
    assert left == {names[title] for title in ("young", "in use", "elsewhere", "old")}


def test_a_full_disk_is_called_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No space left on device") as caught, Target(tmp_path / "a"):
        raise OSError(ENOSPC, "No space left on device")
    assert "make room on its disk" in str(caught.value)
    assert not list(tmp_path.iterdir())


# Interrupts a write at one place after the other: before every line of the module of targets and of the write itself, and as
# their functions begin. In a process of its own: an interrupt where an exception is handled may stay the one that is handled.
INTERRUPTED = """
import os, shutil, sys
from pathlib import Path
from idealist.data import targets

folder = Path(sys.argv[1])
sys.unraisablehook = lambda ignored: None  # an interrupt that came when all was done


def write():
    with targets.Target(folder / "new") as path:
        shutil.copyfile(os.devnull, path)


def interrupt(frame, event, value):
    global left
    if frame.f_code.co_filename not in (targets.__file__, __file__):
        return None
    if event in ("line", "call") and left is not None:
        if left == 0:
            left = None  # once, not within what removes the folder
            raise KeyboardInterrupt
        left -= 1
    return interrupt


number, outcome = 0, ""
while outcome != "done":
    left = number
    sys.settrace(interrupt)
    try:
        write()
        outcome = "too late" if left is None else "done"
    except KeyboardInterrupt:
        outcome = "interrupted"
    finally:
        sys.settrace(None)
    print(number, outcome, [path.name for path in folder.iterdir() if path.name != "new"])
    (folder / "new").unlink(missing_ok=True)
    number += 1
"""


def test_nothing_is_left_wherever_an_interrupt_comes(tmp_path: Path) -> None:
    script, folder = tmp_path / "interrupted.py", tmp_path / "folder"
    script.write_text(INTERRUPTED)
    folder.mkdir()
    done = subprocess.run([sys.executable, script, folder], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.endswith(" []")] == []
    assert len(lines) > 30
    assert lines[20].endswith("interrupted []")
