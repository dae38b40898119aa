"""Asking an endpoint that misbehaves in every way."""

from __future__ import annotations

import json
import sqlite3
import time
import traceback
from email.message import Message
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from support.fake_endpoint import Handler, Reaction, endpoint, grading

from idealist import InputError, evaluate, gsb, read_judgments, write_judgments
from idealist.machine import Endpoint, MachineAnswers, Prompt, ask, estimate, grade_questions, vote_questions
from idealist.machine.asking import AnswerCache
from idealist.remote.sending import Pacer
from idealist.remote.transport import retry_after

QUERIES = {"q1": "capital of italy", "q2": "largest planet"}
DOCUMENTS = {"d1": "Rome is the capital of Italy.", "d2": "Milan is a city.", "d3": "Jupiter is large."}
PAIRS = {"q1": ["d1", "d2"], "q2": ["d3"]}
KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def questions(samples: int = 1, **prompt: Any) -> Any:
    return grade_questions(PAIRS, QUERIES, DOCUMENTS, prompt=Prompt(**prompt), samples=samples)


def asked(
    reaction: Reaction, *, timeout: float = 5.0, samples: int = 1, **how: Any
) -> tuple[MachineAnswers, int]:
    """The answers, and how many requests it took."""
    with endpoint(reaction) as fake:
        how = {"first_wait": 0.01, "concurrency": 2, **how}
        answers = ask(questions(samples), Endpoint(fake.url, "judge", timeout=timeout), **how)
        return answers, len(fake.bodies)


def once(failing: Reaction, then: Reaction | None = None) -> Reaction:
    """Fails the first time that a question is asked, and grades it the second time."""
    seen: set[str] = set()

    def react(handler: Handler, body: dict[str, Any], number: int) -> None:
        text = json.dumps(body)
        if text in seen:
            (then or grading())(handler, body, number)
        else:
            seen.add(text)
            failing(handler, body, number)

    return react


def by_document(answers: dict[str, str]) -> Reaction:
    """What is said of each document, which is recognised by its text."""

    def react(handler: Handler, body: dict[str, Any], number: int) -> None:
        text = body["messages"][-1]["content"]
        handler.say(next(answer for document, answer in answers.items() if DOCUMENTS[document] in text))

    return react


def test_grades_have_their_origin_and_are_read_back(tmp_path: Path) -> None:
    said = by_document({"d1": '{"grade": 3}', "d2": '```json\n{"grade": 1}\n```', "d3": "It fits.\nGrade: 2"})
    answers, requests = asked(said)
    assert requests == 3
    assert answers.judgments.to_dict() == {"q1": {"d1": 3, "d2": 1}, "q2": {"d3": 2}}
    row = answers.grade_rows[0]
    assert (row.model, row.prompt, row.date[:2]) == ("judge", questions().prompt.name, "20")
    write_judgments(answers.judgments, tmp_path / "machine.csv")
    assert read_judgments(tmp_path / "machine.csv").to_dict() == answers.judgments.to_dict()
    assert evaluate(answers.judgments, {"q1": ["d1"], "q2": ["d3"]}, "P@1").mean("P@1") == 1


@pytest.mark.parametrize(
    "failing",
    [
        pytest.param(lambda h, b, n: h.send(429, "{}", Retry_After="0"), id="429"),
        pytest.param(lambda h, b, n: h.send(429, "{}", Retry_After=formatdate(usegmt=True)), id="429-date"),
        pytest.param(lambda h, b, n: h.send(429, "{}", Retry_After="soon"), id="429-nonsense"),
        pytest.param(lambda h, b, n: h.send(500, "oops"), id="500"),
        pytest.param(lambda h, b, n: h.send(503, '{"error": "overloaded"}'), id="503"),
        pytest.param(lambda h, b, n: h.cut('{"choices": [', 500), id="cut"),
        pytest.param(lambda h, b, n: h.send(200, '{"choices": [{"mess'), id="wrong-json"),
        pytest.param(lambda h, b, n: h.send(200, "[1, 2]"), id="other-json"),
        pytest.param(lambda h, b, n: h.send(200, '{"choices": []}'), id="no-choice"),
        pytest.param(lambda h, b, n: h.send(200, ""), id="empty"),
        pytest.param(lambda h, b, n: setattr(h, "close_connection", True), id="hangs-up"),
    ],
)
def test_what_failed_is_asked_again(failing: Reaction) -> None:
    answers, requests = asked(once(failing))
    assert len(answers.rows) == 3
    assert requests == 6
    assert not answers.failures


