"""Checks of rows of any kind: duplicates, and ids that may be meant to be the same."""

from __future__ import annotations

import re

from idealist import kernels
from idealist.checking.result import Location
from idealist.checking.subject import EXAMPLES
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from idealist.checking.result import Finding
    from idealist.checking.subject import Subject

    Pair = tuple[str, str, Location]

CAPITALS = re.compile("[A-Z]+")
ZEROS = re.compile("(?<![0-9])0+(?=[0-9])")
MOST = 100_000  # pairs that are compared one by one


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
    contradicting_set = set(contradicting)
    equal = [pair for pair in pairs if pair not in contradicting_set] if contradicting_set else pairs
    number = subject.collection.number
    repairable = subject.text is not None  # TREC text alone is
    for code, code_pairs, message, hint in (
        (
            "contradiction",
            contradicting,
            f"{count_of(len(contradicting), 'document')} judged a second time for a query, with another grade",
            "decide which grade is right"
            + ("; --fix with --keep highest, lowest, first or last does it for all" if repairable else ""),
        ),
        (
            "duplicate",
            equal,
            f"{count_of(count - len(contradicting), 'document')} repeated for a query",
            "keep one of them" + ("; --fix does" if repairable else ""),
        ),
    ):
        if code_pairs:
            yield subject.finding(
                code,
                message,
                len(code_pairs),
                [_duplicate_location(subject, pair, number) for pair in code_pairs[:EXAMPLES]],
                hint,
            )


def _duplicate_location(subject: Subject, pair: tuple[int, int, int, int], number: str) -> Location:
    query, row, _, first = pair
    second_number, first_number = (
        subject.numbers[subject.begins[query] + position] for position in (row, first)
    )
    where = f" on line {kernels.row_line(subject.rows, query, first)}" if subject.text else " before"
    return subject.location(query, row, f"{number} {second_number:g}, and {first_number:g}{where}")


def _spaces(subject: Subject) -> Iterator[Finding]:
    count, first, _ = kernels.ids_with_space(subject.rows, EXAMPLES)
    queries = [query for query in subject.queries if any(map(str.isspace, query))]
    if count or queries:
        counts_text = [count_of(len(queries), "query")] if queries else []
        counts_text += [count_of(count, "document")] if count else []
        yield subject.finding(
            "id-spaces",
            f"{' and '.join(counts_text)} with white space in the id",
            count + len(queries),
            [
                *(Location(query=query) for query in queries[:3]),
                *(subject.location(*id_position) for id_position in first),
            ],
            "TREC files cannot hold them",
        )


def lookalikes(subject: Subject, other: Subject | None) -> Iterator[Finding]:
    """Ids of one query that may be meant to be the same: within a subject, or between it and another."""
    pairs_by_code = _by_code(
        [*_query_pairs(subject, other), *_document_pairs(subject, other), *_beyond_ascii(subject, other)]
    )
    for code, pairs in sorted(pairs_by_code.items()):
        where = f"in {other.source} differ" if other else "here differ"
        queries = sum(location.document is None for _, _, location in pairs)
        counts_text = [count_of(queries, "query")] if queries else []
        counts_text += [count_of(len(pairs) - queries, "document")] if len(pairs) > queries else []
        least = "at least " if len(pairs) >= MOST else ""
        yield subject.finding(
            code,
            f"{least}{' and '.join(counts_text)} whose ids and others {where} only in {DIFFERENCES[code]}",
            len(pairs),
            [location.replace(text=f"and {second!r}") for _, second, location in pairs[:EXAMPLES]],
            "they do not match each other; write every id in one way",
        )


DIFFERENCES = {
    "id-case": "the case of letters",
    "id-zeros": "zeros before a number",
    "id-blanks": "white space around them",
    "id-unicode": "how their characters are written",
}


def _by_code(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    by_code: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_code.setdefault(_difference(pair[0], pair[1]), []).append(pair)
    return by_code


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
    """A key that is equal for ids that look alike."""
    return _ascii_key(_normal(text).casefold())


def _ascii_key(text: str) -> str:
    """A key that is equal for ids that the native core finds alike."""
    bare = text.strip(" \t\n\r\v\f")
    lower = bare.lower() if bare.isascii() else CAPITALS.sub(lambda letters: letters[0].lower(), bare)
    return ZEROS.sub("", lower) if "0" in lower else lower


def _query_pairs(subject: Subject, other: Subject | None) -> Iterator[Pair]:
    other_queries = set(other.queries) if other else set()
    keys: dict[str, str] = {}
    for query in other.queries if other else subject.queries:
        first = keys.setdefault(_key(query), query)
        if other is None and first != query:
            yield query, first, Location(query=query)
    if other is None:
        return
    for query in subject.queries:
        if query not in other_queries and (like := keys.get(_key(query))) is not None:
            yield query, like, Location(query=query)


def _document_pairs(subject: Subject, other: Subject | None) -> Iterator[Pair]:
    other_subject = other or subject
    rows = other.rows if other else None
    _, pairs = kernels.lookalike_rows(subject.rows, rows, MOST, subject.settings.threads)
    for query, row, other_query, other_row in pairs:
        document = kernels.row_document(subject.rows, query, row)
        like = kernels.row_document(other_subject.rows, other_query, other_row)
        yield document, like, subject.location(query, row)


def _beyond_ascii(subject: Subject, other: Subject | None) -> Iterator[Pair]:
    """Ids written with other characters; those that differ in ASCII are found by others."""
    _, _, queries = kernels.ids_beyond_ascii(subject.rows, 0)
    for query_number in queries:
        query = subject.queries[query_number]
        documents = subject.collection[query]
        other_documents = documents if other is None else other.rows.documents(query) or {}
        keys: dict[str, str] = {}
        for document in other_documents:
            if not document.isascii():
                keys.setdefault(_key(document), document)
        for document in documents:
            if document.isascii() or (other is not None and document in other_documents):
                continue
            like = keys.get(_key(document), document)
            if like != document and _ascii_key(like) != _ascii_key(document):
                yield document, like, Location(query=query, document=document)
