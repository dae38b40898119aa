"""A whole evaluation by pages, on SQLite and on PostgreSQL: brought in, measured, explained, compared, judged, decided."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.browsing import Browsing
from support.standing_events import standing_events

from idealist.web.base.database import Database
from idealist.web.base.server_settings import Settings
from idealist.web.demo import add_demo
from idealist.web.workbench import Workbench


@pytest.fixture
def demo_bench(database_url: str, tmp_path: Path) -> Iterator[Workbench]:
    workbench = Workbench(Settings(database_url, tmp_path / "files"))
    assert add_demo(workbench) == 1
    yield workbench
    workbench.close()


def votes(database: Database, task: int) -> list[Any]:
    return [event for event in standing_events(database, task) if event.kind == "vote"]


def test_from_files_to_a_decision(demo_bench: Workbench, shop: Path) -> None:
    browser = Browsing(demo_bench)
    assert browser.send("/projects", "/projects", name="Ünïted", about="口红").status_code == 200
    for name in ("shop.qrels", "a.run", "b.run"):
        assert browser.upload(2, name, (shop / name).read_bytes()).status_code == 200
    bad = browser.upload(2, "bad.run", b"q1 Q0 d1 1 0.5 a\nq1 Q0 d2 2 nine a\n")
    assert "bad.run, line 2" in bad.text

    assert "0.7391" in browser.whole_page("/projects/2/evaluate")
    assert "0.3471" in browser.whole_page("/projects/2/explain?run=a&query=cheap-perfume")
    assert "verdict" in browser.whole_page("/projects/2/compare?baseline=a&system=b").lower()
    assert "0.6529" in browser.whole_page("/projects/2/lists?query=cheap-perfume&baseline=a&system=b")
    assert browser.send("/projects/2/notes", "/projects/2/history", text="Guidelines 2").status_code == 200
    assert "Guidelines 2" in browser.whole_page("/projects/2/history")
    assert "queries show" in browser.whole_page("/projects/2/plan")
    exported = browser.get("/projects/2/exports/values")
    assert exported.status_code == 200


def test_a_study_is_judged_adjudicated_and_reported(demo_bench: Workbench) -> None:
    browser = Browsing(demo_bench)
    headers = {"x-form-token": browser.token("/projects")}
    before = len(votes(demo_bench.database, 1))
    (item, *_) = browser.get("/api/tasks/1/items").json()
    event = {
        "id": "11111111-2222-4333-8444-555555555555",
        "kind": "vote",
        "content": {"choice": 2},
        "made": 1,
    }
    for added in (True, False):  # sent again
        answer = browser.client.post(f"/api/items/{item['id']}/events", json=event, headers=headers)
        assert answer.json() == {"added": added}
    assert len(votes(demo_bench.database, 1)) == before + 1
    assert "of 126 votes given" in browser.whole_page("/projects/1/studies/1")
    raters = browser.whole_page("/projects/1/studies/1/raters")
    assert "Ann (demo)" in raters
    found = re.search(
        r'action="(/projects/1/studies/1/items/\d+/adjudicate)".*?name="id" value="([^"]+)"', raters, re.S
    )
    assert found is not None
    decided = browser.send(found[1], "/projects/1/studies/1/raters", id=found[2], decision="left")
    assert decided.status_code == 200
    assert "Take the decision back" in browser.whole_page("/projects/1/studies/1/raters")
    assert "Words or synonyms?" in browser.whole_page("/projects/1/studies")


PAGES: tuple[str, ...] = (
    "/projects",
    "/projects/1",
    "/projects/1/sources/1",
    "/projects/1/tasks",
    "/projects/1/tasks/1",
)
PAGES += (
    "/projects/1/tasks/new/sides",
    "/projects/1/tasks/new/grades",
    "/projects/1/exports",
    "/tasks",
    "/tasks/1",
)
PAGES += ("/account", "/users", "/projects/1/plan", "/projects/1/history", "/projects/1/studies/1/raters")


def test_every_page_is_shown(demo_bench: Workbench) -> None:
    browser = Browsing(demo_bench)
    for path in PAGES:
        assert "</html>" in browser.whole_page(path)
