"""Judgments of samples: of strata of the pooled documents, or of documents drawn with known probabilities."""

from __future__ import annotations

from collections.abc import Mapping

from idealist import kernels
from idealist.base.values import as_id, as_number, as_within, given_twice
from idealist.base.wording import count_of, count_queries
from idealist.data.grouped import bytewise
from idealist.data.judgments import Judgments, RichJudgments
from idealist.data.needs import STRATA
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.data.rankings import Rankings
    from idealist.kernels import Places, Values


NOT_SAMPLED = -1.0  # as TREC writes it
EXPECTED = "{query: {document: (stratum, grade or None)}}"


class SampledJudgments(RichJudgments):
    """An immutable mapping from queries to {document: (stratum, grade)}; the grade is None for a document that
    is in the stratum but was not sampled.

    >>> judgments = SampledJudgments({"q": {"d1": ("top", 2), "d2": ("rest", None)}})
    >>> judgments
    <SampledJudgments 'judgments': 1 query, 2 documents>
    >>> judgments["q"]
    {'d1': ('top', 2.0), 'd2': ('rest', None)}
    """

    need = STRATA
    note = "documents that were not sampled have grade -1 where a measure knows of no strata"
    __slots__ = ("_documents", "_plain", "name", "source")

    def __init__(
        self, queries: Mapping[Any, Mapping[Any, Any]], *, name: str | None = None, source: str | None = None
    ) -> None:
        if not isinstance(queries, Mapping):
            raise InputError(f"expected {EXPECTED}, found {queries!r}")
        read: dict[str, dict[str, tuple[str, float | None]]] = {}
        for query, documents in queries.items():
            text = as_id(query, "a query's id")
            if text in read:
                raise given_twice(f"query {text!r}")
            if not isinstance(documents, Mapping):
                raise InputError(f"query {text!r}: expected {EXPECTED}, found {documents!r}")
            read[text] = its_documents = {}
            for document, entry in documents.items():
                its_name = as_id(document, f"query {text!r}: a document's id")
                if its_name in its_documents:
                    raise given_twice(f"query {text!r}: document {its_name!r}")
                its_documents[its_name] = _entry(entry, f"query {text!r}, document {its_name!r}")
        self._documents = dict(sorted(read.items(), key=lambda pair: bytewise(pair[0])))
        self._plain: Judgments | None = None
        self.name = name or "judgments"
        self.source = source

    def __len__(self) -> int:
        return len(self._documents)

    def __iter__(self) -> Iterator[str]:
        return iter(self._documents)

    def __getitem__(self, query: str) -> dict[str, tuple[str, float | None]]:
        return dict(self._documents[query])

    def items(self) -> Iterator[tuple[str, dict[str, tuple[str, float | None]]]]:
        return ((query, self[query]) for query in self)

    def __repr__(self) -> str:
        documents = sum(map(len, self._documents.values()))
        queries = count_queries(len(self))
        return f"<SampledJudgments {self.name!r}: {queries}, {count_of(documents, 'document')}>"

    def remarks(self) -> list[str]:
        """How much was judged, and what is known of estimates from a part."""
        grades = [grade for documents in self._documents.values() for _, grade in documents.values()]
        judged = sum(grade is not None for grade in grades)
        if judged == len(grades):
            return []
        return [
            f"{judged:,} of {len(grades):,} pooled documents were judged: values estimated from such a sample tend to be "
            "a little too high, differences between runs much less"
        ]

    def content(self) -> Any:
        return self._documents

    def plain(self) -> Judgments:
        """The grades of the sampled documents, and -1 for the others."""
        if self._plain is None:
            grades = {
                query: {
                    document: NOT_SAMPLED if grade is None else grade
                    for document, (_, grade) in documents.items()
                }
                for query, documents in self._documents.items()
            }
            self._plain = Judgments(grades, name=self.name)
        return self._plain


