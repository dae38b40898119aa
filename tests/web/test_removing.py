"""What is removed can be brought back for thirty days, and is then gone with its files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select
from starlette.testclient import TestClient
from support.browsing import Browsing

from idealist import InputError
from idealist.web.app import application
from idealist.web.base.database import DAY, now
from idealist.web.base.schema import history, metadata
from idealist.web.base.server_settings import Settings
from idealist.web.demo import add_demo
from idealist.web.projects import removing
from idealist.web.projects.project_sources import list_sources, query_texts, remove_source
from idealist.web.projects.projects import create_project, list_projects
from idealist.web.projects.removing import (
    purge,
    remove_project,
    removed_projects,
    removed_sources,
    restore_project,
    restore_source,
)
from idealist.web.workbench import Workbench


@pytest.fixture
def shop(database_url: str, tmp_path: Path) -> Iterator[Workbench]:
    """The demo, on each of the two databases."""
    workbench = Workbench(Settings(database_url, tmp_path / "files"))
    add_demo(workbench)
    yield workbench
    workbench.close()


def named(workbench: Workbench, name: str) -> int:
    return next(source.id for source in list_sources(workbench.database, 1) if source.name == name)


def later(monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    """The clock goes on, for what is removed and for files."""
    moment, clock = now() + days * DAY, time.time() + days * 86_400
    monkeypatch.setattr(removing, "now", lambda: moment)
    monkeypatch.setattr(time, "time", lambda: clock)


def rows(workbench: Workbench) -> dict[str, int]:
    with workbench.database.reading() as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in metadata.sorted_tables
        }


def test_a_source_is_asked_for_and_brought_back_by_the_page(shop_bench: Workbench) -> None:
    browser, number = Browsing(shop_bench), named(shop_bench, "a")
    page = f"/projects/1/sources/{number}"
    asked = browser.page(page)
    assert asked.index("<summary>Remove this file") < asked.index(f'action="{page}/remove"')
    shown = browser.send(f"{page}/remove", page).text
    assert f'action="{page}/restore"' in shown
    assert [source.name for source in removed_sources(shop_bench.database, 1)] == ["a"]
    browser.send(f"{page}/restore", "/projects/1")
    assert "a" in {source.name for source in list_sources(shop_bench.database, 1, "run")}
    assert removed_sources(shop_bench.database, 1) == []
    done = browser.page("/projects/1/history")
    assert done.index("Brought back") < done.index("Removed")


def test_a_project_is_asked_for_and_brought_back_by_the_page(shop_bench: Workbench) -> None:
    browser = Browsing(shop_bench)
    asked = browser.page("/projects/1")
    assert asked.index("<summary>Remove the project") < asked.index('action="/projects/1/remove"')
    shown = browser.send("/projects/1/remove", "/projects/1").text
    assert "Removed projects" in shown
    for path in ("/projects/1", "/projects/1/evaluate", "/projects/1/sources/1", "/api/projects/1/sources"):
        assert browser.get(path).status_code == 404, path
    assert "Shop" in browser.send("/projects/1/restore", "/projects").text
    assert browser.get("/projects/1/evaluate").status_code == 200


def test_by_the_api(shop_bench: Workbench) -> None:
    browser, number = Browsing(shop_bench), named(shop_bench, "a")
    head = {"x-form-token": browser.token("/projects")}
    path = f"/api/projects/1/sources/{number}"
    assert browser.client.delete(path, headers=head).status_code == 204
    assert browser.client.post(f"{path}/restore", headers=head).json()["name"] == "a"
    assert browser.client.delete("/api/projects/1", headers=head).status_code == 204
    assert browser.client.delete("/api/projects/1", headers=head).status_code == 404
    assert browser.client.post("/api/projects/1/restore", headers=head).json()["name"] == "Shop"
    assert browser.client.post("/api/projects/1/restore", headers=head).status_code == 422
    assert browser.client.post(f"/api/projects/{10**30}/restore", headers=head).status_code == 404


def test_what_has_another_in_its_place_is_not_brought_back(shop: Workbench) -> None:
    browser = Browsing(shop)
    for name, filename, content in (
        ("a", "a.run", b"q Q0 d 1 1 a\n"),
        ("queries", "queries.csv", b"query,text\nq,new\n"),
    ):
        number = named(shop, name)
        remove_source(shop.database, number)
        kind = "run" if name == "a" else "queries"
        assert browser.upload(1, filename, content, kind=kind).status_code == 200
        with pytest.raises(InputError, match="something else has the place"):
            restore_source(shop.database, 1, number)
    remove_source(
        shop.database, named(shop, "queries")
    )  # the new ones: their texts are still those that are stored
    with pytest.raises(InputError, match="something else has the place"):
        restore_source(shop.database, 1, number)
    remove_project(shop.database, 1)
    create_project(shop.database, "Shop")
    with pytest.raises(InputError, match="another project has its name"):
        restore_project(shop.database, 1)


def test_for_thirty_days(shop: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    number = named(shop, "a")
    remove_source(shop.database, number)
    later(monkeypatch, 29)
    purge(shop.database, shop.files)
    assert [source.id for source in removed_sources(shop.database, 1)] == [number]
    later(monkeypatch, 31)
    assert removed_sources(shop.database, 1) == []
    with pytest.raises(InputError, match="after thirty days it is gone"):
        restore_source(shop.database, 1, number)


def test_what_is_gone_leaves_no_file_and_no_text(shop: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browsing(shop)
    browser.whole_page("/projects/1/evaluate")
    (stored,) = [source.stored for source in list_sources(shop.database, 1, "run") if source.name == "a"]
    others = [
        source.stored
        for source in list_sources(shop.database, 1)
        if source.stored_sha256 not in (None, stored)
    ]
    some = list(query_texts(shop.database, 1, ["q01", "q02", "q1", "1"])) or None
    for name in ("a", "queries"):
        remove_source(shop.database, named(shop, name))
    measured = rows(shop)["evaluations"]
    later(monkeypatch, 31)
    purge(shop.database, shop.files)
    assert not shop.files.path(stored).exists()
    assert all(shop.files.path(other).exists() for other in others)
    assert rows(shop)["queries"] == 0, some
    assert 0 < rows(shop)["evaluations"] < measured
    with shop.database.reading() as connection:
        done = connection.execute(select(history.c.action, history.c.content)).all()
    assert {row.content["name"] for row in done if row.action == "source purged"} == {"a", "queries"}
    assert browser.get("/projects/1/history").status_code == 200


def test_a_file_that_another_project_has_stays(shop: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    run = b"q Q0 d 1 1 a\n"
    browser, other = Browsing(shop), create_project(shop.database, "other")
    for project in (1, other):
        browser.upload(project, "same.run", run)
    (stored,) = [source.stored for source in list_sources(shop.database, other, "run")]
    remove_source(shop.database, named(shop, "same"))
    later(monkeypatch, 31)
    purge(shop.database, shop.files)
    assert shop.files.path(stored).exists()


def test_a_file_that_is_just_being_brought_in_stays(shop: Workbench) -> None:
    """It is in its place before a source names it."""
    written = shop.files.folder / "writing-now"
    written.mkdir()
    (written / "content").write_text("query\tdocument\tscore\nq\td\t1\n")
    stored = shop.files.keep(written / "content")
    purge(shop.database, shop.files)
    assert shop.files.path(stored).exists()
    old = time.time() - 3 * 86_400
    os.utime(shop.files.path(stored), (old, old))
    purge(shop.database, shop.files)
    assert not shop.files.path(stored).exists()


def test_a_project_that_is_gone_leaves_nothing_but_who_did_what(
    shop: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    Browsing(shop).whole_page("/projects/1/evaluate")
    filled = rows(shop)
    assert all(filled[name] for name in ("sources", "tasks", "items", "events", "assignments", "documents"))
    remove_project(shop.database, 1)
    assert list_projects(shop.database) == []
    assert [project.name for project in removed_projects(shop.database, 1, every=True)] == ["Shop"]
    later(monkeypatch, 31)
    assert removed_projects(shop.database, 1, every=True) == []
    purge(shop.database, shop.files)
    left = {name for name, count in rows(shop).items() if count}
    assert left == {"users", "history"}
    assert not list(shop.files.folder.glob("??/*"))
    with shop.database.reading() as connection:
        assert set(connection.execute(select(history.c.project_id)).scalars()) == {None}


def test_a_server_purges_by_itself(shop_bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    remove_source(shop_bench.database, named(shop_bench, "a"))
    stored = removed_sources(shop_bench.database, 1)[0].stored
    later(monkeypatch, 31)
    with TestClient(application(shop_bench), base_url="http://127.0.0.1"):
        patience = time.monotonic() + 20
        while shop_bench.files.path(stored).exists() and time.monotonic() < patience:
            time.sleep(0.02)
    assert not shop_bench.files.path(stored).exists()
