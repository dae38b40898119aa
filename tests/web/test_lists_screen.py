"""Two lists of a query: ranks in both, agreement and values are those of `explain` and `agree`."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from support.browsing import Browsing, awaited

from idealist import compare, explain, read_run
from idealist.conventions import DEFAULT
from idealist.evaluation import agree
from idealist.web.comparing import run_values
from idealist.web.comparing.explaining import TwoLists, neighbours, ordered_queries, two_lists
from idealist.web.comparing.pairing import comparable_runs, compared_queries, contrast_of, pairing
from idealist.web.comparing.run_values import question
from idealist.web.workbench import Workbench

OLD = b"q Q0 a 1 4 old\nq Q0 b 2 3 old\nq Q0 c 3 2 old\nq Q0 d 4 1 old\n"
NEW = b"q Q0 c 1 4 new\nq Q0 a 2 3 new\nq Q0 e 3 2 new\n"


@pytest.fixture
def small(bench: Workbench) -> Workbench:
    """A project of one query in two runs of letters, where c is good, and nobody judged e."""
    browser = Browsing(bench)
    browser.send("/projects", "/projects", name="letters")
    browser.upload(1, "l.qrels", b"q 0 c 1\nq 0 a 0\nq 0 b 0\nq 0 d 0\n")
    browser.upload(1, "old.run", OLD)
    browser.upload(1, "new.run", NEW)
    return bench


def lists_of(bench: Workbench, measure: str, baseline: str, system: str, query: str) -> TwoLists:
    judgments, runs = comparable_runs(bench, 1)
    assert judgments is not None
    asked = question(judgments.stored, [measure], DEFAULT)
    return two_lists(bench, pairing(bench, 1, asked, runs, baseline, system), query)


def test_every_document_has_its_rank_in_the_other_list(small: Workbench) -> None:
    lists = lists_of(small, "RR", "old", "new", "q")
    ranks = {item.document: (item.rank, item.other_rank, item.rise) for item in lists.system}
    assert ranks == {"c": (1, 3, 2), "a": (2, 1, -1), "e": (3, None, None)}
    assert {item.document: item.other_rank for item in lists.baseline} == {
        "a": 2,
        "b": None,
        "c": 1,
        "d": None,
    }
    assert lists.values == (1 / 3, 1.0)  # the only relevant document, c, rises from rank 3 to rank 1


def test_a_rank_below_the_cut_off_is_found(small: Workbench) -> None:
    """At a cut-off of 2 the old list shows a and b; c of the new one stands at rank 3 of it all the same."""
    lists = lists_of(small, "P@2", "old", "new", "q")
    assert [item.document for item in lists.baseline] == ["a", "b"]
    assert [(item.document, item.other_rank) for item in lists.system] == [("c", 3), ("a", 1)]
    assert dict(lists.agreement)["Overlap@2"] == 0.5  # a is in both, b and c are not


def test_agreement_is_that_of_agree(shop_bench: Workbench, shop: Path) -> None:
    lists = lists_of(shop_bench, "nDCG@10", "a", "b", "cheap-perfume")
    expected = agree(read_run(shop / "b.run"), read_run(shop / "a.run"), ["RBO", "Overlap@10", "KendallTau"])
    assert [value for _, value in lists.agreement] == [
        expected.value(measure, "cheap-perfume") for measure in expected.measures
    ]


def test_the_page_shows_values_ranks_and_losses(small: Workbench) -> None:
    page = Browsing(small).page("/projects/1/lists?baseline=old&system=new&query=q&measure=nDCG@10")
    assert '<span class="big">0.5000</span>' in page  # 1 / log2(4) of c at rank 3
    assert '<span class="big">1.0000</span>' in page
    assert "old → new: +0.5000" in page
    for text in ("was 3", "now 1", "not in old", "not in new", "Overlap@10"):
        assert text in page
    assert "A document of grade 1 sits at rank 3; the ideal list has it at rank 1." in page
    assert '"list": "ideal"' in page


def test_the_next_query_is_that_of_the_next_smaller_gain(shop_bench: Workbench, shop: Path) -> None:
    judgments, runs = comparable_runs(shop_bench, 1)
    assert judgments is not None
    asked = question(judgments.stored, ["nDCG@10"], DEFAULT)
    pair = pairing(shop_bench, 1, asked, runs, "a", "b")
    result = compare(shop / "shop.qrels", [shop / "a.run", shop / "b.run"], "nDCG@10", baseline="a")
    listed = compared_queries(contrast_of(result, ""))
    ordered = ordered_queries(shop_bench, pair)
    differences = {query.query: query.difference for query in listed}
    assert [round(differences[query], 9) for query in ordered] == [
        round(query.difference, 9) for query in listed
    ]
    first, second, third = ordered[:3]
    assert neighbours(shop_bench, pair, first, 10) == {"after": second}
    assert neighbours(shop_bench, pair, second, 10) == {"before": first, "after": third}
    assert neighbours(shop_bench, pair, "nowhere", 10) == {}
    page = Browsing(shop_bench).page("/projects/1/lists?baseline=a&system=b")
    assert f"query={second}" in page  # without a query, that of the largest gain


def test_a_page_does_not_wait_for_other_queries(
    shop_bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only which queries come before and after takes values of all of them."""
    go = threading.Event()
    real = run_values.measure_run

    def slow(*arguments: Any) -> None:
        go.wait(20)
        real(*arguments)

    monkeypatch.setattr(run_values, "measure_run", slow)
    browser, path = Browsing(shop_bench), "/projects/1/lists?baseline=a&system=b&query=lipstick&measure=RR"
    page = browser.page(path)
    assert "Both lists" in page
    assert "Next query" not in page
    go.set()
    awaited(lambda: "Next query" in browser.page(path) or None, "it is never measured")


def test_a_run_without_the_query_is_an_empty_list(small: Workbench) -> None:
    browser = Browsing(small)
    browser.upload(1, "l.qrels", b"q 0 c 1\np 0 a 1\n")
    browser.upload(1, "none.run", b"p Q0 a 1 1 none\n")
    page = browser.page("/projects/1/lists?baseline=old&system=none&query=q")
    assert "none has no documents for this query." in page


@pytest.mark.parametrize(
    ("asked", "message"),
    [("query=nowhere", "nowhere"), ("system=x", "there is no run"), ("measure=nDCH", "nDCH")],
)
def test_what_cannot_be_shown_says_why(small: Workbench, asked: str, message: str) -> None:
    answer = Browsing(small).get(f"/projects/1/lists?baseline=old&{asked}")
    assert answer.status_code == 422
    assert message in answer.text


def test_markup_of_documents_is_text(small: Workbench) -> None:
    browser = Browsing(small)
    browser.upload(1, "d.csv", b"document,title\nc,<b onclick=x>bold</b>\n")
    answer = browser.get("/projects/1/lists?baseline=old&system=new&query=q")
    assert "<b onclick" not in answer.text
    assert "&lt;b onclick=x&gt;bold" in answer.text


def test_the_api_gives_both_explanations(shop_bench: Workbench, shop: Path) -> None:
    asked = {"baseline": "a", "system": "b", "query": "lipstick", "measure": "AP"}
    record: dict[str, Any] = Browsing(shop_bench).client.get("/api/projects/1/lists", params=asked).json()
    for side, name in (("baseline", "a"), ("system", "b")):
        expected = explain(shop / "shop.qrels", shop / f"{name}.run", "AP", query="lipstick")
        assert record[side]["value"] == expected.value
    assert len(record["agreement"]) == 3
    assert record["documents"][0]["baseline"] == 1
