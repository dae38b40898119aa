"""What `idealist evaluate` says of documents with equal scores."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from idealist import evaluate, read_judgments, read_run

MEASURES = ["-m", "nDCG@10", "-m", "Judged@10", "-m", "NumRelRet"]


@pytest.fixture
def files(shop: Path) -> list[Path]:
    return [shop / "shop.qrels", shop / "a.run", shop / "b.run"]


@pytest.fixture
def result(shop: Path) -> Any:
    runs = [read_run(shop / "a.run"), read_run(shop / "b.run")]
    return evaluate(read_judgments(shop / "shop.qrels"), runs, ["nDCG@10", "Judged@10", "NumRelRet"])


def test_one_line_a_system_below_the_table(idealist: Any, files: list[Path], result: Any) -> None:
    done = idealist("evaluate", *files, *MEASURES)
    lines = [line for line in done.stdout.splitlines() if line.startswith("ties: ")]
    assert lines == [line for line in str(result).splitlines() if line.startswith("ties: ")]
    assert [line.split(":")[1] for line in lines] == [" a", " b"]


def test_bounds_in_the_table(idealist: Any, files: list[Path], result: Any) -> None:
    done = idealist("evaluate", *files, *MEASURES, "--ties", "bounds")
    lines = done.stdout.splitlines()
    a, b = result.ties("nDCG@10", "a"), result.ties("nDCG@10", "b")
    shown = [f"[{bounds.pessimistic:.4f}, {bounds.optimistic:.4f}]" for bounds in (a, b)]
    assert lines[1].split("  ")[-3:] == [*shown, "40"]
    assert lines[2].split() == ["Judged@10", "0.6500", "1.0000", "40"]
    assert lines[3].split() == ["NumRelRet", "[464,", "464]", "[547,", "547]", "40"]
    assert lines[-1].startswith("conventions: ties bounds, [pessimistic, optimistic], otherwise default")
    assert "note: Judged@10 has no best and worst order of ties" in done.stderr
    assert "nDCG@10 has no" not in done.stderr


def test_a_system_stands_out_only_when_ties_cannot_change_that(idealist: Any, tmp_path: Path) -> None:
    (tmp_path / "x.qrels").write_text("q 0 a 1\nq 0 b 1\n", encoding="utf-8")
    tied, clear = tmp_path / "tied.run", tmp_path / "clear.run"
    tied.write_text("".join(f"q 0 {d} 1 1 t\n" for d in ("z", "a", "c")), encoding="utf-8")
    clear.write_text("q 0 a 1 9 t\nq 0 b 1 2 t\n", encoding="utf-8")
    common = ["--ties", "bounds", "--format", "markdown"]
    by_rank = idealist("evaluate", tmp_path / "x.qrels", tied, clear, "-m", "RR", *common).stdout
    assert "| RR | [0.3333, 1.0000] | **[1.0000, 1.0000]** | 1 |" in by_rank
    clear.write_text("q 0 z 1 9 t\nq 0 a 1 2 t\n", encoding="utf-8")
    by_luck = idealist("evaluate", tmp_path / "x.qrels", tied, clear, "-m", "RR", *common).stdout
    assert "| RR | [0.3333, 1.0000] | [0.5000, 0.5000] | 1 |" in by_luck


def test_bounds_for_machines(idealist: Any, files: list[Path], result: Any) -> None:
    a = result.ties("nDCG@10", "a")
    ends = {"pessimistic": a.pessimistic, "optimistic": a.optimistic}
    table = idealist("evaluate", *files, *MEASURES, "--ties", "bounds", "--format", "csv").stdout
    first, second, *_ = csv.DictReader(io.StringIO(table))
    assert {end: float(first[end]) for end in ends} == ends
    assert float(first["value"]) == result.mean("nDCG@10", "a")
    assert (second["value"], second["pessimistic"], second["optimistic"]) == ("0.65", "", "")
    whole = json.loads(idealist("evaluate", *files, *MEASURES, "--ties", "bounds", "--format", "json").stdout)
    assert whole["ties"] == result.tie_bounds()
    assert whole["ties"][0].items() >= ends.items()
    assert "ties_by_query" not in whole


def test_bounds_by_query(idealist: Any, files: list[Path], result: Any) -> None:
    common = ["evaluate", *files, *MEASURES, "--ties", "bounds", "--by-query"]
    expected = result.ties_by_query("nDCG@10", "a")
    query, (low, high) = next(iter(expected.items()))
    assert f"[{low:.4f}, {high:.4f}]" in next(
        line for line in idealist(*common).stdout.splitlines() if line.startswith(query)
    )
    rows = list(csv.DictReader(io.StringIO(idealist(*common, "--format", "csv").stdout)))
    seen = {
        row["query"]: (float(row["pessimistic"]), float(row["optimistic"]))
        for row in rows
        if (row["system"], row["measure"]) == ("a", "nDCG@10")
    }
    assert seen == expected
    whole = json.loads(idealist(*common, "--format", "json").stdout)
    assert whole["ties_by_query"]["a"]["nDCG@10"][query] == {"pessimistic": low, "optimistic": high}
    assert set(whole["ties_by_query"]["a"]) == {"nDCG@10", "NumRelRet"}
    lines = [json.loads(line) for line in idealist(*common, "--format", "jsonl").stdout.splitlines()]
    assert lines[0].items() >= {"query": query, "pessimistic": low, "optimistic": high}.items()
    assert lines[1]["measure"] == "Judged@10"
    assert lines[1]["pessimistic"] is None


def test_bounds_are_no_rule_for_other_commands(idealist: Any, files: list[Path]) -> None:
    done = idealist("explain", files[0], files[1], "--query", "lipstick", "--ties", "bounds")
    assert done.returncode == 2
    assert "invalid choice: 'bounds'" in done.stderr