def test_a_slow_answer_is_given_up_and_asked_again() -> None:
    answers, requests = asked(once(lambda h, b, n: time.sleep(5.0)), timeout=1.0)
    assert len(answers.rows) == 3
    assert requests >= 6  # more where the machine is so busy that an answer comes late


def test_an_answer_that_drips_does_not_take_longer_than_the_timeout() -> None:
    def drip(handler: Handler, body: dict[str, Any], number: int) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        try:
            for _ in range(100):  # each byte comes in time, all of them do not
                handler.wfile.write(b" ")
                time.sleep(0.05)
        except OSError:
            pass

    answers, _ = asked(drip, timeout=1.0, retries=0)
    assert set(answers.failures.values()) == {"no whole answer within 1 seconds; asked 1 time"}


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long threads would have waited, without waiting."""
    waited: list[float] = []

    def sleep(self: Pacer, seconds: float) -> bool:
        waited.append(seconds)
        return not self.stopped

    monkeypatch.setattr(Pacer, "sleep", sleep)
    return waited


def test_the_endpoint_says_how_long_to_wait(waits: list[float]) -> None:
    def busy(handler: Handler, body: dict[str, Any], number: int) -> None:
        handler.send(429, "{}", Retry_After="40") if number == 1 else handler.say('{"grade": 1}')

    answers, _ = asked(busy, concurrency=1)
    assert len(answers.rows) == 3
    assert 40 in waits  # longer than the hundredth of a second that would be waited otherwise
    assert max(waits) <= 40


def test_waits_grow_until_they_are_long_enough(waits: list[float]) -> None:
    answers, _ = asked(lambda h, b, n: h.send(500, "down"), concurrency=1, retries=8, first_wait=1.0)
    assert len(answers.failures) == 3
    of_one_question = [seconds for seconds in waits if seconds > 0][:8]
    for attempt, seconds in enumerate(of_one_question):
        assert min(2.0**attempt, 60) / 2 <= seconds <= min(2.0**attempt, 60)


def test_a_wait_until_tomorrow_ends_it() -> None:
    def react(handler: Handler, body: dict[str, Any], number: int) -> None:
        handler.say('{"grade": 1}') if number == 1 else handler.send(429, "quota", Retry_After="86400")

    answers, requests = asked(react, concurrency=1)
    assert requests == 2
    assert (len(answers.rows), len(answers.failures), answers.unasked) == (1, 1, 1)
    assert "it asks to wait for 1,440 minutes" in str(answers)


def test_an_endpoint_that_goes_down_is_given_up(waits: list[float]) -> None:
    documents = {str(number): f"text {number}" for number in range(60)}
    many = grade_questions({"q1": list(documents)}, QUERIES, documents)

    def react(handler: Handler, body: dict[str, Any], number: int) -> None:
        handler.say('{"grade": 1}') if number <= 5 else handler.send(503, "down")

    with endpoint(react) as fake:
        answers = ask(many, Endpoint(fake.url, "judge"), concurrency=1, retries=1)
    assert (len(answers.rows), len(answers.failures), answers.unasked) == (5, 10, 45)
    assert len(fake.bodies) == 5 + 10 * 2


def test_the_rate_is_kept_and_pauses_hold_for_all() -> None:
    now = [100.0]
    pacer = Pacer(rate=120, clock=lambda: now[0])
    assert [pacer.reserve() for _ in range(3)] == [0.0, 0.5, 1.0]
    now[0] = 101.5
    assert pacer.reserve() == 0.0
    pacer.pause(30)
    assert [pacer.reserve() for _ in range(2)] == [30.0, 30.5]
    pacer.stop()
    assert not pacer.wait_turn()


def test_dates_in_the_past_and_nonsense_ask_for_no_wait() -> None:
    headers = Message()
    assert retry_after(headers) is None
    for text, seconds in (("7", 7.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("soon", None), ("-3", 0.0)):
        del headers["Retry-After"]
        headers["Retry-After"] = text
        assert retry_after(headers) == seconds


def test_what_is_never_answered_is_counted_and_asked_again_the_next_time(tmp_path: Path) -> None:
    def react(handler: Handler, body: dict[str, Any], number: int) -> None:
        is_planet = "Jupiter" in body["messages"][-1]["content"]
        handler.send(500, "down") if is_planet else handler.say('{"grade": 1}')

    cache = tmp_path / "answers.sqlite"
    answers, requests = asked(react, retries=2, cache=cache)
    assert (len(answers.rows), requests) == (2, 2 + 3)
    ((question, reason),) = answers.failures.items()
    assert (question.document, reason) == ("d3", "status 500: down; asked 3 times")
    assert "not answered: 1 question, such as query 'q2', document 'd3': status 500" in str(answers)


def test_answers_that_cannot_be_read_are_kept_and_never_guessed() -> None:
    def react(handler: Handler, body: dict[str, Any], number: int) -> None:
        text = body["messages"][-1]["content"]
        if "Rome" in text:
            handler.say("Either 2 or 3, I would say")
        elif "Milan" in text:
            handler.say(None, refusal="I cannot help with that")
        else:
            handler.say('{"grade": 3', finish="length")

    answers, requests = asked(react)
    assert requests == 3  # an answer was paid for: it is not asked again
    assert answers.rows == []
    assert {row.document: row.reason for row in answers.unread} == {
        "d1": "not understood",
        "d2": "refused",
        "d3": "cut off at max_tokens",
    }
    assert "not read: 3 answers" in str(answers)
    with pytest.raises(InputError, match="no grade was read"):
        _ = answers.judgments


def test_content_in_parts_is_read() -> None:
    parts = [{"type": "text", "text": '{"grade"'}, {"type": "text", "text": ": 3}"}]
    answers, _ = asked(lambda h, b, n: h.say(parts))  # type: ignore[arg-type]
    assert {row.grade for row in answers.grade_rows} == {3}


def test_a_key_that_is_refused_ends_it_at_once() -> None:
    with (
        endpoint(lambda h, b, n: h.send(401, '{"error": {"message": "bad key"}}')) as fake,
        pytest.raises(InputError, match="status 401: bad key") as caught,
    ):
        ask(questions(), Endpoint(fake.url, "judge"), concurrency=1)
    assert "OPENAI_API_KEY" in caught.value.hint
    assert len(fake.bodies) == 1


def test_requests_that_are_all_rejected_end_it() -> None:
    with (
        endpoint(lambda h, b, n: h.send(400, '{"error": {"message": "unknown field max_tokens"}}')) as fake,
        pytest.raises(InputError, match=r"3 requests were rejected and none was answered.*max_tokens"),
    ):
        ask(questions(), Endpoint(fake.url, "judge"), concurrency=1)


def test_one_rejected_request_does_not_end_it() -> None:
    def react(handler: Handler, body: dict[str, Any], number: int) -> None:
        handler.send(413, "too long") if number == 1 else handler.say('{"grade": 1}')

    answers, requests = asked(react, concurrency=1)
    assert (len(answers.rows), len(answers.failures), requests) == (2, 1, 3)


def test_an_endpoint_that_is_not_there() -> None:
    with endpoint(grading()) as fake:
        url = fake.url
    with pytest.raises(InputError, match="cannot be reached: Connection refused") as caught:
        ask(questions(), Endpoint(url, "judge"))
    assert "server started" in caught.value.hint


def test_a_redirection_is_not_followed() -> None:
    with (
        endpoint(lambda h, b, n: h.send(302, "", Location="http://127.0.0.1:9/v1")) as fake,
        pytest.raises(InputError, match="sends requests elsewhere"),
    ):
        ask(questions(), Endpoint(fake.url, "judge"))


def test_the_key_comes_from_the_environment_and_stays_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_KEY", KEY)
    cache = tmp_path / "answers.sqlite"

    def react(handler: Handler, body: dict[str, Any], number: int) -> None:
        text = body["messages"][-1]["content"]
        if "Jupiter" in text:
            handler.send(400, json.dumps({"error": {"message": f"not with {KEY}"}}))
        else:
            handler.say(f"your key is {KEY}\n2" if "Rome" in text else '{"grade": 1}')

    with endpoint(react) as fake:
        answers = ask(questions(), Endpoint(fake.url, "judge", key_variable="JUDGE_KEY"), cache=cache)
    assert fake.keys == [f"Bearer {KEY}"] * 3
    assert KEY not in json.dumps(fake.bodies)
    assert KEY.encode() not in cache.read_bytes()
    assert KEY not in str(answers) + repr(answers) + json.dumps(answers.answers()) + repr(answers.failures)
    assert "not with [key]" in str(answers)

    def refuse(handler: Handler, body: dict[str, Any], number: int) -> None:
        handler.send(401, f"no such key: {KEY}")

    with endpoint(refuse) as fake, pytest.raises(InputError) as caught:
        ask(questions(), Endpoint(fake.url, "judge", key_variable="JUDGE_KEY"))
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("around", [f"{KEY}\n", f"  {KEY}\r\n", f"\ufeff{KEY}"])
def test_line_ends_and_spaces_around_a_key_are_not_sent(monkeypatch: pytest.MonkeyPatch, around: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", around)
    with endpoint(grading()) as fake:
        ask(questions(), Endpoint(fake.url, "judge"))
    assert set(fake.keys) == {f"Bearer {KEY}"}


@pytest.mark.parametrize(
    ("within", "named"),
    [("\n", "U+000A at position 4"), ("\x7f", "U+007F"), ("“", "U+201C"), ("é", "U+00E9"), ("钥", "U+94A5")],
)
def test_a_key_that_no_header_can_hold_is_refused_by_its_variable(
    monkeypatch: pytest.MonkeyPatch, within: str, named: str
) -> None:
    monkeypatch.setenv("JUDGE_KEY", f"{KEY[:3]}{within}{KEY[3:]}")
    with endpoint(grading()) as fake, pytest.raises(InputError, match=r"the key in \$JUDGE_KEY") as caught:
        ask(questions(), Endpoint(fake.url, "judge", key_variable="JUDGE_KEY"))
    assert named in str(caught.value)
    assert not any(part in repr(caught.value) for part in (KEY, KEY[3:], KEY[:3]))
    assert fake.bodies == []


@pytest.mark.parametrize("key", ["2", "null", "a", "stop", "choices"])
def test_a_key_that_is_part_of_every_answer_changes_no_grade(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with endpoint(grading(2)) as fake:
        for _ in range(2):  # from the endpoint, then from the cache
            answers = ask(questions(), Endpoint(fake.url, "judge"), cache=tmp_path / "answers.sqlite")
            assert {row.grade for row in answers.grade_rows} == {2}


def test_a_key_that_a_long_message_quotes_is_hidden_before_the_message_is_cut() -> None:
    from idealist.remote.transport import quoted

    said = f"{'x ' * 72}Bearer {KEY} {'y ' * 300}"
    assert KEY[:6] in said[: 150 + 8]
    assert not any(KEY[:length] in quoted(said, KEY) for length in range(3, len(KEY) + 1))


@pytest.mark.parametrize("key", ['Digest user="ann", response="a/very\\secret"', 'sk-"quoted"/0123'])
def test_a_key_is_hidden_as_json_writes_it(key: str) -> None:
    """An answer is shown as it came, where its form is not known."""
    from idealist.remote.transport import hidden

    for said in (key, json.dumps({"said": key}), json.dumps({"said": key}).replace("/", "\\/")):
        shown = hidden(said, key)
        assert "[key]" in shown
        assert not any(part in shown for part in ("ann", "very", "secret", "quoted", "0123"))


def test_a_header_that_the_transport_refuses_is_in_no_message() -> None:
    from idealist.remote.transport import Rejected, post

    for value in (f"Bearer {KEY}\nX: 1", f"Bearer {KEY}钥"):
        with endpoint(grading()) as fake, pytest.raises(Rejected) as caught:
            post(fake.url, {}, headers={"Authorization": value}, key=KEY, timeout=5, hints={})
        assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_key_is_not_sent_unencrypted_to_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(InputError, match="would be sent unencrypted"):
        ask(questions(), Endpoint("http://judge.example/v1", "judge"))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("localhost:8000", "must be an address of http or https"),
        ("ftp://host/v1", "must be an address of http or https"),
        ("http://host:port/v1", "must be an address of http or https"),
        ("https://user:key@host/v1", "more than a host and a path"),
        ("https://host/v1?key=1", "more than a host and a path"),
    ],
)
def test_addresses_that_cannot_be_right(url: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Endpoint(url, "judge")
    assert "key=1" not in str(caught.value)


def test_nothing_is_asked_twice(tmp_path: Path) -> None:
    cache = tmp_path / "answers.sqlite"
    first, requests = asked(grading(), cache=cache, limit=2)
    assert (requests, first.unasked) == (2, 1)
    assert "not asked yet: 1 question" in str(first)
    with endpoint(grading()) as fake, AnswerCache(cache) as opened:
        # The address is part of a question: another server may have another model of this name.
        assert estimate(questions(), Endpoint(fake.url, "judge"), cache=opened).requests == 3
        answers = ask(questions(), Endpoint(fake.url, "judge"), cache=opened)
        assert (answers.requests, answers.cached) == (3, 0)
        again = ask(questions(), Endpoint(fake.url, "judge"), cache=opened)
        assert (again.requests, again.cached, len(fake.bodies)) == (0, 3, 3)
        assert again.judgments == answers.judgments
        other = questions(template="{query} {document} 0 to 3?")
        assert ask(other, Endpoint(fake.url, "judge"), cache=opened).requests == 3
        assert ask(questions(), Endpoint(fake.url, "judge", temperature=1.0), cache=opened).requests == 3
        assert (
            ask(questions(2), Endpoint(fake.url, "judge"), cache=opened).requests == 3
        )  # the second samples


def test_the_same_text_is_asked_about_once() -> None:
    documents = {"d1": "Rome", "d2": "Rome"}
    with endpoint(grading()) as fake:
        answers = ask(grade_questions({"q1": ["d1", "d2"]}, QUERIES, documents), Endpoint(fake.url, "judge"))
    assert len(fake.bodies) == 1
    assert answers.judgments.to_dict() == {"q1": {"d1": 2, "d2": 2}}


def test_several_samples_have_their_median() -> None:
    grades = iter([3, 0, 1, 2, 3, 2, 0, 0, 1])
    answers, requests = asked(
        lambda h, b, n: h.say(json.dumps({"grade": next(grades)})), samples=3, concurrency=1
    )
    assert requests == 9
    assert [(row.grade, row.grades) for row in answers.grade_rows] == [
        (1, "3 0 1"),
        (2, "2 3 2"),
        (0, "0 0 1"),
    ]


def test_progress_counts_what_has_ended() -> None:
    told: list[tuple[int, int]] = []
    asked(grading(), progress=lambda done, whole: told.append((done, whole)), concurrency=1)
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_tokens_and_cost_are_counted() -> None:
    answers, _ = asked(grading(), prices=(1.0, 10.0))
    assert (answers.input_tokens, answers.output_tokens) == (300, 21)
    assert answers.cost == pytest.approx((300 * 1 + 21 * 10) / 1e6)


def test_an_estimate_asks_nothing(tmp_path: Path) -> None:
    with endpoint(grading()) as fake:
        there = Endpoint(fake.url, "judge", max_tokens=100)
        cache = tmp_path / "answers.sqlite"
        before = estimate(questions(), there, cache=cache, rate=30, prices=(2.0, 4.0))
        assert fake.bodies == []
        assert not cache.exists()
        assert (before.questions, before.requests, before.output_tokens) == (3, 3, 300)
        assert before.seconds == 3 * 60 / 30
        assert before.cost == pytest.approx((before.input_tokens * 2 + 300 * 4) / 1e6)
        assert estimate(questions(), there, cache=cache).seconds is None  # nothing is known of it
        ask(questions(), there, cache=cache)
        after = estimate(questions(2), there, cache=cache)
        assert (after.cached, after.requests) == (3, 3)
        assert after.seconds is not None


def test_further_fields_of_requests() -> None:
    with endpoint(grading()) as fake:
        extra = {"max_tokens": None, "max_completion_tokens": 9, "top_p": 0.5}
        ask(questions(), Endpoint(fake.url + "/chat/completions", "judge", extra=extra))  # type: ignore[arg-type]
    assert fake.paths == ["/v1/chat/completions"] * 3
    assert {"max_tokens"} & fake.bodies[0].keys() == set()
    assert (fake.bodies[0]["max_completion_tokens"], fake.bodies[0]["top_p"]) == (9, 0.5)
    for wrong in ("[1]", '{"messages": []}', "{"):
        with pytest.raises(InputError, match="further fields"):
            Endpoint("http://localhost/v1", "judge", extra=wrong)


def test_a_file_that_is_no_cache_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("This is not a database, and long enough to be looked at." * 10)
    with pytest.raises(InputError, match=r"notes\.txt: the cache cannot be used"):
        AnswerCache(tmp_path / "notes.txt")
    with sqlite3.connect(tmp_path / "other.sqlite") as other:
        other.execute("CREATE TABLE songs (name)")
    other.close()
    with pytest.raises(InputError, match="not a cache of answers"):
        AnswerCache(tmp_path / "other.sqlite")
    with pytest.raises(InputError, match="cannot be used"):
        AnswerCache(tmp_path / "nowhere" / "answers.sqlite")


def test_votes_are_seen_from_the_candidate() -> None:
    asked_about = vote_questions(
        {"q1": ["d1"], "q2": ["d3"]}, {"q1": ["d2"], "q2": ["d3"]}, QUERIES, DOCUMENTS, samples=2
    )

    def react(handler: Handler, body: dict[str, Any], number: int) -> None:
        left, right = body["messages"][-1]["content"].split("Right list:")
        better = "left" if "Rome" in left else "right" if "Rome" in right else "same"
        handler.say(json.dumps({"better": better}))

    with endpoint(react) as fake:
        answers = ask(asked_about, Endpoint(fake.url, "judge"))
    assert [(row.query, row.vote) for row in answers.vote_rows] == [("q1", "good")] * 2 + [("q2", "same")] * 2
    assert {row.side for row in answers.vote_rows if row.query == "q1"} == {"left", "right"}
    assert gsb(answers.votes).value == 0.5
    with pytest.raises(InputError, match="asked for votes"):
        _ = answers.judgments
