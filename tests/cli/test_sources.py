"""Commands take judgments and runs in any format, from patterns, tables and standard input."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Command

from idealist import read_judgments, read_run


@pytest.fixture
def folder(tmp_path: Path, shop: Path) -> Path:
    """The shop's data in several formats."""
    judged = read_judgments(shop / "shop.qrels").to_dict()
    runs = {name: read_run(shop / f"{name}.run").to_dict() for name in "ab"}
    (tmp_path / "q.json").write_text(json.dumps(judged))
    for name, run in runs.items():
        rows = [
            f"{query},{document},{score}\n"
            for query, documents in run.items()
            for document, score in documents.items()
        ]
        (tmp_path / f"{name}.csv").write_text("uid,sku,s\n" + "".join(rows))
    with sqlite3.connect(tmp_path / "shop.db") as made:
        made.execute("CREATE TABLE qrels (qid TEXT, docid TEXT, rel REAL)")
        made.execute("CREATE TABLE run_a (qid TEXT, docid TEXT, score REAL)")
        for table, queries in (("qrels", judged), ("run_a", runs["a"])):
            cells = [
                (query, document, grade)
                for query, documents in queries.items()
                for document, grade in documents.items()
            ]
            made.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", cells)
    made.close()
    return tmp_path


def rows_of(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[:2]


COLUMNS = ("--columns", "query=uid,document=sku,score=s")


def test_the_same_numbers_in_any_format(idealist: Command, folder: Path, shop: Path) -> None:
    expected = rows_of(idealist("evaluate", shop / "shop.qrels", shop / "a.run", shop / "b.run", "-m", "AP"))
    done = idealist("evaluate", folder / "q.json", folder / "a.csv", folder / "b.csv", "-m", "AP", *COLUMNS)
    assert rows_of(done) == expected
    done = idealist("evaluate", f"{folder}/shop.db::qrels", f"{folder}/shop.db::run_a", "-m", "AP")
    assert rows_of(done)[1].split()[1] == expected[1].split()[1]
    assert rows_of(done)[0].split()[1] == "run_a"


def test_patterns(idealist: Command, folder: Path, shop: Path) -> None:
    done = idealist("evaluate", shop / "shop.qrels", f"{folder}/[ab].csv", "-m", "AP", *COLUMNS)
    assert rows_of(done)[0].split() == ["measure", "a", "b", "n"]
    done = idealist("evaluate", shop / "shop.qrels", f"{folder}/x*.csv")
    assert done.returncode == 2
    assert "x*.csv' matches no file" in done.stderr
    done = idealist("evaluate", f"{folder}/?.csv", shop / "a.run", *COLUMNS)
    assert "stands for 2 files, but this takes one" in done.stderr


def test_standard_input(shop: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        with (shop / "a.run").open() as file:
            return subprocess.run(
                [sys.executable, "-m", "idealist", *arguments],
                stdin=file,
                capture_output=True,
                text=True,
                check=False,
            )

    done = run("evaluate", str(shop / "shop.qrels"), "-", "-m", "AP")
    assert rows_of(done)[0].split()[1] == "stdin"
    assert run("evaluate", "-", "-").stderr.startswith("idealist: standard input, -, is named twice")


def test_letor_rows_and_scores(idealist: Command, tmp_path: Path) -> None:
    (tmp_path / "test.txt").write_text("1 1:5\n0 1:6\n0 1:7\n1 1:8\n")
    (tmp_path / "sizes").write_text("2\n2\n")
    (tmp_path / "model.txt").write_text("0.2\n0.1\n0.4\n0.3\n")
    files = tmp_path / "test.txt", tmp_path / "model.txt"
    assert "--query-sizes FILE" in idealist("evaluate", *files).stderr
    done = idealist("evaluate", *files, "-m", "RR", "--query-sizes", tmp_path / "sizes")
    # First of its query, and second: (1 + 1/2) / 2.
    assert rows_of(done)[1].split() == ["RR", "0.7500", "2"]
    done = idealist("agree", files[1], files[1], "--features", files[0], "--query-sizes", tmp_path / "sizes")
    assert done.returncode == 0, done.stderr


def test_the_split_that_is_taken_is_said(idealist: Command, tmp_path: Path) -> None:
    (tmp_path / "nfc" / "qrels").mkdir(parents=True)
    for split in ("test", "train"):
        (tmp_path / "nfc" / "qrels" / f"{split}.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    (tmp_path / "x.run").write_text("q Q0 a 1 1 t\n")
    done = idealist("evaluate", tmp_path / "nfc", tmp_path / "x.run", "-m", "RR")
    assert rows_of(done)[1].split()[1] == "1.0000"
    assert f"no split was named; the judgments are those of {tmp_path / 'nfc'}::test" in done.stderr
    assert "split" not in idealist("evaluate", f"{tmp_path / 'nfc'}::train", tmp_path / "x.run").stderr


def test_formats_that_are_stated(idealist: Command, tmp_path: Path) -> None:
    (tmp_path / "u.data").write_text("1\t7\t4\t5\n")  # no time: it looks like judgments of TREC
    (tmp_path / "x.run").write_text("1 Q0 7 1 1 t\n")
    files = tmp_path / "u.data", tmp_path / "x.run", "-m", "RR"
    assert rows_of(idealist("evaluate", *files, "--input-format", "movielens"))[1].split()[1] == "1.0000"
    done = idealist("evaluate", *files, "--input-format", "judgments=movielens,run=csv")
    assert "x.run: there is no column 'query'" in done.stderr
    assert "there is no format 'word'" in idealist("evaluate", *files, "--input-format", "word").stderr
    assert "is none of run, judgments" in idealist("evaluate", *files, "--input-format", "runs=csv").stderr
    assert "'query' is not OURS=THEIRS" in idealist("evaluate", *files, "--columns", "query").stderr


def test_every_command_reads_every_format(idealist: Command, folder: Path) -> None:
    judged, a, b = folder / "q.json", folder / "a.csv", folder / "b.csv"
    query = next(iter(read_judgments(judged)))
    (folder / "gate.toml").write_text(
        'judgments = "q.json"\nbaseline = "a.csv"\ncandidate = "b.csv"\n'
        'columns = { query = "uid", document = "sku", score = "s" }\n'
    )
    commands: list[tuple[object, ...]] = [
        ("compare", judged, a, b),
        ("explain", judged, a, "--query", query),
        ("why", judged, a, "--between", "trec_eval-9", "ranx"),
        ("agree", a, b),
        ("gsb", "--judgments", judged, a, b),
        ("plan", "queries", "--effect", "0.01", "--pilot", judged, a, b),
        ("plan", "next", judged, a, b),
        ("plan", "pool", a, b, "-k", "5", "--judged", judged),
    ]
    for command in commands:
        done = idealist(*command, *COLUMNS)
        assert done.returncode == 0, (command, done.stderr)
    assert idealist("gate", folder / "gate.toml").returncode in (0, 1, 3)


def test_reports_of_any_format(idealist: Command, folder: Path) -> None:
    pytest.importorskip("matplotlib")
    output = folder / "report.html"
    sources = f"{folder}/shop.db::qrels", f"{folder}/shop.db::run_a"
    done = idealist("report", *sources, "-o", output)
    assert done.returncode == 0, done.stderr
    assert "shop.db" in output.read_text(encoding="utf-8")
    assert (
        "reads its inputs twice" in idealist("report", folder / "q.json", "-", "-o", folder / "x.html").stderr
    )


def test_the_quick_path_does_not_look_at_other_formats(shop: Path) -> None:
    code = f"""
import sys
from idealist.cli import main
main(["evaluate", {str(shop / "shop.qrels")!r}, {str(shop / "a.run")!r}])
others = {{"json", "csv", "glob", "sqlite3", "zlib", "bz2", "lzma", "idealist.data.format_list", "idealist.data.formats.csv", "idealist.data.tables"}}
sys.exit(repr(others & set(sys.modules)) if others & set(sys.modules) else 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr


def test_columns_of_the_runs_alone(idealist: Command, folder: Path) -> None:
    (folder / "q.csv").write_text("query_id,doc_id,grade\nred-lipstick,p002,3\n")
    columns = "run.query=uid,run.document=sku,run.score=s"
    done = idealist("evaluate", folder / "q.csv", folder / "a.csv", "--columns", columns, "-m", "RR")
    assert done.returncode == 0, done.stderr
    for bad in ("runs.query=uid", "run.user=uid", "user=uid"):
        done = idealist("evaluate", folder / "q.csv", folder / "a.csv", "--columns", bad)
        assert done.returncode == 2
        assert "--columns" in done.stderr


def test_nothing_judged_is_said(idealist: Command, tmp_path: Path, shop: Path) -> None:
    (tmp_path / "upper.run").write_text((shop / "b.run").read_text().replace(" p", " P"))
    done = idealist("evaluate", shop / "shop.qrels", tmp_path / "upper.run", "-m", "AP")
    assert "upper: none of its retrieved documents is judged" in done.stderr


def test_evaluations_of_one_system_are_named_after_their_files(
    idealist: Command, tmp_path: Path, shop: Path
) -> None:
    for day in ("old", "new"):
        done = idealist("evaluate", shop / "shop.qrels", shop / "a.run", "--format", "json", "--by-query")
        (tmp_path / f"{day}.json").write_text(done.stdout)
    done = idealist("compare", "--evaluations", tmp_path / "old.json", tmp_path / "new.json")
    assert done.returncode == 0, done.stderr
    assert "old:a" in done.stdout
    assert "new:a" in done.stdout
