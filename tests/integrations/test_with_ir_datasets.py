"""Data sets of ir_datasets itself: some that are registered here, over local files, and the library's own vaswani, whose
files are put where it keeps what it has downloaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ir_datasets
import pytest
from conftest import Command
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import TrecQrels, TrecScoredDocs, TrecSubQrels, TsvDocs, TsvQueries
from ir_datasets.util import LocalDownload

import idealist as il
from idealist.cli import main
from idealist.data.tables import read_texts

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d3 1\n"
JUDGED = {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}}
RUN = "q1 Q0 d2 1 9.5 x\nq1 Q0 d1 2 8.5 x\nq2 Q0 d3 1 7.25 x\n"
FOUND = {"q1": {"d2": 9.5, "d1": 8.5}, "q2": {"d3": 7.25}}
GRADES = {1: "relevant"}
# Vaswani's own layout, with made-up content.
VASWANI = {
    "qrels.txt": "1\n 1 2\n   /\n2\n 3\n   /\n",
    "queries.txt": "1\nRED SHOES\n/\n2\nA HAT\n/\n",
    "docs.txt": "1\nred shoes\n   /\n2\nshoes\n   /\n3\nhat\n   /\n",
}


@pytest.fixture(scope="session", autouse=True)
def registered(tmp_path_factory: pytest.TempPathFactory) -> None:
    """test-shop has everything, test-shop/texts texts alone, test-shop/aspects judgments by subtopic."""
    folder = tmp_path_factory.mktemp("data")

    def local(name: str, content: str) -> Any:
        (folder / name).write_text(content)
        return LocalDownload(folder / name)

    texts = [
        TsvQueries(local("queries.tsv", "q1\tred shoes\nq2\ta hat\n")),
        TsvDocs(local("docs.tsv", "d1\tshoes, red\nd2\ta sock\nd3\tblue hat\n")),
    ]
    judged = TrecQrels(local("shop.qrels", QRELS), GRADES)
    register = ir_datasets.registry.register
    register("test-shop", Dataset(*texts, judged, TrecScoredDocs(local("shop.run", RUN))))
    register("test-corpus", Dataset(*texts))
    register("test-corpus/dev", Dataset(*texts, judged))
    aspects = local("aspects.qrels", "q1 1 d1 1\nq1 2 d1 1\nq1 2 d2 1\n")
    register("test-aspects", Dataset(TrecSubQrels(aspects, GRADES)))
    twice = local("twice.qrels", QRELS + "q2 0 d3 0\n")
    register("test-twice", Dataset(TrecQrels(twice, GRADES)))
    register("test-lost", Dataset(TrecQrels(LocalDownload(folder / "nowhere.qrels"), GRADES)))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder in which the library has downloaded vaswani."""
    (tmp_path / "vaswani").mkdir()
    for name, content in VASWANI.items():
        (tmp_path / "vaswani" / name).write_text(content)
    return tmp_path


def test_judgments_and_a_run() -> None:
    judgments = il.read_judgments("ir_datasets:test-shop")
    run = il.read_run("ir_datasets:test-shop")
    assert judgments.to_dict() == JUDGED
    assert run.to_dict() == FOUND
    assert (judgments.name, judgments.source, run.name) == ("test-shop", "ir_datasets:test-shop", "test-shop")


def test_evaluate_takes_an_id_at_both_doors() -> None:
    both = il.evaluate("ir_datasets:test-shop", "ir_datasets:test-shop", "RR")
    assert both.mean("RR") == (1 / 2 + 1) / 2
    assert il.evaluate("ir_datasets:test-shop::qrels", FOUND, "RR").mean("RR") == (1 / 2 + 1) / 2


def test_a_file_that_is_called_so_is_that_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ir_datasets:test-shop").write_text("q 0 d 1\n")
    assert il.read_judgments("ir_datasets:test-shop").to_dict() == {"q": {"d": 1}}


def test_texts() -> None:
    assert read_texts("ir_datasets:test-shop", "queries") == {"q1": "red shoes", "q2": "a hat"}
    assert read_texts("ir_datasets:test-shop::docs", "documents")["d3"] == "blue hat"
    looked_up = read_texts("ir_datasets:test-shop", "documents", only=["d2", "d9"])
    assert looked_up == {"d2": "a sock"}  # what is missing is told where it is missed
    with pytest.raises(il.InputError, match="documents are read here, not qrels"):
        read_texts("ir_datasets:test-shop::qrels", "documents")


def test_parts_are_tables() -> None:
    table = il.data.read_table("ir_datasets:test-shop::queries")
    assert table.columns == {"query": ["q1", "q2"], "text": ["red shoes", "a hat"]}
    with pytest.raises(il.InputError, match=r"a table is a part of a data set\nhint: name one: .*::queries"):
        il.data.read_table("ir_datasets:test-shop")


