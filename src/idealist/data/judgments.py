"""Judgments: grades of documents by query."""

from __future__ import annotations

from idealist.data.collection import Collection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, ClassVar, Self

    from idealist.data.needs import Need


class Judgments(Collection):
    """Grades by query and document: whole or real, higher is better, negative allowed.

    >>> judgments = Judgments({"lipstick": {"d1": 3, "d2": 0.5}})
    >>> judgments
    <Judgments 'judgments': 1 query, 2 documents>
    >>> judgments["lipstick"]
    {'d1': 3.0, 'd2': 0.5}
    """

    kind = "judgments"
    number = "grade"
    finite = True
    __slots__ = ()

    @classmethod
    def from_sets(
        cls,
        sets: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]],
        *,
        queries: Iterable[Any] | None = None,
        grade: float = 1.0,
        name: str | None = None,
    ) -> Self:
        """Judgments of grade 1 from sets of documents, by query or in the queries' order.

        >>> Judgments.from_sets([{3, 7}, {5}])["1"]
        {'5': 1.0}
        """
        from idealist.data.arrays import rows_of_sets

        return cls.from_rows(rows_of_sets(sets, queries, grade), name=name or cls.kind)


class RichJudgments:
    """The base of judgments that say more than one grade per query and document."""

    # What they satisfy.
    need: ClassVar[Need]
    # What to tell when a measure of one grade per document is used with them; None if none can be.
    note: ClassVar[str | None] = None

    def remarks(self) -> list[str]:
        """Notes on the judgments."""
        return []

    def plain(self) -> Judgments:
        """The queries with their judged documents, one grade each."""
        raise TypeError(f"{type(self).__name__} has no plain form")

    def content(self) -> Any:
        """The content for JSON, of which the digest is made."""
        return self.plain().to_dict()
