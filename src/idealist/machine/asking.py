"""Asking: questions to an endpoint, several at a time, each answered from the cache if it was asked before."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from threading import Lock
from time import monotonic

from idealist.base.frozen import Frozen
from idealist.base.values import as_count, as_seed, as_within
from idealist.errors import InputError
from idealist.machine.answers import Estimate, MachineAnswers
from idealist.remote.sending import FIRST_WAIT, Pacer, Sending
from idealist.remote.transport import (
    LONGEST_TIMEOUT,
    Unavailable,
    checked_address,
    hidden_in_answer,
    post,
    quoted,
    read_key,
    require_privacy,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import TracebackType
    from typing import Any, Self

    from idealist.machine.questions import Question, Questions


VERSION = 1
COLUMNS = (
    *("key", "model", "prompt", "content", "finish", "input_tokens", "output_tokens", "seconds", "date"),
)
CREATE = f"CREATE TABLE IF NOT EXISTS answers ({COLUMNS[0]} TEXT PRIMARY KEY, {', '.join(COLUMNS[1:])})"


class Reply(Frozen):
    """The reply of a model: its `content`, why it ended (`finish`: stop, length, refusal …), how many tokens it read and
    wrote, in how many seconds, and the `date` (UTC) of the answer."""

    content: str
    finish: str = "stop"
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    date: str = ""


def content_key(url: str, body: dict[str, Any], sample: int) -> str:
    """The key of a question: a hash of where it is asked, all that is sent, and which sample it is."""
    text = json.dumps([url, body, sample], sort_keys=True, ensure_ascii=True)
    return sha256(text.encode()).hexdigest()


class AnswerCache:
    """Answers in a file of SQLite, or in memory without a path. Each is written as soon as it is there; several threads,
    and several processes, may use one file."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else os.fspath(path)
        self._lock = Lock()
        try:
            self._connection = sqlite3.connect(
                self.path or ":memory:", timeout=30, check_same_thread=False, isolation_level=None
            )
        except sqlite3.Error as error:
            raise self._wrong(error) from None
        try:
            self._prepare()
        except BaseException as error:
            self._connection.close()
            if isinstance(error, sqlite3.Error):
                raise self._wrong(error) from None
            raise

    def _prepare(self) -> None:
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        tables = {row[0] for row in self._connection.execute("SELECT name FROM sqlite_master")}
        if version not in (0, VERSION) or (tables and "answers" not in tables):
            raise InputError(
                "this is not a cache of answers" if tables else f"a cache of version {version}",
                source=self.path,
                hint="name another file, which is made where there is none",
            )
        self._connection.execute(CREATE)
        self._connection.execute(f"PRAGMA user_version = {VERSION}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def find(self, keys: Iterable[str]) -> dict[str, Reply]:
        """The answers that are there, by key."""
        found: dict[str, Reply] = {}
        fields = ", ".join(("key", *Reply.fields))
        with self._lock:
            for key in keys:
                row = self._execute(f"SELECT {fields} FROM answers WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    found[key] = Reply(*row[1:])
        return found

    def add(self, key: str, reply: Reply, *, model: str, prompt: str) -> None:
        """Keeps an answer; it is on disk when this returns."""
        row = {field: getattr(reply, field) for field in Reply.fields}
        row |= {"key": key, "model": model, "prompt": prompt}
        with self._lock:
            self._execute(
                f"INSERT OR REPLACE INTO answers ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})",
                tuple(row[column] for column in COLUMNS),
            )

    def mean_seconds(self, model: str) -> float | None:
        """How long this model took for an answer, on average; None where it has given none."""
        with self._lock:
            row = self._execute("SELECT avg(seconds) FROM answers WHERE model = ?", (model,)).fetchone()
        return None if row[0] is None else float(row[0])

    def _execute(self, statement: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        try:
            return self._connection.execute(statement, values)
        except sqlite3.Error as error:
            raise self._wrong(error) from None

    def _wrong(self, error: sqlite3.Error) -> InputError:
        return InputError(
            f"the cache cannot be used: {error}",
            source=self.path,
            hint="name a file that can be written, or another one if it is damaged",
        )


PATH = "/chat/completions"
KEY_VARIABLE = "OPENAI_API_KEY"


class Endpoint(Frozen):
    """Where questions are asked: the `url` up to /v1, the `model`, and how it is to answer.

    The key is read from the environment variable `key_variable` when it is needed, and kept nowhere; without it none is
    sent. `timeout` is in seconds for a whole answer. `extra` are further fields of the request, as a mapping or JSON; one that is
    null takes a field away, as in {"max_tokens": null, "max_completion_tokens": 500}.

    >>> Endpoint("http://localhost:8000/v1", "judge").address
    'http://localhost:8000/v1/chat/completions'
    """

    url: str
    model: str
    key_variable: str = KEY_VARIABLE
    timeout: float = 60.0
    temperature: float = 0.0
    max_tokens: int = 256
    extra: str = "{}"

    def _checked(self, field: str, value: Any) -> Any:
        if field == "url":
            return checked_address(value, "endpoint", "http://localhost:8000/v1")
        if field == "model" and not (isinstance(value, str) and value.strip()):
            raise InputError(f"the model must have a name, not {value!r}")
        if field == "timeout":
            return as_within(value, "timeout", 0, LONGEST_TIMEOUT, "(]")
        if field == "temperature" and not 0 <= value <= 2:
            raise InputError(f"temperature must lie between 0 and 2, not {value!r}")
        if field == "max_tokens" and (not isinstance(value, int) or value < 1):
            raise InputError(f"max_tokens must be a whole number, 1 or more, not {value!r}")
        return _checked_extra(value) if field == "extra" else value

    @property
    def address(self) -> str:
        return self.url if self.url.endswith(PATH) else self.url + PATH

    def body(self, messages: list[dict[str, str]]) -> dict[str, Any]:
        """All that is sent of a question."""
        fields = {
            "model": self.model,
            "messages": messages,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            **json.loads(self.extra),
        }
        return {name: value for name, value in fields.items() if value is not None}

    def ask(self, body: Mapping[str, Any], date: str) -> Reply:
        """The answer to a request; Unavailable or Rejected where there is none, an InputError where there will be none to any
        other request. The key is in no message."""
        key = read_key(self.key_variable)
        require_privacy(self.url, key, self.key_variable)
        hints = {
            401: f"the key in ${self.key_variable} is not accepted, or missing",
            402: "the account has no credit left",
            403: f"the key in ${self.key_variable} may not use this model",
            404: f"is {self.address} the address, and {self.model!r} the model's name?",
        }
        begun = monotonic()
        content = post(
            self.address,
            body,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            key=key,
            timeout=self.timeout,
            hints=hints,
        )
        return _reply(content, key, monotonic() - begun, date)


def _reply(content: str, key: str, seconds: float, date: str) -> Reply:
    try:
        record = json.loads(content)
    except (ValueError, RecursionError):
        raise Unavailable(f"the answer is not JSON: {quoted(content, key)}") from None
    try:
        choice = record["choices"][0]
        message = choice["message"]
        text, refusal = _text(message.get("content")), message.get("refusal")
        finish = str(choice.get("finish_reason") or "stop")
    except (AttributeError, IndexError, KeyError, TypeError):
        raise Unavailable(
            f"the answer has no choices[0].message, as OpenAI's have: {quoted(content, key)}"
        ) from None
    usage = record.get("usage") if isinstance(record.get("usage"), dict) else {}
    if refusal or finish == "content_filter":
        finish = "refusal"
    return Reply(
        hidden_in_answer(str(refusal or text), key),
        finish,
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        round(seconds, 3),
        date,
    )


def _text(content: Any) -> str:
    """The text of a message, which some endpoints give in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return str(content or "")


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _checked_extra(value: Any) -> str:
    if not isinstance(value, str):
        value = json.dumps(value, sort_keys=True)
    try:
        fields = json.loads(value)
    except ValueError:
        fields = None
    if not isinstance(fields, dict) or {"messages", "stream", "n"} & fields.keys():
        raise InputError(
            f"further fields of a request must be a JSON object without messages, stream and n, not {value}",
            hint='for example {"top_p": 0.9}',
        )
    return str(value)


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
    """Estimates the cost of asking, without asking: requests, tokens, cost and time. `prices` are those of a million tokens read
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


if TYPE_CHECKING:
    Cache = str | os.PathLike[str] | AnswerCache | None
