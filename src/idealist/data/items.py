"""Tables of items: popularity, categories, groups and vectors of documents."""

from __future__ import annotations

from collections.abc import Mapping

from idealist import kernels
from idealist.base.wording import count_of
from idealist.data.column_names import DOCUMENT
from idealist.data.columns import Columns
from idealist.data.tables import read_table
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Self

    from numpy import ndarray

    from idealist.types import GivenTable


LARGEST = 1e150  # whose square and sums are still numbers
# What people call a column.
ID = (*DOCUMENT, "id")
POPULARITY = ("popularity", "count", "interactions")
CATEGORY = ("category", "categories", "genre", "genres")
VECTOR = ("vector", "embedding")
BETWEEN_NAMES = "|"


class Membership:
    """The `names` that each item has: the codes of item i stand in `codes` from `begin[i]` up to
    `begin[i + 1]`."""

    def __init__(self, names: list[str], begin: ndarray, codes: ndarray) -> None:
        self.names = names
        self.begin = begin
        self.codes = codes

    def shares(self) -> ndarray:
        """The share of the table that each name has; an item with several names counts for each in part."""
        import numpy as np

        sizes = np.diff(self.begin)
        parts = np.repeat(1.0 / np.maximum(sizes, 1), sizes)
        counts = np.bincount(self.codes, weights=parts, minlength=len(self.names))
        shares: ndarray = counts / max(int((sizes > 0).sum()), 1)
        return shares


