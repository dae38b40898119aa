"""Human judgments of documents that were drawn with known probabilities."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.data.grouped import bytewise
from idealist.data.judgments import Judgments
from idealist.data.numbers import as_id, as_number
from idealist.data.sampled import SampledJudgments
from idealist.data.values import as_within
from idealist.errors import InputError
from idealist.wording import count_of, count_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

EXPECTED = "{query: {document: (grade, probability)}}"


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
            raise InputError(f"expected {EXPECTED}, found {queries!r}")
        read: dict[str, dict[str, tuple[float, float]]] = {}
        for query, documents in queries.items():
            text = as_id(query, "a query's id")
            if text in read or not isinstance(documents, Mapping):
                raise InputError(f"query {text!r}: expected {EXPECTED}, each query once")
            read[text] = {
                as_id(document, f"query {text!r}: a document's id"): _entry(
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


def _entry(entry: Any, where: str) -> tuple[float, float]:
    if not isinstance(entry, (tuple, list)) or len(entry) != 2:
        raise InputError(f"{where}: expected (grade, probability), found {entry!r}")
    grade = as_number(entry[0], f"{where}: the grade", finite=True)
    hint = "the probability with which the document was drawn, above 0 and at most 1"
    return grade, as_within(entry[1], f"{where}: the inclusion probability", 0, 1, "(]", hint=hint)
