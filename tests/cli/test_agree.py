"""idealist agree as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from idealist import read_run
from idealist.evaluation.run_agreement import DEFAULT_MEASURES, agree


def test_two_runs(idealist: Any, shop: Path) -> None:
    done = idealist("agree", shop / "a.run", shop / "b.run")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["measure", "b", "n"]
    result = agree(read_run(shop / "b.run"), read_run(shop / "a.run"))
    for line, text in zip(lines[1:], DEFAULT_MEASURES, strict=False):
        assert line.split() == [text, f"{result.mean(text):.4f}", "39"]
    assert "a: lacks 1 query of b, not measured" in done.stderr
    assert lines[-1].startswith("conventions: missing skip, otherwise default")


def test_the_first_is_what_the_others_are_held_against(idealist: Any, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "a.run").write_bytes((shop / "a.run").read_bytes())
    done = idealist("agree", shop / "a.run", shop / "b.run", tmp_path / "a.run", "-m", "RBO", "--by-query")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["query", "measure", str(shop / "b.run"), str(tmp_path / "a.run"), "n"]
    assert lines[1].split()[3] == "1.0000"


@pytest.mark.parametrize("kind", ["csv", "markdown", "latex", "jsonl"])
def test_formats(idealist: Any, shop: Path, kind: str) -> None:
    done = idealist("agree", shop / "a.run", shop / "b.run", "-m", "tau", "--format", kind)
    assert done.returncode == 0
    assert "KendallTau" in done.stdout


def test_json(idealist: Any, shop: Path) -> None:
    done = idealist("agree", shop / "a.run", shop / "a.run", "-m", "tau", "--format", "json")
    (record,) = json.loads(done.stdout)["summary"]
    assert record["mean"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.run"], "there is no run to compare with the first"),
        (["a.run", "a.run", "-m", "nDCG"], "nDCG does not compare two runs"),
        (["a.run", "gone.run"], "there is no such file"),
        (["a.run", "a.run", "--unjudged", "removed"], "unrecognized arguments"),
        (["a.run", "a.run", "--ties", "averaged"], "no closed form for averaged ties"),
    ],
)
def test_input_errors(
    idealist: Any, shop: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(shop)
    done = idealist("agree", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""
