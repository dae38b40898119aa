"""Values on pages are those of `evaluate` and `explain`, measured once for each content."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from support.browsing import Browsing

from idealist import evaluate, explain, read_judgments, read_run
from idealist.conventions import DEFAULT
from idealist.statistics import mean_interval
from idealist.web.base.schema import evaluations
from idealist.web.comparing import explain_pages, run_values
from idealist.web.comparing.explaining import explain_query, query_list
from idealist.web.comparing.run_values import question, start_measuring, summaries
from idealist.web.projects.project_sources import judgments_of, list_sources
from idealist.web.workbench import Workbench


def test_the_table_shows_what_evaluate_gives(shop_bench: Workbench, shop: Path) -> None:
    page = Browsing(shop_bench).whole_page("/projects/1/evaluate?measures=nDCG@10,RBP(p=0.5)")
    result = evaluate(shop / "shop.qrels", [shop / "a.run", shop / "b.run"], ["nDCG@10", "RBP(p=0.5)"])
    for system in ("a", "b"):
        for measure in ("nDCG@10", "RBP(p=0.5)"):
            assert f">{result.mean(measure, system):.4f}<" in page
        interval = mean_interval(list(result.by_query("nDCG@10", system).values()), bounds=(0, 1))
        assert interval is not None
        assert f"[{interval.low:.4f}, {interval.high:.4f}]" in page
        share = result.judged[10][system]
        assert (f"{100 * share:.0f} % judged" in page) == (share < 0.995)


def test_conventions_change_values_and_are_shown(shop_bench: Workbench, shop: Path) -> None:
    browser = Browsing(shop_bench)
    page = browser.whole_page("/projects/1/evaluate?measures=nDCG@10&preset=lightgbm&missing=zero")
    conventions = "lightgbm,missing=zero"
    expected = evaluate(shop / "shop.qrels", shop / "a.run", "nDCG@10", conventions=conventions)
    assert f">{expected.mean('nDCG@10'):.4f}<" in page
    assert "ties input-order · missing zero · empty one" in page


def test_why_two_conventions_differ(shop_bench: Workbench) -> None:
    page = Browsing(shop_bench).whole_page(
        "/projects/1/evaluate?run=a&measure=nDCG@10&other=lightgbm&measures=nDCG@10"
    )
    assert "each choice is made after those above it" in page
    assert "waterproof-kettle 0.0000 → out" in page


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("measures=nDCH@10", "nDCH"),
        ("measures=nDCG(gain=odd)@10", "odd"),
        ("measures=,", "name the measures"),
        ("preset=trec", "no conventions are called 'trec'"),
        ("ties=random", "ties='random' is not a choice"),
        ("missing=error&measures=AP", "missing"),
    ],
)
def test_what_cannot_be_measured_says_why(shop_bench: Workbench, asked: str, message: str) -> None:
    assert message in Browsing(shop_bench).whole_page(f"/projects/1/evaluate?{asked}", 422)


def test_nothing_is_measured_twice(shop_bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    real = evaluate

    def counted(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments[0])
        return real(*arguments, **options)

    monkeypatch.setattr(run_values, "evaluate", counted)
    browser = Browsing(shop_bench)
    for _ in range(3):
        browser.whole_page("/projects/1/evaluate?measures=AP,RR")
    assert len(calls) == 2  # the runs a and b
    again = Path(shop_bench.files.path(list_sources(shop_bench.database, 1, "run")[0].stored)).read_bytes()
    browser.upload(1, "copy.tsv", again, kind="run")  # the same content under another name
    browser.whole_page("/projects/1/evaluate?measures=AP,RR")
    assert len(calls) == 2
    with shop_bench.database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(evaluations)).scalar_one() == 4


def test_asking_while_it_is_measured_starts_nothing_more(shop_bench: Workbench) -> None:
    judgments = judgments_of(shop_bench.database, 1)
    assert judgments is not None
    runs = [run.stored for run in list_sources(shop_bench.database, 1, "run")]
    asked = question(judgments.stored, ["nDCG@5"], DEFAULT)
    first, second = (start_measuring(shop_bench, asked, runs) for _ in range(2))
    for future in (*first, *second):
        future.result()
    assert len(summaries(shop_bench, asked, runs)) == 2


def test_an_empty_project_says_what_to_do(bench: Workbench) -> None:
    browser = Browsing(bench)
    browser.send("/projects", "/projects", name="empty")
    for path in ("evaluate", "explain"):
        assert "Judgments and runs are needed" in browser.page(f"/projects/1/{path}")


def test_an_explanation_is_that_of_explain(shop_bench: Workbench, shop: Path) -> None:
    page = Browsing(shop_bench).page("/projects/1/explain?run=b&query=red-lipstick&k=5&gain=exp")
    expected = explain(
        read_judgments(shop / "shop.qrels"),
        read_run(shop / "b.run"),
        "nDCG(gain=exp)@5",
        query="red-lipstick",
    )
    assert f'<span class="big">{expected.value:.4f}</span>' in page
    assert " lipstick, for " in page  # the text of a product
    for document in expected.ranking:
        assert f'data-document="{document.document}"' in page


@pytest.mark.parametrize("ties", ["id-descending", "input-order", "averaged", "optimistic"])
def test_every_query_has_the_value_of_evaluate(shop_bench: Workbench, shop: Path, ties: str) -> None:
    judgments = judgments_of(shop_bench.database, 1)
    assert judgments is not None
    run = list_sources(shop_bench.database, 1, "run")[0].stored
    asked = question(judgments.stored, ["nDCG@10"], DEFAULT.replace(ties=ties))
    result = evaluate(shop / "shop.qrels", shop / "a.run", "nDCG@10", conventions=f"ties={ties}")
    listed = query_list(shop_bench, asked, run, 60)
    assert listed is not None
    assert {query.query: query.value for query in listed} == result.by_query("nDCG@10")
    assert [query.value for query in listed] == sorted(query.value or 0.0 for query in listed)
    for query in listed[::7]:
        explained = explain_query(shop_bench, asked, run, query.query)
        assert explained.explanation.value == query.value


def test_moving_a_document_changes_what_it_is_worth(shop_bench: Workbench) -> None:
    """Of two documents, exchanging ranks 1 and 2 exchanges their discounts: 1 and 1/log2(3)."""
    browser = Browsing(shop_bench)
    browser.send("/projects", "/projects", name="two")
    browser.upload(2, "t.qrels", b"q 0 good 3\nq 0 bad 0\n")
    browser.upload(2, "t.run", b"q Q0 bad 1 2 t\nq Q0 good 2 1 t\n")
    assert '<span class="big">0.6309</span>' in browser.page("/projects/2/explain?query=q")  # 1 / log2(3)
    moved = browser.page("/projects/2/explain/moved?run=t&query=q&order=good&order=bad")
    assert '<span class="big">1.0000</span>' in moved
    assert "0.6309 → 1.0000" in moved
    lost = browser.page("/projects/2/explain?query=q")
    assert "−0.3691" in lost  # 1/log2(3) − 1
    assert "A document of grade 3 sits at rank 2; the ideal list has it at rank 1." in lost


@pytest.mark.parametrize("order", ["order=nowhere", "order=good&order=good"])
def test_an_order_that_does_not_fit_is_refused(shop_bench: Workbench, order: str) -> None:
    browser = Browsing(shop_bench)
    answer = browser.get(f"/projects/1/explain/moved?run=a&query=lipstick&{order}")
    assert answer.status_code == 422
    assert "cannot be moved" in answer.text


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("query=nowhere", 422),
        ("run=nowhere", 404),
        ("k=many", 422),
        ("family=Gini", 422),
        ("discount=odd", 422),
    ],
)
def test_what_cannot_be_explained_says_so(shop_bench: Workbench, asked: str, status: int) -> None:
    assert Browsing(shop_bench).get(f"/projects/1/explain?{asked}").status_code == status


@pytest.mark.parametrize("family", ["nDCG", "DCG", "AP", "RR", "P", "R", "ERR", "RBP"])
def test_every_measure_of_the_switch_is_shown(shop_bench: Workbench, family: str) -> None:
    assert Browsing(shop_bench).get(f"/projects/1/explain?family={family}").status_code == 200


def test_all_queries_are_reached_page_by_page(shop_bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain_pages, "PAGE", 15)
    browser = Browsing(shop_bench)
    seen: list[str] = []
    address: str | None = ""
    while address is not None:
        page = browser.page(f"/projects/1/explain{address}")
        seen += re.findall(r'<li><a href="\?run=a&query=([\w-]+)&', page)
        further = re.search(r'<a href="([^"]+)">Higher values', page)
        address = further[1] if further else None
    assert len(seen) == len(set(seen)) == 40
