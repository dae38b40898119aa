"""Checks of rows of any kind: duplicates, and ids that may be meant to be the same."""

from __future__ import annotations

from idealist import kernels
from idealist.checking.result import Location
from idealist.checking.subject import EXAMPLES
from idealist.data.id_spelling import (
    CAPITALS,
    SPELLINGS,
    ZEROS,
    Spelled,
    differ_in,
    difference,
    plain,
    readings,
)
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from idealist.checking.result import Finding
    from idealist.checking.subject import Subject

    Pair = tuple[str, str, Location]

MOST = 100_000  # pairs that are compared one by one
LOOKED_AT = 200_000  # rows that are looked at in Python


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
    pairs_by_names = _by_names(
        [*_query_pairs(subject, other), *_document_pairs(subject, other), *_written_otherwise(subject, other)]
    )
    order = list(SPELLINGS)
    for names in sorted(pairs_by_names, key=lambda names: [order.index(name) for name in reversed(names)]):
        pairs = pairs_by_names[names]
        where = f"in {other.source} differ" if other else "here differ"
        queries = sum(location.document is None for _, _, location in pairs)
        counts_text = [count_of(queries, "query")] if queries else []
        counts_text += [count_of(len(pairs) - queries, "document")] if len(pairs) > queries else []
        least = "at least " if len(pairs) >= MOST or len(subject.rows) > LOOKED_AT else ""
        yield subject.finding(
            SPELLINGS[names[-1]].code,
            f"{least}{' and '.join(counts_text)} whose ids and others {where} only in {differ_in(names)}",
            len(pairs),
            [location.replace(text=f"and {second!r}") for _, second, location in pairs[:EXAMPLES]],
            _remedy(names, pairs, subject, other),
        )


def _remedy(names: tuple[str, ...], pairs: list[Pair], subject: Subject, other: Subject | None) -> str:
    """What joins the ids: naming the encoding, or a copy whose ids are as the judgments write them."""
    if names == ("encoding",) and (encoding := _encoding_of(pairs)) is not None:
        return f"they do not match each other; --encoding {subject.collection.kind}={encoding} joins them"
    if subject.collection.source is not None and other is not None:
        return f"they do not match each other; --fix with --join-ids {','.join(names)} writes a copy that joins them"
    return "they do not match each other; write every id in one way"


def _encoding_of(pairs: list[Pair]) -> str | None:
    """The encoding in which the bytes of most ids say what the others say; None where they are UTF-8."""
    found = [
        encoding
        for first, second, _ in pairs
        if not _is_utf8(first)
        for encoding, reading in readings(first)
        if plain(reading) == plain(second)
    ]
    return max(found, key=found.count, default=None)


def _is_utf8(text: str) -> bool:
    return not any("\udc80" <= letter <= "\udcff" for letter in text)


def _by_names(pairs: Iterable[Pair]) -> dict[tuple[str, ...], list[Pair]]:
    by_names: dict[tuple[str, ...], list[Pair]] = {}
    for pair in pairs:
        if names := difference(pair[0], pair[1]):
            by_names.setdefault(names, []).append(pair)
    return by_names


def _ascii_key(text: str) -> str:
    """A key that is equal for ids that the native core finds alike."""
    bare = text.strip(" \t\n\r\v\f")
    lower = bare.lower() if bare.isascii() else CAPITALS.sub(lambda letters: letters[0].lower(), bare)
    return ZEROS.sub("", lower) if "0" in lower else lower


def _query_pairs(subject: Subject, other: Subject | None) -> Iterator[Pair]:
    if other is None:
        keys: dict[str, str] = {}
        for query in subject.queries:
            first = keys.setdefault(plain(query), query)
            if first != query:
                yield query, first, Location(query=query)
        return
    other_queries = set(other.queries)
    spelled = Spelled(other.queries)
    for query in subject.queries:
        if query not in other_queries and (like := spelled.find(query)) is not None:
            yield query, like, Location(query=query)


def _document_pairs(subject: Subject, other: Subject | None) -> Iterator[Pair]:
    other_subject = other or subject
    rows = other.rows if other else None
    _, pairs = kernels.lookalike_rows(subject.rows, rows, MOST, subject.settings.threads)
    for query, row, other_query, other_row in pairs:
        document = kernels.row_document(subject.rows, query, row)
        like = kernels.row_document(other_subject.rows, other_query, other_row)
        yield document, like, subject.location(query, row)


def _written_otherwise(subject: Subject, other: Subject | None) -> Iterator[Pair]:
    """Ids that the native core does not find alike: those with characters beyond ASCII, and with “.0”, “%” or quotation
    marks."""
    _, _, beyond = kernels.ids_beyond_ascii(subject.rows, 0)
    if other is not None:
        position = {query: number for number, query in enumerate(subject.queries)}
        _, _, judged = kernels.ids_beyond_ascii(other.rows, 0)
        beyond = sorted({*beyond, *(position[q] for n in judged if (q := other.queries[n]) in position)})
    foreign, left = set(beyond), LOOKED_AT
    for query_number in [*beyond, *(n for n in range(len(subject.queries)) if n not in foreign)]:
        left -= int(subject.counts[query_number])
        if left < 0 and query_number not in foreign:
            return
        query = subject.queries[query_number]
        documents = subject.collection[query]
        if other is None:
            yield from _within(query, documents)
            continue
        judged_documents = other.rows.documents(query) or {}
        strangers = [document for document in documents if document not in judged_documents]
        missed = [document for document in judged_documents if document not in documents]
        if not missed or not any(map(_may_differ, (*strangers, *missed))):
            continue
        spelled = Spelled(missed)
        for document in strangers:
            like = spelled.find(document)
            if like is not None and _ascii_key(like) != _ascii_key(document):
                yield document, like, Location(query=query, document=document)


def _within(query: str, documents: Collection[str]) -> Iterator[Pair]:
    if not any(map(_may_differ, documents)):
        return
    earlier = Spelled()
    for document in documents:
        like = earlier.find(document)
        if like is None:
            earlier.add(document)
        elif _ascii_key(like) != _ascii_key(document):
            yield document, like, Location(query=query, document=document)


def _may_differ(text: str) -> bool:
    """Whether an id may be written in another way than in capitals, zeros and blanks."""
    return not text.isascii() or text.endswith(".0") or "%" in text or text[:1] in "\"'`"
