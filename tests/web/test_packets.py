"""Packets: judged without a server, imported once, refused when altered."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from support.browsing import Browsing
from support.chromium import chromium_browser, complaints, require_chromium, scrolls_sideways, serious_faults
from support.standing_events import standing_events

from idealist import InputError
from idealist.web.access.accounts import LOCAL, rater_without_login
from idealist.web.judging.packets import import_ballot, packet_data
from idealist.web.judging.task_making import make_side_task, possible_raters
from idealist.web.judging.tasks import Task, task_of, withdraw_item
from idealist.web.workbench import Workbench


@pytest.fixture
def rater(shop_bench: Workbench) -> int:
    return rater_without_login(shop_bench.database, "Cleo").id


@pytest.fixture
def task(shop_bench: Workbench, rater: int) -> Task:
    facts: dict[str, Any] = {
        "baseline": "a",
        "candidate": "b",
        "raters": [rater],
        "queries": 4,
        "known": 1,
        "seed": 3,
    }
    made = task_of(
        shop_bench.database,
        make_side_task(
            shop_bench, 1, name="Which?", reasons=["</script>"], guidelines="<b>Read.</b>", **facts
        ),
    )
    assert made is not None
    return made


def packet_page(bench: Workbench, task: Task, rater: int) -> str:
    answer = Browsing(bench).get(f"/projects/1/tasks/{task.id}/packets/{rater}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"].startswith('attachment; filename="packet-')
    return str(answer.text)


def sealed(data: dict[str, Any], choices: list[Any]) -> dict[str, Any]:
    """A ballot as the packet saves it, by an independent way: HMAC-SHA256 over the text of the answers."""
    answers = json.dumps(
        [
            {"id": str(uuid4()), "item": item["id"], "kind": "vote", "content": {"choice": choice}, "made": 1}
            for item, choice in zip(data["items"], choices, strict=False)
        ]
    )
    seal = hmac.new(bytes.fromhex(data["key"]), answers.encode(), hashlib.sha256).hexdigest()
    return {
        "format": "idealist-ballot",
        "version": 1,
        "packet": data["packet"],
        "answers": answers,
        "seal": seal,
    }


def test_a_rater_without_login_is_one_person(shop_bench: Workbench, rater: int) -> None:
    assert rater_without_login(shop_bench.database, " Cleo ").id == rater
    names = [person.name for person in possible_raters(shop_bench)]
    assert names == ["Ann (demo)", "Ben (demo)", "Cleo", LOCAL]
    with pytest.raises(InputError, match="somebody is called 'local'"):
        rater_without_login(shop_bench.database, LOCAL)


def test_a_ballot_counts_once_however_often_it_is_sent(shop_bench: Workbench, task: Task, rater: int) -> None:
    data = packet_data(shop_bench, task, rater)
    ballot = json.dumps(sealed(data, [3, -1])).encode()
    first, again = (import_ballot(shop_bench, task, ballot) for _ in range(2))
    assert (first.added, first.known, again.added, again.known) == (2, 0, 0, 2)
    stored = standing_events(shop_bench.database, task.id)
    signs = [1 if event.content["side"] == "right" else -1 for event in stored]
    assert [event.content["vote"] * sign for event, sign in zip(stored, signs, strict=True)] == [3, -1]
    assert {event.user_id for event in stored} == {rater}
    rest = packet_data(shop_bench, task, rater)["items"]
    assert [item["id"] for item in rest] == [item["id"] for item in data["items"][2:]]


@pytest.mark.parametrize("part", ["answers", "seal", "packet", "format", "version"])
def test_an_altered_ballot_is_refused(shop_bench: Workbench, task: Task, rater: int, part: str) -> None:
    ballot = sealed(packet_data(shop_bench, task, rater), [3])
    changed = {
        "answers": ballot["answers"].replace('"choice": 3', '"choice": 2'),
        "seal": "0" * 64,
        "packet": ballot["packet"].replace(f"-{rater}-", "-1-"),  # as if somebody else had judged
        "format": "votes",
        "version": 2,
    }[part]
    assert changed != ballot[part]
    with pytest.raises(InputError, match=r"altered|not a ballot"):
        import_ballot(shop_bench, task, json.dumps({**ballot, part: changed}).encode())
    assert standing_events(shop_bench.database, task.id) == []


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b"{}", b"null", b"[" * 100_000, b'{"packet": 1}'])
def test_what_is_not_a_ballot_is_refused(shop_bench: Workbench, task: Task, content: bytes) -> None:
    with pytest.raises(InputError, match="not a ballot"):
        import_ballot(shop_bench, task, content)


def test_a_ballot_of_another_task_or_of_withdrawn_items(
    shop_bench: Workbench, task: Task, rater: int
) -> None:
    data = packet_data(shop_bench, task, rater)
    ballot = json.dumps(sealed(data, [1, 2])).encode()
    demo = task_of(shop_bench.database, 1)
    assert demo is not None
    with pytest.raises(InputError, match="of task 3, not of this one"):
        import_ballot(shop_bench, demo, ballot)
    withdraw_item(shop_bench.database, task.id, data["items"][0]["id"], user=1)
    imported = import_ballot(shop_bench, task, ballot)
    assert (imported.added, len(imported.refused)) == (1, 1)
    assert "withdrawn" in imported.refused[0]


def test_on_the_pages(shop_bench: Workbench, task: Task, rater: int) -> None:
    browser = Browsing(shop_bench)
    page = f"/projects/1/tasks/{task.id}"
    assert f"{page}/packets/{rater}" in browser.page(page)
    source = packet_page(shop_bench, task, rater)
    assert not re.search(
        r"\bp\d{3}\b|expected|\bsystems?\b",
        source.partition('id="judging-data"')[2].partition("</script>")[0],
    )
    assert 'src="' not in source.partition("<body>")[2]
    ballot = json.dumps(sealed(packet_data(shop_bench, task, rater), [3])).encode()
    sent = browser.send(f"{page}/ballots", page, files={"ballot": ("ballot.json", ballot)})
    assert "Answers added: 1; there before: 0; refused: 0" in sent.text
    refused = browser.send(
        f"{page}/ballots", page, files={"ballot": ("ballot.json", ballot.replace(b"3", b"2"))}
    )
    assert refused.status_code == 422
    assert standing_events(shop_bench.database, task.id)[0].content["vote"] in (3, -3)
    browser.client.headers["x-form-token"] = browser.token(page)
    again = browser.client.post(f"/api{page}/ballots", files={"file": ("ballot.json", ballot)})
    assert again.json() == {"added": 0, "known": 1, "refused": []}
    assert len(browser.get(f"/api{page}/packets/{rater}").json()["items"]) == 4
    nobody = browser.get(f"{page}/packets/77")
    assert nobody.status_code == 422
    assert "nothing left to judge" in nobody.text


def test_judged_in_a_browser_from_a_file(
    shop_bench: Workbench, task: Task, rater: int, tmp_path: Path
) -> None:
    require_chromium()
    from playwright.sync_api import expect

    file = tmp_path / "packet.html"
    file.write_text(packet_page(shop_bench, task, rater), encoding="utf-8")
    with chromium_browser() as browser:
        context = browser.new_context(offline=True, locale="en-GB")
        page = context.new_page()
        said = complaints(page)
        page.goto(file.as_uri())
        expect(page.locator("#judging")).to_be_visible()
        assert serious_faults(page) == []
        page.set_viewport_size({"width": 390, "height": 800})
        page.emulate_media(color_scheme="dark")
        assert serious_faults(page) == []
        assert not scrolls_sideways(page)
        first = page.locator("#query").inner_text()
        page.keyboard.press("l")
        for key in ("7", "g", "1"):
            page.keyboard.press(key)
        page.keyboard.press("u")
        expect(page.locator("#progress-text")).to_have_text("2 of 5 judged")
        page.reload()  # what was judged is kept
        expect(page.locator("#progress-text")).to_have_text("2 of 5 judged")
        for key in ("4", "4"):
            page.keyboard.press(key)
        expect(page.locator("#query")).to_have_text(first)  # put off: the last
        page.keyboard.press("x")
        expect(page.get_by_role("heading", name="All done")).to_be_visible()
        ballots = []
        for _ in range(2):
            with page.expect_download() as saving:
                page.keyboard.press("s")
            ballots.append(Path(saving.value.path()).read_bytes())
    assert said == []
    first_import, again = (import_ballot(shop_bench, task, ballot) for ballot in ballots)
    assert (first_import.added, first_import.refused, again.added, again.known) == (5, (), 0, 5)
    kinds = [event.kind for event in standing_events(shop_bench.database, task.id)]
    assert kinds == ["vote"] * 4 + ["skip"]


def sealed_by_hand(data: dict[str, Any], answers: str) -> bytes:
    """A ballot with a seal that fits, by somebody who took the key out of the packet."""
    seal = hmac.new(bytes.fromhex(data["key"]), answers.encode(), hashlib.sha256).hexdigest()
    ballot = {"format": "idealist-ballot", "version": 1, "packet": data["packet"]}
    return json.dumps({**ballot, "answers": answers, "seal": seal}).encode()


def test_a_packet_does_not_help_to_vote_for_the_candidate_unseen(
    shop_bench: Workbench, task: Task, rater: int
) -> None:
    data = packet_data(shop_bench, task, rater)
    vote = {"id": str(uuid4()), "item": data["items"][0]["id"], "kind": "vote", "made": 1}
    ballot = sealed_by_hand(data, json.dumps([{**vote, "content": {"vote": "good"}}]))
    imported = import_ballot(shop_bench, task, ballot)
    assert (imported.added, len(imported.refused)) == (0, 1)
    assert "choose between left and right" in imported.refused[0]


@pytest.mark.parametrize("answers", ["", "7", "[7]", "[{}]", '[{"id": 1}]', "[" * 100_000, "null"])
def test_answers_that_no_packet_writes_are_refused(
    shop_bench: Workbench, task: Task, rater: int, answers: str
) -> None:
    with pytest.raises(InputError, match="not those of a packet"):
        import_ballot(shop_bench, task, sealed_by_hand(packet_data(shop_bench, task, rater), answers))


@pytest.mark.parametrize("part", ["packet", "seal"])
def test_parts_of_a_ballot_that_are_no_text_are_refused(
    shop_bench: Workbench, task: Task, rater: int, part: str
) -> None:
    ballot = sealed(packet_data(shop_bench, task, rater), [3])
    for wrong in ("\ud800", 7, None):
        with pytest.raises(InputError, match="not a ballot"):
            import_ballot(shop_bench, task, json.dumps({**ballot, part: wrong}).encode())


def test_of_several_ballots_those_before_a_wrong_one_are_imported(
    shop_bench: Workbench, task: Task, rater: int
) -> None:
    browser, page = Browsing(shop_bench), f"/projects/1/tasks/{task.id}"
    right = json.dumps(sealed(packet_data(shop_bench, task, rater), [3])).encode()
    files = [("ballot", ("ann.json", right)), ("ballot", ("ben.json", b"{}"))]
    answer = browser.send(f"{page}/ballots", page, files=files)
    assert answer.status_code == 422
    assert "Answers added: 1" in answer.text
    assert "ben.json: this is not a ballot" in answer.text
