"""One query's ranking written out: documents, scores and grades, rank by rank, as the conventions see them."""

from __future__ import annotations

from itertools import groupby

from idealist import kernels
from idealist.backends.explained.lists import Listing
from idealist.data.options import match_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Self

    from idealist.conventions import Conventions
    from idealist.data import Rankings, Run

    # A document, its score and its grade.
    Row = tuple[str | None, float | None, float | None]

ALL_RANKS = 2**32 - 1


class RankedDocuments:
    """The documents at the ranks that the rankings of one query give them; a list of grades has no names."""

    def __init__(self, rankings: Rankings) -> None:
        self.rankings = rankings
        self.rows: list[Row] = []
        # Ranks that documents share: more than one where ties are averaged.
        self.tie_groups: list[range] = []

    def listing(self) -> Listing:
        """The grades, rank by rank."""
        grades = tuple(grade for _, _, grade in self.rows)
        return Listing(grades, tuple(self.tie_groups), tuple(range(len(grades))))

    @classmethod
    def of_grades(cls, rankings: Rankings) -> Self:
        ranked = cls(rankings)
        grade_at = _grades_by_rank(rankings)
        for rank in range(1, rankings.native.query(0)[0] + 1):
            ranked._add(range(rank, rank + 1), [(None, None, grade_at.get(rank))])
        return ranked

    @classmethod
    def of_run(
        cls, run: Run, query: str, judged: Mapping[str, float], rankings: Rankings, depth: int | None
    ) -> Self:
        """The documents down to rank `depth`, and those tied with the last.

        The rankings say which grade stands at which rank; of the documents of a tie group that have it, the next
        in the order of the run stands there.
        """
        ranked, conventions = cls(rankings), rankings.conventions
        removed = conventions.unjudged == "removed"
        # Where documents are removed, a rank is no bound for how many there are above it.
        most = ALL_RANKS if depth is None or removed else depth
        top = run.rows.top(query, match_options(conventions), most)
        averaged = conventions.ties == "averaged"
        grade_at = {} if averaged else _grades_by_rank(rankings, len(top))
        for score, tied in groupby(top, key=lambda row: row[1]):
            tied_documents = [
                (document, _grade_counted(judged.get(document), conventions)) for document, _ in tied
            ]
            if removed:
                tied_documents = [
                    (document, grade) for document, grade in tied_documents if grade is not None
                ]
            ranks = range(len(ranked.rows) + 1, len(ranked.rows) + len(tied_documents) + 1)
            if averaged:
                ranked._add(ranks, [(document, score, grade) for document, grade in tied_documents])
                continue
            documents = documents_by_grade(tied_documents)
            for rank in ranks:
                grade = grade_at.get(rank)
                ranked._add(range(rank, rank + 1), [(next(documents[grade]), score, grade)])
        return ranked

    def _add(self, ranks: range, rows: list[Row]) -> None:
        if rows:
            self.tie_groups.append(ranks)
            self.rows += rows


def documents_by_grade(documents: Iterable[tuple[str, float | None]]) -> dict[float | None, Iterator[str]]:
    """The documents of each grade, one after the other."""
    by_grade: dict[float | None, list[str]] = {}
    for document, grade in documents:
        by_grade.setdefault(grade, []).append(document)
    return {grade: iter(graded) for grade, graded in by_grade.items()}


def _grades_by_rank(rankings: Rankings, depth: int = ALL_RANKS) -> dict[float, float]:
    """The grade at each rank that has a judged document, down to `depth`."""
    top = kernels.cut_short(rankings.native, depth)
    return dict(zip(memoryview(kernels.ranks(top)), memoryview(kernels.grades(top)), strict=True))


def _grade_counted(grade: float | None, conventions: Conventions) -> float | None:
    """A document's grade, None where the conventions count it as unjudged."""
    return None if conventions.negative == "unjudged" and grade is not None and grade < 0 else grade
