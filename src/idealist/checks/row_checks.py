"""Checks of rows of any kind and of judgments, and the subject of a check."""

from __future__ import annotations

from idealist import kernels
from idealist.base.wording import count_of
from idealist.checks.findings import FEW_JUDGED, LARGE_GRADE, Finding, Location
from idealist.data import Judgments, Run
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
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from idealist.checks.text_lines import TrecText
    from idealist.data.collection import Collection

    Numbers = npt.NDArray[np.float64]
    Marks = npt.NDArray[np.bool_]
    Indices = npt.NDArray[np.intp]
    Pair = tuple[str, str, Location]


EXAMPLES = 10  # locations listed with a finding


class Settings:
    """The settings of a check."""

    def __init__(self, at: Sequence[int], max_grade: float | None, threads: int) -> None:
        self.at = tuple(sorted(set(at)))
        self.max_grade = max_grade
        self.threads = threads
        if not self.at or any(k < 1 for k in self.at):
            raise InputError(
                f"at must be ranks of 1 or more, not {list(at)}",
                hint="give whole numbers from 1 on, such as 10 and 100",
            )


class Subject:
    """A run or judgments under check. Rows are numbered by query, and within it as they were given."""

    def __init__(
        self, source: str, collection: Collection, text: TrecText | None, settings: Settings
    ) -> None:
        import numpy as np

        self.source = source
        self.collection = collection
        self.text = text
        self.settings = settings
        self.queries = collection.keys()
        self.numbers: Numbers = np.asarray(kernels.row_numbers(collection.rows))
        self.counts: Indices = np.asarray(kernels.row_counts(collection.rows)).astype(np.intp)
        # Where the rows of each query begin, and those of the last end.
        self.begins: Indices = np.concatenate(([0], np.cumsum(self.counts))).astype(np.intp)
        self.filled: Indices = np.flatnonzero(self.counts)
        self._query_of: Indices | None = None

    @property
    def rows(self) -> kernels.Rows:
        return self.collection.rows

    @property
    def query_of(self) -> Indices:
        """The number of the query of each row."""
        import numpy as np

        if self._query_of is None:
            self._query_of = np.repeat(np.arange(len(self.counts)), self.counts)
        return self._query_of

    def ordered(self, unordered: Marks, *keys: Numbers) -> Indices | None:
        """The rows by query and, in the queries of the marked rows, by the keys, of which the last counts most; None
        if no row is marked. There is a mark for each row but the first."""
        import numpy as np

        if not np.any(unordered):
            return None
        mixed = np.zeros(len(self.counts), dtype=bool)
        mixed[self.query_of[1:][unordered]] = True
        rows = np.flatnonzero(mixed[self.query_of])
        order: Indices = np.arange(len(self.numbers), dtype=np.intp)
        order[rows] = rows[np.lexsort((*(key[rows] for key in keys), self.query_of[rows]))]
        return order

    def lowest(self, numbers: Numbers) -> Numbers:
        """The lowest number of each query that has rows."""
        import numpy as np

        return np.minimum.reduceat(numbers, self.begins[self.filled])

    def highest(self, numbers: Numbers) -> Numbers:
        return -self.lowest(-numbers)

    def location(self, query: int, row: int, text: str = "") -> Location:
        line = kernels.row_line(self.rows, query, row) if self.text is not None else None
        return Location(line, self.queries[query], kernels.row_document(self.rows, query, row), text)

    def location_of(self, row: int, text: str = "") -> Location:
        """The location of a row by its number among all."""
        query = int(self.query_of[row])
        return self.location(query, int(row - self.begins[query]), text)

    def locations(self, rows: Iterable[int], title: str = "") -> list[Location]:
        """The locations of the first rows, each with its number under `title`."""
        return [
            self.location_of(row, f"{title} {self.numbers[row]:g}" if title else "")
            for row in [int(row) for row, _ in zip(rows, range(EXAMPLES), strict=False)]
        ]

    def query_locations(self, queries: Iterable[int]) -> list[Location]:
        return [Location(query=self.queries[int(q)]) for q, _ in zip(queries, range(EXAMPLES), strict=False)]

    def finding(
        self, code: str, message: str, count: int = 1, examples: Iterable[Location] = (), hint: str = ""
    ) -> Finding:
        return Finding(code, self.source, message, int(count), tuple(examples)[:EXAMPLES], hint)

    def measurable(self) -> Collection:
        """The collection without duplicates: the highest number of each document."""
        if self.rows.duplicate is None:
            return self.collection
        highest: dict[str, dict[str, float]] = {query: self.collection[query] for query in self.queries}
        _, pairs = kernels.duplicate_rows(self.rows, len(self.rows), self.settings.threads)
        for query, row, _, other in pairs:
            document = kernels.row_document(self.rows, query, row)
            two_numbers = (self.numbers[self.begins[query] + row], self.numbers[self.begins[query] + other])
            documents = highest[self.queries[query]]
            documents[document] = max(documents[document], *map(float, two_numbers))
        kind = Run if isinstance(self.collection, Run) else Judgments
        return kind(highest, name=self.collection.name)


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
    """A hint that joins the ids: naming the encoding, or a copy whose ids are as the judgments write them."""
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


def _within(query: str, documents: Mapping[str, float]) -> Iterator[Pair]:
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


def judgment_findings(judgments: Subject) -> Iterator[Finding]:
    import numpy as np

    grades, most = judgments.numbers, judgments.settings.max_grade
    beyond = np.flatnonzero(grades > most) if most is not None else np.flatnonzero(grades > LARGE_GRADE)
    for code, description, rows in (
        (
            "grade-large" if most is None else "grade-range",
            f"above {LARGE_GRADE if most is None else most:g}",
            beyond,
        ),
        ("grade-negative", "below 0", np.flatnonzero(grades < 0)),
        ("grade-fraction", "not whole", np.flatnonzero(grades != np.floor(grades))),
    ):
        if rows.size:
            yield judgments.finding(
                code,
                f"{count_of(rows.size, 'grade')} {description}",
                rows.size,
                judgments.locations(rows, "grade"),
            )
    yield from _scale(judgments)
    empty = judgments.filled[judgments.highest(grades) <= 0]
    if empty.size:
        yield judgments.finding(
            "nothing-relevant",
            f"{count_of(empty.size, 'query')} of {len(judgments.queries):,} without a grade above 0",
            empty.size,
            judgments.query_locations(empty),
            "most measures are undefined there; --empty says how they count",
        )
    few = np.flatnonzero(judgments.counts < FEW_JUDGED)
    if few.size:
        yield judgments.finding(
            "few-judged",
            f"{count_of(few.size, 'query')} of {len(judgments.queries):,} with fewer than {FEW_JUDGED} judged documents",
            few.size,
            judgments.query_locations(few),
        )


def _scale(judgments: Subject) -> Iterator[Finding]:
    """Findings about the scale of the grades."""
    grades = judgments.numbers
    lowest, highest = float(grades.min()), float(grades.max())
    if lowest == highest and len(grades) > 1:
        missing = "; what was judged not relevant is missing" if lowest > 0 else ""
        yield judgments.finding("one-grade", f"every grade is {lowest:g}{missing}", len(grades))
    elif lowest > 0 and len(grades) > 1:
        yield judgments.finding(
            "no-zero",
            f"the lowest grade is {lowest:g}: what was judged not relevant is missing, "
            "and cannot be told from what was not judged",
        )
