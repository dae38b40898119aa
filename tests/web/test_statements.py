"""What pages ask of the database: no statement goes through a whole table that grows with what people bring in or judge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from support.browsing import Browsing

from idealist.web.access.accounts import local_person
from idealist.web.base.schema import metadata
from idealist.web.judging.task_making import make_grade_task
from idealist.web.workbench import Workbench

# Few rows each, however much is judged: these may be read whole.
SMALL = {"settings", "users", "projects", "tasks", "task_raters", "api_tokens", "invitations", "notes"}
PAGES = (
    "/projects",
    "/projects/1",
    "/projects/1/sources/2",
    "/projects/1/evaluate",
    "/projects/1/explain?query=cheap-perfume",
    "/projects/1/compare?baseline=a&system=b",
    "/projects/1/lists?query=cheap-perfume&baseline=a&system=b",
    "/projects/1/history",
    "/projects/1/exports",
    "/projects/1/tasks",
    "/projects/1/tasks/1",
    "/projects/1/studies",
    "/tasks",
    "/tasks/1",
    "/api/tasks/1/items",
    "/api/tasks/1/last",
    "/account",
    "/users",
)


@contextmanager
def statements(bench: Workbench) -> Iterator[list[tuple[str, Any]]]:
    """What is asked of the database in the block."""
    asked: list[tuple[str, Any]] = []

    def listen(connection: Any, cursor: Any, statement: str, parameters: Any, *rest: Any) -> None:
        if statement.lstrip().upper().startswith("SELECT"):
            asked.append((statement, parameters))

    event.listen(bench.database.engine, "before_cursor_execute", listen)
    try:
        yield asked
    finally:
        event.remove(bench.database.engine, "before_cursor_execute", listen)


def scanned(bench: Workbench, statement: str, parameters: Any) -> set[str]:
    """The tables that SQLite goes through from end to end for a statement."""
    with bench.database.reading() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
    tables = {name for row in plan for name in re.findall(r"^SCAN (\w+)(?! USING INDEX \w+ \()", row[3])}
    return tables & set(metadata.tables)


def test_a_whole_table_is_noticed(shop_bench: Workbench) -> None:
    assert scanned(shop_bench, "SELECT content FROM events WHERE content LIKE ?", ("%x%",)) == {"events"}
    assert scanned(shop_bench, "SELECT content FROM events WHERE id = ?", ("x",)) == set()


@pytest.mark.parametrize("path", PAGES)
def test_no_page_reads_a_whole_table(shop_bench: Workbench, path: str) -> None:
    rater = local_person(shop_bench.database).id
    make_grade_task(shop_bench, 1, name="Grades", runs=["a"], depth=3, raters=[rater], again=True)
    browser = Browsing(shop_bench)
    with statements(shop_bench) as asked:
        browser.whole_page(path)
    assert asked
    # The list of projects counts their sources: a row for each file that was ever brought in.
    allowed = SMALL | ({"sources"} if path == "/projects" else set())
    whole = {
        (table, statement)
        for statement, parameters in asked
        for table in scanned(shop_bench, statement, parameters) - allowed
    }
    assert whole == set()
