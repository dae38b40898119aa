"""Questions to a model: which documents of which queries, with their texts, as often as samples are wanted."""

from __future__ import annotations

from hashlib import blake2b

from idealist.data.values import as_count, as_seed
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.io.texts import read_texts
from idealist.judges.attempts import attempts_in
from idealist.judges.prompts import GRADES, VOTES, Prompt
from idealist.wording import and_more

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from idealist.types import GivenTable

SEPARATOR = "\n\n"
GRADING = Prompt()
VOTING = Prompt(asks=VOTES)


class Question(Frozen):
    """One question: about which `document` of which `query`, the `sample` it is of, from 1, the `messages` that are sent,
    and the `side` on which the candidate stands where two lists are compared. `attempts` are signs that a text speaks to
    the judge; `cut` is whether a text was too long to be shown whole."""

    query: str
    document: str
    sample: int
    messages: tuple[tuple[str, str], ...]
    side: str = ""
    attempts: tuple[str, ...] = ()
    cut: bool = False

    def request(self) -> list[dict[str, str]]:
        return [{"role": role, "content": content} for role, content in self.messages]


class Questions(Frozen):
    """Questions with one prompt."""

    prompt: Prompt
    rows: tuple[Question, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Questions: {len(self.rows):,} for {self.prompt.asks}, prompt {self.prompt.name}>"


def grade_questions(
    pairs: Mapping[str, Iterable[str]],
    queries: GivenTable,
    documents: GivenTable,
    *,
    prompt: Prompt = GRADING,
    samples: int = 1,
) -> Questions:
    """Which grade each document has for its query. `pairs` are documents by query, as `plan.pool_documents` gives them;
    `queries` and `documents` are texts by id, or files and tables that io.read_texts reads.

    >>> len(grade_questions({"q": ["d"]}, {"q": "capital of italy"}, {"d": "Rome is the capital."}, samples=3))
    3
    """
    prompt = prompt.replace(asks=GRADES)
    prompt.require_places()
    samples = as_count(samples, "samples")
    wanted = {query: list(named) for query, named in pairs.items()}
    asked = _texts_of(queries, "queries", wanted)
    shown = _texts_of(documents, "documents", [name for named in wanted.values() for name in named])
    rows = []
    for query, named in wanted.items():
        for document in named:
            text, cut = _cut(shown[document], prompt.longest)
            messages = _messages(prompt, {"query": asked[query], "document": text})
            attempts = attempts_in(shown[document])
            rows += [
                Question(query, document, sample, messages, "", attempts, cut)
                for sample in range(1, samples + 1)
            ]
    return Questions(prompt, tuple(rows))


def vote_questions(
    candidate: Mapping[str, Sequence[str]],
    baseline: Mapping[str, Sequence[str]],
    queries: GivenTable,
    documents: GivenTable,
    *,
    prompt: Prompt = VOTING,
    samples: int = 2,
    seed: int = 0,
) -> Questions:
    """Which of two lists is better for each query that both have: the ids of documents by query, best first. A coin made
    from `seed` and the query says on which side the candidate stands first; the sides change with every sample, so that
    two samples show what the side does."""
    prompt = prompt.replace(asks=VOTES)
    prompt.require_places()
    samples, seed = as_count(samples, "samples"), as_seed(seed)
    shared = [query for query in candidate if query in baseline]
    if not shared:
        raise InputError("the two runs have no query in common", hint="compare runs of the same queries")
    asked = _texts_of(queries, "queries", shared)
    names = [name for query in shared for lists in (candidate, baseline) for name in lists[query]]
    shown = _texts_of(documents, "documents", names)
    rows = []
    for query in shared:
        lists, cuts, attempts = [], [], []
        for ranked in (candidate[query], baseline[query]):
            texts = [_cut(shown[name], max(prompt.longest // max(len(ranked), 1), 1)) for name in ranked]
            lists.append(SEPARATOR.join(f"{rank}. {text}" for rank, (text, _) in enumerate(texts, 1)))
            cuts += [cut for _, cut in texts]
            attempts += [sign for name in ranked for sign in attempts_in(shown[name])]
        first_left = blake2b(f"{seed}\0{query}".encode("utf-8", "surrogateescape")).digest()[0] % 2
        for sample in range(1, samples + 1):
            on_left = (first_left + sample) % 2 == 1
            left, right = lists if on_left else lists[::-1]
            messages = _messages(prompt, {"query": asked[query], "left": left, "right": right})
            side = "left" if on_left else "right"
            signs = tuple(dict.fromkeys(attempts))
            rows.append(Question(query, "", sample, messages, side, signs, any(cuts)))
    return Questions(prompt, tuple(rows))


def _texts_of(source: Any, kind: str, wanted: Iterable[str]) -> dict[str, str]:
    """The texts that are asked about; one that is not there, or empty, is an error."""
    wanted = list(dict.fromkeys(wanted))
    texts = read_texts(source, kind, only=wanted)
    noun = {"queries": "query", "documents": "document"}[kind]
    missing = [name for name in wanted if not texts.get(name, "").strip()]
    if missing:
        state = "is empty" if missing[0] in texts else "is missing"
        raise InputError(
            f"the text of {noun} {missing[0]!r}{and_more(len(missing))} {state}",
            source=source if isinstance(source, str) else None,
            hint=f"add it: a model cannot judge a {noun} by its id",
        )
    return texts


def _cut(text: str, longest: int) -> tuple[str, bool]:
    return (text, False) if len(text) <= longest else (text[:longest], True)


def _messages(prompt: Prompt, texts: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((message["role"], message["content"]) for message in prompt.messages(texts))
