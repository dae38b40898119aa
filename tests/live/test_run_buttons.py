"""The Run buttons of examples: every example of their pages in Chromium, compared with what the page says it prints."""

from __future__ import annotations

import doctest
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from numpy.random import default_rng
from support.chromium import complaints, require_chromium, scrolls_sideways, serious_faults

from idealist.measures.naming import registry

require_chromium()
expect = pytest.importorskip("playwright.sync_api").expect

START = (ROOT / "live" / "page" / "start.js").read_text(encoding="utf-8")
PAGES = re.findall(r'"([\w/-]+)"', START[START.index("const runnable") : START.index("];")])
NEEDS = "which the Python in this page does not have."
# Runs all examples of a page, one after the other: [what is shown, what is printed].
RUN_ALL = """async () => {
    const found = [];
    while (!document.querySelector(".run")) await new Promise(done => setTimeout(done, 5));
    for (const box of document.querySelectorAll(".run")) {
        const [button, output] = [box.querySelector("button"), box.querySelector("pre")];
        const shown = box.previousElementSibling.querySelector("code").textContent;
        button.click();
        while (button.disabled) await new Promise(done => setTimeout(done, 5));
        found.push([shown, output.textContent]);
    }
    return found;
}"""


def as_shown(shown: str, printed: str) -> bool:
    """Whether an example printed what the page shows below its prompts; one without prompts has no error."""
    examples = doctest.DocTestParser().get_examples(shown)
    if not examples:
        return "Error" not in printed and NEEDS not in printed
    wanted = "".join(example.want for example in examples) or "(prints nothing)\n"
    return doctest.OutputChecker().check_output(wanted, printed + "\n", doctest.ELLIPSIS)


def test_the_example_of_every_measure_prints_what_it_shows(opened: Any) -> None:
    page = opened("measures.html")
    said = complaints(page)
    ran = page.evaluate(RUN_ALL)
    assert len(ran) == len(registry())
    assert [pair for pair in ran if not as_shown(*pair)] == []
    assert said == []


@pytest.mark.parametrize("path", [path for path in PAGES if path != "measures"])
def test_the_examples_of_other_pages_print_what_they_show(opened: Any, path: str) -> None:
    ran = opened(f"{path}.html").evaluate(RUN_ALL)
    assert ran
    assert [pair for pair in ran if not as_shown(*pair)] == []


@pytest.fixture
def dcg(opened: Callable[..., Any]) -> Any:
    """The box below the example of DCG, which prints 42.2258."""
    page = opened("measures.html")
    return page.locator("#dcg ~ .run").first


def button(box: Any, name: str) -> Any:
    return box.get_by_role("button", name=name)


def test_an_example_is_run_changed_and_put_back(dcg: Any) -> None:
    editor, output = dcg.get_by_label("Code"), dcg.get_by_role("status")
    expect(editor).to_be_hidden()
    button(dcg, "Run").click()
    expect(output).to_have_text("42.2258")
    expect(editor).to_have_value('round(DCG(gain="exp")([5, 1, 3, 2, 4]), 4)')
    # (2^1 − 1) + (2^1 − 1) · 1/2
    editor.fill('print("by hand")\nDCG(gain="exp", discount="zipf")([1, 1])')
    editor.press("Control+Enter")
    expect(output).to_have_text("by hand\n1.5")
    button(dcg, "Reset").click()
    expect(editor).to_be_hidden()
    expect(button(dcg, "Run")).to_be_focused()


def test_errors_are_text(dcg: Any) -> None:
    button(dcg, "Run").click()
    expect(dcg.get_by_role("status")).to_have_text("42.2258")
    for code, words in {
        "1 / 0": "line 1, ZeroDivisionError: division by zero",
        'DCG(gain="steep")': "InputError: ",
        "import torch": "This needs PyTorch, which the Python in this page does not have.",
        "DCG(": "SyntaxError: ",
    }.items():
        dcg.get_by_label("Code").fill(code)
        button(dcg, "Run").click()
        expect(dcg.get_by_role("status")).to_contain_text(words)


