"""idealist check, as a user runs it."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Command

from idealist.checks import CODES

CLEAN = "q Q0 a 1 2 x\nq Q0 b 2 1 x\n"
TWICE = CLEAN + "q Q0 b 3 0.5 x\n"
QRELS = "".join(f"q 0 {document} {grade}\n" for document, grade in zip("abcde", (1, 0, 2, 0, 0), strict=True))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in (("clean.run", CLEAN), ("twice.run", TWICE), ("a.qrels", QRELS)):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_exit_code_tells_the_worst(idealist: Command, files: Path) -> None:
    clean = idealist("check", files / "a.qrels", files / "clean.run", "-k", 2)
    assert (clean.returncode, clean.stdout.splitlines()[-1], clean.stderr) == (0, "nothing found", "")
    assert idealist("check", files / "clean.run").returncode == 0  # a note: the depth is 2
    (files / "ties.run").write_text(CLEAN.replace(" 2 x", " 1 x"))
    assert idealist("check", files / "ties.run").returncode == 1
    assert idealist("check", files / "twice.run").returncode == 2


def test_what_people_read(idealist: Command, files: Path) -> None:
    done = idealist("check", files / "twice.run", files / "a.qrels", "--at", 2)
    assert done.stdout.replace(f"{files}/", "") == (
        "a.qrels: judgments; 5 rows, 1 query, 40 bytes\n"
        "  nothing found\n"
        "twice.run: run; 3 rows, 1 query, 41 bytes, checked with a.qrels\n"
        "  error    duplicate  1 document repeated for a query\n"
        "                      line 3, query q, document b: score 0.5, and 1 on line 2\n"
        "                      hint: keep one of them; --fix does\n"
        "1 error\n"
    )


def test_json_and_markdown(idealist: Command, files: Path) -> None:
    record = json.loads(idealist("check", files / "twice.run", "--format", "json").stdout)
    assert [finding["code"] for finding in record["files"][0]["findings"]] == ["duplicate", "depth"]
    assert record["copies"] == []
    page = idealist("check", files / "twice.run", "--format", "markdown").stdout
    assert "- **error** `duplicate`: 1 document repeated" in page


def test_ignored_and_unknown_codes(idealist: Command, files: Path) -> None:
    done = idealist("check", files / "twice.run", "--ignore", "duplicate, depth")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "nothing found")
    wrong = idealist("check", files / "twice.run", "--ignore", "twice")
    assert wrong.returncode == 2
    assert "there is no code 'twice'" in wrong.stderr
    assert "missing-query" in wrong.stderr


def test_judgments_can_be_named(idealist: Command, files: Path) -> None:
    done = idealist("check", "--judgments", files / "a.qrels", files / "clean.run", "-k", 2)
    assert "checked with" in done.stdout
    assert done.returncode == 0
    both = idealist("check", files / "a.qrels", ROOT / "examples" / "shop" / "shop.qrels")
    assert "both look like judgments" in both.stderr


def test_a_copy_is_repaired_and_the_file_stays(idealist: Command, files: Path) -> None:
    done = idealist("check", files / "twice.run", "--fix", files / "fixed.run")
    assert done.returncode == 2  # as the file was found
    assert done.stdout.splitlines()[-1] == f"repaired copy {files}/fixed.run: 1 × duplicate dropped"
    assert (files / "fixed.run").read_text() == CLEAN
    assert (files / "twice.run").read_text() == TWICE
    assert idealist("check", files / "fixed.run").returncode == 0
    again = idealist("check", files / "twice.run", "--fix", files / "fixed.run")
    assert "the file exists already" in again.stderr
    assert idealist("check", files / "twice.run", "--fix", files / "fixed.run", "--force").returncode == 2
    record = json.loads(
        idealist("check", files / "twice.run", "--fix", files / "2.run", "--format", "json").stdout
    )
    assert record["copies"] == [
        {"source": f"{files}/twice.run", "copy": f"{files}/2.run", "done": {"duplicate dropped": 1}}
    ]


def test_never_in_place(idealist: Command, files: Path) -> None:
    os.symlink(files / "twice.run", files / "soft.run")
    os.link(files / "twice.run", files / "hard.run")
    for name in ("twice.run", "soft.run", "hard.run", "../" + files.name + "/twice.run"):
        done = idealist("check", files / "twice.run", "--fix", f"{files}/{name}", "--force")
        assert done.returncode == 2
        assert "never repaired in place" in done.stderr
    done = idealist("check", files / "a.qrels", files / "twice.run", "--fix-to", files, "--force")
    assert "never repaired in place" in done.stderr
    assert (files / "twice.run").read_text() == TWICE


def test_several_copies(idealist: Command, files: Path) -> None:
    done = idealist("check", files / "a.qrels", files / "twice.run", "--fix-to", files / "new")
    assert done.returncode == 2
    assert (files / "new" / "a.qrels").read_text() == QRELS
    assert (files / "new" / "twice.run").read_text() == CLEAN
    wrong = idealist("check", files / "a.qrels", files / "twice.run", "--fix", files / "one.run")
    assert "--fix is for one file, not 2" in wrong.stderr
    repaired = idealist(
        "check", "--judgments", files / "a.qrels", files / "twice.run", "--fix", files / "one.run"
    )
    assert repaired.stderr == ""
    assert (files / "one.run").read_text() == CLEAN


def test_what_is_refused_writes_nothing_and_still_says_what_was_found(idealist: Command, files: Path) -> None:
    (files / "two.qrels").write_text(QRELS + "q 0 a 2\n")
    done = idealist("check", files / "two.qrels", files / "twice.run", "--fix-to", files / "new")
    assert done.returncode == 2
    assert "contradiction" in done.stdout
    assert "not repaired, 1 document with two grades: line 6, query q, document a" in done.stderr
    assert not (files / "new").exists()
    repaired = idealist("check", files / "two.qrels", "--fix", files / "kept.qrels", "--keep", "highest")
    assert "of two grades the highest kept" in repaired.stdout
    assert (files / "kept.qrels").read_text().splitlines()[0] == "q 0 a 2"
    (files / "bad.run").write_text(CLEAN + "oops\n")
    assert "--drop-bad-lines" in idealist("check", files / "bad.run", "--fix", files / "b.run").stderr
    idealist("check", files / "bad.run", "--fix", files / "b.run", "--drop-bad-lines")
    assert (files / "b.run").read_text() == CLEAN


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "there is nothing to check"),
        (["no.run"], "there is no such file"),
        (["clean.run", "--keep", "first"], "--keep changes nothing without --fix"),
        (["clean.run", "--drop-bad-lines"], "--drop-bad-lines changes nothing without --fix"),
        (["clean.run", "--fix", "a", "--fix-to", "b"], "--fix and --fix-to cannot both be given"),
        (["clean.run", "--fix", "a.run.gz"], "copies are plain text"),
        (["clean.run", "--fix", "no/such/folder/a.run"], "cannot be written"),
        (["-", "--fix", "a.run"], "standard input cannot be repaired"),
        (["clean.run", "-k", "0"], "must be ranks of 1 or more"),
    ],
)
def test_wrong_usage(idealist: Command, files: Path, arguments: list[str], message: str) -> None:
    shown = [str(files / argument) if argument.endswith(".run") else argument for argument in arguments]
    done = idealist("check", *shown)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_the_codes_are_listed_and_the_page_has_them(idealist: Command) -> None:
    listed = idealist("check", "--codes", "--format", "json").stdout
    assert [code["name"] for code in json.loads(listed)] == list(CODES)
    table = idealist("check", "--codes", "--format", "markdown").stdout
    assert table in (ROOT / "docs" / "check.md").read_text(encoding="utf-8"), (
        "copy the table into docs/check.md"
    )


def test_the_shop(idealist: Command, shop: Path) -> None:
    done = idealist("check", shop / "subtopics.qrels", shop / "b.run")
    assert done.returncode == 0
    assert done.stderr == ""


def test_pipes_are_runs(files: Path) -> None:
    command = f"{sys.executable} -m idealist check {files}/a.qrels <(cat {files}/twice.run) -k 2"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "1 error"
    command = f"{sys.executable} -m idealist check - -k 2 < {files}/clean.run"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "nothing found"


def test_what_is_no_text_is_unreadable(idealist: Command, files: Path) -> None:
    (files / "noise").write_bytes(bytes(range(256)) * 20)
    done = idealist("check", files / "noise")
    assert done.returncode == 2
    assert "unreadable" in done.stdout
    assert done.stderr == ""


def test_carriage_returns_alone(idealist: Command, files: Path) -> None:
    (files / "mac.run").write_bytes(CLEAN.replace("\n", "\r").encode())
    done = idealist("check", files / "mac.run", "--fix", files / "new.run")
    assert "line ends: 2 of \\r" in done.stdout
    assert "--fix makes newlines of them" in done.stdout
    assert (files / "new.run").read_text() == CLEAN


def test_duplicates_outside_trec_text(idealist: Command, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("query,document,score\nq,a,2\nq,b,1\nq,a,1\n")
    done = idealist("check", tmp_path / "x.csv", "--format", "json")
    codes = [finding["code"] for finding in json.loads(done.stdout)["files"][0]["findings"]]
    assert "duplicate" in codes
    assert done.returncode == 2


def test_what_cannot_be_read_is_a_finding_with_its_hint(idealist: Command, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("query,document,points\nq,a,2\n")
    (tmp_path / "x.run.gz").write_bytes(gzip.compress(b"q Q0 d 1 0.5 t\n" * 1000)[:-20])
    (tmp_path / "good.run").write_text("q Q0 d 1 0.5 t\n")
    done = idealist("check", *sorted(map(str, tmp_path.iterdir())))
    assert done.returncode == 2
    assert "there are query, document, points" in done.stdout
    assert "ends too early" in done.stdout
    assert "good.run: run; 1 row" in done.stdout


def test_only_trec_text_is_repaired(idealist: Command, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("query,document,score\nq,a,2\n")
    done = idealist("check", tmp_path / "x.csv", "--fix", tmp_path / "y.run")
    assert done.returncode == 2
    assert "this is not TREC text" in done.stderr


def test_columns_by_other_names(idealist: Command, tmp_path: Path) -> None:
    """Judgments are told by the column that is said to be the grade, and runs are read by what is said of them."""
    (tmp_path / "judged.csv").write_text("who,what,score\nq,a,1\nq,b,0\n")
    (tmp_path / "found.csv").write_text("who,what,points\nq,a,2\nq,b,1\nq,b,0.5\n")
    files = (tmp_path / "judged.csv", tmp_path / "found.csv")
    columns = "query=who,document=what,judgments.grade=score,run.score=points"
    done = idealist("check", *files, "--columns", columns, "--at", 2, "--format", "json")
    judged, checked_run = json.loads(done.stdout)["files"]
    assert (judged["kind"], checked_run["kind"]) == ("judgments", "run")
    assert [finding["code"] for finding in checked_run["findings"]] == ["duplicate"]
    assert checked_run["against"] == str(files[0])
    alone = idealist("check", files[1])
    assert "--columns query=who,document=what,score=points, or columns={" in alone.stdout
