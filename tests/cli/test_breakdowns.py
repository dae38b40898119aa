"""Objectives, segments and thresholds on the command line."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from conftest import Command

TABLE = """query,document,relevance,novelty
q1,a,3,0
q1,b,0,2
q2,a,1,1
q2,b,0,0
"""
USERS = "query,country\nq1,de\nq2,fr\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "o.csv").write_text(TABLE)
    (tmp_path / "users.csv").write_text(USERS)
    (tmp_path / "x.qrels").write_text("q1 0 a 3\nq1 0 b 0\nq2 0 a 1\nq2 0 b 0\n")
    (tmp_path / "up.run").write_text("q1 Q0 a 1 2 up\nq1 Q0 b 2 1 up\nq2 Q0 a 1 2 up\nq2 Q0 b 2 1 up\n")
    (tmp_path / "down.run").write_text("q1 Q0 b 1 2 d\nq1 Q0 a 2 1 d\nq2 Q0 a 1 2 d\nq2 Q0 b 2 1 d\n")
    (tmp_path / "poor.run").write_text("q1 Q0 b 1 2 p\nq2 Q0 b 1 2 p\n")
    return tmp_path


def test_objectives_and_the_pareto_front(folder: Path, idealist: Command) -> None:
    files = [folder / name for name in ("o.csv", "up.run", "down.run", "poor.run")]
    arguments = ("evaluate", *files, "-m", "CG@1", "--objective", "relevance=0.7,novelty=0.3")
    done = idealist(*arguments)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    # up: a (0.7·3) and a (0.7 + 0.3); down: b (0.3·2) and a (1); poor: b and b.
    assert lines[1].split() == [
        *("CG@1", "·", "relevance", "0.7,", "novelty", "0.3"),
        "1.5500",
        "0.8000",
        "0.3000",
        "2",
    ]
    assert "Pareto front over CG@1 · relevance, CG@1 · novelty: up, down" in lines
    # up reaches (2, 0.5), down (0.5, 1.5): 2 · 0.5 + 0.5 · 1
    assert "hypervolume over 0: 1.5000" in lines
    record = json.loads(idealist(*arguments, "--format", "json").stdout)
    assert record["pareto"]["front"] == ["up", "down"]
    assert record["pareto"]["hypervolume"] == pytest.approx(1.5)
    assert record["summary"][1]["measure"] == "Multi(of=CG@1,weights={relevance:1})"
    apart = ("--objective", "relevance=0.7", "--objective", "novelty=0.3")
    assert idealist("evaluate", *files, "-m", "CG@1", *apart).stdout == done.stdout


def test_segments(folder: Path, idealist: Command) -> None:
    files = [folder / name for name in ("x.qrels", "up.run", "down.run")]
    arguments = (
        "evaluate",
        *files,
        "-m",
        "RR",
        "--profiles",
        folder / "users.csv",
        "--segment-by",
        "country",
    )
    shown = idealist(*arguments).stdout
    assert "down    fr       1.0000" in shown
    rows = list(csv.reader(idealist(*arguments, "--format", "csv").stdout.splitlines()))
    assert rows[0] == ["measure", "system", "country", "value", "low", "high", "n", "note"]
    assert rows[3] == ["RR", "down", "de", "0.5", "", "", "1", "worst"]
    record = json.loads(idealist(*arguments, "--format", "json").stdout)
    assert [segment["segment"] for segment in record["segments"] if segment["worst"]] == ["de", "de"]


def test_thresholds(folder: Path, idealist: Command) -> None:
    files = [folder / name for name in ("x.qrels", "up.run", "down.run")]
    output = idealist("evaluate", *files, "-m", "P@1", "-m", "R@1", "--at-least", "R@1>=0.9").stdout
    assert "best P@1 with R@1 ≥ 0.9: up" in output
    none = idealist("evaluate", *files, "-m", "P@1", "--at-least", "P@1=2").stdout
    assert "no run has P@1 ≥ 2" in none
    # A threshold is measured too, and lower may be better: down finds less, and leaves less unjudged.
    lower = idealist("evaluate", *files, "-m", "Unjudged@1", "--at-most", "P@1=0.6").stdout
    assert "best Unjudged@1 with P@1 ≤ 0.6: down" in lower
    assert "P@1" in lower.splitlines()[2]


def test_the_best_may_be_the_lowest(folder: Path, idealist: Command) -> None:
    (folder / "items.csv").write_text("item,group\na,x\nb,y\nc,x\n")
    (folder / "fair.run").write_text("q1 Q0 a 1 2 f\nq1 Q0 b 2 1 f\nq2 Q0 a 1 2 f\nq2 Q0 b 2 1 f\n")
    (folder / "unfair.run").write_text("q1 Q0 a 1 2 u\nq1 Q0 c 2 1 u\nq2 Q0 a 1 2 u\nq2 Q0 c 2 1 u\n")
    files = [folder / name for name in ("x.qrels", "fair.run", "unfair.run")]
    items = ("--items", folder / "items.csv")
    shown = idealist("evaluate", *files, *items, "-m", "NDKL@2", "--format", "markdown").stdout
    assert re.search(r"\| NDKL@2 \| \*\*[\d.]+\*\* \| [\d.]+ \|", shown), shown
    best = idealist("evaluate", *files, *items, "-m", "NDKL@2", "--at-least", "P@1=0").stdout
    assert "best NDKL@2 with P@1 ≥ 0: fair" in best
    users = ("--profiles", folder / "users.csv", "--segment-by", "country", "--format", "json")
    (folder / "mixed.run").write_text("q1 Q0 a 1 2 m\nq1 Q0 b 2 1 m\nq2 Q0 a 1 2 m\nq2 Q0 c 2 1 m\n")
    mixed = [files[0], folder / "mixed.run"]
    segments = json.loads(idealist("evaluate", *mixed, *items, *users, "-m", "NDKL@2").stdout)["segments"]
    assert [(segment["segment"], segment["worst"]) for segment in segments] == [("de", False), ("fr", True)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x.qrels", "--segment-by", "country"], "--segment-by names a column of --segments or --profiles"),
        (["x.qrels", "--profiles", "users.csv", "--segment-by", "city"], "there is no column 'city'"),
        (["o.csv", "--objective", "relevance=0.7,price=1"], "there is no objective 'price'"),
        (
            ["o.csv", "--objective", "relevance=-1,novelty=2"],
            "weights: the weight of relevance must be 0 or more, not -1",
        ),
        (["o.csv", "--objective", ""], "--objective names no objective"),
        (["o.csv", "--objective", "relevance"], "--objective: weights: 'relevance' is not name:value"),
        (["x.qrels", "--items", "users.csv"], "--items changes nothing"),
        (["x.qrels", "--at-most", "P@1"], "--at-most 'P@1' is not MEASURE=VALUE"),
        (["x.qrels", "--objective", "relevance=1"], "there is no column 'query'"),
        (["x.qrels", "--at-least", "RR"], "--at-least 'RR' is not MEASURE=VALUE"),
        (["x.qrels", "--at-least", "nosuch=1"], "no measure is called 'nosuch'"),
        (["x.qrels", "-m", "pNDCG"], "pNDCG needs a table of user profiles"),
        (["x.qrels", "-m", "P-IA", "-m", "Multi"], "P-IA@20 needs judgments by subtopic or group"),
    ],
)
def test_bad_options(
    arguments: list[str], message: str, folder: Path, idealist: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    done = idealist("evaluate", arguments[0], "up.run", *arguments[1:])
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "hint: " in done.stderr
