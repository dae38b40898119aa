"""The page *Try it*: real Chromium, the Pyodide runtime, and the core compiled for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.chromium import complaints, require_chromium, scrolls_sideways, serious_faults

import idealist as il
from idealist.conventions import PRESETS

require_chromium()
expect = pytest.importorskip("playwright.sync_api").expect


@pytest.fixture(scope="module")
def page(browser: Any, address: str) -> Any:
    """The page with the results of the sample; what the browser complains of is in `page.said`."""
    page = browser.new_page()
    page.said = complaints(page)
    page.goto(f"{address}live.html")
    expect(page.locator("#build-up table")).to_be_visible()
    yield page
    page.close()


def measured(page: Any, judgments: str, *runs: str, measure: str = "nDCG@10") -> None:
    texts = {"judgments": judgments, "run A": runs[0], "run B": runs[1] if len(runs) > 1 else ""}
    for name, text in {**texts, "measure": measure}.items():
        page.locator(f"[name='{name}']").fill(text)
    page.get_by_role("button", name="Measure").click()
    expect(page.get_by_role("button", name="Measure")).to_be_enabled()


def cells(page: Any, table: str) -> list[list[str]]:
    """The texts of a table's rows, without what each tool is."""
    rows: list[list[str]] = page.locator(f"{table} tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.firstChild?.textContent ?? ''))"
    )
    return rows


def test_the_sample_is_measured_when_the_page_opens(opened: Any, shop: Path) -> None:
    """The numbers of all tools are those of the package."""
    page = opened("live.html")
    said = complaints(page)
    expect(page.locator("#build-up table")).to_be_visible()
    rows = {row[0]: row[1:] for row in cells(page, "#tools")}
    assert rows.keys() == PRESETS.keys()
    for name, preset in PRESETS.items():
        try:
            result = il.evaluate(
                shop / "shop.qrels",
                [shop / "a.run", shop / "b.run"],
                "nDCG@10",
                conventions=preset.conventions,
            )
        except il.InputError as error:
            assert rows[name] == ["", "", "", "", f"no number: {error.message}"]
        else:
            a, b = (result.mean("nDCG@10", system=system) for system in ("a", "b"))
            assert rows[name][:3] == [f"{a:.4f}", f"{b:.4f}", f"{b - a:+.4f}"]
    assert said == []


def test_why_two_tools_differ_and_one_query(page: Any) -> None:
    # Grades 1, 3 in ranks 1, 2. Linear: (1 + 3 × 0.6309) / (3 + 0.6309) = 0.7967; 2^g − 1: (1 + 7 × 0.6309) / 7.6309 = 0.7098.
    measured(page, "q 0 a 1\nq 0 b 3\n", "q Q0 a 1 2 x\nq Q0 b 2 1 x\n")
    assert ["idealist", "0.7967", "1", ""] in cells(page, "#tools")
    assert ["lightgbm", "0.7098", "1", "gain exp -0.0869"] in cells(page, "#tools")
    page.locator("[name=second]").select_option("lightgbm")
    assert ["gain", "linear", "exp", "0.7098", "-0.0869", "1", "1: q 0.7967 → 0.7098"] in cells(
        page, "#difference"
    )
    expect(page.locator("#build-up")).to_contain_text("2.8928 / 3.6309 = 0.7967")
    page.locator("[name=tool]").select_option("lightgbm")
    expect(page.locator("#build-up")).to_contain_text("5.4165 / 7.6309 = 0.7098")
    assert page.said == []


def test_two_runs_of_which_each_is_the_better_by_some_tools(page: Any) -> None:
    """The small sample is there to show this."""
    page.get_by_label("Sample").select_option("small")
    expect(page.locator("#tools tbody tr").first).to_contain_text("0.5400")
    signs = {row[0]: row[3][0] for row in cells(page, "#tools")}
    assert {signs["trec_eval-9"], signs["lightgbm"]} == {"+"}
    assert {signs["spark"], signs["letor"]} == {"-"}


@pytest.mark.parametrize(
    ("judgments", "run", "source", "line"),
    [
        ("q 0 a 1\nq 0 b much\n", "q Q0 a 1 2 x\n", "judgments", "q 0 b much"),
        ("q 0 a 1\n", "q Q0 a 1 2 x\nq Q0 b 2\n", "run A", "q Q0 b 2"),
    ],
)
def test_an_error_names_the_line_which_is_then_selected(
    page: Any, judgments: str, run: str, source: str, line: str
) -> None:
    measured(page, judgments, run)
    problem = page.get_by_role("alert")
    expect(problem).to_contain_text(f"{source}, line 2: ")
    expect(problem).to_contain_text("hint: ")
    expect(problem).not_to_contain_text("Traceback")
    selected = "area => area.value.slice(area.selectionStart, area.selectionEnd)"
    area = page.locator(f"textarea[name='{source}']")
    assert area.evaluate(selected) == line
    expect(area).to_be_focused()
    expect(area).to_have_attribute("aria-invalid", "true")


@pytest.mark.parametrize(
    ("judgments", "measure", "words"),
    [
        ("q 0 a 1\n", "nDGC@10", "did you mean nDCG"),
        ("r 0 a 1\n", "nDCG@10", "run A: the run and the judgments have no query in common"),
        ("", "nDCG@10", "judgments: nothing was pasted"),
    ],
)
def test_other_errors_say_what_to_do(page: Any, judgments: str, measure: str, words: str) -> None:
    measured(page, judgments, "q Q0 a 1 2 x\n", measure=measure)
    expect(page.get_by_role("alert")).to_contain_text(words)


def test_what_cannot_be_explained_is_measured(page: Any) -> None:
    measured(page, "q 0 a 1\n", "q Q0 a 1 2 x\n", measure="Hole")
    expect(page.get_by_role("alert")).to_be_empty()
    expect(page.locator("#tools")).to_contain_text("trec_eval-9")
    expect(page.locator("#build-up")).to_contain_text("Hole@10 cannot be explained: it looks at a run")


def test_markup_in_ids_is_text(page: Any) -> None:
    measured(page, "<b>q</b> 0 <img/src=x> 1\n", "<b>q</b> Q0 <img/src=x> 1 2 x\n")
    expect(page.locator("#build-up")).to_contain_text("<img/src=x>")
    assert page.locator(".results img, .results b").count() == 0


def test_by_keyboard(page: Any) -> None:
    measured(page, "q 0 a 1\n", "q Q0 a 1 2 x\n")
    page.locator("[name=judgments]").fill("q 0 a 0\nq 0 b 1\n")
    expect(page.locator(".results")).to_have_class("results stale")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".results")).to_have_class("results")
    assert cells(page, "#tools")[0][1] == "0.0000"


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1300)])
def test_everybody_can_use_it(opened: Callable[..., Any], scheme: str, width: int) -> None:
    page = opened("live.html", color_scheme=scheme, viewport={"width": width, "height": 900})
    expect(page.locator("#build-up table")).to_be_visible()
    assert serious_faults(page, "article") == []
    assert not scrolls_sideways(page)


def test_loading_is_seen_and_what_fails_is_said(browser: Any, address: str) -> None:
    context = browser.new_context(base_url=address)
    context.route("**/idealist.zip", lambda route: route.fulfill(status=404, body=""))
    page = context.new_page()
    page.goto("live.html")
    expect(page.get_by_role("status")).to_contain_text("Loading")
    expect(page.get_by_role("alert")).to_contain_text("idealist.zip could not be loaded: 404")
    context.close()
