"""What is odd about rows of any kind: duplicates, and ids that may be meant to be the same."""

from __future__ import annotations

import re

from idealist import kernels
from idealist.checking.result import Place
from idealist.checking.subject import EXAMPLES
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from idealist.checking.result import Finding
    from idealist.checking.subject import Subject

    Pair = tuple[str, str, Place]

CAPITALS = re.compile("[A-Z]+")
ZEROS = re.compile("(?<![0-9])0+(?=[0-9])")
MOST = 100_000  # pairs that are looked at one by one


def row_findings(subject: Subject) -> Iterator[Finding]:
    yield from _duplicates(subject)
    yield from _spaces(subject)
    yield from lookalikes(subject, None)


def _duplicates(subject: Subject) -> Iterator[Finding]:
    if subject.rows.duplicate is None:
        return
    if subject.text is not None and subject.text.subtopics:
        yield subject.finding(
            "subtopics",
            "the second column names subtopics: each document has a grade for every one of them",
            hint="measures of subtopics such as alpha-nDCG take such a file; others want one line for a document",
        )
        return
    count, pairs = kernels.duplicate_rows(subject.rows, len(subject.rows), subject.settings.threads)
    numbers, begins = subject.numbers, subject.begins
    contradicting = []
    if subject.collection.kind == "judgments":
        contradicting = [
            pair for pair in pairs if numbers[begins[pair[0]] + pair[1]] != numbers[begins[pair[2]] + pair[3]]
        ]
    apart = set(contradicting)
    equal = [pair for pair in pairs if pair not in apart] if apart else pairs
    number = subject.collection.number
    for code, some, message, hint in (
        (
            "contradiction",
            contradicting,
            f"{count_of(len(contradicting), 'document')} judged a second time for a query, with another grade",
            "decide which grade is right; --fix with --keep highest, lowest, first or last does it for all",
        ),
        (
            "duplicate",
            equal,
            f"{count_of(count - len(contradicting), 'document')} there a second time for a query",
            "keep one of them; --fix does",
        ),
    ):
        if some:
            yield subject.finding(
                code,
                message,
                len(some),
                [_duplicate_place(subject, pair, number) for pair in some[:EXAMPLES]],
                hint,
            )


def _duplicate_place(subject: Subject, pair: tuple[int, int, int, int], number: str) -> Place:
    query, row, _, first = pair
    here, there = (subject.numbers[subject.begins[query] + at] for at in (row, first))
    before = f" on line {kernels.row_line(subject.rows, query, first)}" if subject.text else " before"
    return subject.place(query, row, f"{number} {here:g}, and {there:g}{before}")


def _spaces(subject: Subject) -> Iterator[Finding]:
    count, first, _ = kernels.ids_with_space(subject.rows, EXAMPLES)
    queries = [query for query in subject.queries if any(map(str.isspace, query))]
    if count or queries:
        what = [count_of(len(queries), "query")] if queries else []
        what += [count_of(count, "document")] if count else []
        yield subject.finding(
            "id-spaces",
            f"{' and '.join(what)} with white space in the id",
            count + len(queries),
            [*(Place(query=query) for query in queries[:3]), *(subject.place(*place) for place in first)],
            "TREC files cannot hold them",
        )


def lookalikes(subject: Subject, other: Subject | None) -> Iterator[Finding]:
    """Ids of one query that may be meant to be the same: within a subject, or between it and another."""
    found = _by_code(
        [*_query_pairs(subject, other), *_document_pairs(subject, other), *_beyond_ascii(subject, other)]
    )
    for code, pairs in sorted(found.items()):
        where = f"in {other.source} differ" if other else "here differ"
        queries = sum(place.document is None for _, _, place in pairs)
        what = [count_of(queries, "query")] if queries else []
        what += [count_of(len(pairs) - queries, "document")] if len(pairs) > queries else []
        least = "at least " if len(pairs) >= MOST else ""
        yield subject.finding(
            code,
            f"{least}{' and '.join(what)} whose ids and others {where} only in {DIFFERENCES[code]}",
            len(pairs),
            [place.replace(text=f"and {second!r}") for _, second, place in pairs[:EXAMPLES]],
            "these do not match each other; write every id in one way",
        )


DIFFERENCES = {
    "id-case": "the case of letters",
    "id-zeros": "zeros before a number",
    "id-blanks": "blanks around them",
    "id-unicode": "how their characters are written",
}


def _by_code(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    found: dict[str, list[Pair]] = {}
    for pair in pairs:
        found.setdefault(_difference(pair[0], pair[1]), []).append(pair)
    return found


def _difference(first: str, second: str) -> str:
    if first.strip() == second.strip():
        return "id-blanks"
    if first.lower() == second.lower():
        return "id-case"
    return "id-unicode" if _normal(first) == _normal(second) else "id-zeros"


def _normal(text: str) -> str:
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFKC", text)


def _key(text: str) -> str:
    """The same for ids that look alike."""
    return _ascii_key(_normal(text).casefold())


def _ascii_key(text: str) -> str:
    """The same for ids that the native core finds alike."""
    bare = text.strip(" \t\n\r\v\f")
    lower = bare.lower() if bare.isascii() else CAPITALS.sub(lambda found: found[0].lower(), bare)
    return ZEROS.sub("", lower) if "0" in lower else lower


def _query_pairs(subject: Subject, other: Subject | None) -> Iterator[Pair]:
    known = set(other.queries) if other else set()
    keys: dict[str, str] = {}
    for query in other.queries if other else subject.queries:
        first = keys.setdefault(_key(query), query)
        if other is None and first != query:
            yield query, first, Place(query=query)
    if other is None:
        return
    for query in subject.queries:
        if query not in known and (like := keys.get(_key(query))) is not None:
            yield query, like, Place(query=query)


def _document_pairs(subject: Subject, other: Subject | None) -> Iterator[Pair]:
    beside = other or subject
    rows = other.rows if other else None
    _, pairs = kernels.lookalike_rows(subject.rows, rows, MOST, subject.settings.threads)
    for query, row, other_query, other_row in pairs:
        document = kernels.row_document(subject.rows, query, row)
        like = kernels.row_document(beside.rows, other_query, other_row)
        yield document, like, subject.place(query, row)


def _beyond_ascii(subject: Subject, other: Subject | None) -> Iterator[Pair]:
    """Ids written with other characters; those that differ in ASCII are found by others."""
    _, _, queries = kernels.ids_beyond_ascii(subject.rows, 0)
    for at in queries:
        query = subject.queries[at]
        documents = subject.collection[query]
        beside = documents if other is None else other.rows.documents(query) or {}
        keys: dict[str, str] = {}
        for document in beside:
            if not document.isascii():
                keys.setdefault(_key(document), document)
        for document in documents:
            if document.isascii() or (other is not None and document in beside):
                continue
            like = keys.get(_key(document), document)
            if like != document and _ascii_key(like) != _ascii_key(document):
                yield document, like, Place(query=query, document=document)
