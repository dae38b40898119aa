"""What is exported is what was brought in and what is measured; nothing of a download stays behind."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from uuid import uuid4

import pytest
from support.browsing import Browsing

from idealist import evaluate, gsb, read_judgments, read_run, read_votes
from idealist.web.access.accounts import add_user
from idealist.web.access.sessions import add_token
from idealist.web.projects.projects import create_project
from idealist.web.studies.study_results import adjudicate, disagreements, report_settings, study_result
from idealist.web.studies.task_answers import study_data, study_of
from idealist.web.workbench import Workbench

PASSWORD = "correct horse battery"


@pytest.mark.parametrize("format", ["trec", "csv", "jsonl"])
def test_judgments_and_runs_come_back_as_they_were(
    shop_bench: Workbench, shop: Path, tmp_path: Path, format: str
) -> None:
    browser = Browsing(shop_bench)
    for path, original, read in (
        ("judgments", "shop.qrels", read_judgments),
        ("run?run=b", "b.run", read_run),
    ):
        separator = "&" if "?" in path else "?"
        answer = browser.get(f"/projects/1/exports/{path}{separator}format={format}")
        assert answer.status_code == 200, answer.text
        name = answer.headers["content-disposition"].partition('filename="')[2].rstrip('"')
        (tmp_path / name).write_bytes(answer.content)
        assert read(tmp_path / name).sha256 == read(shop / original).sha256
    assert not list(shop_bench.files.folder.glob("export-*"))


def test_the_name_of_the_run_is_in_its_file(shop_bench: Workbench) -> None:
    answer = Browsing(shop_bench).get("/projects/1/exports/run?run=b")
    assert answer.headers["content-disposition"] == 'attachment; filename="b.run"'
    assert answer.text.splitlines()[0].split()[-1] == "b"


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_values_are_those_of_evaluate(shop_bench: Workbench, shop: Path) -> None:
    browser = Browsing(shop_bench)
    expected = evaluate(shop / "shop.qrels", [shop / "a.run", shop / "b.run"], ["nDCG@10", "AP"])
    means = rows_of(browser.get("/projects/1/exports/values?measures=nDCG@10,AP").text)
    assert {(row["run"], row["measure"]): float(row["value"]) for row in means} == {
        (system, measure): expected.mean(measure, system)
        for system in ("a", "b")
        for measure in ("nDCG@10", "AP")
    }
    rows = rows_of(browser.get("/projects/1/exports/values?measures=nDCG@10,AP&by_query=yes").text)
    assert len(rows) == 80
    for row in rows[::9]:
        assert float(row["AP"]) == expected.value("AP", row["query"], row["run"])


def test_gsb_says_of_the_votes_what_the_study_says(shop_bench: Workbench, tmp_path: Path) -> None:
    """Known answers, segments and weights are in the file, and a decision stands in the place of the votes on an item."""
    database = shop_bench.database
    study = study_of(database, 1, 1)
    assert study is not None
    disputed = disagreements(study_data(database, study))[0].item
    assert adjudicate(database, study, disputed.id, id=str(uuid4()), preference="same", user=1)
    answer = Browsing(shop_bench).get("/projects/1/exports/answers?task=1")
    rows = rows_of(answer.text)
    assert len(rows) == 3 * len({row["item"] for row in rows}) == 63
    assert {row["side"] for row in rows} == {"left", "right"}
    assert {row["vote"] for row in rows if row["item"] == str(disputed.id)} == {"0"}
    assert len({row["given"] for row in rows if row["item"] == str(disputed.id)}) > 1
    (tmp_path / "votes.csv").write_text(answer.text, encoding="utf-8")
    result = gsb(read_votes(tmp_path / "votes.csv"))
    expected = study_result(study_data(database, study), report_settings())
    assert (result.value, result.interval, result.p_value) == (
        expected.value,
        expected.interval,
        expected.p_value,
    )
    assert (result.good, result.same, result.bad) == (expected.good, expected.same, expected.bad)
    assert result.segments == expected.segments != ()
    assert [record.rater for record in result.anchors] == [record.rater for record in expected.anchors]


def test_the_report_is_one_page_on_these_runs(shop_bench: Workbench) -> None:
    pytest.importorskip("matplotlib")
    answer = Browsing(shop_bench).get(
        "/projects/1/exports/report?baseline=b&run=a&run=b&measures=nDCG@10&margin=1%25"
    )
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"] == 'attachment; filename="report.html"'
    assert "<title>Shop" in answer.text
    assert "compared with b" in answer.text
    assert str(shop_bench.files.folder) not in answer.text
    assert not list(shop_bench.files.folder.glob("export-*"))


def test_the_comparison_leads_to_its_report(shop_bench: Workbench) -> None:
    pytest.importorskip("matplotlib")
    browser, path = Browsing(shop_bench), "/projects/1/compare?baseline=b&system=a&measures=RR&margin=3%25"
    found = re.search(r'href="([^"]+/exports/report[^"]+)" download', browser.whole_page(path))
    assert found is not None
    report = browser.get(found[1])
    assert report.status_code == 200, report.text
    assert "compared with b" in report.text
    assert "3 % of the baseline" in report.text


def test_raters_get_nothing(public_bench: Workbench) -> None:
    """Neither by page nor by token: a rater sees the tasks that are assigned, and no system's name."""
    person = add_user(public_bench.database, "ben", PASSWORD, "rater")
    create_project(public_bench.database, "shop", "")
    browser = Browsing(public_bench)
    browser.log_in("ben", PASSWORD)
    for path in ("compare", "lists", "history", "exports", "exports/judgments", "compare/data"):
        assert browser.get(f"/projects/1/{path}").status_code == 403, path
    token = add_token(public_bench.database, person.id, "test")
    for path in ("comparison", "trend", "notes", "exports/judgments"):
        answer = browser.get(f"/api/projects/1/{path}", headers={"authorization": f"Bearer {token}"})
        assert answer.status_code == 403, path


