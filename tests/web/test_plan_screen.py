"""The plan of a project says what `idealist plan` says of the same files."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from support.browsing import Browsing

from idealist import read_judgments, read_run
from idealist.cli import main
from idealist.data.tables import read_table
from idealist.plan import needed_queries
from idealist.web.planning.project_plan import draw_queries, plan_queries
from idealist.web.workbench import Workbench


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What the command says, as JSON."""
    assert main(["plan", *arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_numbers_are_those_of_the_command(
    shop_bench: Workbench, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(shop / name) for name in ("shop.qrels", "a.run", "b.run")]
    client = Browsing(shop_bench).client
    api = "/api/projects/1/plan"
    expected = said(capsys, "queries", "--effect", "0.05", "--pilot", *files)
    answer = client.get(f"{api}/queries?first=a&second=b&effect=0.05").json()
    assert answer == json.loads(json.dumps(expected))
    assert f"{expected['queries']:,} queries show" in Browsing(shop_bench).whole_page(
        "/projects/1/plan?effect=0.05"
    )
    following = said(capsys, "next", *files, "-n", "5")
    assert client.get(f"{api}/next?run=a&run=b&n=5").json() == following
    page = Browsing(shop_bench).whole_page("/projects/1/plan/parts/next?documents=5")
    assert page.count("<tr>") == 6  # and the titles
    assert following["documents"][0]["document"] in page


def test_votes_are_planned_from_a_study(shop_bench: Workbench, capsys: pytest.CaptureFixture[str]) -> None:
    client = Browsing(shop_bench).client
    answer = client.get("/api/projects/1/plan/votes?study=1&gsb=0.1").json()
    database = str(shop_bench.settings.database)
    assert answer == said(capsys, "judgments", "--gsb", "0.1", "--pilot", f"{database}::votes")
    page = Browsing(shop_bench).whole_page("/projects/1/plan?gsb=0.1")
    assert f"{answer['judgments']:,} judgments show a GSB of 10 %" in page


def test_a_sample_is_drawn_again_by_its_seed(shop_bench: Workbench, shop: Path, tmp_path: Path) -> None:
    browser = Browsing(shop_bench)
    first, again = (browser.get("/projects/1/plan/queries.csv?sample=7&seed=3") for _ in range(2))
    assert first.text == again.text
    assert "attachment" in first.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(first.text)))
    queries = {row["query"] for row in rows}
    assert len(queries) == 7
    assert queries <= set(read_run(shop / "b.run"))
    assert {float(row["probability"]) for row in rows} == {7 / 40}
    other = draw_queries(shop_bench, 1, n=7, seed=4)
    assert {entry.query for entry in other} != queries
    (tmp_path / "queries.csv").write_text(first.text, encoding="utf-8")
    assert len(read_table(tmp_path / "queries.csv")) == 7


def test_queries_without_judgments_alone(shop_bench: Workbench, shop: Path) -> None:
    browser = Browsing(shop_bench)
    judged = read_judgments(shop / "shop.qrels").to_dict()
    some = dict(list(judged.items())[:30])
    lines = "".join(f"{query} 0 {d} {int(g)}\n" for query, ds in some.items() for d, g in ds.items())
    assert "every query of the runs is judged" in browser.whole_page("/projects/1/plan?from=unjudged")
    browser.upload(1, "some.qrels", lines.encode())
    drawn = {entry.query for entry in draw_queries(shop_bench, 1, n=10, unjudged=True)}
    assert drawn == set(judged) - set(some)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("effect=wide", "'wide' is not a number"),
        ("effect=0", "must not be 0"),
        ("measure=nDCH", "nDCH"),
        ("second=a", "a would be compared with itself"),
        ("first=zebra", "there is no run 'zebra'"),
        ("sample=99", "99 queries were requested, but there are 40"),
        ("sample=few", "'few' is not a whole number"),
        ("study=9", "there is no study 9"),
        ("gsb=0.9", "the GSB cannot be 0.9"),
        ("power=2", "power"),
    ],
)
def test_what_cannot_be_planned_says_why_in_its_place(
    shop_bench: Workbench, asked: str, message: str
) -> None:
    page = Browsing(shop_bench).whole_page(f"/projects/1/plan?{asked}")
    assert message in page
    assert "What to judge next" in page  # the rest is there


@pytest.mark.parametrize("asked", ["k=0", "documents=0", "first=zebra", "k=x"])
def test_the_list_of_documents_says_why_too(shop_bench: Workbench, asked: str) -> None:
    assert 'role="alert"' in Browsing(shop_bench).whole_page(f"/projects/1/plan/parts/next?{asked}")


def test_a_project_without_data_says_what_to_do(bench: Workbench, shop: Path) -> None:
    browser = Browsing(bench)
    browser.send("/projects", "/projects", name="empty")
    assert "Runs and judgments are needed" in browser.whole_page("/projects/1/plan")
    client = browser.client
    for path in ("queries?first=a&second=b&effect=1", "sample?n=1", "next?run=a&run=b"):
        answer = client.get(f"/api/projects/1/plan/{path}")
        assert answer.status_code == 422
        assert "has no" in answer.json()["detail"]
    browser.upload(1, "a.run", (shop / "a.run").read_bytes())
    browser.upload(1, "shop.qrels", (shop / "shop.qrels").read_bytes())
    page = browser.whole_page("/projects/1/plan")  # one run: nothing to compare, but queries to draw
    assert "Which queries?" in page
    assert "How many queries?" not in page


def test_the_number_follows_from_the_spread(shop_bench: Workbench) -> None:
    """n = ((z(0.975) + z(power)) · sd / effect)²: half the difference takes four times as many."""
    record: Any = plan_queries(shop_bench, 1, systems=("a", "b"), measure="AP", effect=0.02).record()
    half: Any = plan_queries(shop_bench, 1, systems=("a", "b"), measure="AP", effect=0.01).record()
    assert half["queries"] == pytest.approx(4 * record["queries"], rel=0.01)
    assert record["queries"] == needed_queries(record["sd"], 0.02, failure=record["failure"])