class Items:
    """An immutable table of items, one row each: an id, and any of popularity, category, vector and group.

    A cell of category or of a group column may hold several names, as a list or with | between them. A
    vector is a list of numbers, text such as "0.5 1 0", or stands in columns v0, v1, …

    >>> items = Items({"item": ["a", "b"], "popularity": [3, 1], "category": ["war|drama", "war"]})
    >>> items
    <Items: 2 items; item, popularity, category>
    >>> items.membership("category").names
    ['drama', 'war']
    """

    __slots__ = ("_made", "_table", "ids", "rows")

    ids: tuple[str, ...]
    rows: kernels.Rows
    _table: Columns
    _made: dict[Any, Any]  # what was read from columns so far

    def __init__(self, table: Columns | Mapping[str, Sequence[Any]]) -> None:
        columns = table if isinstance(table, Columns) else Columns(table)
        ids = columns.ids(columns.named(*ID))
        numbers = {document: float(number) for number, document in enumerate(ids)}
        if len(numbers) < len(ids):
            raise _twice(ids, columns)
        if not ids:
            raise columns.wrong("the table of items is empty")
        rows = kernels.rows_from_dict({"items": numbers}, True, kernels.available_threads())
        for name, value in (("_table", columns), ("_made", {}), ("ids", tuple(ids)), ("rows", rows)):
            object.__setattr__(self, name, value)
        if columns.find(*POPULARITY):
            self.popularity()
        if self.has_vectors:
            self.vectors()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Items are immutable")

    def remarks(self, queries: Sequence[str]) -> list[str]:
        """Notes on oddities of the table: a document without an item is an error where it is looked at."""
        return []

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<Items: {count_of(len(self), 'item')}; {', '.join(self._table.names)}>"

    def __reduce__(self) -> tuple[type[Self], tuple[Columns]]:
        return type(self), (self._table,)

    def popularity(self) -> ndarray:
        """How often each item was used, by whatever count the table has."""
        numbers: ndarray = self._once("popularity", self._read_popularity)
        return numbers

    @property
    def has_vectors(self) -> bool:
        return bool(self._table.find(*VECTOR)) or "v0" in self._table

    def without_vectors(self, distance: str) -> InputError:
        """The error of a distance between vectors where there are none."""
        categories = self._table.find(*CATEGORY)
        other = "distance=jaccard, as in ILD(distance=jaccard)@10, goes by categories"
        return self._table.wrong(
            f"there is no column {VECTOR[0]!r}, which the {distance} distance needs",
            hint=f"there are {', '.join(self._table.names)}; "
            + (other if categories else f"add {VECTOR[0]} or v0, v1, …; {other}"),
        )

    def vectors(self) -> ndarray:
        """The items' vectors, a row each."""
        rows: ndarray = self._once("vectors", self._read_vectors)
        return rows

    def categories(self) -> Membership:
        return self.membership(self._table.named(*CATEGORY))

    def membership(self, column: str) -> Membership:
        """The names that each item has in a column; it may have none."""
        name = self._table.named(column.lower()) if column not in self._table else column
        members: Membership = self._once(("membership", name), lambda: self._read_names(name))
        return members

    def groups(self, column: str) -> Membership:
        """The groups that each item is in: at least one."""
        import numpy as np

        members = self.membership(column)
        without_group = np.flatnonzero(np.diff(members.begin) == 0)
        if len(without_group):
            row = int(without_group[0])
            raise self._table.wrong(
                f"item {self.ids[row]!r} has no {column}", row, hint="name one for it, such as unknown"
            )
        return members

    def wrong(self, message: str, item: int, *, hint: str = "") -> InputError:
        """An error about an item, that says where it stands."""
        return self._table.wrong(message, item, hint=hint)

    def _once(self, key: Any, make: Any) -> Any:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def _read_popularity(self) -> ndarray:
        import numpy as np

        name = self._table.named(*POPULARITY)
        numbers = np.array(self._table.numbers(name))
        wrong = np.flatnonzero((numbers < 0) | (numbers > LARGEST))
        if len(wrong):
            row = int(wrong[0])
            kind = "a negative" if numbers[row] < 0 else "too large a"
            raise self._table.wrong(
                f"item {self.ids[row]!r} has {kind} {name}: {numbers[row]:g}",
                row,
                hint="it is a count of users or uses",
            )
        return numbers

    def _read_vectors(self) -> ndarray:
        import numpy as np

        vectors: ndarray = self._raw_vectors()
        large = np.flatnonzero((np.abs(vectors) > LARGEST).any(axis=1))
        if len(large):
            row = int(large[0])
            raise self._table.wrong(
                f"the vector of item {self.ids[row]!r} holds too large a number",
                row,
                hint="scale the vectors",
            )
        return vectors

    def _raw_vectors(self) -> ndarray:
        import numpy as np

        name = self._table.find(*VECTOR)
        if name is None and "v0" in self._table:
            columns: list[list[float]] = []
            while f"v{len(columns)}" in self._table:
                columns.append(self._table.numbers(f"v{len(columns)}"))
            return np.ascontiguousarray(np.array(columns).T)
        name = name or self._table.named(*VECTOR)
        cells = self._table.columns[name]
        rows = [self._read_vector(name, cell, row) for row, cell in enumerate(cells)]
        for row, vector in enumerate(rows):
            if len(vector) != len(rows[0]):
                raise self._table.wrong(
                    f"the vector of item {self.ids[row]!r} has {len(vector)} numbers, that of "
                    f"{self.ids[0]!r} has {len(rows[0])}",
                    row,
                    hint="all vectors have the same length",
                )
        return np.array(rows, dtype=float)

    def _read_vector(self, name: str, cell: Any, row: int) -> Any:
        import numpy as np

        if isinstance(cell, str):
            cell = cell.strip().strip("[]()").replace(",", " ").split()
        try:
            vector = np.array(cell, dtype=float)
        except (TypeError, ValueError):
            vector = np.empty(0)
        if vector.ndim != 1 or not len(vector) or not np.isfinite(vector).all():
            raise self._table.wrong(
                f"{name} of item {self.ids[row]!r} is {cell!r}, not a list of finite numbers", row
            )
        return vector

    def _read_names(self, column: str) -> Membership:
        import numpy as np

        codes: dict[str, int] = {}
        begin, entries = [0], []
        for cell in self._table.columns[column]:
            entries += [codes.setdefault(name, len(codes)) for name in dict.fromkeys(_names(cell))]
            begin.append(len(entries))
        ordered = sorted(codes)
        code_in_order = np.zeros(len(codes), dtype=np.int64)
        for at, name in enumerate(ordered):
            code_in_order[codes[name]] = at
        return Membership(ordered, np.array(begin), code_in_order[np.array(entries, dtype=np.int64)])


def _twice(ids: list[str], columns: Columns) -> InputError:
    row_of: dict[str, int] = {}
    for row, document in enumerate(ids):
        if document in row_of:
            break
        row_of[document] = row
    return columns.wrong(f"item {document!r} appears twice", row, hint="keep one of its rows")


def _names(cell: Any) -> list[str]:
    """The names in a cell: text with | between them, a list of them, or one of another type."""
    if cell is None or cell != cell:
        return []
    if isinstance(cell, str):
        return [name for part in cell.split(BETWEEN_NAMES) if (name := part.strip())]
    if hasattr(cell, "__iter__") and not isinstance(cell, bytes):
        return [name for part_cell in cell for name in _names(part_cell)]
    is_whole = isinstance(cell, float) and cell.is_integer()
    return [str(int(cell)) if is_whole else str(cell)]


def read_items(
    source: Items | GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Items:
    """The items of a table: a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns, a list of records.
    Items are given back as they are. `encoding`, `decimal` and `columns` are those of read_table.

    >>> read_items([{"item": "a", "popularity": 3}, {"item": "b", "popularity": 1}])
    <Items: 2 items; item, popularity>
    """
    if isinstance(source, Items):
        return source
    return Items(
        read_table(source, columns=columns, format=format, encoding=encoding, decimal=decimal).of("items")
    )
