"""Asking: questions to an endpoint, several at a time, each answered from the cache if it was asked before."""

from __future__ import annotations

import os
from contextlib import contextmanager
from datetime import UTC, datetime

from idealist.data.values import as_count, as_seed, as_within
from idealist.frozen import Frozen
from idealist.judges.cache import AnswerCache, content_key
from idealist.judges.result import Estimate, MachineAnswers
from idealist.remote.pacing import Pacer
from idealist.remote.sending import FIRST_WAIT, Sending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from idealist.judges.cache import Reply
    from idealist.judges.endpoint import Endpoint
    from idealist.judges.questions import Question, Questions

    Cache = str | os.PathLike[str] | AnswerCache | None

CHARACTERS_PER_TOKEN = 4.0  # of English, by bytes of UTF-8; other scripts have fewer


class _Request(Frozen):
    """A request and the questions that it answers: the same texts are asked about once."""

    key: str
    body: Mapping[str, Any]
    questions: tuple[Question, ...]


def estimate(
    questions: Questions,
    endpoint: Endpoint,
    *,
    cache: Cache = None,
    concurrency: int = 4,
    rate: float | None = None,
    prices: tuple[float, float] | None = None,
) -> Estimate:
    """What asking would take, without asking: requests, tokens, cost and time. `prices` are those of a million tokens read
    and written. Tokens that are read are estimated as a quarter of the bytes, those written are at most max_tokens; the
    time is by the rate, and by how long the model took for the answers in the cache, if it has any."""
    requests = _requests(questions, endpoint)
    if isinstance(cache, (str, os.PathLike)) and not os.path.exists(cache):
        cache = None  # there are no answers yet, and looking for them makes no file
    with _opened(cache) as answers:
        known = answers.find(request.key for request in requests)
        seconds = answers.mean_seconds(endpoint.model)
    to_ask = [request for request in requests if request.key not in known]
    size = sum(
        len(content.encode("utf-8", "surrogatepass"))
        for request in to_ask
        for _, content in request.questions[0].messages
    )
    tokens = int(size / CHARACTERS_PER_TOKEN)
    written = len(to_ask) * endpoint.max_tokens
    cost = None if prices is None else (tokens * prices[0] + written * prices[1]) / 1e6
    times = [len(to_ask) * 60.0 / rate] if rate else []
    times += [] if seconds is None else [len(to_ask) * seconds / concurrency]
    return Estimate(
        asks=questions.prompt.asks,
        model=endpoint.model,
        prompt=questions.prompt.name,
        questions=len(questions),
        cached=sum(len(request.questions) for request in requests if request.key in known),
        requests=len(to_ask),
        input_tokens=tokens,
        output_tokens=written,
        cost=cost,
        seconds=max(times) if times and to_ask else None if to_ask else 0.0,
        suspicious=len({row.document or row.query for row in questions.rows if row.attempts}),
        cut=len({row.document or row.query for row in questions.rows if row.cut}),
    )


def ask(
    questions: Questions,
    endpoint: Endpoint,
    *,
    cache: Cache = None,
    concurrency: int = 4,
    rate: float | None = None,
    retries: int = 5,
    limit: int | None = None,
    first_wait: float = FIRST_WAIT,
    prices: tuple[float, float] | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> MachineAnswers:
    """Asks the questions, `concurrency` at a time and at most `rate` in a minute, and reads the answers.

    Every answer is kept in the `cache`, a file of SQLite, as soon as it is there: what was answered is not asked again,
    so that a run that was stopped goes on where it ended. A request without an answer is sent again, up to `retries`
    times, after `first_wait` seconds, then twice as long each time, or when the endpoint says; what is then still
    without an answer is counted, and asked again the next time. After ten such requests in a row, or if the endpoint
    asks to wait for more than ten minutes, nothing more is sent. `limit` is how many requests are sent at most. `prices`
    are those of a million tokens read and written.
    """
    concurrency, retries = as_count(concurrency, "concurrency"), as_count(retries, "retries", 0)
    rate = None if rate is None else as_within(rate, "rate", 0, 1e6, "(]")
    limit = None if limit is None else as_count(limit, "limit", 0)
    requests = _requests(questions, endpoint)
    with _opened(cache) as answers:
        replies = answers.find(request.key for request in requests)
        to_ask = [request for request in requests if request.key not in replies][:limit]
        cached = set(replies)

        def send(request: _Request) -> Reply:
            return endpoint.ask(request.body, datetime.now(UTC).isoformat(timespec="seconds"))

        def keep(key: str, reply: Reply) -> None:
            answers.add(key, reply, model=endpoint.model, prompt=questions.prompt.name)
            replies[key] = reply

        sending = Sending(
            endpoint.address,
            send,
            keep,
            Pacer(rate),
            retries=retries,
            first_wait=first_wait,
            seed=as_seed(seed),
            correction="correct what it says; --body changes the fields of requests",
        )
        tell = None if progress is None else lambda ended: progress(ended, len(to_ask))
        failures = sending.through({request.key: request for request in to_ask}, concurrency, tell)
    by_question = {question: request.key for request in requests for question in request.questions}
    return MachineAnswers(
        questions,
        endpoint,
        {question: replies[key] for question, key in by_question.items() if key in replies},
        {question: failures[key] for question, key in by_question.items() if key in failures},
        requests=len(set(replies) - cached),
        cached=sum(by_question[question] in cached for question in questions.rows),
        input_tokens=sum(reply.input_tokens for key, reply in replies.items() if key not in cached),
        output_tokens=sum(reply.output_tokens for key, reply in replies.items() if key not in cached),
        prices=prices,
    )


def _requests(questions: Questions, endpoint: Endpoint) -> list[_Request]:
    """One request for questions that are the same but for their ids."""
    by_key: dict[str, list[Question]] = {}
    bodies: dict[str, dict[str, Any]] = {}
    for question in questions.rows:
        body = endpoint.body(question.request())
        key = content_key(endpoint.address, body, question.sample)
        bodies.setdefault(key, body)
        by_key.setdefault(key, []).append(question)
    return [_Request(key, bodies[key], tuple(rows)) for key, rows in by_key.items()]


@contextmanager
def _opened(cache: Cache) -> Iterator[AnswerCache]:
    """The cache; one that was opened here is closed here."""
    if isinstance(cache, AnswerCache):
        yield cache
        return
    with AnswerCache(cache) as opened:
        yield opened
