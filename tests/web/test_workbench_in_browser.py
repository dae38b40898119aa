"""The workbench in a real browser: every screen, by mouse and by keyboard, in both languages, on a desk and a telephone."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.chromium import chromium_browser, complaints, require_chromium, scrolls_sideways, serious_faults
from support.served import served

from idealist.web.access.accounts import add_user
from idealist.web.base.server_settings import Settings
from idealist.web.comparing import run_values
from idealist.web.demo import add_demo
from idealist.web.projects.projects import create_project
from idealist.web.workbench import Workbench

require_chromium()
expect = pytest.importorskip("playwright.sync_api").expect

PASSWORD = "correct horse battery"
SCREENS = {
    "projects": "/projects",
    "data": "/projects/1",
    "source": "/projects/1/sources/2",
    "evaluate": "/projects/1/evaluate?ties=averaged&run=a&measure=nDCG@10&other=lightgbm",
    "explain": "/projects/1/explain?query=cheap-perfume",
    "compare": "/projects/1/compare?segments=words",
    "lists": "/projects/1/lists?query=cheap-perfume&baseline=a&system=b",
    "history": "/projects/1/history",
    "exports": "/projects/1/exports",
    "studies": "/projects/1/studies",
    "study": "/projects/1/studies/1",
    "study-raters": "/projects/1/studies/1/raters",
    "plan": "/projects/1/plan",
    "project-tasks": "/projects/1/tasks",
    "side-task": "/projects/1/tasks/1",
    "grade-task": "/projects/1/tasks/2",
    "new-side-task": "/projects/1/tasks/new/sides",
    "new-grade-task": "/projects/1/tasks/new/grades",
    "empty-project": "/projects/2",
    "empty-evaluation": "/projects/2/evaluate",
    "empty-plan": "/projects/2/plan",
    "tasks": "/tasks",
    "judging-sides": "/tasks/1",
    "judging-grades": "/tasks/2",
    "users": "/users",
    "audit": "/audit",
    "members": "/projects/1/members",
    "account": "/account",
    "missing": "/projects/77",
}
WIDTHS = {"desk": 1200, "telephone": 390}
# What is pressed, and is less than 24 pixels wide or high; links within a sentence may be, and cards are links as a whole.
SMALL_TARGETS = """() => [...document.querySelectorAll("main button, main a:not(p a, .linked a), main textarea, header a, header button")]
    .map(target => [target.outerHTML.slice(0, 100), target.getBoundingClientRect()])
    .filter(([, box]) => box.width > 1 && (box.width < 24 || box.height < 24)).map(([html]) => html)"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium_browser() as launched:
        yield launched


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the demo. Tests that change it make a project of their own."""
    folder = tmp_path_factory.mktemp("demo")
    workbench = Workbench(Settings(str(folder / "bench.db"), folder / "files"))
    add_demo(workbench)
    create_project(workbench.database, "Nothing yet")
    with served(workbench) as address:
        yield address


@pytest.fixture
def page(browser: Any, demo: str) -> Iterator[Any]:
    context = browser.new_context(base_url=demo, locale="en-GB")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SCREENS)
def test_every_screen_is_whole(browser: Any, demo: str, name: str, width: str) -> None:
    viewport = {"width": WIDTHS[width], "height": 900}
    context = browser.new_context(base_url=demo, viewport=viewport, color_scheme="dark", locale="en-GB")
    context.route(lambda address: not address.startswith(demo), lambda route: route.abort())
    page = context.new_page()
    said = complaints(page)
    page.goto(SCREENS[name])
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    if name in ("explain", "compare", "lists", "history", "study"):
        expect(page.locator(".chart svg").last).to_be_visible()
    if name.startswith("judging"):
        expect(page.locator("#judging")).to_be_visible()
    assert not scrolls_sideways(page)
    assert page.locator("h1").count() == 1
    assert serious_faults(page) == []
    page.emulate_media(color_scheme="light")
    assert serious_faults(page) == []
    for tab in page.locator(".tabs [aria-current]").all():
        box = tab.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= WIDTHS[width]
    if width == "telephone" and name.startswith(("judging", "tasks")):  # for fingers
        assert page.evaluate(SMALL_TARGETS) == []
    assert [text for text in said if "404" not in text] == []
    context.close()


def test_a_file_that_fails_and_files_that_do_not(page: Any, demo: str, shop: Path, tmp_path: Path) -> None:
    page.goto("/projects")
    page.get_by_label("Name").fill("From the browser")
    page.get_by_role("button", name="Create the project").click()
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    bad = tmp_path / "bad.run"
    bad.write_text("q1 Q0 d1 1 0.5 a\nq1 Q0 d2 2 nine a\n", encoding="utf-8")
    page.get_by_label("Choose files").set_input_files(str(bad))
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("bad.run, line 2")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()

    page.get_by_label("Choose files").set_input_files([str(shop / "shop.qrels"), str(shop / "a.run")])
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("row")).to_have_count(3)
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("link", name="Evaluate").last.click()
    expect(page.locator("table.values")).to_contain_text("0.7391")


def test_a_document_is_moved_by_keyboard_and_put_back(page: Any) -> None:
    said = complaints(page)
    page.goto("/projects/1/explain?query=cheap-perfume&run=a")
    expect(page.locator(".chart svg")).to_be_visible()
    before = page.locator(".big").inner_text()
    second = page.locator(".ranking li").nth(1).get_attribute("data-document")
    page.get_by_role("button", name=f"Move {second} up").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".ranking li").first).to_have_attribute("data-document", second)
    expect(page.get_by_role("status")).to_contain_text(f"{before} →")
    assert float(page.locator(".big").inner_text()) > float(before)
    expect(page.get_by_role("button", name=f"Move {second} down")).to_be_focused()  # it is first: not up
    page.get_by_role("button", name="Put it back").click()
    expect(page.locator(".big")).to_have_text(before)
    assert said == []


def test_sums_are_built_up_beside_the_ideal_list(page: Any) -> None:
    """Of the first ten documents four are judged: each adds to the sum, and six are hatched. The ideal list has ten."""
    page.goto("/projects/1/explain?query=cheap-perfume&run=a")
    expect(page.locator(".chart svg")).to_be_visible()
    layers = page.locator(".chart .mark-rect.role-mark")
    adds, unjudged = layers.nth(1).locator("path"), layers.nth(2).locator("path")
    expect(adds).to_have_count(4 + 10)
    expect(unjudged).to_have_count(6)
    assert unjudged.first.get_attribute("fill") == "url(#hatch)"
    expect(page.locator("#hatch line")).to_be_attached()


def test_a_document_is_dragged(page: Any) -> None:
    page.goto("/projects/1/explain?query=cheap-perfume&run=a")
    rows = page.locator(".ranking li")
    sixth = rows.nth(5).get_attribute("data-document")
    rows.nth(5).drag_to(rows.first)
    expect(rows.first).to_have_attribute("data-document", sixth)


def test_a_switch_shows_its_effect(page: Any) -> None:
    page.goto("/projects/1/explain?query=red-lipstick&run=a")
    before = page.locator(".big").inner_text()
    page.get_by_label("Gain", exact=True).select_option("exp")
    page.wait_for_url("**gain=exp**")
    expect(page.locator(".headline")).to_contain_text("gain=exp")
    assert page.locator(".big").inner_text() != before


def test_brushing_selects_queries_and_a_click_opens_both_lists(page: Any) -> None:
    said = complaints(page)
    page.goto("/projects/1/compare?baseline=a&system=b")
    expect(page.locator("#bars svg")).to_be_visible()
    expect(page.locator(".selected")).to_have_attribute("data-count", "40")
    page.locator("#bars svg").scroll_into_view_if_needed()
    box = page.locator("#bars svg").bounding_box()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.2 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.97 * box["width"], box["y"] + 0.5 * box["height"], steps=5)
    page.mouse.up()
    expect(page.locator(".selected")).to_have_attribute("data-count", re.compile(r"^([3-9]|1[0-9])$"))
    # A brush on the other chart takes its place: all but the query of no value lie in the upper half.
    box = page.locator("#scatter svg").bounding_box()
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.4 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.99 * box["width"], box["y"] + 2, steps=5)
    page.mouse.up()
    expect(page.locator(".selected")).to_have_attribute("data-count", "39")
    page.get_by_role("link", name="Show all queries").click()
    expect(page.locator(".selected")).to_have_attribute("data-count", "40")
    expect(page.get_by_role("link", name="Show all queries")).to_have_count(0)

    page.get_by_label("At least").fill("0.5")  # by keyboard: of the differences, two are so large
    page.keyboard.press("Enter")
    expect(page.locator(".selected")).to_have_attribute("data-count", "2")
    page.get_by_role("link", name="cheap perfume").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Both lists")).to_be_visible()
    expect(page.locator(".links path").first).to_be_attached()
    assert said == []


def test_a_bar_opens_the_lists_of_its_query(page: Any) -> None:
    page.goto("/projects/1/compare?baseline=a&system=b")
    bars = page.locator("#bars .mark-rect.role-mark path[aria-label], #bars .layer_0_marks path")
    expect(bars.first).to_be_visible()
    bars.first.click()
    page.wait_for_url("**/lists?**query=cheap-perfume**")


def test_a_note_stands_on_the_chart_and_values_are_downloaded(page: Any) -> None:
    said = complaints(page)
    page.goto("/projects/1/history")
    expect(page.locator("#trend-chart svg")).to_be_visible()
    page.get_by_label("Note", exact=True).fill("Guidelines 2")
    page.keyboard.press("Enter")
    expect(page.locator("#notes .timeline")).to_contain_text("Guidelines 2")
    expect(page.locator("#trend-chart svg line[stroke-dasharray]")).to_have_count(1)
    page.get_by_role("button", name="Remove the note Guidelines 2").click()
    expect(page.locator("#notes .timeline")).to_have_count(0)
    page.get_by_role("link", name="Exports").click()
    with page.expect_download(timeout=60_000) as downloading:
        page.locator("form[action$='/exports/values'] button").click()
    assert downloading.value.suggested_filename == "values.csv"
    assert said == []


def test_the_keyboard_alone_reaches_the_content(page: Any) -> None:
    page.goto("/projects")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_both_languages(browser: Any, demo: str) -> None:
    context = browser.new_context(base_url=demo, locale="zh-CN")
    page = context.new_page()
    page.goto("/projects/1/evaluate")
    expect(page.get_by_role("link", name="评测")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("link", name="Evaluate")).to_be_visible()
    page.goto("/projects")
    expect(page.get_by_role("heading", name="Projects")).to_be_visible()  # it stays
    context.close()


def test_markup_in_a_title_is_shown_and_not_run(page: Any, tmp_path: Path) -> None:
    opened: list[str] = []

    def dismiss(dialog: Any) -> None:
        opened.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.goto("/projects")
    page.get_by_label("Name").fill("Markup")
    page.get_by_role("button", name="Create the project").click()
    markup = "<img src=x onerror=alert(1)>"
    (tmp_path / "m.qrels").write_text("q 0 d 1\n", encoding="utf-8")
    (tmp_path / "m.run").write_text("q Q0 d 1 1 m\n", encoding="utf-8")
    (tmp_path / "m.csv").write_text(f"document,title\nd,{markup}\n", encoding="utf-8")
    page.get_by_label("Choose files").set_input_files(
        [str(tmp_path / f"m.{end}") for end in ("qrels", "run", "csv")]
    )
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("row")).to_have_count(4)
    page.get_by_role("link", name="Explain").click()
    expect(page.locator(".ranking")).to_contain_text(markup)
    assert opened == []


def test_people_who_log_in(browser: Any, tmp_path: Path) -> None:
    workbench = Workbench(Settings(str(tmp_path / "bench.db"), tmp_path / "files", login=True))
    add_user(workbench.database, "ann", PASSWORD, "admin")
    add_user(workbench.database, "ben", PASSWORD, "rater")
    with served(workbench) as address:
        context = browser.new_context(base_url=address, locale="en-GB")
        page = context.new_page()

        def log_in(name: str, password: str) -> None:
            page.get_by_label("Name").fill(name)
            page.get_by_label("Password").fill(password)
            page.get_by_role("button", name="Log in").click()

        page.goto("/users")
        log_in("ben", "wrong")
        expect(page.get_by_role("alert")).to_contain_text("the name or the password is wrong")
        assert serious_faults(page) == []
        log_in("ben", PASSWORD)
        expect(page.get_by_role("heading", name="This page is not for your role").last).to_be_visible()
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_role("button", name="Log in")).to_be_visible()
        page.goto("/users")
        log_in("ann", PASSWORD)
        page.get_by_role("button", name="Make a link").click()
        link = page.locator("code.copy").inner_text()
        assert serious_faults(page) == []
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_role("button", name="Log in")).to_be_visible()
        page.goto(link)
        page.get_by_label("Name").fill("cleo")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_label("Password again").fill(PASSWORD)
        page.get_by_role("button", name="Begin").click()
        expect(page.get_by_role("heading", name="My tasks")).to_be_visible()
        context.close()


def test_numbers_come_in_while_runs_are_measured(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is shown at once, and asks for the rest by itself."""
    go = threading.Event()
    real = run_values.measure_run

    def slow(*arguments: Any) -> None:
        go.wait(20)
        real(*arguments)

    monkeypatch.setattr(run_values, "measure_run", slow)
    said = complaints(page)
    page.goto("/projects/1/evaluate?measures=nDCG@7")
    expect(page.locator("#evaluation")).to_have_attribute("aria-busy", "true")
    expect(page.locator("#evaluation")).to_contain_text("0 of 2 runs measured")
    go.set()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    expect(page.locator("table.values")).to_contain_text("[")
    assert said == []