def _entry(entry: Any, where: str) -> tuple[str, float | None]:
    if not isinstance(entry, (tuple, list)) or len(entry) != 2:
        raise InputError(f"{where}: expected (stratum, grade or None), found {entry!r}")
    stratum = as_id(entry[0], f"{where}: the stratum")
    if entry[1] is None:
        return stratum, None
    grade = as_number(entry[1], f"{where}: the grade", finite=True)
    if grade < 0:
        raise InputError(f"{where}: the grade is {grade:g}", hint="None says that it was not sampled")
    return stratum, grade


class SampleRankings:
    """A run's pooled documents, sampled or not, along its rankings: a place each.

    `grade_index` is 0 for a document that was not sampled, else 1 and the position of its grade in `levels`.
    """

    def __init__(self, rankings: Rankings) -> None:
        judgments: SampledJudgments = rankings.table(STRATA)
        numbers: dict[str, dict[str, float]] = {}
        stratum_of: list[float] = []
        grade_of: list[float | None] = []
        self._sizes: list[list[tuple[int, dict[float, int]]]] = []  # of the strata, and of their grades
        for query in rankings.queries:
            strata: dict[str, int] = {}
            sizes: list[tuple[int, dict[float, int]]] = []
            numbers[query] = its_numbers = {}
            for document, (stratum, grade) in judgments._documents[query].items():
                at = strata.setdefault(stratum, len(strata))
                if at == len(sizes):
                    sizes.append((0, {}))
                size, grades = sizes[at]
                sizes[at] = size + 1, grades
                if grade is not None:
                    grades[grade] = grades.get(grade, 0) + 1
                its_numbers[document] = len(stratum_of)
                stratum_of.append(at)
                grade_of.append(grade)
            self._sizes.append(sizes)
        self.levels = sorted({grade for grade in grade_of if grade is not None})
        position = {level: float(at) for at, level in enumerate(self.levels, 1)}
        self.native = rankings.matched(Judgments(numbers))
        self.ranks = kernels.ranks(self.native)
        number = kernels.grades(self.native)
        self.stratum = number.looked_up(stratum_of)
        self.grade_index = number.looked_up([0.0 if g is None else position[g] for g in grade_of])
        self.sampled = self.grade_index > 0.0
        self.most_strata = max(map(len, self._sizes), default=0)

    def in_stratum(self, at: int) -> Places:
        return (self.stratum >= float(at)) * (self.stratum <= float(at))

    def at_least(self, level: float) -> list[float]:
        """By grade index, whether a grade counts as relevant."""
        return [0.0, *(float(grade >= level) for grade in self.levels)]

    @property
    def grade_counts(self) -> list[dict[int, float]]:
        """For every query, how many documents of each grade there are likely to be, by grade index."""
        position = {level: at for at, level in enumerate(self.levels, 1)}
        everywhere = []
        for sizes in self._sizes:
            counts: dict[int, float] = {}
            for size, grades in sizes:
                sampled = sum(grades.values())
                for grade, count in grades.items():
                    at = position[grade]
                    counts[at] = counts.get(at, 0.0) + count * size / sampled
            everywhere.append(counts)
        return everywhere

    def weights(self, level: float) -> tuple[Places, Values]:
        """How many documents each sampled one stands for, along the rankings; and for every query, how many
        relevant ones there are likely to be."""
        weights = self.stratum * 0.0
        for at in range(self.most_strata):
            stratum_weights = [_weight(sizes[at]) if at < len(sizes) else 0.0 for sizes in self._sizes]
            weights = weights + self.in_stratum(at) * kernels.Values(stratum_weights)
        is_relevant = self.at_least(level)
        totals = [sum(n * is_relevant[at] for at, n in counts.items()) for counts in self.grade_counts]
        return weights, kernels.Values(totals)


def _weight(stratum: tuple[int, dict[float, int]]) -> float:
    size, grades = stratum
    return size / sum(grades.values()) if grades else 0.0


