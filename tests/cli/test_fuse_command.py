"""idealist fuse, as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

from idealist.data import read_run
from idealist.fusion import NORMALISATIONS, Method, fuse


def test_writes_what_fuse_gives(idealist: Command, shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "fused.run"
    done = idealist("fuse", shop / "a.run", shop / "b.run", "-o", out)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "2 runs fused by rrf(k=60): 40 queries" in done.stderr
    assert "1 query in only some of the runs" in done.stderr
    expected = fuse([read_run(shop / "a.run"), read_run(shop / "b.run")])
    assert read_run(out) == expected
    lines = [line.split() for line in out.read_text().splitlines()]
    for query in expected:
        its_lines = [line for line in lines if line[0] == query]
        assert [line[2] for line in its_lines] == expected.ranking(query)
        assert [int(line[3]) for line in its_lines] == list(range(1, len(its_lines) + 1))
    assert idealist("fuse", shop / "a.run", shop / "b.run").stdout == out.read_text()


def test_keeps_a_file_that_is_there(idealist: Command, shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "fused.run"
    out.write_text("mine")
    done = idealist("fuse", shop / "a.run", shop / "b.run", "-o", out)
    assert done.returncode == 2
    assert "the file exists already" in done.stderr
    assert out.read_text() == "mine"
    assert idealist("fuse", shop / "a.run", shop / "b.run", "-o", out, "--force").returncode == 0
    assert read_run(out)


def test_method_weights_and_normalisation(idealist: Command, shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "fused.run"
    more = (
        "--method",
        "wsum",
        "--run-weights",
        "0.7,0.3",
        "--normalisation",
        "z-score",
        "--name",
        "mix",
        "-o",
        out,
    )
    assert idealist("fuse", shop / "a.run", shop / "b.run", *more).returncode == 0
    runs = [read_run(shop / "a.run"), read_run(shop / "b.run")]
    assert read_run(out) == fuse(runs, "wsum", run_weights=(0.7, 0.3), normalisation="z-score")
    assert out.read_text().splitlines()[0].endswith(" mix")


def test_depth(idealist: Command, shop: Path, tmp_path: Path) -> None:
    files = [shop / "a.run", shop / "b.run"]
    whole = fuse([read_run(path) for path in files])
    assert idealist("fuse", *files, "--depth", "2", "-o", tmp_path / "top.run").returncode == 0
    written = read_run(tmp_path / "top.run")
    assert list(written) == list(whole)
    assert {query: written.ranking(query) for query in written} == {
        query: whole.ranking(query)[:2] for query in whole
    }
    assert max(len(whole[query]) for query in whole) > 2
    assert fuse([read_run(path) for path in files], depth=2).to_dict() == written.to_dict()


def test_a_method_that_learns(idealist: Command, shop: Path) -> None:
    runs = (shop / "a.run", shop / "b.run", "--method", "posfuse")
    done = idealist("fuse", *runs, "--judgments", shop / "shop.qrels")
    assert done.returncode == 0
    assert "posfuse was fitted on" in done.stderr
    assert "needs judged queries" in idealist("fuse", *runs).stderr


def test_tuning(idealist: Command, shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "fused.run"
    tune = ("--method", "wsum", "--tune", "nDCG@10", "--judgments", shop / "shop.qrels")
    done = idealist("fuse", shop / "a.run", shop / "b.run", *tune, "-o", out)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["system", "nDCG@10"]
    assert [line.split()[0] for line in lines[1:3]] == ["a", "b"]
    assert "run alone" in lines[1]
    assert "chosen" in lines[4]
    assert any(line.startswith("cross-validated ") and "5 folds" in line for line in lines)
    assert "on queries not seen, fusing is better than b" in lines[-1]
    assert read_run(out)
    record = json.loads(idealist("fuse", shop / "a.run", shop / "b.run", *tune, "--format", "json").stdout)
    assert record["chosen"]["value"] == max(candidate["value"] for candidate in record["candidates"])
    assert len(record["folds"]) == 5
    assert f"{record['cross_validated']:.4f}" in done.stdout


def test_values_to_try(idealist: Command, shop: Path) -> None:
    tune = ("--tune", "AP", "--judgments", shop / "shop.qrels", "--format", "json", "--set", "k=1,60")
    done = idealist("fuse", shop / "a.run", shop / "b.run", *tune)
    record = json.loads(done.stdout)
    assert [candidate["parameters"]["k"] for candidate in record["candidates"]] == [1, 60]
    assert "nothing was written" in done.stderr


def test_list(idealist: Command) -> None:
    shown = idealist("fuse", "--list").stdout
    for name in (*Method.all(), *NORMALISATIONS):
        assert name in shown


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--method", "foo"], "there is no fusion method 'foo'"),
        (["--run-weights", "1,2,3"], "3 weights for 2 runs"),
        (["--run-weights", "a,b"], "not made of numbers"),
        (["--set", "k"], "is not NAME=VALUE"),
        (["--set", "k=1", "--set", "k=2"], "k is given twice"),
        (["--set", "k=1,2"], "gives k 2 values"),
        (["--normalisation", "max"], "changes nothing"),
        (["--normalisation", "largest", "--method", "combsum"], "no normalisation 'largest'"),
        (["--tune", "nDCG@10"], "--tune needs judged queries"),
        (["--tune", "nDCG", "--judgments", "nowhere.qrels"], "there is no such file"),
        (["--depth", "0"], "--depth must be a whole number, 1 or more, not 0"),
        (["--name", "my run"], "cannot be written in a column"),
    ],
)
def test_what_is_wrong_is_said(idealist: Command, shop: Path, more: list[str], message: str) -> None:
    done = idealist("fuse", shop / "a.run", shop / "b.run", *more)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_judgments_that_change_nothing(idealist: Command, shop: Path) -> None:
    done = idealist("fuse", shop / "a.run", shop / "b.run", "--judgments", shop / "shop.qrels")
    assert done.returncode == 2
    assert "--judgments changes nothing" in done.stderr


def test_one_run_or_none(idealist: Command, shop: Path) -> None:
    for runs in ([], [shop / "a.run"]):
        done = idealist("fuse", *runs)
        assert done.returncode == 2
        assert "two or more runs are needed" in done.stderr
