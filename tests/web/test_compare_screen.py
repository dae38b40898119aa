"""Comparisons on pages are those of `compare`, computed once for each content; what is selected is what is listed."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from support.browsing import Browsing

from idealist import compare
from idealist.show.comparison_tables import comparison_view
from idealist.web.base.result_cache import ResultCache
from idealist.web.comparing import pairing
from idealist.web.comparing.pairing import ComparedQuery, Selection, compared_queries, contrast_of
from idealist.web.projects.project_sources import list_sources
from idealist.web.workbench import Workbench


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the comparisons of another."""
    monkeypatch.setattr(pairing, "_comparisons", ResultCache(64))
    monkeypatch.setattr(pairing, "_verdicts", ResultCache(64))


def test_the_page_shows_what_compare_gives(shop_bench: Workbench, shop: Path) -> None:
    page = Browsing(shop_bench).whole_page("/projects/1/compare?baseline=a&system=b&measures=nDCG@10,AP")
    result = compare(shop / "shop.qrels", [shop / "a.run", shop / "b.run"], ["nDCG@10", "AP"], baseline="a")
    for contrast in result:
        assert contrast.interval is not None
        assert f"+{contrast.difference:.4f}" in page
        assert f"[{contrast.interval.low:.4f}, {contrast.interval.high:.4f}]" in page
        assert f"{contrast.wins}/{contrast.ties}/{contrast.losses}" in page
    verdict = result.verdict()
    assert f'<div class="verdict {verdict.outcome}">' in page
    assert verdict.why in page
    assert f"40 of 40 queries; mean difference +{result['b', 'nDCG@10'].difference:.4f}" in page


def test_the_margin_decides(shop_bench: Workbench) -> None:
    """b is better than a; turned round, a is worse than b by more than any small margin allows."""
    browser = Browsing(shop_bench)
    asked = "/projects/1/compare?baseline=b&system=a&measures=nDCG@10"
    assert '<div class="verdict block">' in browser.whole_page(asked)
    assert "the margin must be 0 or more" in browser.whole_page(f"{asked}&margin=-1", 422)
    assert "margin 0.0100" in browser.whole_page(f"{asked}&margin=0.01")


def test_segments_are_those_of_compare(shop_bench: Workbench, shop: Path) -> None:
    """The ids of the shop's queries are their words with hyphens between them."""
    page = Browsing(shop_bench).whole_page(
        "/projects/1/compare?baseline=a&system=b&measures=AP&segments=words"
    )
    by_query = Browsing(shop_bench).get("/projects/1/compare/data?baseline=a&system=b&measures=AP").json()
    words = {query: query.count("-") + 1 for query in by_query["queries"]}
    segments = {query: "1 word" if count == 1 else f"{count} words" for query, count in words.items()}
    runs = [shop / "a.run", shop / "b.run"]
    result = compare(shop / "shop.qrels", runs, "AP", baseline="a", segments=segments)
    for name, (contrast,) in result.segments().items():
        assert name in page
        assert f"+{contrast.difference:.4f}" in page
    relevant = Browsing(shop_bench).whole_page("/projects/1/compare?measures=AP&segments=relevant")
    assert "relevant documents" in relevant


def test_segments_of_the_file_of_queries(shop_bench: Workbench, shop: Path) -> None:
    browser = Browsing(shop_bench)
    path = "/projects/1/compare?baseline=a&system=b&measures=AP&segments=column"
    assert "the queries have no segments" in browser.whole_page(path, 422)
    queries = browser.get("/projects/1/compare/data?baseline=a&system=b&measures=AP").json()["queries"]
    segments = {query: "cheap" if query.startswith("cheap") else "other" for query in queries}
    rows = "".join(f"{query},{query},{segment}\n" for query, segment in segments.items())
    browser.upload(1, "queries.csv", f"query,text,segment\n{rows}".encode())
    page = browser.whole_page(path)
    runs = [shop / "a.run", shop / "b.run"]
    result = compare(shop / "shop.qrels", runs, "AP", baseline="a", segments=segments)
    assert set(result.segments()) == {"cheap", "other"}
    for (contrast,) in result.segments().values():
        assert f"+{contrast.difference:.4f}" in page
    # Without the segment of one query, the message is that of the command.
    browser.upload(1, "queries.csv", f"query,text,segment\n{rows.partition(chr(10))[2]}".encode())
    assert f"query {queries[0]!r} has no segment" in unescape(browser.whole_page(path, 422))