def sample_rankings(rankings: Rankings) -> SampleRankings:
    return rankings.view(SampleRankings)


EXPECTED_DRAWN = "{query: {document: (grade, probability)}}"


class DrawnJudgments:
    """An immutable mapping from queries to {document: (grade, probability)}: of the documents that were drawn, the grade
    that people gave and the probability, above 0 and at most 1, with which the document was drawn.

    >>> judgments = DrawnJudgments({"q": {"d1": (2, 1.0), "d2": (0, 0.25)}})
    >>> judgments
    <DrawnJudgments 'judgments': 1 query, 2 documents>
    >>> judgments["q"]["d2"]
    (0.0, 0.25)
    """

    __slots__ = ("_documents", "name", "source")

    def __init__(
        self, queries: Mapping[Any, Mapping[Any, Any]], *, name: str | None = None, source: str | None = None
    ) -> None:
        if not isinstance(queries, Mapping):
            raise InputError(f"expected {EXPECTED_DRAWN}, found {queries!r}")
        read: dict[str, dict[str, tuple[float, float]]] = {}
        for query, documents in queries.items():
            text = as_id(query, "a query's id")
            if text in read or not isinstance(documents, Mapping):
                raise InputError(f"query {text!r}: expected {EXPECTED_DRAWN}, each query once")
            read[text] = {
                as_id(document, f"query {text!r}: a document's id"): _drawn_entry(
                    entry, f"query {text!r}, document {document!r}"
                )
                for document, entry in documents.items()
            }
        if not any(read.values()):
            raise InputError("there is no drawn document", hint="`idealist plan next --budget` draws some")
        self._documents = dict(sorted(read.items(), key=lambda pair: bytewise(pair[0])))
        self.name = name or "judgments"
        self.source = source

    @classmethod
    def from_sample(cls, sample: SampledJudgments) -> DrawnJudgments:
        """A stratified sample: of a stratum with n of N documents judged, the probability is n/N."""
        queries: dict[str, dict[str, tuple[float, float]]] = {}
        for query, documents in sample.items():
            sizes: dict[str, list[int]] = {}
            for stratum, grade in documents.values():
                size = sizes.setdefault(stratum, [0, 0])
                size[0] += 1
                size[1] += grade is not None
            queries[query] = {
                document: (grade, sizes[stratum][1] / sizes[stratum][0])
                for document, (stratum, grade) in documents.items()
                if grade is not None
            }
        return cls(queries, name=sample.name, source=sample.source)

    def __len__(self) -> int:
        return len(self._documents)

    def __iter__(self) -> Iterator[str]:
        return iter(self._documents)

    def __getitem__(self, query: str) -> dict[str, tuple[float, float]]:
        return dict(self._documents[query])

    def items(self) -> Iterator[tuple[str, dict[str, tuple[float, float]]]]:
        return ((query, self[query]) for query in self)

    def plain(self) -> Judgments:
        """The grades alone."""
        grades = {
            query: {document: grade for document, (grade, _) in documents.items()}
            for query, documents in self._documents.items()
            if documents
        }
        return Judgments(grades, name=self.name)

    def __repr__(self) -> str:
        documents = sum(map(len, self._documents.values()))
        return (
            f"<DrawnJudgments {self.name!r}: {count_queries(len(self))}, {count_of(documents, 'document')}>"
        )


def _drawn_entry(entry: Any, where: str) -> tuple[float, float]:
    if not isinstance(entry, (tuple, list)) or len(entry) != 2:
        raise InputError(f"{where}: expected (grade, probability), found {entry!r}")
    grade = as_number(entry[0], f"{where}: the grade", finite=True)
    hint = "the probability with which the document was drawn, above 0 and at most 1"
    return grade, as_within(entry[1], f"{where}: the inclusion probability", 0, 1, "(]", hint=hint)
