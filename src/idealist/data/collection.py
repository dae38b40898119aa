"""What a run and judgments have in common: numbers for documents, by query."""

from __future__ import annotations

from idealist import kernels
from idealist.data.numbers import plain_dicts
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, ClassVar, Self


class Collection:
    """An immutable mapping from queries, in bytewise order, to {document: number}, in the order given.

    The numbers live in native memory; asking for a query copies that query out.
    """

    kind: ClassVar[str]
    number: ClassVar[str]
    finite: ClassVar[bool]
    __slots__ = ("name", "rows", "source")

    name: str
    rows: kernels.Rows
    source: str | None

    def __init__(self, queries: Mapping[Any, Mapping[Any, Any]], *, name: str | None = None) -> None:
        threads = kernels.available_threads()
        rows = None
        if isinstance(queries, dict):
            rows = kernels.rows_from_dict(queries, self.finite, threads)
        if rows is None:
            plain = plain_dicts(queries, kind=self.kind, number=self.number, finite=self.finite)
            rows = kernels.rows_from_dict(plain, self.finite, threads)
            assert rows is not None, "what plain_dicts makes is plain"
        self._set(rows, name or self.kind, None)

    @classmethod
    def from_rows(cls, rows: kernels.Rows, *, name: str, source: str | None = None) -> Self:
        """For readers: rows that were checked already."""
        collection = cls.__new__(cls)
        collection._set(rows, name, source)
        return collection

    def _set(self, rows: kernels.Rows, name: str, source: str | None) -> None:
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "source", source)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __len__(self) -> int:
        return self.rows.query_count()

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows.queries())

    def __contains__(self, query: object) -> bool:
        return isinstance(query, str) and query in self.rows

    def __getitem__(self, query: str) -> dict[str, float]:
        documents = self.rows.documents(query)
        if documents is None:
            raise KeyError(query)
        return documents

    def keys(self) -> list[str]:
        return self.rows.queries()

    def items(self) -> Iterator[tuple[str, dict[str, float]]]:
        return ((query, self[query]) for query in self)

    def to_dict(self) -> dict[str, dict[str, float]]:
        return dict(self.items())

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self.rows.equals(other.rows, kernels.available_threads())

    def __hash__(self) -> int:
        return hash((type(self), len(self), len(self.rows)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.to_dict(), self.name, self.source)

    def __repr__(self) -> str:
        queries = f"{len(self):,} {'query' if len(self) == 1 else 'queries'}"
        return f"<{type(self).__name__} {self.name!r}: {queries}, {len(self.rows):,} documents>"


def _restored(
    cls: type[Collection], queries: dict[str, dict[str, float]], name: str, source: str | None
) -> Collection:
    return cls.from_rows(cls(queries).rows, name=name, source=source)


def require_queries(collection: Collection) -> None:
    if len(collection) == 0:
        raise InputError(f"there are no queries in the {collection.kind}")
