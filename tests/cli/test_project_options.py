"""What the command line leaves out, the project file says; and a line says what it said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

RULES = """
judgments = "shop.qrels"
runs = ["a.run", "b.run"]
baseline = "a.run"
candidate = "b.run"
measures = ["nDCG@10", "AP"]
conventions = "trec_eval-9"
seed = 7
margin = "1%"
votes = "votes.csv"
[guards]
judged = false
"""


@pytest.fixture
def folder(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: a project with the files of the shop."""
    for path in shop.iterdir():
        if path.suffix in (".qrels", ".run", ".csv", ".tsv", ".jsonl"):
            (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "idealist.toml").write_text(RULES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def spoken(text: str) -> list[str]:
    """The keys that the project file is said to have stated."""
    (line,) = [line for line in text.splitlines() if line.startswith("from idealist.toml: ")]
    return [part.split()[0] for part in line.partition(": ")[2].split(", ")]


def test_evaluate_without_arguments(folder: Path, idealist: Command) -> None:
    done = idealist("evaluate", "--format", "json")
    by_hand = idealist(
        *("evaluate", "shop.qrels", "a.run", "b.run", "-m", "nDCG@10", "-m", "AP", "--format", "json"),
        *("--conventions", "trec_eval-9"),
        IDEALIST_PROJECT="",
    )
    assert json.loads(done.stdout) == json.loads(by_hand.stdout)
    assert spoken(done.stderr) == ["judgments", "runs", "measures", "conventions"]
    assert "from idealist.toml" not in by_hand.stderr


def test_the_command_line_wins(folder: Path, idealist: Command) -> None:
    """Even where it states the default: the file says something else."""
    done = idealist("evaluate", "--conventions", "idealist", "-m", "RR", "--format", "json")
    assert spoken(done.stderr) == ["judgments", "runs"]
    assert "RR" in done.stdout
    assert "nDCG" not in done.stdout


def test_files_of_the_command_line_stand_for_all_of_the_project(folder: Path, idealist: Command) -> None:
    """Its weights, segments and baseline are of its own queries and runs; its conventions hold."""
    tables = 'weights = "queries.csv"\nsegments = "queries.csv"\nsegment_by = "kind"\n'
    Path("idealist.toml").write_text(tables + RULES)
    own = idealist("compare")
    assert {"weights", "segments", "baseline"} <= set(spoken(own.stderr))
    other = idealist("compare", "shop.qrels", "b.run", "a.run")
    assert set(spoken(other.stderr)) == {"measures", "margin", "guards", "seed", "conventions"}
    assert other.returncode == 0


def test_what_is_the_default_is_not_said(folder: Path, idealist: Command) -> None:
    Path("idealist.toml").write_text('seed = 0\nconventions = "idealist"\nencoding = "utf-8"\n')
    done = idealist("evaluate", "shop.qrels", "a.run")
    assert spoken(done.stderr) == ["encoding"]


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        (
            ["compare"],
            {"judgments", "runs", "baseline", "measures", "conventions", "margin", "seed", "guards"},
        ),
        (["explain", "--query", "cheap-perfume"], {"judgments", "candidate", "measures", "conventions"}),
        (["why", "--between", "idealist", "letor"], {"judgments", "candidate"}),
        (["check"], {"judgments", "runs"}),
        (["gsb"], {"votes", "seed"}),
        (["plan", "next", "-n", "2"], {"judgments", "runs", "conventions", "seed"}),
        (["sql", "P@5"], {"conventions"}),
        (["agree", "a.run", "b.run"], {"conventions"}),
        (["fuse", "a.run", "b.run", "-o", "f.run"], {"seed"}),
        (["convert", "a.run", "a.csv"], set()),
        (["measures"], set()),
    ],
)
def test_every_command_obeys(folder: Path, idealist: Command, command: list[str], keys: set[str]) -> None:
    """The settings that it takes, and it says which."""
    done = idealist(*command)
    assert done.returncode in (0, 1), done.stderr
    if not keys:
        assert "from idealist.toml" not in done.stderr
    else:
        assert set(spoken(done.stderr)) == keys


def test_a_gate_and_its_plan_are_those_of_the_project(folder: Path, idealist: Command) -> None:
    below = folder / "below"
    below.mkdir()
    here = idealist("gate")
    named = idealist("gate", "idealist.toml")
    assert here.returncode == named.returncode == 0
    assert here.stdout == named.stdout
    assert spoken(here.stderr) == ["rules"]
    assert "from idealist.toml" not in named.stderr
    assert idealist("plan", "decision", "-n", "20", "--samples", "2").returncode == 0


