"""The base of runs and judgments: numbers for documents, by query."""

from __future__ import annotations

from importlib import import_module

from idealist import kernels
from idealist.base.values import as_choice, plain_dicts
from idealist.base.wording import count_of, count_queries
from idealist.data.columns import is_frame
from idealist.errors import InputError, MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, ClassVar, Self

    from idealist.data.provenance import Provenance


class Collection:
    """An immutable mapping from queries, in bytewise order, to {document: number}, in the order given.

    The numbers live in native memory; asking for a query copies that query out.
    """

    kind: ClassVar[str]
    number: ClassVar[str]
    finite: ClassVar[bool]
    __slots__ = ("_sha256", "name", "rows", "source", "whole_documents", "whole_ids")

    _sha256: str | None
    name: str
    rows: kernels.Rows
    source: str | None
    whole_ids: bool  # the queries of the mapping or frame were whole numbers
    whole_documents: bool  # likewise its documents

    def __init__(
        self,
        queries: Any,
        *,
        name: str | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        """From a mapping of mappings, a frame, lists of ids by query, or a matrix; `columns` maps our names of a
        frame's columns to its own."""
        if is_frame(queries):
            from idealist.data.frames import Frame

            frame = Frame(queries, self.kind, columns=columns)
            rows = frame.rows(kernels.available_threads())
            whole_ids, whole_documents = frame.whole_queries, frame.whole_documents
        elif columns is not None:
            raise InputError(
                f"{self.kind}: columns are for frames, and this is not one", hint="leave columns out"
            )
        else:
            rows = self._rows_given(queries)
            whole_ids = hasattr(queries, "keys") and not any(isinstance(query, str) for query in queries)
            whole_documents = hasattr(queries, "keys") and _has_whole_documents(queries)
        self._set(rows, name or self.kind, None, whole_ids=whole_ids, whole_documents=whole_documents)

    def _rows_given(self, queries: Any) -> kernels.Rows:
        threads = kernels.available_threads()
        rows = None
        if isinstance(queries, dict):
            rows = kernels.rows_from_dict(queries, self.finite, threads)
        if rows is None:
            from idealist.data.arrays import rows_listed

            rows = rows_listed(queries, self.kind)
        if rows is None:
            plain = plain_dicts(queries, kind=self.kind, number=self.number, finite=self.finite)
            rows = kernels.rows_from_dict(plain, self.finite, threads)
            assert rows is not None, "what plain_dicts makes is plain"
        return rows

    @classmethod
    def from_matrix(
        cls,
        numbers: Any,
        *,
        queries: Iterable[Any] | None = None,
        documents: Iterable[Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """A row per query and a column per document; both are numbered from 0 unless their ids are given.

        >>> from idealist import Run
        >>> Run.from_matrix([[0.1, 0.9]], documents=["a", "b"]).to_dict()
        {'0': {'a': 0.1, 'b': 0.9}}
        """
        from idealist.data.arrays import rows_of_matrix

        return cls.from_rows(
            rows_of_matrix(numbers, f"{cls.number}s", queries, documents), name=name or cls.kind
        )

    @classmethod
    def from_groups(
        cls,
        numbers: Any,
        sizes: Any,
        *,
        queries: Iterable[Any] | None = None,
        documents: Iterable[Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """The numbers of all queries one behind the other, and how many documents each query has, as LightGBM
        and XGBoost take them. Documents are numbered from 0 through all of them unless their ids are given.

        >>> from idealist import Judgments
        >>> Judgments.from_groups([2, 0, 1], [2, 1]).to_dict()
        {'0': {'0': 2.0, '1': 0.0}, '1': {'2': 1.0}}
        """
        from idealist.data.arrays import rows_of_groups

        return cls.from_rows(
            rows_of_groups(numbers, sizes, f"{cls.number}s", queries, documents), name=name or cls.kind
        )

    @classmethod
    def from_rows(
        cls,
        rows: kernels.Rows,
        *,
        name: str,
        source: str | None = None,
        whole_ids: bool = False,
        whole_documents: bool = False,
    ) -> Self:
        """For readers: rows that were checked already."""
        collection = cls.__new__(cls)
        collection._set(rows, name, source, whole_ids=whole_ids, whole_documents=whole_documents)
        return collection

    def with_rows(self, rows: kernels.Rows, *, name: str | None = None) -> Self:
        """Other rows, checked already, with this one's source, types of ids and, unless another is given, name."""
        return self.from_rows(
            rows,
            name=name or self.name,
            source=self.source,
            whole_ids=self.whole_ids,
            whole_documents=self.whole_documents,
        )

    def _set(
        self,
        rows: kernels.Rows,
        name: str,
        source: str | None,
        *,
        whole_ids: bool = False,
        whole_documents: bool = False,
    ) -> None:
        object.__setattr__(self, "whole_ids", whole_ids)
        object.__setattr__(self, "whole_documents", whole_documents)
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "_sha256", None)

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

    @property
    def sha256(self) -> str:
        """The SHA-256 of the content: of the queries, documents and numbers, whatever the order of the rows and
        the format they were in. A run and judgments of the same rows have different ones."""
        if self._sha256 is None:
            from idealist.data.provenance import sha256_of

            object.__setattr__(self, "_sha256", sha256_of(self.rows, self.kind))
        assert self._sha256 is not None
        return self._sha256

    @property
    def provenance(self) -> Provenance:
        """Name, source, rows, queries and SHA-256."""
        from idealist.data.provenance import provenance_of

        return provenance_of(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The columns query, document and score or grade, for any library that speaks Arrow."""
        return kernels.arrow_of(self.rows, self.number)

    def to_frame(self, library: str = "polars") -> Any:
        """A data frame with the columns query, document and score or grade, of polars, pandas or pyarrow. Ids that were
        given as whole numbers are whole numbers there."""
        return _with_whole_numbers(frame_of(self, library), library, whole_number_columns(self))

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self.rows.equals(other.rows, kernels.available_threads())

    def __hash__(self) -> int:
        return hash((type(self), len(self), len(self.rows)))

    def __reduce__(self) -> tuple[Any, ...]:
        whole = (self.whole_ids, self.whole_documents)
        return _restored, (type(self), self.to_dict(), self.name, self.source, *whole)

    def __repr__(self) -> str:
        counts = f"{count_queries(len(self))}, {count_of(len(self.rows), 'document')}"
        return f"<{type(self).__name__} {self.name!r}: {counts}>"


def _restored(
    cls: type[Collection],
    queries: dict[str, dict[str, float]],
    name: str,
    source: str | None,
    whole_ids: bool = False,
    whole_documents: bool = False,
) -> Collection:
    return cls.from_rows(
        cls(queries).rows, name=name, source=source, whole_ids=whole_ids, whole_documents=whole_documents
    )


def _has_whole_documents(queries: Mapping[Any, Any]) -> bool:
    """Whether documents are whole numbers, by the first of each query: to look at all would take longer than reading."""
    firsts = [next(iter(documents), None) for documents in queries.values() if hasattr(documents, "__iter__")]
    ids = [first for first in firsts if first is not None]
    return bool(ids) and all(hasattr(document, "__index__") for document in ids)


def whole_number_columns(*collections: Collection) -> tuple[str, ...]:
    """The columns of a frame that hold whole numbers, because all of these were given with such ids.

    >>> from idealist import Run
    >>> whole_number_columns(Run({7: {1: 0.5}}), Run({8: {"a": 0.5}}))
    ('query',)
    """
    whole = {
        "query": all(collection.whole_ids for collection in collections),
        "document": all(collection.whole_documents for collection in collections),
    }
    return tuple(column for column, is_whole in whole.items() if is_whole)


LIBRARIES = ("polars", "pandas", "pyarrow")


def frame_of(table: Any, library: str) -> Any:
    """A frame from a dict of columns, or from anything that speaks Arrow."""
    as_choice(library, "the library of a frame", LIBRARIES)
    try:
        module = import_module(library)
        if library == "pyarrow":
            return module.table(table)
        if library == "pandas" and not isinstance(table, dict):
            return import_module("pyarrow").table(table).to_pandas()
    except ImportError as error:
        missing = error.name or library
        raise MissingDependency(
            f"{missing} is not installed", hint="pip install 'idealist[frames]'"
        ) from None
    return module.DataFrame(table)


def _with_whole_numbers(frame: Any, library: str, columns: tuple[str, ...]) -> Any:
    """The frame with these columns of text as numbers of 64 bits; one with a number that needs more stays text."""
    for column in columns:
        if library == "polars":
            numbers = frame[column].cast(import_module("polars").Int64, strict=False)
            frame = frame if numbers.has_nulls() else frame.with_columns(numbers)
            continue
        try:
            if library == "pandas":
                frame = frame.astype({column: "int64"})
            else:
                numbers = frame.column(column).cast("int64")
                frame = frame.set_column(frame.column_names.index(column), column, numbers)
        except (OverflowError, ValueError):
            continue
    return frame


def require_queries(collection: Collection) -> None:
    if len(collection) == 0:
        raise InputError(
            f"the {collection.kind} has no queries"
            if collection.kind == "run"
            else f"the {collection.kind} have no queries"
        )
