"""A study in a real browser: adjudicated by keyboard, in both languages, and printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.chromium import chromium_browser, complaints, require_chromium
from support.served import served

from idealist.web.workbench import Workbench

require_chromium()
expect = pytest.importorskip("playwright.sync_api").expect


@pytest.fixture
def page(shop_bench: Workbench) -> Iterator[Any]:
    with served(shop_bench) as address, chromium_browser() as browser:
        context = browser.new_context(base_url=address, locale="en-GB")
        yield context.new_page()


def test_a_decision_by_keyboard_changes_the_report_and_is_taken_back(page: Any) -> None:
    said = complaints(page)
    page.goto("/projects/1/studies")
    page.get_by_role("link", name="Words or synonyms?").press("Enter")
    expect(page.locator(".chart svg")).to_be_visible()
    before = page.locator(".big").first.inner_text()
    page.get_by_role("link", name="Raters").press("Enter")
    expect(page.get_by_text("5 wait for a decision")).to_be_visible()
    first = page.locator(".decision").first
    first.locator("summary").press("Enter")
    expect(first.get_by_role("heading", name="Left", exact=True)).to_be_visible()
    first.get_by_role("button", name="Right is better").press("Enter")
    expect(page.get_by_text("4 wait for a decision")).to_be_visible()
    page.get_by_role("link", name="Report").press("Enter")
    expect(page.get_by_text("1 of 21 items adjudicated")).to_be_visible()
    assert page.locator(".big").first.inner_text() != before
    page.get_by_role("link", name="Raters").press("Enter")
    page.get_by_role("button", name="Take the decision back").press("Enter")
    expect(page.get_by_text("5 wait for a decision")).to_be_visible()
    page.get_by_role("link", name="Report").press("Enter")
    expect(page.locator(".big").first).to_have_text(before)
    assert said == []


def test_what_is_printed(page: Any) -> None:
    """The result, without what is only for the screen."""
    page.goto("/projects/1/studies/1")
    expect(page.locator(".chart svg")).to_be_visible()
    expect(page.get_by_role("button", name="Print")).to_be_visible()
    page.emulate_media(media="print")
    for hidden in (".tabs", ".top", ".pages", "main form"):
        expect(page.locator(hidden).first).to_be_hidden()
    for shown in ("h1", ".study-name", ".verdict", ".gsb", ".chart svg"):
        expect(page.locator(shown).first).to_be_visible()


def test_in_chinese(page: Any) -> None:
    page.goto("/projects/1/studies/1/raters")
    page.get_by_role("button", name="中文").click()  # leads back to this page
    expect(page.get_by_role("heading", name="评估员之间的一致性")).to_be_visible()
    expect(page.get_by_role("button", name="左侧更好").first).to_be_visible()
    page.goto("/projects/1/plan")
    expect(page.get_by_role("heading", name="需要多少查询？")).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