def test_a_name_cannot_leave_its_folder(bench: Workbench) -> None:
    browser = Browsing(bench)
    browser.send("/projects", "/projects", name="paths")
    browser.client.headers["x-form-token"] = browser.token("/projects")
    browser.client.post(
        "/api/projects/1/sources",
        files={"file": ("t.run", b"q Q0 d 1 1 t\n")},
        data={"name": "../../away", "kind": "run"},
    )
    answer = browser.get("/projects/1/exports/run", params={"run": "../../away"})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"] == 'attachment; filename="_.._away.run"'


def test_a_format_that_cannot_carry_the_ids_is_refused(bench: Workbench) -> None:
    """TREC's columns end at blanks; nothing half-written stays."""
    browser = Browsing(bench)
    browser.send("/projects", "/projects", name="blanks")
    browser.upload(1, "t.csv", b"query,document,score\nred shoes,d 1,2.0\n")
    refused = browser.get("/projects/1/exports/run?run=t")
    assert refused.status_code == 422
    assert "t.run" in refused.text
    assert str(bench.files.folder) not in refused.text
    assert not list(bench.files.folder.glob("export-*"))
    assert browser.get("/projects/1/exports/run?run=t&format=csv").status_code == 200


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("run?run=nowhere", 422, "there is no run"),
        ("judgments?format=exe", 422, "is not a format of exports"),
        ("answers?task=99", 422, "there is no task 99"),
        ("answers?task=x", 404, "no such page"),
        ("values?measures=nDCH", 422, "nDCH"),
        ("report?run=a&run=nowhere", 422, "there is no run"),
    ],
)
def test_what_cannot_be_exported_says_why(
    shop_bench: Workbench, path: str, status: int, message: str
) -> None:
    answer = Browsing(shop_bench).get(f"/projects/1/exports/{path}")
    assert answer.status_code == status
    assert message in answer.text
    assert not list(shop_bench.files.folder.glob("export-*"))


def test_the_api_gives_the_same_files(shop_bench: Workbench) -> None:
    browser = Browsing(shop_bench)
    for path, api in (
        ("judgments?format=csv", "judgments?format=csv"),
        ("run?run=a", "run?run=a"),
        ("values?measures=AP", "values?measure=AP"),
        ("values?measures=AP&by_query=yes", "values?measure=AP&by_query=true"),
        ("answers?task=1", "answers?task=1"),
    ):
        answer = browser.get(f"/api/projects/1/exports/{api}")
        assert answer.status_code == 200, answer.text
        assert answer.content == browser.get(f"/projects/1/exports/{path}").content