def test_subtopics_are_groups() -> None:
    groups = il.data.read_groups("ir_datasets:test-aspects")
    assert groups.to_dict() == {"q1": {"1": {"d1": 1}, "2": {"d1": 1, "d2": 1}}}
    by_hand = il.data.GroupedJudgments({"q1": {"1": {"d1": 1}, "2": {"d1": 1, "d2": 1}}})
    ranked = {"q1": ["d2", "d1"]}
    expected = il.evaluate(by_hand, ranked, "alpha_nDCG").mean("alpha_nDCG")
    assert il.evaluate("ir_datasets:test-aspects", ranked, "alpha_nDCG").mean("alpha_nDCG") == expected


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.run"
    mine.write_text("q1 Q0 d1 1 2.0 mine\nq2 Q0 d3 1 1.0 mine\n")
    for arguments in (
        ["ir_datasets:test-shop", "ir_datasets:test-shop", str(mine)],
        ["ir_datasets:test-shop", str(mine), "ir_datasets:test-shop::scoreddocs"],
    ):
        assert main(["evaluate", *arguments, "-m", "RR", "--format", "csv"]) == 0
        rows = capsys.readouterr().out.splitlines()
        assert sorted(row.split(",")[:3] for row in rows[1:]) == [
            ["mine", "RR", "1.0"],
            ["test-shop", "RR", "0.75"],
        ]
    assert main(["convert", "ir_datasets:test-shop", str(tmp_path / "shop.qrels")]) == 0
    assert il.read_judgments(tmp_path / "shop.qrels").to_dict() == JUDGED
    assert main(["check", "ir_datasets:test-shop", str(mine)]) == 0
    assert "checked with ir_datasets:test-shop" in capsys.readouterr().out


def test_a_gate_and_its_lock(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In another folder than this one: an id is no path, and the lock has what it stands for."""
    gate = tmp_path / "gate.toml"
    (tmp_path / "mine.run").write_text("q1 Q0 d1 1 2.0 mine\nq2 Q0 d3 1 1.0 mine\n")
    gate.write_text(
        'judgments = "ir_datasets:test-shop"\nbaseline = "ir_datasets:test-shop"\n'
        'candidate = "mine.run"\nmeasure = "RR"\nlock = "gate.lock"\n'
    )
    assert main(["gate", str(gate), "--update-lock"]) == 0
    inputs = json.loads((tmp_path / "gate.lock").read_text())["inputs"]
    assert inputs["judgments"]["bytes"] == len("query\tdocument\tgrade\n") + len("q1\td1\t2\n") * 3
    assert inputs["baseline"]["sha256"] != inputs["judgments"]["sha256"]
    assert main(["gate", str(gate)]) in (0, 1, 3)  # a decision, not an error
    assert "test-shop" in capsys.readouterr().out


def test_a_report_names_what_it_read(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert main(["report", "ir_datasets:test-shop", "ir_datasets:test-shop", "-o", str(page)]) == 0
    assert "test-shop-qrels.tsv" in page.read_text()
    assert "test-shop-scoreddocs.tsv" in page.read_text()


def test_unknown_ids_name_similar_ones() -> None:
    with pytest.raises(il.InputError, match=r"has no data set 'test-shp'\nhint: do you mean test-shop, "):
        il.read_judgments("ir_datasets:test-shp")
    with pytest.raises(il.InputError, match="`ir_datasets list` prints all ids"):
        il.read_judgments("ir_datasets:QQQQQQ")
    with pytest.raises(
        il.InputError, match=r"no part 'qrel'\nhint: name one of: qrels, scoreddocs, queries, docs"
    ):
        il.read_judgments("ir_datasets:test-shop::qrel")


def test_what_a_data_set_does_not_have() -> None:
    with pytest.raises(il.InputError) as refused:
        il.read_judgments("ir_datasets:test-corpus")
    assert str(refused.value) == (
        "ir_datasets:test-corpus: this data set has no judgments (qrels); it has queries, docs\n"
        "hint: its subsets have: ir_datasets:test-corpus/dev"
    )
    with pytest.raises(il.InputError, match=r"has no run \(scoreddocs\); it has qrels, queries, docs"):
        il.read_run("ir_datasets:test-corpus/dev")


def test_what_cannot_be_had_names_the_id_and_the_reason() -> None:
    with pytest.raises(il.InputError) as refused:
        il.read_judgments("ir_datasets:test-lost")
    message = str(refused.value)
    assert message.startswith("ir_datasets:test-lost: ir_datasets cannot give the qrels: ")
    assert "nowhere.qrels" in message
    assert "hint: it downloads a data set when it is first read: is there a network" in message


def test_faults_of_the_data_are_told_by_the_id() -> None:
    with pytest.raises(il.InputError, match=r"^ir_datasets:test-twice, .*'d3'"):
        il.read_judgments("ir_datasets:test-twice")


def test_the_library_s_own_data_in_processes_of_their_own(idealist: Command, home: Path) -> None:
    run = home / "mine.run"
    run.write_text("1 Q0 2 1 2.0 mine\n2 Q0 1 1 2.0 mine\n2 Q0 3 2 1.0 mine\n")
    done = idealist(
        "evaluate", "ir_datasets:vaswani", run, "-m", "RR", "--format", "csv", IR_DATASETS_HOME=str(home)
    )
    assert done.returncode == 0, done.stderr
    assert "mine,RR,0.75" in done.stdout  # (1 + 1 / 2) / 2
    (home / "vaswani" / "qrels.txt").unlink()
    done = idealist(
        "evaluate", "ir_datasets:vaswani", run, IR_DATASETS_HOME=str(home), https_proxy="http://127.0.0.1:9",
        http_proxy="http://127.0.0.1:9",
    )  # fmt: skip
    assert done.returncode == 2
    assert "idealist: ir_datasets:vaswani: ir_datasets cannot give the qrels: RuntimeError" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_page_shows_what_works(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The block of docs/data.md, in a process whose library has the data."""
    import subprocess
    import sys

    from conftest import ROOT
    from support.pages import BLOCK

    text = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    (block,) = [block for block in BLOCK.findall(text) if "ir_datasets:" in block]
    (home / "vaswani" / "qrels.txt").write_text("1\n 8172 2\n   /\n")
    monkeypatch.setenv("IR_DATASETS_HOME", str(home))
    done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("0.5\n")