def test_nothing_is_compared_twice(shop_bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    real = compare

    def counted(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        return real(*arguments, **options)

    monkeypatch.setattr(pairing, "compare", counted)
    browser = Browsing(shop_bench)
    for margin in ("", "0.01", "5%"):  # the margin changes the verdict alone
        browser.whole_page(f"/projects/1/compare?baseline=a&system=b&measures=AP,RR&margin={margin}")
    assert len(calls) == 1
    # The same content, brought in again, is the same comparison; another run of that name is not.
    run = list_sources(shop_bench.database, 1, "run")[1]
    same = Path(shop_bench.files.path(run.stored)).read_bytes()
    browser.upload(1, "b.tsv", same, kind="run")
    browser.whole_page("/projects/1/compare?baseline=a&system=b&measures=AP,RR")
    assert len(calls) == 1
    browser.upload(1, "b.tsv", b"\n".join(same.split(b"\n")[:200]) + b"\n", kind="run")
    browser.whole_page("/projects/1/compare?baseline=a&system=b&measures=AP,RR")
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ({"baseline": (0.0, 0.3)}, ["c"]),
        ({"value": (0.6, 1.0), "baseline": (0.45, 1.0)}, ["b"]),
        ({"places": (2, 3)}, ["b", "c"]),
        ({"least": 0.2}, ["a", "b"]),
        ({"most": 0.0}, ["c"]),
        ({}, ["a", "b", "c"]),
    ],
)
def test_a_selection_has_both_its_ends(selection: dict[str, Any], expected: list[str]) -> None:
    queries = [
        ComparedQuery(1, "a", 0.4, 0.75, 0.35),
        ComparedQuery(2, "b", 0.5, 0.7, 0.2),
        ComparedQuery(3, "c", 0.3, 0.3, 0.0),
    ]
    assert [query.query for query in queries if Selection(**selection).has(query)] == expected


def test_the_selected_queries_are_listed(shop_bench: Workbench, shop: Path) -> None:
    browser = Browsing(shop_bench)
    path = "/projects/1/compare/queries?baseline=a&system=b&measures=nDCG@10"
    result = compare(shop / "shop.qrels", [shop / "a.run", shop / "b.run"], "nDCG@10", baseline="a")
    queries = compared_queries(contrast_of(result, ""))
    large = [query for query in queries if query.difference >= 0.3]
    page = browser.page(f"{path}&least=0.3")
    assert re.findall(r"&query=([\w-]+)\"", page) == [query.query for query in large]
    mean = sum(query.difference for query in large) / len(large)
    assert f"{len(large)} of 40 queries; mean difference +{mean:.4f}" in page
    losses = browser.page(f"{path}&order=losses&among_place=1,10&from=0")
    assert re.findall(r"&query=([\w-]+)\"", losses) == [query.query for query in queries[9::-1]]
    assert "No query has such a difference." in browser.page(f"{path}&least=2")
    refused = browser.get(f"{path}&least=much")
    assert refused.status_code == 422
    assert "least is a number, not" in refused.text


def test_lower_is_better_comes_first_where_the_measure_says_so(shop_bench: Workbench) -> None:
    """Of a share of unjudged documents the largest fall is the largest gain."""
    data = (
        Browsing(shop_bench).get("/projects/1/compare/data?baseline=a&system=b&measures=Unjudged@10").json()
    )
    changes = [after - before for before, after in zip(data["baseline"], data["values"], strict=True)]
    assert data["sign"] == -1
    assert changes == sorted(changes)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("baseline=a&system=a", "cannot be compared with itself"),
        ("baseline=a&system=nowhere", "there is no run"),
        ("measures=nDCH@10", "nDCH"),
        ("segments=colour", "is not a way to segment queries"),
        ("among_place=3", "has two ends"),
        ("among_value=low,high", "is a number"),
    ],
)
def test_what_cannot_be_compared_says_why(shop_bench: Workbench, asked: str, message: str) -> None:
    assert message in Browsing(shop_bench).whole_page(f"/projects/1/compare?{asked}", 422)


def test_one_run_says_what_to_do(bench: Workbench) -> None:
    browser = Browsing(bench)
    browser.send("/projects", "/projects", name="one")
    browser.upload(1, "t.qrels", b"q 0 good 3\n")
    browser.upload(1, "t.run", b"q Q0 good 1 2 t\n")
    assert "Judgments and two runs are needed" in browser.page("/projects/1/compare")


def test_the_api_says_what_the_command_says(shop_bench: Workbench, shop: Path) -> None:
    client = Browsing(shop_bench).client
    asked = {"baseline": "a", "system": "b", "measure": ["nDCG@10", "AP"], "margin": "1%"}
    record = client.get("/api/projects/1/comparison", params=asked).json()
    result = compare(shop / "shop.qrels", [shop / "a.run", shop / "b.run"], ["nDCG@10", "AP"], baseline="a")
    expected = comparison_view(result, verdicts={"b": result.verdict(margin="1%")}).record()
    assert record["contrasts"] == expected["contrasts"]
    assert record["verdicts"] == expected["verdicts"]
    queries = client.get("/api/projects/1/comparison/queries", params={"baseline": "a", "system": "b"}).json()
    by_query = dict(
        zip(result["b", "nDCG@10"].paired.queries, result["b", "nDCG@10"].paired.differences, strict=True)
    )
    assert {query["query"]: query["difference"] for query in queries} == by_query
    assert client.get("/api/projects/9/comparison", params=asked).status_code == 404
    wrong = client.get("/api/projects/1/comparison", params={"baseline": "a", "system": "x"})
    assert wrong.status_code == 422
    assert "there is no run 'x'" in wrong.json()["detail"]