def test_numpy_is_loaded_when_something_imports_it(dcg: Any) -> None:
    asked: list[str] = []
    dcg.page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    editor, output = dcg.get_by_label("Code"), dcg.get_by_role("status")
    button(dcg, "Run").click()
    expect(output).to_have_text("42.2258")
    assert "numpy.zip" not in asked
    for code, words in {
        # The inverse of a diagonal matrix has the inverses on its diagonal.
        "np.linalg.inv([[2.0, 0], [0, 4]]).tolist()": "[[0.5, 0.0], [0.0, 0.25]]",
        # The sum and the difference.
        "np.fft.fft([1, 3]).real.tolist()": "[4.0, -2.0]",
        # A seed gives the same numbers on every machine.
        "np.random.default_rng(7).random(2).tolist()": str(default_rng(7).random(2).tolist()),
        "np.sqrt(np.longdouble(4)) == 2, np.sort([3, 1, 2]).tolist()": "(np.True_, [1, 2, 3])",
    }.items():
        editor.fill(f"import numpy as np\n{code}")
        button(dcg, "Run").click()
        expect(output).to_have_text(words)
    assert asked.count("numpy.zip") == 1


def test_numpy_that_cannot_be_loaded_is_tried_again(browser: Any, address: str) -> None:
    context = browser.new_context(base_url=address)
    context.route("**/numpy.zip", lambda route: route.fulfill(status=404, body=""), times=1)
    page = context.new_page()
    page.goto("measures.html")
    box = page.locator("#dcg ~ .run").first
    button(box, "Run").click()
    expect(box.get_by_role("status")).to_have_text("42.2258")
    box.get_by_label("Code").fill("import numpy\nint(numpy.add(1, 2))")
    button(box, "Run").click()
    expect(box.get_by_role("status")).to_contain_text(f"This needs NumPy, {NEEDS}")
    button(box, "Run").click()
    expect(box.get_by_role("status")).to_have_text("3")
    context.close()


def test_what_never_ends_is_stopped_and_python_starts_anew(dcg: Any) -> None:
    button(dcg, "Run").click()
    expect(dcg.get_by_role("status")).to_have_text("42.2258")
    dcg.get_by_label("Code").fill("while True:\n    pass")
    button(dcg, "Run").click()
    button(dcg, "Stop").click()
    expect(dcg.get_by_role("status")).to_have_text("Stopped.")
    dcg.get_by_label("Code").fill("1 + 1")
    button(dcg, "Run").click()
    expect(dcg.get_by_role("status")).to_have_text("2")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1300), ("dark", 390)])
def test_everybody_can_use_them(opened: Any, scheme: str, width: int) -> None:
    page = opened("concepts/ndcg.html", color_scheme=scheme, viewport={"width": width, "height": 900})
    box = page.locator(".run").first
    button(box, "Run").click()
    expect(box.locator("pre:not(.run-waits)")).to_be_visible()
    assert serious_faults(page, ".run") == []
    assert not scrolls_sideways(page)


def test_a_site_without_the_runtime_has_no_buttons_and_says_how_it_gets_them(opened: Any) -> None:
    empty = (ROOT / "docs" / "live" / "start.js").read_text(encoding="utf-8")
    page = opened("index.html")
    page.route("**/live/start.js", lambda route: route.fulfill(body=empty, content_type="text/javascript"))
    said = complaints(page)
    page.goto("measures.html")
    assert page.locator(".run").count() == 0
    page.goto("live.html")
    expect(page.locator("#live")).to_contain_text("make live site")
    assert said == []


def test_a_page_opened_as_a_file_has_no_buttons_and_no_errors(browser: Any, site: Path) -> None:
    page = browser.new_page()
    said = complaints(page)
    page.goto((site / "live.html").as_uri())
    expect(page.locator("#live")).to_contain_text("comes from a web server")
    # The search of the theme takes a server, and says so.
    assert [
        words for words in said if "search_index" not in words and "ERR_FILE_NOT_FOUND" not in words
    ] == []
    page.close()
