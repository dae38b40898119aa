"""The report in a real browser: offline, light and dark, on a desk and on a telephone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.chromium import chromium_browser, require_chromium, scrolls_sideways
from support.report_pages import write_odd_inputs

from idealist.cli import main

pytest.importorskip("matplotlib", reason="reports need matplotlib")
require_chromium()

WIDTHS = {"desk": 1200, "telephone": 390}
SCHEMES = ("light", "dark")
INK = "getComputedStyle(document.documentElement).color"
PAPER = "getComputedStyle(document.documentElement).backgroundColor"
TEXT_OF_FIGURES = "[...document.querySelectorAll('svg text')].map(text => getComputedStyle(text).fill)"
SMALLEST = """Math.min(...[...document.querySelectorAll('svg')].map(svg =>
    9 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium_browser() as opened:
        yield opened


@pytest.fixture(scope="module", params=["shop", "odd"])
def page_file(request: pytest.FixtureRequest, shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    paths = (shop / "shop.qrels", shop / "a.run", shop / "b.run")
    if request.param == "odd":
        paths = write_odd_inputs(folder)
    votes, out = folder / "votes.csv", folder / "report.html"
    votes.write_text("query,vote\nq1,good\nq2,same\nq3,bad\nq4,good\n", encoding="utf-8")
    given = [*map(str, paths), "--baseline", str(paths[1]), "--votes", str(votes), "-o", str(out)]
    assert main(["report", *given]) == 0
    return out


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_it_opens_by_itself(browser: Any, page_file: Path, tmp_path: Path, scheme: str, width: str) -> None:
    context = browser.new_context(
        viewport={"width": WIDTHS[width], "height": 900}, color_scheme=scheme, java_script_enabled=True
    )
    context.route(lambda address: not address.startswith("file:"), lambda route: route.abort())
    page = context.new_page()
    messages: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(page_file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")

    assert not scrolls_sideways(page)
    assert page.title() == "Ranking report"
    ink, paper = page.evaluate(INK), page.evaluate(PAPER)
    assert (ink, paper) == {
        "light": ("rgb(31, 35, 40)", "rgb(255, 255, 255)"),
        "dark": ("rgb(230, 237, 243)", "rgb(13, 17, 23)"),
    }[scheme]
    assert set(page.evaluate(TEXT_OF_FIGURES)) == {ink}
    assert page.evaluate(SMALLEST) >= 8, "text of a figure is too small to read"
    assert page.screenshot(path=tmp_path / f"{scheme}-{width}.png", full_page=True)
    assert requests == [page_file.as_uri()]
    assert messages == []
    context.close()