def test_without_a_project_there_is_no_gate(
    idealist: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = idealist("gate")
    assert done.returncode == 2
    assert "the following arguments are required: GATE" in done.stderr


def test_a_file_that_is_wrong_stops_whatever_would_obey_it(folder: Path, idealist: Command) -> None:
    Path("idealist.toml").write_text('convention = "letor"\n')
    done = idealist("evaluate", "shop.qrels", "a.run")
    assert done.returncode == 2
    assert "idealist.toml, line 1: unknown key 'convention'" in done.stderr
    assert idealist("measures").returncode == 0
    other = folder / "other.toml"
    other.write_text('votes = "votes.csv"\n')
    assert idealist("gate", "other.toml").returncode != 2


def test_files_that_are_missing_are_named(folder: Path, idealist: Command) -> None:
    Path("idealist.toml").write_text('judgments = "gone.qrels"\nruns = "a.run"\n')
    done = idealist("evaluate")
    assert done.returncode == 2
    assert "gone.qrels: there is no such file" in done.stderr
    assert spoken(done.stderr) == ["judgments", "runs"]


def test_columns_of_judgments_are_not_those_of_votes(folder: Path, idealist: Command) -> None:
    Path("idealist.toml").write_text(
        'judgments = "shop.qrels"\n[columns]\nquery = "uid"\n"votes.rater" = "rater"\n'
    )
    done = idealist("gsb", "votes.csv")
    assert done.returncode == 0, done.stderr
    assert spoken(done.stderr) == ["columns"]


def test_a_judge_is_that_of_the_project(folder: Path, idealist: Command) -> None:
    text = 'queries = "queries.tsv"\ndocuments = "documents.jsonl"\nruns = "a.run"\n'
    Path("idealist.toml").write_text(text + '[judge]\nendpoint = "http://localhost:1/v1"\nmodel = "small"\n')
    done = idealist("judge", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert {"queries", "documents", "runs", "judge"} == set(spoken(done.stderr))
    Path("idealist.toml").write_text(text)
    assert "the following arguments are required: --endpoint, --model" in idealist("judge").stderr


def test_a_report_of_one_run_needs_nothing_of_comparisons(folder: Path, idealist: Command) -> None:
    text = RULES.replace("judged = false", 'judged = false\nmeasures = { RR = "5%" }')
    Path("idealist.toml").write_text(f'segments = "queries.csv"\nsegment_by = "kind"\n{text}')
    assert idealist("report", "shop.qrels", "a.run", "-o", "page.html").returncode == 0


def test_init_writes_what_it_finds_and_never_over_a_file(folder: Path, idealist: Command) -> None:
    refused = idealist("init")
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    done = idealist("init", "--force")
    assert done.returncode == 0
    assert "  runs       a.run, b.run\n" in done.stdout
    assert "  judgments  shop.qrels (found besides: " in done.stdout
    assert idealist("evaluate").returncode == 0


def test_init_in_a_folder_without_data(
    idealist: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = idealist("init")
    assert done.returncode == 2
    assert "there are no judgments, runs or votes in this folder" in done.stderr
    assert not (tmp_path / "idealist.toml").exists()


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "--format", "csv"],
        ["compare", "--format", "markdown"],
        ["explain", "--query", "cheap-perfume"],
        ["gate", "--format", "json"],
        ["check"],
        ["gsb"],
        ["measures"],
        ["plan", "queries", "--effect", "0.1", "--sd", "0.2"],
    ],
)
def test_a_result_goes_to_a_file(folder: Path, idealist: Command, command: list[str]) -> None:
    """What would be printed, with the same exit code; never over a file by accident, nor over what was read."""
    printed = idealist(*command)
    written = idealist(*command, "-o", "result.txt")
    assert written.returncode == printed.returncode
    assert (written.stdout, Path("result.txt").read_text(encoding="utf-8")) == ("", printed.stdout)
    again = idealist(*command, "-o", "result.txt")
    assert again.returncode == 2
    assert "--force replaces it" in again.stderr


def test_a_result_does_not_go_over_what_was_read(folder: Path, idealist: Command) -> None:
    refused = idealist("evaluate", "shop.qrels", "a.run", "-o", "a.run", "--force")
    assert refused.returncode == 2
    assert Path("a.run").stat().st_size > 1000
    failed = idealist("evaluate", "shop.qrels", "gone.run", "-o", "x.txt")
    assert failed.returncode == 2
    assert not Path("x.txt").exists()
