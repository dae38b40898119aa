"""The project file: read once, and what is wrong with it is said with file and key."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import ROOT, Command

import idealist as il
from idealist.projects.finding import find_files, project_text
from idealist.projects.reading import read_project
from idealist.projects.settings import GUARDS, JUDGE, SEARCH, SETTINGS

RULES = """
judgments = "shop.qrels"
runs = ["a.run", "b.run"]
measures = ["nDCG@10", "AP"]
conventions = "trec_eval-9"
baseline = "a.run"
seed = 7
margin = "1%"
"""


@pytest.fixture
def folder(shop: Path, tmp_path: Path) -> Path:
    """A project with the files of the shop."""
    for name in ("shop.qrels", "a.run", "b.run", "votes.csv", "queries.csv"):
        (tmp_path / name).write_bytes((shop / name).read_bytes())
    (tmp_path / "idealist.toml").write_text(RULES)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('convention = "letor"', "line 1: unknown key 'convention'", "did you mean conventions?"),
        ("[guards]\nmeasurs = 1", "line 2: unknown key 'guards.measurs'", "did you mean measures?"),
        ('[guards]\nsegments = "q.csv"', "unknown key 'guards.segments'", "write it above them"),
        ('[judge]\nurl = "u"', "unknown key 'judge.url'", "the keys of judge are endpoint, model"),
        ('[judge]\nkey = "sk-1"', "unknown key 'judge.key'", "key_variable"),
        ('[search]\npassword = "x"', "unknown key 'search.password'", "read from the environment"),
        ('[search]\nurl = "http://a:b@host"', "search.url has a password in it", "address of the server"),
        ("judge = 1", "judge must be a table, not 1", "write [judge]"),
        ("runs = 3", "runs must be text, not 3", "text, or a list of texts"),
        ("runs = []", "runs must name one at least", "patterns"),
        ('conventions = "treceval"', "no conventions are called 'treceval'", "did you mean trec_eval-9?"),
        ("seed = -1", "the seed must be a whole number, 0 or more", "a whole number"),
        ("columns = ['a']", "columns must be a table of texts", "a table of texts"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str, hint: str) -> None:
    path = tmp_path / "idealist.toml"
    path.write_text(text)
    with pytest.raises(il.InputError) as refused:
        read_project(str(path))
    assert str(path) in str(refused.value)
    assert message in str(refused.value)
    assert hint in (refused.value.hint or "")
    assert "sk-1" not in str(refused.value)


def test_the_file_is_found_upwards(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a folder below, with paths that lead there from the working folder."""
    below = folder / "x" / "y"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    project = il.project()
    assert os.path.samefile(project.source, folder / "idealist.toml")
    assert os.path.samefile(str(project.path("judgments")), folder / "shop.qrels")
    monkeypatch.setenv("IDEALIST_PROJECT", "")
    with pytest.raises(il.InputError, match=r"there is no idealist\.toml in this folder or above it"):
        il.project()


def test_python_measures_and_compares_as_the_file_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As by hand; trec_eval leaves out the query that run a lacks, which our conventions count as 0."""
    monkeypatch.chdir(folder)
    project = il.project()
    by_hand = il.evaluate("shop.qrels", ["a.run", "b.run"], ["nDCG@10", "AP"], conventions="trec_eval-9")
    measured = project.evaluate()
    assert measured.measures == by_hand.measures
    for system in ("a", "b"):
        assert measured.mean("AP", system) == by_hand.mean("AP", system)
    assert project.evaluate(conventions="idealist").mean("AP", "a") != by_hand.mean("AP", "a")
    compared = project.compare()
    assert compared.baseline == "a"
    assert compared.verdict("nDCG@10", **project.deciding).margin == pytest.approx(
        0.01 * compared["b", "nDCG@10"].baseline_value
    )


def test_what_is_said_of_one_kind_of_files_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgments whose columns are called otherwise, in GBK, and runs that are not."""
    monkeypatch.chdir(folder)
    Path("j.csv").write_text("qid,sku,星\nq,甲,1\n", encoding="gbk")
    Path("r.run").write_text("q Q0 甲 1 2 r\nq Q0 乙 2 1 r\n", encoding="utf-8")
    Path("idealist.toml").write_text(
        'judgments = "j.csv"\nruns = "r.run"\nmeasures = "RR"\nencoding = "judgments=gbk"\n'
        '[columns]\n"judgments.query" = "qid"\n"judgments.document" = "sku"\n"judgments.grade" = "星"\n',
        encoding="utf-8",
    )
    assert il.project().evaluate().mean("RR") == 1


