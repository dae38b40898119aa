"""Studies: the page says what `gsb` says of the same votes, and a decision counts in the place of votes."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select
from support.browsing import Browsing
from support.standing_events import standing_events

from idealist import InputError, gsb
from idealist.data.workbench_files import Answer, known_vote
from idealist.web.base.database import now
from idealist.web.base.schema import assignments, events, items, users
from idealist.web.judging.tasks import add_event, add_task, tasks_of_rater
from idealist.web.projects.projects import create_project
from idealist.web.studies.study_results import (
    adjudicate,
    disagreements,
    rater_report,
    report_settings,
    seconds_per_answer,
    sequential_line,
    study_result,
    withdraw_adjudication,
)
from idealist.web.studies.task_answers import Study, study_data, study_of
from idealist.web.workbench import Workbench


def new_study(bench: Workbench, votes: dict[str, list[Any]], **hidden: Any) -> Study:
    """A study in project 1 of queries and the votes of raters r0, r1, … on each, None where one has not voted."""
    database = bench.database
    project = create_project(database, "votes")
    raters = max(map(len, votes.values()))
    with database.writing() as connection:
        people = [
            connection.execute(users.insert().values(name=f"r{at}", role="rater", created=now())).lastrowid
            for at in range(raters)
        ]
    contents = [
        {
            "content": {"query": q, "left": ["d1"], "right": ["d2"]},
            "hidden": {"left": "a", "right": "b", **hidden},
        }
        for q in votes
    ]
    task = add_task(
        database,
        project,
        kind="sides",
        name="study",
        contents=contents,
        raters=people,
        settings={"systems": ["a", "b"]},
    )
    with database.reading() as connection:
        numbers = connection.execute(select(items.c.id).where(items.c.task_id == task)).scalars().all()
    for number, given in zip(numbers, votes.values(), strict=True):
        for person, vote in zip(people, given, strict=True):
            if vote is not None:
                cast(bench, number, person, vote)
    study = study_of(database, project, task)
    assert study is not None
    return study


def cast(bench: Workbench, item: int, person: int, vote: Any) -> None:
    content = vote if isinstance(vote, dict) else {"vote": vote}
    add_event(
        bench.database, id=str(uuid4()), item=item, user=person, kind="vote", content=content, made=now()
    )


def decide(bench: Workbench, study: Study, item: int, preference: str, user: int = 1) -> str:
    id = str(uuid4())
    assert adjudicate(bench.database, study, item, id=id, preference=preference, user=user)
    return id


def counts(bench: Workbench, study: Study, **asked: Any) -> tuple[float, float, float]:
    result = study_result(study_data(bench.database, study), report_settings(**asked))
    return result.good, result.same, result.bad


def test_the_demo_says_what_gsb_says_of_its_file(shop_bench: Workbench, shop: Path, tmp_path: Path) -> None:
    """The first half of the demo's items, as a file of votes for the command."""
    study = study_of(shop_bench.database, 1, 1)
    assert study is not None
    data = study_data(shop_bench.database, study)
    with open(shop / "votes.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    done = {item.query for item in data.items if item.expected is None}
    known = [row for row in rows if row["query"] in done or row["query"].startswith("known-")]
    assert len(known) == len(data.answers) == study.votes == 63
    table = {name: [row[name] for row in known] for name in rows[0]}
    expected = gsb(table, votes_per_query=3)
    result = study_result(data, report_settings())
    assert (result.value, result.interval, result.p_value) == (
        expected.value,
        expected.interval,
        expected.p_value,
    )
    assert (result.good, result.same, result.bad) == (expected.good, expected.same, expected.bad)
    assert result.side_bias == expected.side_bias
    assert result.verdict.outcome == expected.verdict.outcome
    page = Browsing(shop_bench).whole_page("/projects/1/studies/1")
    assert f"{expected.value:+.4f}" in page
    assert expected.verdict.why in page
    assert f">{expected.verdict.needed}<" in page


def test_what_is_no_vote_is_refused() -> None:
    assert [known_vote(word) for word in ("bad", -2, "3", "same")] == [-1, -2, 3, 0]
    with pytest.raises(InputError, match="'maybe' is not a vote"):
        known_vote("maybe")


def test_the_side_is_that_of_the_vote_or_of_the_assignment_or_of_the_item(bench: Workbench) -> None:
    study = new_study(bench, {"q": ["good", "good", {"vote": 2, "side": "left", "seconds": 7}]})
    with bench.database.writing() as connection:
        mine = assignments.c.user_id == select(users.c.id).where(users.c.name == "r1").scalar_subquery()
        connection.execute(assignments.update().where(mine).values(side="left"))
    data = study_data(bench.database, study)
    assert [(answer.side, answer.vote) for answer in data.answers] == [("right", 1), ("left", 1), ("left", 2)]
    assert [row.seconds for row in rater_report(data).raters] == [None, None, 7]


def test_time_per_vote_leaves_pauses_out() -> None:
    answers = [Answer("", 1, "r", 0, "left", made) for made in (0, 20_000, 50_000, 4_000_000)]
    assert seconds_per_answer(answers) == 25  # of 20 and 30; 3950 is a pause
    assert seconds_per_answer(answers[:1]) is None


def test_a_decision_takes_the_place_of_the_votes(bench: Workbench) -> None:
    study = new_study(
        bench, {"q1": ["good", "good", "bad"], "q2": ["same"] * 3, "q3": ["good", "same", "bad"]}
    )
    assert counts(bench, study) == (3, 4, 2)
    split, settled = disagreements(study_data(bench.database, study))
    assert (split.item.query, split.settled) == ("q3", False)
    assert (settled.item.query, settled.settled) == ("q1", True)
    decide(bench, study, split.item.id, "left")  # the baseline's list
    assert counts(bench, study) == (2, 3, 4)  # in the place of each of the three votes
    decide(bench, study, settled.item.id, "same")
    assert counts(bench, study) == (0, 6, 3)
    data = study_data(bench.database, study)
    assert [entry.open for entry in disagreements(data)] == [False, False]


def test_agreement_stays_that_of_the_raters(bench: Workbench) -> None:
    votes = {
        "q1": ["good", "good", "bad"],
        "q2": ["same"] * 3,
        "q3": ["good", "same", "bad"],
        "q4": ["bad"] * 3,
    }
    study = new_study(bench, votes)
    before = study_result(study_data(bench.database, study), report_settings())
    decide(bench, study, disagreements(study_data(bench.database, study))[0].item.id, "right")
    after = study_result(study_data(bench.database, study), report_settings())
    assert after.agreement == before.agreement
    assert repr(after.side_bias) == repr(before.side_bias)  # nan, where it was never left
    assert {guard.name for guard in after.verdict.guards} == {guard.name for guard in before.verdict.guards}
    assert after.good == before.good + 2  # q3 had one good vote, and has three now
    assert "1 of 4 items adjudicated" in after.notes


def test_a_decision_is_taken_back_and_sent_twice(bench: Workbench) -> None:
    study = new_study(bench, {"q1": ["good", "bad"], "q2": ["good", "good"]})
    database = bench.database
    (entry,) = disagreements(study_data(database, study))
    id = decide(bench, study, entry.item.id, "right")
    assert not adjudicate(database, study, entry.item.id, id=id, preference="right", user=1)
    with pytest.raises(InputError, match="sent before with another content"):
        adjudicate(database, study, entry.item.id, id=id, preference="left", user=1)
    progress = tasks_of_rater(database, 1)
    assert withdraw_adjudication(database, study, entry.item.id, id=str(uuid4()), user=1)
    assert counts(bench, study) == (3, 0, 1)
    assert tasks_of_rater(database, 1) == progress  # the own vote of who decided stays
    with pytest.raises(InputError, match="is not adjudicated"):
        withdraw_adjudication(database, study, entry.item.id, id=str(uuid4()), user=1)
    with database.reading() as connection:
        kinds = [row.kind for row in connection.execute(select(events).order_by(events.c.number))]
    assert kinds == ["vote"] * 4 + ["adjudicate", "undo"]  # nothing was changed or removed
    assert all(row.kind == "vote" for row in standing_events(database, study.id))


@pytest.mark.parametrize(
    ("preference", "item", "message"), [("up", 1, "'up' is not a decision"), ("left", 99, "has no votes")]
)
def test_what_cannot_be_decided(bench: Workbench, preference: str, item: int, message: str) -> None:
    study = new_study(bench, {"q1": ["good", "bad"]})
    with pytest.raises(InputError, match=message):
        adjudicate(bench.database, study, item, id=str(uuid4()), preference=preference, user=1)


def test_known_answers_are_not_adjudicated_and_count_for_raters_alone(bench: Workbench) -> None:
    study = new_study(bench, {"q1": ["good", "bad"]}, expected="good")
    data = study_data(bench.database, study)
    assert disagreements(data) == []
    accuracy = {row.rater: row.anchors.accuracy for row in rater_report(data).raters if row.anchors}
    assert accuracy == {"r0": 1.0, "r1": 0.0}
    answer = Browsing(bench).get("/projects/1/studies/1")
    assert answer.status_code == 422
    assert "no vote counts" in answer.text


def test_the_line_ends_where_the_result_stands(bench: Workbench) -> None:
    """Two raters a query: a query enters when both have voted, in whatever order votes come."""
    study = new_study(bench, {"q1": ["good", "good"], "q2": ["bad", "bad"], "q3": ["good", None]})
    data = study_data(bench.database, study)
    result = study_result(data, report_settings())
    line = sequential_line(data, report_settings())
    assert [(point["queries"], point["value"]) for point in line] == [(1, 1.0), (2, 0.0)]
    assert result.sequential is not None
    assert (result.sequential.queries, result.sequential.waiting) == (2, 1)
    assert line[-1]["low"] == pytest.approx(result.sequential.interval.low)
    assert Browsing(bench).get("/projects/1/studies/1/line").json() == line


def test_two_raters_and_an_adjudication_by_form(shop_bench: Workbench) -> None:
    browser = Browsing(shop_bench)
    raters = "/projects/1/studies/1/raters"
    page = browser.whole_page(raters)
    assert "5 wait for a decision" in page
    assert "78 %" in page  # ann and ben agree on 14 of 18
    address, id = re.findall(r'action="([^"]+adjudicate)".*?name="id" value="([^"]+)"', page, re.DOTALL)[0]
    before = browser.whole_page("/projects/1/studies/1")
    browser.send(address, raters, id=id, decision="right")
    assert "4 wait for a decision" in browser.page(raters)
    after = browser.whole_page("/projects/1/studies/1")
    assert "1 of 21 items adjudicated" in after
    assert re.findall(r'class="big">([^<]+)<', before)[0] != re.findall(r'class="big">([^<]+)<', after)[0]
    again = browser.send(address, raters, id=id, decision="left")
    assert again.status_code == 422
    assert "sent before with another content" in again.text


def test_pages_of_no_study_and_of_one_without_votes(bench: Workbench) -> None:
    browser = Browsing(bench)
    browser.send("/projects", "/projects", name="empty")
    assert "No side-by-side study yet" in browser.page("/projects/1/studies")
    browser.page("/projects/1/studies/7", 404)
    task = add_task(bench.database, 1, kind="sides", name="new", contents=[], raters=[])
    for path in ("", "/raters"):
        assert "No votes yet" in browser.whole_page(f"/projects/1/studies/{task}{path}")
    assert "A (baseline)" in browser.page(f"/projects/1/studies/{task}")


@pytest.mark.parametrize(("asked", "message"), [("margin=wide", "margin"), ("fold=median", "fold")])
def test_settings_that_do_not_fit_say_why(shop_bench: Workbench, asked: str, message: str) -> None:
    answer = Browsing(shop_bench).get(f"/projects/1/studies/1?{asked}")
    assert answer.status_code == 422
    assert message in answer.text
    assert "Traceback" not in answer.text


def test_the_api_says_what_the_pages_say(shop_bench: Workbench) -> None:
    browser = Browsing(shop_bench)
    client = browser.client
    client.headers["x-form-token"] = browser.token("/projects")
    (listed,) = client.get("/api/projects/1/studies").json()
    assert (listed["systems"], listed["votes"], listed["assigned"]) == (["a", "b"], 63, 126)
    report = client.get("/api/projects/1/studies/1?fold=mean&margin=5%25").json()
    study = study_of(shop_bench.database, 1, 1)
    assert study is not None
    data = study_data(shop_bench.database, study)
    expected = study_result(data, report_settings(fold="mean", margin="5%"))
    assert report["value"] == expected.value
    assert report["verdict"]["outcome"] == expected.verdict.outcome
    raters = client.get("/api/projects/1/studies/1/raters").json()
    assert [row["rater"] for row in raters["raters"]] == ["Ann (demo)", "Ben (demo)", "local"]
    item = raters["disagreements"][0]["item"]
    path = f"/api/projects/1/studies/1/items/{item}/adjudication"
    decision = {"id": str(uuid4()), "preference": "same"}
    assert [client.post(path, json=decision).json()["added"] for _ in range(2)] == [True, False]
    assert client.post(f"{path}/undo", json={"id": str(uuid4())}).json() == {"added": True}
    assert client.get("/api/projects/1/studies/9").status_code == 404
    assert client.post(path, json={**decision, "id": "x"}).status_code == 422


def test_names_and_queries_are_escaped(bench: Workbench) -> None:
    new_study(bench, {"<script>alert(1)</script>": ["good", "bad"]})
    browser = Browsing(bench)
    browser.whole_page("/projects/1/studies/1/raters")
    answer = browser.get("/projects/1/studies/1/raters").text
    assert "<script>alert" not in answer
    assert "&lt;script&gt;alert" in answer


def test_a_majority_that_says_otherwise_is_said_first(bench: Workbench) -> None:
    """Two thirds of the votes of six queries are bad, and all of four are good: 18 good of 30, and 4 queries of 10."""
    votes = {f"q{at}": ["good", "bad", "bad"] if at < 6 else ["good"] * 3 for at in range(10)}
    study = new_study(bench, votes)
    assert counts(bench, study) == (18, 0, 12)
    page = Browsing(bench).whole_page("/projects/1/studies/1")
    assert "By all votes: GSB 0.2000, Undecided. By the majority of each item’s votes: GSB −0.2000" in page
    assert counts(bench, study, fold="majority") == (4, 0, 6)
