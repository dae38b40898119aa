"""Values over time: every version with the judgments of its time, what is stale by its content, and notes."""

from __future__ import annotations

import re
import time

import pytest
from support.browsing import Browsing

from idealist.conventions import DEFAULT
from idealist.web.comparing.trends import (
    MOST_RUNS,
    Version,
    annotations_of,
    history_of,
    moments,
    overlapping,
    versions_of,
)
from idealist.web.judging.tasks import items_of_task, progress_of
from idealist.web.workbench import Workbench

GOOD_FIRST = b"q Q0 good 1 2 t\nq Q0 bad 2 1 t\n"
GOOD_LAST = b"q Q0 bad 1 2 t\nq Q0 good 2 1 t\n"


@pytest.fixture
def changing(bench: Workbench) -> Workbench:
    """A run that becomes better, and judgments that change after it: 1/2, then 1, then by other judgments 1/2."""
    browser = Browsing(bench)
    browser.send("/projects", "/projects", name="changing")
    uploads = (
        ("j.qrels", b"q 0 good 1\nq 0 bad 0\n"),
        ("t.run", GOOD_LAST),
        ("t.run", GOOD_FIRST),
        ("j.qrels", b"q 0 good 0\nq 0 bad 1\n"),
    )
    for name, content in uploads:
        assert browser.upload(1, name, content).status_code == 200
        time.sleep(0.003)  # times are milliseconds
    return bench


def version(kind: str, created: int, replaced: int | None) -> Version:
    return Version(created, kind, kind, 1, f"content {created}", f"stored {created}", created, replaced)


def test_a_run_meets_the_judgments_that_stand_at_its_time() -> None:
    """Runs of times 2–5 and 5–, judgments of 1–4 and 4–: the first run meets both, the second only the later."""
    runs = [version("run", 2, 5), version("run", 5, None)]
    judgments = [version("judgments", 1, 4), version("judgments", 4, None)]
    found = [(m.at, m.run.created, m.judgments.created, m.stale) for m in overlapping(runs, judgments)]
    assert found == [
        (2, 2, 1, ("run", "judgments")),
        (4, 2, 4, ("run",)),
        (5, 5, 4, ()),
    ]


def test_the_same_content_brought_in_again_is_not_stale(changing: Workbench) -> None:
    """What is stale is told by the hash: the last run again, whatever its order, and the last judgments under another name."""
    browser = Browsing(changing)
    browser.upload(1, "t.run", b"\n".join(reversed(GOOD_FIRST.split(b"\n")[:2])) + b"\n")
    browser.upload(1, "again.qrels", b"q 0 good 0\nq 0 bad 1\n")
    stale = [moment.stale for moment in moments(changing, 1, "RR", DEFAULT)[0]]
    assert stale[:3] == [("run", "judgments"), ("judgments",), ()]
    assert not any(stale[2:])


def test_the_trend_has_every_version_with_its_value(changing: Workbench) -> None:
    for future in moments(changing, 1, "RR", DEFAULT)[1]:
        future.result()
    measured, started = moments(changing, 1, "RR", DEFAULT)
    assert started == []
    assert [m.summary.value for m in measured if m.summary] == [0.5, 1.0, 0.5]
    assert [m.stale for m in measured] == [("run", "judgments"), ("judgments",), ()]


def test_the_page_flags_what_is_stale(changing: Workbench) -> None:
    page = Browsing(changing).whole_page("/projects/1/history?measure=RR")
    assert page.count("another run now") == 1
    assert page.count("other judgments now") == 2
    assert page.count('badge-good">current') == 1
    for kind in ("run", "judgments"):
        for known in versions_of(changing.database, 1, kind):
            assert known.content_sha256[:10] in page
    assert '"stale": true' in page


def test_a_removed_run_stays_in_the_history(changing: Workbench) -> None:
    browser = Browsing(changing)
    current = versions_of(changing.database, 1, "run")[-1]
    browser.send(f"/projects/1/sources/{current.id}/remove", f"/projects/1/sources/{current.id}")
    page = browser.whole_page("/projects/1/history?measure=RR&run=t")
    assert 'badge-good">current' not in page
    assert "Removed" in page


def test_notes_are_added_shown_and_taken_away(changing: Workbench) -> None:
    browser = Browsing(changing)
    page = "/projects/1/history"
    answer = browser.send("/projects/1/notes", page, text=" Released <b>2.0</b> ", subject="t")
    assert answer.status_code == 200
    (note,) = annotations_of(changing.database, 1)
    assert (note.subject, note.text) == ("t", "Released <b>2.0</b>")
    assert "&lt;b&gt;2.0" in answer.text
    assert "<b>2.0</b>" not in answer.text
    browser.send(f"/projects/1/notes/{note.id}/remove", page)
    assert annotations_of(changing.database, 1) == []
    last = history_of(changing.database, 1)[0]
    assert (last.action, last.content["text"]) == ("note removed", "Released <b>2.0</b>")
    assert browser.send(f"/projects/1/notes/{note.id}/remove", page).status_code == 404


