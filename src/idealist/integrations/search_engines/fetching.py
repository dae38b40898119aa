"""Fetching a run: the lists that a search engine gives for the queries of a file, each kept in a journal on disk at once."""

from __future__ import annotations

import json
import os
import re
from hashlib import sha256
from itertools import pairwise
from threading import Lock
from urllib.parse import quote

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.values import as_count, as_seed, as_within
from idealist.base.wording import count_queries
from idealist.data.run import Run
from idealist.data.tables import read_texts
from idealist.errors import InputError
from idealist.integrations.search_engines.protocols import (
    DEPTH,
    DIALECTS,
    ID_FIELD,
    INDEX,
    PLACES,
    QUERY,
    QUERY_ID,
    Hit,
    filled,
)
from idealist.remote.sending import FIRST_WAIT, Pacer, Sending
from idealist.remote.transport import (
    LONGEST_TIMEOUT,
    Rejected,
    Unavailable,
    checked_address,
    post,
    quoted,
    read_key,
    require_privacy,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType
    from typing import IO, Any, Self

    from idealist.integrations.search_engines.protocols import Dialect


Lists = dict[str, list[Hit]]


class Journal:
    """A file of JSON lines: what is asked (`question`), then a line for each query. Without a path, nothing is kept.

    A file of another question is refused: its lists would be mixed with these. A last line that was cut off, because
    the machine stopped while it was written, is dropped, and its query asked again.
    """

    def __init__(self, path: str | None, question: Mapping[str, Any]) -> None:
        self.path = path
        self.lists: Lists = {}
        self._lock = Lock()
        self._file: IO[str] | None = None
        if path is None:
            return
        header = json.dumps({"idealist fetch-run": 1, **question}, sort_keys=True)
        try:
            end = self._read(path, header) if os.path.exists(path) else 0
            self._file = open(path, "r+" if end else "w", encoding="utf-8", newline="\n")  # noqa: SIM115
            self._file.seek(end)
            self._file.truncate()
            if not end:
                self._write(header)
        except OSError as error:
            raise self._wrong(error) from None

    def _read(self, path: str, header: str) -> int:
        """Reads the lists that are there; where the last whole line ends."""
        with open(path, "rb") as file:
            first = file.readline()
            if not first.endswith(b"\n"):
                return 0  # stopped before there was anything
            if first.decode("utf-8", "replace").rstrip("\n") != header:
                raise InputError(
                    "these lists are of other queries, or were asked for in another way: another address, template, depth or field of ids",
                    source=path,
                    hint="remove the file to begin again, or ask as before to go on",
                )
            end = len(first)
            for number, line in enumerate(file, 2):
                if not line.endswith(b"\n"):
                    break
                try:
                    record = json.loads(line)
                    self.lists[record["query"]] = [Hit(*hit) for hit in record["hits"]]
                except (KeyError, TypeError, ValueError):
                    raise InputError(
                        "this is not a list that was fetched",
                        source=path,
                        line=number,
                        hint="remove the file to begin again",
                    ) from None
                end += len(line)
        return end

    def add(self, query: str, hits: list[Hit]) -> None:
        """Keeps the list of a query; it is on disk when this returns."""
        with self._lock:
            if self._file is not None:
                try:
                    self._write(
                        json.dumps({"query": query, "hits": [[hit.document, hit.score] for hit in hits]})
                    )
                except OSError as error:
                    raise self._wrong(error) from None
            self.lists[query] = hits

    def _write(self, line: str) -> None:
        assert self._file is not None
        self._file.write(line + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Closes the file; one without a list is removed, so that whoever corrects an address can begin again."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None
                if self.path is not None and not self.lists:
                    os.unlink(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _wrong(self, error: OSError) -> InputError:
        return InputError(
            f"lists cannot be kept: {error.strerror}",
            source=self.path,
            hint="name a folder with space that can be written",
        )


KEY_VARIABLE = "SEARCH_AUTHORIZATION"
SCORES = ("engine", "rank")
LARGEST = 100_000_000  # bytes of an answer: a template may ask for whole documents


class SearchEngine(Frozen):
    """Where lists are asked for: the `engine` (elasticsearch, opensearch, solr or vespa), its `url`, the `index`
    (collection, core or schema), how many documents (`depth`), and the body of requests, if the default will not do.

    The `template` is JSON with the places {query}, {id}, {depth} and {id_field}; `path` is what stands behind the url,
    if not the engine's usual path. `id_field` is the field of documents that is their id. The environment variable
    `key_variable` holds the value of the header Authorization, such as "ApiKey …"; without it none is sent.

    >>> SearchEngine("solr", "http://localhost:8983/solr", "shop").address
    'http://localhost:8983/solr/shop/query'
    """

    engine: str
    url: str
    index: str = ""
    depth: int = 100
    template: str = ""
    path: str = ""
    id_field: str = ""
    key_variable: str = KEY_VARIABLE
    timeout: float = 30.0

    def _checked(self, field: str, value: Any) -> Any:
        if field == "engine" and value not in DIALECTS:
            raise InputError(
                f"there is no search engine {value!r}", hint=f"name one of: {', '.join(DIALECTS)}"
            )
        if field == "url":
            return checked_address(value, "engine", "http://localhost:9200")
        if field == "depth":
            return as_count(value, "depth")
        if field == "timeout":
            return as_within(value, "timeout", 0, LONGEST_TIMEOUT, "(]")
        return _checked_template(value) if field == "template" and value else value

    @property
    def dialect(self) -> Dialect:
        return DIALECTS[self.engine]

    @property
    def address(self) -> str:
        path = self.path or self.dialect.path
        if INDEX in path and not self.index:
            raise InputError(f"{self.engine} needs an index", hint="name it with --index")
        return f"{self.url}/{path.lstrip('/').replace(INDEX, quote(self.index, safe='*,-_.'))}"

    def body(self, query: str, text: str) -> dict[str, Any]:
        """All that is sent for a query."""
        template = json.loads(self.template or self.dialect.template)
        values: dict[str, str | int] = {
            **({} if self.template else {INDEX: self.index or "*"}),
            DEPTH: self.depth,
            ID_FIELD: self.id_field or self.dialect.id_field,
            QUERY_ID: query,
            QUERY: text,
        }
        body: dict[str, Any] = filled(template, values)
        return body

    def search(self, query: str, text: str) -> list[Hit]:
        """The list of a query, at most `depth` documents."""
        key = read_key(self.key_variable)
        require_privacy(self.url, key, self.key_variable)
        hints = {
            401: f"put the value of the header Authorization into ${self.key_variable}",
            403: f"the key in ${self.key_variable} may not search here",
            404: f"is {self.index!r} the index, and {self.address} the address?",
            405: "check --path",
        }
        content = post(
            self.address,
            self.body(query, text),
            headers={"Authorization": key} if key else {},
            key=key,
            timeout=self.timeout,
            hints=hints,
            largest=LARGEST,
        )
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            raise Unavailable(f"the answer is not JSON: {quoted(content, key)}") from None
        try:
            hits = self.dialect.read(answer, self.id_field or self.dialect.id_field)
        except (AttributeError, KeyError, TypeError, IndexError):
            raise Unavailable(
                f"the answer is not as {self.engine} gives it: {quoted(content, key)}"
            ) from None
        except (Rejected, Unavailable) as error:
            raise type(error)(quoted(str(error), key)) from None
        except InputError as error:
            raise InputError(f"query {query!r}: {quoted(error.message, key)}", hint=error.hint) from None
        return hits[: self.depth]


class FetchedRun(Result, Frozen):
    """A `run` that was fetched: how many lists were asked for now and which were there from before, how many queries have no
    documents, and in how many documents have equal scores, whose order is then not the engine's."""

    run: Run
    engine: SearchEngine
    asked: int
    resumed: int
    empty: tuple[str, ...]
    tied: int

    def _gist(self) -> str:
        return f"{self.run.name}, {count_queries(len(self.run))} from {self.engine.address}"


def fetch_run(
    queries: Any,
    engine: SearchEngine,
    *,
    name: str | None = None,
    scores: str = "engine",
    journal: str | os.PathLike[str] | None = None,
    concurrency: int = 4,
    rate: float | None = None,
    retries: int = 5,
    first_wait: float = FIRST_WAIT,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> FetchedRun:
    """Asks a search engine for the list of every query, `concurrency` at a time and at most `rate` in a minute.

    `queries` are texts by id: a mapping, or a file that read_texts reads. `scores` are those of the engine, or made of
    the ranks ("rank": −1, −2 …), which keeps the engine's order where scores are equal or missing. A request without an
    answer is sent again up to `retries` times; lists that an engine says are incomplete count as none. With a `journal` every
    list is kept as soon as it is there, and fetching goes on where it was stopped; the caller removes the file.
    """
    if scores not in SCORES:
        raise InputError(f"scores must be {' or '.join(SCORES)}, not {scores!r}")
    concurrency, retries = as_count(concurrency, "concurrency"), as_count(retries, "retries", 0)
    rate = None if rate is None else as_within(rate, "rate", 0, 1e6, "(]")
    texts = read_texts(queries, "queries")
    if not texts:
        raise InputError("there are no queries", hint="a line for each: an id, a tab and a text")
    with Journal(None if journal is None else os.fspath(journal), _question(engine, texts)) as lists:
        resumed = len(lists.lists)
        to_ask = {query: (query, text) for query, text in texts.items() if query not in lists.lists}
        sending = Sending(
            engine.address,
            lambda request: engine.search(*request),
            lists.add,
            Pacer(rate),
            retries=retries,
            first_wait=first_wait,
            seed=as_seed(seed),
            correction="correct what it says; --template changes the body of requests",
        )
        tell = None if progress is None else lambda ended: progress(ended, len(to_ask))
        failures = sending.through(to_ask, concurrency, tell)
        missing = [query for query in texts if query not in lists.lists]
        if missing:
            query = next((name for name in missing if name in failures), missing[0])
            reason = failures.get(query, "not asked, as the engine stopped answering")
            kept = (
                ""
                if journal is None or not lists.lists
                else "; the lists of the others are kept, and the same command goes on from there"
            )
            raise InputError(
                f"{engine.address}: {len(missing):,} of {len(texts):,} queries have no list, query {query!r} because of: {reason}",
                hint=f"ask again when the engine answers{kept}",
            )
        run, tied = _run(lists.lists, list(texts), engine, name or engine.index or engine.engine, scores)
    empty = tuple(query for query in texts if not lists.lists[query])
    return FetchedRun(run, engine, len(texts) - resumed, resumed, empty, tied)


def _question(engine: SearchEngine, texts: dict[str, str]) -> dict[str, Any]:
    """What makes two fetches the same: where, with what body, what is taken of an answer, for which queries."""
    queries = sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()
    body = engine.body(QUERY_ID, QUERY)
    return {
        "engine": engine.engine,
        "address": engine.address,
        "body": body,
        "depth": engine.depth,
        "id_field": engine.id_field or engine.dialect.id_field,
        "queries": queries,
    }


def _run(lists: Lists, order: list[str], engine: SearchEngine, name: str, scores: str) -> tuple[Run, int]:
    """The lists as a run, and in how many of them documents have equal scores."""
    rankings: dict[str, dict[str, float]] = {}
    tied = 0
    for query in order:
        hits = lists[query]
        ranking: dict[str, float] = {}
        for place, hit in enumerate(hits):
            if hit.document in ranking:
                raise InputError(
                    f"query {query!r}: document {hit.document!r} is in the list twice",
                    hint="name a field that is different for every document with --id-field, or search one index",
                )
            ranking[hit.document] = -float(place + 1) if scores == "rank" else _score(hit, query)
        values = list(ranking.values())
        if any(later > earlier for earlier, later in pairwise(values)):
            raise InputError(
                f"query {query!r}: the list of the engine is not in the order of its scores",
                hint="--scores rank keeps the order of the engine",
            )
        tied += len(set(values)) < len(values)
        if ranking:
            rankings[query] = ranking
    if not rankings:
        raise InputError(
            f"{engine.address}: no query has a document",
            hint="is the index filled, and does the template search the right fields?",
        )
    return Run(rankings, name=name), tied


def _score(hit: Hit, query: str) -> float:
    if hit.score is None:
        raise InputError(
            f"query {query!r}: document {hit.document!r} has no score, as when an engine sorts by a field",
            hint="--scores rank keeps the order of the engine",
        )
    return hit.score


def _checked_template(text: Any) -> str:
    if not isinstance(text, str):
        text = json.dumps(text)
    try:
        template = json.loads(text)
    except ValueError as error:
        raise InputError(
            f"the template is not JSON: {error}",
            hint=f'places such as {QUERY} stand within quotes: "{QUERY}"',
        ) from None
    if not isinstance(template, dict) or not any(place in text for place in (QUERY, QUERY_ID)):
        raise InputError(
            f"the template must be a JSON object that holds {QUERY}, or {QUERY_ID}",
            hint=f"it may hold {', '.join(PLACES)}",
        )
    for place in _places(template):
        if place not in PLACES:
            raise InputError(
                f"the template has the place {place}, which stands for nothing",
                hint=f"it may hold {', '.join(PLACES)}",
            )
    return str(text)


def _places(part: Any) -> Iterator[str]:
    """The values of a template that are nothing but a place. Within a text, braces may be the engine's own."""
    if isinstance(part, dict):
        part = list(part.values())
    if isinstance(part, list):
        for value in part:
            yield from _places(value)
    elif isinstance(part, str) and re.fullmatch(r"\{\w+\}", part):
        yield part