@pytest.mark.parametrize(
    ("settings", "runs"),
    [
        ('runs = "*.run"', ["a.run", "b.run"]),
        ('runs = "b.run"\nbaseline = "a.run"', ["a.run", "b.run"]),
        ('runs = ["b.run", "a.run"]\nbaseline = "a"', ["b.run", "a.run"]),
        ('judgments = "shop.qrels"\nbaseline = "a.run"\ncandidate = "b.run"', ["a.run", "b.run"]),
    ],
)
def test_the_runs_of_a_project(
    folder: Path, monkeypatch: pytest.MonkeyPatch, settings: str, runs: list[str]
) -> None:
    """Those it names, the baseline among them; baseline and candidate where it names no others."""
    monkeypatch.chdir(folder)
    text = settings if "judgments" in settings else f'judgments = "shop.qrels"\n{settings}'
    Path("idealist.toml").write_text(text + "\n")
    assert il.project().runs == runs


def test_what_decides_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text('measure = "AP"\nmeasures = ["RR", "AP"]\n')
    assert il.project(path).measures == ["AP", "RR"]
    path.write_text('measure = "votes"\nmeasures = "RR"\n')
    assert il.project(path).measures == ["RR"]


def test_files_are_recognised_by_their_content(shop: Path, tmp_path: Path) -> None:
    """Whatever they are called; a log of clicks is no run, and numbers are no votes."""
    for name, source in {
        "one.txt": "shop.qrels",
        "runs/two.txt": "a.run",
        "three.csv": "votes.csv",
        "four.csv": "impressions.csv",
        "five.csv": "answers.csv",
        "six.csv": "pairs.csv",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((shop / source).read_bytes())
    found = find_files(str(tmp_path))
    assert (found.judgments, found.runs, found.votes) == (("one.txt",), ("runs/two.txt",), ("three.csv",))


def test_of_several_judgments_those_of_most_queries_come_first(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q1 0 d 1\n")
    (tmp_path / "b.qrels").write_text("q1 0 d 1\nq2 0 d 1\n")
    found = find_files(str(tmp_path))
    assert found.judgments == ("b.qrels", "a.qrels")
    (tmp_path / "idealist.toml").write_text(project_text(found))
    assert il.project(tmp_path / "idealist.toml").settings == {"judgments": "b.qrels"}


def test_the_gate_is_proposed_with_the_runs_that_are_there(tmp_path: Path, shop: Path) -> None:
    """Behind the marks of comments stands what a gate takes."""
    for name in ("shop.qrels", "a.run", "b.run"):
        (tmp_path / name).write_bytes((shop / name).read_bytes())
    text = project_text(find_files(str(tmp_path)))
    assert text.endswith('# baseline = "a.run"\n# candidate = "b.run"\n')
    (tmp_path / "idealist.toml").write_text(
        text.replace("# baseline", "baseline").replace("# candidate", "candidate")
    )
    assert il.project(tmp_path / "idealist.toml").settings["candidate"] == "b.run"


def test_the_page_names_every_key() -> None:
    page = (ROOT / "docs" / "project.md").read_text(encoding="utf-8")
    for name in (*SETTINGS, *GUARDS, *JUDGE, *SEARCH, "guards", "judge", "search"):
        assert f"`{name}`" in page, name


def test_the_page_shows_what_happens(
    idealist: Command, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its blocks of commands, one after the other in a folder with the files of the shop."""
    for name in ("shop.qrels", "a.run", "b.run", "votes.csv"):
        (tmp_path / name).write_bytes((shop / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "project.md").read_text(encoding="utf-8")
    commands = 0
    for block in page.split("```\n")[1::2]:
        command, _, shown = block.partition("\n")
        if not command.startswith("$ idealist "):
            continue
        done = idealist(*command.split()[2:])
        assert done.returncode == 0, done.stderr
        printed = [line for line in done.stderr.splitlines() if line.startswith("from ")]
        assert [line.rstrip() for line in (*done.stdout.splitlines(), *printed) if line] == [
            line for line in shown.splitlines() if line
        ], command
        commands += 1
    assert commands == 2
