"""The page that runs without a server: real Chromium, the Pyodide runtime, and the core compiled for it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import idealist as il
from idealist.conventions import PRESETS

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect, sync_playwright

CHROMIUM = shutil.which("chromium")
PAGE = os.environ.get("IDEALIST_LIVE", "")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on the path"),
    pytest.mark.skipif(not PAGE, reason="the page is built by make test-live"),
]
PATIENCE = 120_000  # milliseconds: Python has to start


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=PAGE))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def page(address: str) -> Iterator[Any]:
    """The page when Python has started; what the browser complains of is in `page.said`."""
    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-background-networking"]
        )
        page: Any = browser.new_page()
        page.said = []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.goto(address)
        expect(page.get_by_role("button", name="Measure")).to_be_enabled(timeout=PATIENCE)
        yield page
        browser.close()


def measured(page: Any, judgments: str, run: str, measure: str = "nDCG@10") -> None:
    page.get_by_role("textbox", name="Judgments").fill(judgments)
    page.get_by_role("textbox", name="Run").fill(run)
    page.get_by_role("textbox", name="Measure").fill(measure)
    page.get_by_role("button", name="Measure").click()
    expect(page.get_by_role("button", name="Measure")).to_be_enabled(timeout=PATIENCE)


def numbers(page: Any) -> dict[str, str]:
    """The number of each tool."""
    rows = page.locator("#tools tbody tr")
    return {
        rows.nth(at).locator("th").inner_text(): rows.nth(at).locator("td").first.inner_text()
        for at in range(rows.count())
    }


def test_the_numbers_of_all_tools_are_those_of_the_package(page: Any, shop: Path) -> None:
    measured(page, (shop / "shop.qrels").read_text(), (shop / "a.run").read_text())
    shown = numbers(page)
    assert set(shown) == set(PRESETS)
    for name, preset in PRESETS.items():
        try:
            result = il.evaluate(
                shop / "a.run", shop / "shop.qrels", "nDCG@10", conventions=preset.conventions
            )
        except il.InputError as error:
            assert shown[name] == ""
            expect(page.locator("#tools")).to_contain_text(error.message)
        else:
            assert shown[name] == f"{result.mean('nDCG@10'):.4f}"
    assert page.said == []


def test_why_two_tools_differ_and_one_query(page: Any) -> None:
    # Grades 1, 3 in ranks 1, 2. Linear: (1 + 3 × 0.6309) / (3 + 0.6309) = 0.7967; 2^g − 1: (1 + 7 × 0.6309) / 7.6309 = 0.7098.
    measured(page, "q 0 a 1\nq 0 b 3\n", "q Q0 a 1 2 x\nq Q0 b 2 1 x\n")
    page.locator("select[name=second]").select_option("lightgbm")
    expect(page.locator("#difference")).to_contain_text("exp")
    expect(page.locator("#difference")).to_contain_text("0.7098")
    expect(page.locator("#build-up")).to_contain_text("2.8928 / 3.6309 = 0.7967")


def test_an_error_names_the_line_and_what_to_do(page: Any) -> None:
    measured(page, "q 0 a 1\nq 0 b much\n", "q Q0 a 1 2 x\n")
    state = page.get_by_role("status")
    expect(state).to_contain_text("line 2")
    expect(state).to_contain_text("much")
    expect(state).not_to_contain_text("Traceback")
    measured(page, "q 0 a 1\n", "q Q0 a 1 2 x\n", "nDGC@10")
    expect(state).to_contain_text("nDCG")


def test_markup_in_ids_is_text(page: Any) -> None:
    measured(page, "<b>q</b> 0 <img/src=x> 1\n", "<b>q</b> Q0 <img/src=x> 1 2 x\n")
    expect(page.locator("#build-up")).to_contain_text("<img/src=x>")
    assert page.locator("#results img, #results b").count() == 0
