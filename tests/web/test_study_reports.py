"""Reports of studies are made in the background: a page shows the last one, and says how many answers are newer."""

from __future__ import annotations

import re
from threading import Event
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import event, select
from support.browsing import Browsing
from support.standing_events import standing_events

from idealist import InputError
from idealist.data.workbench_files import StudyData
from idealist.web.base.database import now
from idealist.web.base.schema import assignments
from idealist.web.judging.tasks import add_event, withdraw_item
from idealist.web.studies import study_pages, task_reports
from idealist.web.studies.study_results import report_settings
from idealist.web.studies.task_answers import (
    Study,
    StudyReader,
    TaskState,
    study_data,
    study_of,
    study_reader,
    task_state,
)
from idealist.web.studies.task_reports import Wanted, last_report, new_report
from idealist.web.workbench import Workbench

STUDY = "/projects/1/studies/1"


def demo_study(bench: Workbench) -> Study:
    study = study_of(bench.database, 1, 1)
    assert study is not None
    return study


def vote(bench: Workbench, vote: Any = "good", *, kind: str = "vote") -> tuple[int, str]:
    """A vote of the person at this machine on their next item: the item and the id of the event."""
    with bench.database.reading() as connection:
        mine = assignments.c.user_id == 1, assignments.c.done.is_(False)
        item = connection.execute(select(assignments.c.item_id).where(*mine).limit(1)).scalar_one()
    id = str(uuid4())
    content = {"vote": vote} if kind == "vote" else {}
    add_event(bench.database, id=id, item=item, user=1, kind=kind, content=content, made=now())
    return item, id


def fresh(bench: Workbench) -> StudyData:
    """What somebody reads who has read nothing before."""
    data: StudyData = StudyReader(1, "b").read(bench.database)[1]
    return data