@pytest.mark.parametrize(
    ("text", "subject", "message"),
    [(" ", "", "a note needs a text"), ("x" * 2001, "", "2,001 characters"), ("x", "y", "there is no run")],
)
def test_a_note_that_cannot_be_is_refused(changing: Workbench, text: str, subject: str, message: str) -> None:
    browser = Browsing(changing)
    answer = browser.send("/projects/1/notes", "/projects/1/history", text=text, subject=subject)
    assert answer.status_code == 422
    assert message in answer.text
    assert annotations_of(changing.database, 1) == []


def test_of_many_runs_those_that_changed_last_are_shown(changing: Workbench) -> None:
    browser = Browsing(changing)
    for number in range(MOST_RUNS):
        browser.upload(1, f"r{number}.run", GOOD_FIRST)
    page = browser.whole_page("/projects/1/history?measure=RR")
    assert f"The {MOST_RUNS} runs that changed last" in page
    assert '<th scope="row">t</th>' not in page
    assert '<th scope="row">r0</th>' in page
    assert '<th scope="row">t</th>' in browser.whole_page("/projects/1/history?measure=RR&run=t")


@pytest.mark.parametrize(("asked", "message"), [("measure=nDCH", "nDCH"), ("run=nowhere", "there is no run")])
def test_what_cannot_be_shown_says_why(changing: Workbench, asked: str, message: str) -> None:
    answer = Browsing(changing).get(f"/projects/1/history?{asked}")
    assert answer.status_code == 422
    assert message in answer.text


def test_an_empty_project_says_what_to_do(bench: Workbench) -> None:
    browser = Browsing(bench)
    browser.send("/projects", "/projects", name="empty")
    assert "Judgments and runs are needed" in browser.page("/projects/1/history")
    assert "Nothing to export yet" in browser.page("/projects/1/exports")


def test_the_api_gives_the_trend_and_keeps_notes(changing: Workbench) -> None:
    browser = Browsing(changing)
    client = browser.client
    trend = client.get("/api/projects/1/trend", params={"measure": "RR"}).json()
    assert [(moment["value"], moment["stale"]) for moment in trend] == [
        (0.5, ["run", "judgments"]),
        (1.0, ["judgments"]),
        (0.5, []),
    ]
    client.headers["x-form-token"] = browser.token("/projects")
    made = client.post("/api/projects/1/notes", json={"text": "Released"})
    assert made.status_code == 201
    assert client.get("/api/projects/1/notes").json() == [made.json()]
    assert client.delete(f"/api/projects/1/notes/{made.json()['id']}").status_code == 204
    assert client.delete(f"/api/projects/1/notes/{made.json()['id']}").status_code == 404
    assert client.get("/api/projects/9/trend").status_code == 404


def test_what_was_done_is_said_in_the_language_of_the_page(shop_bench: Workbench) -> None:
    browser, page = Browsing(shop_bench), "/projects/1/history"
    task = "/projects/1/tasks/2"
    browser.send("/projects/1", "/projects/1", name="Boutique", about="")
    browser.send(f"{task}/raters", task, offline="Cleo", share="all")
    cleo = max(rater.id for rater in progress_of(shop_bench.database, 2))
    browser.send(f"{task}/raters/{cleo}/remove", task)
    item = items_of_task(shop_bench.database, 2)[-1].id
    browser.send(f"{task}/items/{item}/withdraw", task)
    browser.send(f"{task}/open", task, open="no")
    browser.send(f"{task}/open", task, open="yes")
    browser.send("/projects/1/notes", page, text="A note")
    timeline = browser.page(page).rpartition('<ul class="timeline">')[2]
    lines = [
        " ".join(re.sub(r"<[^>]+>", " ", line).split())
        for line in re.findall(r'<span class="what">(.*)</span></li>', timeline)
    ]
    name = "Is it what was asked for?"
    assert lines[:7] == [
        "Note added A note",
        f"Task opened again {name}",
        f"Task closed {name}",
        f"Item withdrawn {name}",
        f"Rater removed {name} Cleo",
        f"Rater added {name} Cleo",
        "Project changed Shop → Boutique",
    ]
    browser.send("/language", page, language="zh", next=page)
    chinese = browser.page(page).rpartition('<ul class="timeline">')[2]
    for said in ("Note", "Task", "task", "Item", "item", "Rater", "rater", "Project", "project", "Added"):
        assert f">{said}" not in chinese
