"""Judging in a real browser, by keyboard: with a connection and without, in two tabs, logged out, on a full disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from support.chromium import chromium_browser, require_chromium
from support.served import served
from support.standing_events import standing_events

from idealist.web.access.accounts import add_user
from idealist.web.base.database import StorageError
from idealist.web.base.schema import assignments, events
from idealist.web.base.server_settings import Settings
from idealist.web.demo import add_demo
from idealist.web.judging import judging_api
from idealist.web.judging.rater_queue import answer
from idealist.web.judging.task_making import make_grade_task, make_side_task
from idealist.web.judging.tasks import withdraw_item
from idealist.web.workbench import Workbench

require_chromium()
expect = pytest.importorskip("playwright.sync_api").expect

PASSWORD = "correct horse battery"
MARKUP = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium_browser() as launched:
        yield launched


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workbench, str]]:
    folder = tmp_path_factory.mktemp("judging")
    workbench = Workbench(Settings(str(folder / "bench.db"), folder / "files"))
    add_demo(workbench)
    with served(workbench) as address:
        yield workbench, address


@pytest.fixture
def context(browser: Any, bench: tuple[Workbench, str]) -> Iterator[Any]:
    made = browser.new_context(base_url=bench[1], locale="en-GB")
    yield made
    made.close()


def side_task(workbench: Workbench, **changed: Any) -> int:
    facts: dict[str, Any] = {
        "baseline": "a",
        "candidate": "b",
        "raters": [1],
        "seed": 5,
        "reasons": ["Order"],
    }
    return make_side_task(workbench, 1, name="Which?", **{**facts, "guidelines": MARKUP, **changed})


def opened(context: Any, task: int) -> Any:
    page = context.new_page()
    page.goto(f"/tasks/{task}")
    expect(page.locator("#judging")).to_be_visible()
    return page


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def saved(page: Any) -> None:
    expect(page.locator("#state")).to_have_attribute("data-state", "saved")
    expect(page.locator("#state")).to_have_text("All answers are saved")
    for _ in range(200):  # asked from here: the policy of the page lets nothing that waits in it be evaluated
        if page.evaluate("Object.keys(localStorage).every(key => !key.startsWith('idealist.outbox.'))"):
            return
        page.wait_for_timeout(50)
    raise AssertionError("answers are still kept in the browser")


def contents(workbench: Workbench, task: int) -> list[dict[str, Any]]:
    return [event.content for event in standing_events(workbench.database, task)]


def test_side_by_side_by_keyboard(bench: tuple[Workbench, str], context: Any) -> None:
    workbench, _ = bench
    task = side_task(workbench, queries=6)
    page = opened(context, task)
    dialogs: list[str] = []

    def dismiss(dialog: Any) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    press(page, "?")
    expect(page.locator("#guidelines")).to_contain_text(MARKUP)  # shown, not run
    press(page, "1")  # no vote while the guidelines are open
    press(page, "Escape", "q", "n")
    page.keyboard.type("clear 1 2 3")
    press(page, "Escape", "7")
    expect(page.locator("#progress-text")).to_have_text("1 of 6 judged")
    press(page, "g", "b", "4", "x")
    expect(page.locator("#progress-text")).to_have_text("5 of 6 judged")
    press(page, "u")
    expect(page.locator("#progress-text")).to_have_text("4 of 6 judged")
    press(page, "1", "2")
    expect(page.get_by_role("heading", name="All done")).to_be_visible()
    saved(page)
    stored = contents(workbench, task)
    sides = [content["side"] for content in stored]
    assert stored[0] | {"seconds": 0} == {
        "vote": 3 if sides[0] == "right" else -3,
        "side": sides[0],
        "reasons": ["Order"],
        "note": "clear 1 2 3",
        "seconds": 0,
    }
    assert [content.get("both") for content in stored] == [None, "good", "bad", None, None, None]
    signs = [1 if side == "right" else -1 for side in sides]
    assert [content["vote"] * sign for content, sign in zip(stored, signs, strict=True)] == [
        3,
        0,
        0,
        0,
        -3,
        -2,
    ]
    page.reload()  # the last answer can be undone by who comes back, too
    expect(page.get_by_role("heading", name="All done")).to_be_visible()
    press(page, "u")
    expect(page.locator("#judging")).to_be_visible()
    saved(page)
    assert len(contents(workbench, task)) == 5
    assert dialogs == []


def test_grades_by_keyboard_with_one_put_off(bench: tuple[Workbench, str], context: Any) -> None:
    workbench, _ = bench
    task = make_grade_task(
        workbench, 1, name="Grades", runs=["a"], depth=1, raters=[1], again=True, highest=3
    )
    page = opened(context, task)
    title = page.locator(".document .title")
    first = page.locator("#query").inner_text(), title.inner_text()
    press(page, "l")
    expect(page.locator("#query")).not_to_have_text(first[0])
    press(page, "4")  # there is no such grade
    expect(page.locator("#progress-text")).to_contain_text("0 of")
    for grade in ("3", "0", "2", "1"):
        press(page, grade)
    expect(page.locator("#progress-text")).to_contain_text("4 of")
    saved(page)
    assert [content["grade"] for content in contents(workbench, task)] == [3, 0, 2, 1]
    count = int(page.locator("#progress-text").inner_text().split()[2])
    for _ in range(count - 5):
        press(page, "1")
        expect(page.locator("#judging")).to_be_visible()
    expect(page.locator("#query")).to_have_text(first[0])  # what was put off is the last
    press(page, "2")
    expect(page.get_by_role("heading", name="All done")).to_be_visible()
    saved(page)
    assert len(contents(workbench, task)) == count


def test_in_chinese(browser: Any, bench: tuple[Workbench, str]) -> None:
    context = browser.new_context(base_url=bench[1], locale="zh-CN")
    page = opened(context, side_task(bench[0]))
    expect(page.get_by_role("button", name="左边好得多")).to_be_visible()
    press(page, "1")
    expect(page.locator("#progress-text")).to_contain_text("已判断 1 /")
    expect(page.locator("#state")).to_have_text("所有判断均已保存")
    context.close()


def test_a_draft_is_there_after_a_reload(bench: tuple[Workbench, str], context: Any) -> None:
    page = opened(context, side_task(bench[0]))
    press(page, "q", "n")
    page.keyboard.type("half a thought")
    page.reload()
    expect(page.locator("#note")).to_have_value("half a thought")
    expect(page.get_by_role("button", name="Order")).to_have_attribute("aria-pressed", "true")
    press(page, "4")
    expect(page.locator("#note")).to_have_value("")


def test_without_a_connection_the_rater_goes_on(bench: tuple[Workbench, str], context: Any) -> None:
    workbench, _ = bench
    task = side_task(workbench)
    page = opened(context, task)
    page.wait_for_load_state("networkidle")
    context.set_offline(True)
    for key in "12345":  # the item that is shown, and the next ones are there
        press(page, key)
        expect(page.locator("#judging")).to_be_visible()
    expect(page.locator("#state")).to_have_text("No connection. Answers kept in this browser: 5")
    assert contents(workbench, task) == []
    context.set_offline(False)
    saved(page)
    assert len(contents(workbench, task)) == 5
    expect(page.locator("#progress-text")).to_contain_text("5 of")


def test_answers_outlive_the_page(bench: tuple[Workbench, str], context: Any) -> None:
    """The tab is closed without a connection; whoever opens the task again sends what was kept."""
    workbench, _ = bench
    task = side_task(workbench)
    page = opened(context, task)
    context.set_offline(True)
    press(page, "1", "2")
    expect(page.locator("#state")).to_contain_text("2")
    assert contents(workbench, task) == []
    page.close(run_before_unload=False)  # what is on its way then may arrive, or not
    context.set_offline(False)
    page = opened(context, task)
    saved(page)
    assert len(contents(workbench, task)) == 2
    expect(page.locator("#progress-text")).to_contain_text("2 of")


def test_an_answer_that_arrived_from_a_closed_tab_is_counted_once(
    bench: tuple[Workbench, str], context: Any
) -> None:
    workbench, _ = bench
    task = side_task(workbench)
    page = opened(context, task)

    def lose(route: Any) -> None:
        route.fetch()  # it arrives, and its answer does not
        route.abort()

    page.route("**/api/items/*/events", lose)
    press(page, "1")
    expect(page.locator("#state")).to_contain_text("1")
    page.close(run_before_unload=False)
    assert len(contents(workbench, task)) == 1
    page = opened(context, task)
    saved(page)
    expect(page.locator("#progress-text")).to_contain_text("1 of")
    assert len(contents(workbench, task)) == 1


def test_an_answer_whose_acknowledgement_is_lost_is_stored_once(
    bench: tuple[Workbench, str], context: Any
) -> None:
    workbench, _ = bench
    task = side_task(workbench)
    page = opened(context, task)
    lost: list[str] = []

    def lose(route: Any) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.request.post_data)
        route.fetch()  # it arrives, and its answer does not
        route.abort()

    page.route("**/api/items/*/events", lose)
    press(page, "6")
    saved(page)
    assert len(lost) == 1
    with workbench.database.reading() as connection:
        assert len(connection.execute(select(events).where(events.c.task_id == task)).all()) == 1


def test_a_full_disk_is_said_and_nothing_is_lost(
    bench: tuple[Workbench, str], context: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench, _ = bench
    task = side_task(workbench)
    page = opened(context, task)
    real = answer

    def full(*arguments: Any, **facts: Any) -> bool:
        raise StorageError("the database cannot be used: disk is full", hint="the disk is full: make room")

    monkeypatch.setattr(judging_api, "answer", full)
    press(page, "3", "3")
    expect(page.locator("#state")).to_have_text(
        "The server cannot store answers now. Kept in this browser: 2"
    )
    expect(page.locator("#state-detail")).to_have_text("the disk is full: make room")
    monkeypatch.setattr(judging_api, "answer", real)
    saved(page)
    assert len(contents(workbench, task)) == 2
    expect(page.locator("#state-detail")).to_have_text("")


def test_an_item_is_withdrawn_while_it_is_judged(bench: tuple[Workbench, str], context: Any) -> None:
    workbench, _ = bench
    task = side_task(workbench)
    page = opened(context, task)
    with workbench.database.reading() as connection:
        wanted = (
            select(assignments.c.item_id).where(assignments.c.task_id == task).order_by(assignments.c.place)
        )
        first = connection.execute(wanted.limit(1)).scalar_one()
    withdraw_item(workbench.database, task, first, user=1)
    press(page, "3")
    expect(page.get_by_role("alert")).to_contain_text("this item was withdrawn")
    expect(page.locator("#progress-text")).to_contain_text("0 of")
    press(page, "3")
    expect(page.locator("#progress-text")).to_contain_text("1 of")
    saved(page)
    assert len(contents(workbench, task)) == 1


def test_a_second_tab_goes_on_where_the_first_one_is(bench: tuple[Workbench, str], context: Any) -> None:
    workbench, _ = bench
    task = side_task(workbench)
    first, second = opened(context, task), opened(context, task)
    query = first.locator("#query").inner_text()
    expect(second.locator("#query")).to_have_text(query)
    press(first, "1")
    expect(second.locator("#query")).not_to_have_text(query)
    expect(second.locator("#progress-text")).to_contain_text("1 of")
    press(second, "7")
    saved(first)
    saved(second)
    stored = standing_events(workbench.database, task)
    assert len({event.item_id for event in stored}) == len(stored) == 2


def test_who_is_logged_out_loses_nothing(browser: Any, tmp_path: Path) -> None:
    workbench = Workbench(Settings(str(tmp_path / "bench.db"), tmp_path / "files", login=True))
    add_demo(workbench)
    ben = add_user(workbench.database, "ben", PASSWORD, "rater")
    task = side_task(workbench, raters=[ben.id])

    def log_in(page: Any) -> None:
        page.get_by_label("Name").fill("ben")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", name="My tasks")).to_be_visible()

    with served(workbench) as address:
        context = browser.new_context(base_url=address, locale="en-GB")
        page = context.new_page()
        page.goto("/login")
        log_in(page)
        expect(page.get_by_role("link", name="Words or synonyms?")).to_have_count(0)  # not a task of theirs
        page.get_by_role("link", name="Which?").click()
        expect(page.locator("#judging")).to_be_visible()
        context.clear_cookies()
        press(page, "1", "2")
        expect(page.locator("#state")).to_have_text("You are logged out. Answers kept in this browser: 2")
        with context.expect_page() as opening:
            page.get_by_role("link", name="Log in again").click()
        log_in(opening.value)
        saved(page)
        assert len(contents(workbench, task)) == 2
        context.close()