def test_the_last_report_is_shown_while_a_new_one_is_made(
    shop_bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Browsing(shop_bench)
    before = browser.whole_page(STUDY)
    assert "All answers so far are counted." in before
    may_go_on = Event()
    counting = task_reports.KINDS["result"]

    def waiting(data: StudyData, settings: Any) -> Any:
        assert may_go_on.wait(20)
        return counting(data, settings)

    monkeypatch.setitem(task_reports.KINDS, "result", waiting)
    for _ in range(2):
        vote(shop_bench)
    page = browser.page(STUDY)
    assert "Newer answers, which are being counted: 2 …" in page
    big = re.compile(r'class="big">([^<]+)<')
    assert big.findall(page) == big.findall(before)  # the numbers of before
    found = re.search(r'hx-get="([^"]+)"', page)
    assert found is not None
    vote(shop_bench)  # after the page was asked for
    may_go_on.set()
    part = browser.whole_page(found[1])
    assert "Answers that came in after this was computed: 1." in part or "All answers so far" in part
    assert big.findall(part) != big.findall(before)


def test_a_report_is_made_once_for_the_same_votes(
    shop_bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def noted(kind: str, make: Any) -> Any:
        def noting(data: StudyData, settings: Any) -> Any:
            made.append(kind)
            return make(data, settings)

        return noting

    for kind, make in list(task_reports.KINDS.items()):
        monkeypatch.setitem(task_reports.KINDS, kind, noted(kind, make))
    browser = Browsing(shop_bench)
    for _ in range(2):
        for path in ("", "/raters", "/line"):
            assert browser.get(f"{STUDY}{path}").status_code == 200
        for path in ("", "/raters"):
            assert browser.get(f"/api{STUDY}{path}").status_code == 200
        browser.page("/projects/1/plan")
    assert sorted(made) == ["line", "pilot", "raters", "result"]
    vote(shop_bench)
    browser.get(f"/api{STUDY}")
    assert sorted(made) == ["line", "pilot", "raters", "result", "result"]


def test_what_cannot_be_computed_says_why(shop_bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(data: StudyData, settings: Any) -> Any:
        raise InputError("these votes cannot be counted", hint="ask again")

    with monkeypatch.context() as patched:
        patched.setitem(task_reports.KINDS, "result", fail)
        patched.setattr(study_pages, "PATIENCE", 20)
        answer = Browsing(shop_bench).get(STUDY)
        assert answer.status_code == 422
        assert "these votes cannot be counted" in answer.text
    Browsing(shop_bench).get(STUDY)  # a job that failed is given back once
    assert "All answers so far are counted." in Browsing(shop_bench).whole_page(STUDY)


def test_only_new_events_are_read(shop_bench: Workbench) -> None:
    study = demo_study(shop_bench)
    reader = study_reader(shop_bench.database, study)
    first = reader.read(shop_bench.database)[1]
    rows: list[int] = []

    @event.listens_for(shop_bench.database.engine, "before_cursor_execute")
    def watch(_: Any, __: Any, statement: str, parameters: Any, *rest: Any) -> None:
        if "events.number >" in statement:
            rows.append(parameters[1])

    vote(shop_bench)
    second = reader.read(shop_bench.database)[1]
    assert rows == [63]  # the number of the last event that was read before
    assert second.answers[:-1] == first.answers
    assert second == fresh(shop_bench)


def test_what_was_read_in_parts_is_what_is_read_at_once(shop_bench: Workbench) -> None:
    """Votes, a change of mind, an undo, a skip, a withdrawn item: whenever it is read."""
    database, study = shop_bench.database, demo_study(shop_bench)
    standing = study_data(database, study)
    item, first = vote(shop_bench, "good")
    assert len(study_data(database, study).answers) == len(standing.answers) + 1
    second = str(uuid4())
    add_event(database, id=second, item=item, user=1, kind="vote", content={"vote": "bad"}, made=now())
    assert study_data(database, study).answers[-1].vote == -1
    for about, left in ((second, 1), (first, 0)):
        add_event(
            database, id=str(uuid4()), item=item, user=1, kind="undo", content={}, made=now(), about=about
        )
        assert len(study_data(database, study).answers) == len(standing.answers) + left
        assert study_data(database, study) == fresh(shop_bench)
    vote(shop_bench, kind="skip")
    assert study_data(database, study).answers == standing.answers
    withdraw_item(database, 1, standing.items[0].id, user=1)
    after = study_data(database, study)
    assert after == fresh(shop_bench)
    assert len(after.answers) == len(standing.answers) - 3
    votes = [row for row in standing_events(database, 1) if row.kind == "vote"]
    assert [answer.event for answer in after.answers] == [
        row.id for row in votes if row.item_id != standing.items[0].id
    ]


def test_an_event_that_arrives_behind_a_later_one_is_read(shop_bench: Workbench) -> None:
    """Two writers of PostgreSQL may finish in another order than their numbers."""
    database, study = shop_bench.database, demo_study(shop_bench)
    reader = study_reader(database, study)
    reader.read(database)
    vote(shop_bench)
    reader.state = reader.state.replace(last=reader.state.last + 1)  # as if it had read past this vote
    assert reader.read(database)[1] == fresh(shop_bench)


def test_states_are_in_order() -> None:
    early, later = TaskState(events=3), TaskState(events=4, last=9)
    assert later.covers(early)
    assert not early.covers(later)
    assert not later.covers(TaskState(events=4, withdrawn=1))


def test_a_report_covers_what_was_there_when_it_was_asked_for(shop_bench: Workbench) -> None:
    wanted = Wanted(demo_study(shop_bench), "result", report_settings())
    assert last_report(shop_bench, wanted) is None
    first = new_report(shop_bench, wanted)
    assert first.state.covers(task_state(shop_bench.database, 1))
    vote(shop_bench)
    assert last_report(shop_bench, wanted) == first
    assert new_report(shop_bench, wanted).content.votes == first.content.votes + 1
