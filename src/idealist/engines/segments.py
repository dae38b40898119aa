"""What the judgments say of each query besides grades: its id in its own type, and its segments."""

from __future__ import annotations

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy import ndarray


class SegmentColumns:
    """For `queries`, in their order: `ids` in the type that the judgments have, and `columns` of segments, as Arrow
    arrays. Rows of one query that name different segments are an error."""

    def __init__(self, by: Sequence[str], judgments: Any, queries: list[str]) -> None:
        import pyarrow as pa

        self.columns: dict[str, Any] = {}
        query_type = judgments.schema.field("query").type
        own = [name for name in ("id",) if name in judgments.column_names]
        if not own and not by:
            self.ids = pa.array(queries).cast(query_type)
            return
        names = [*own, *by]
        distinct = judgments.select(["query", *names]).group_by(["query", *names]).aggregate([])
        row_of: dict[str, int] = {}
        for row, query in enumerate(distinct.column("query").cast(pa.string()).to_pylist()):
            if query in row_of:
                raise _several(distinct, by, query, row_of[query], row)
            row_of[query] = row
        rows = [row_of[query] for query in queries]
        self.ids = distinct.column("id").take(rows) if own else pa.array(queries).cast(query_type)
        self.columns = {name: distinct.column(name).take(rows) for name in by}

    def members(self) -> Iterator[tuple[tuple[Any, ...], ndarray]]:
        """Each segment, and the positions of its queries."""
        if not self.columns:
            return
        import numpy as np

        positions: dict[tuple[Any, ...], list[int]] = {}
        cells = zip(*(column.to_pylist() for column in self.columns.values()), strict=True)
        for position, segment in enumerate(cells):
            positions.setdefault(segment, []).append(position)
        for segment, rows in positions.items():
            yield segment, np.array(rows)


def _several(distinct: Any, by: Sequence[str], query: str, first: int, second: int) -> InputError:
    for name in by:
        before, after = (distinct.column(name)[row].as_py() for row in (first, second))
        if before != after:
            return InputError(
                f"judgments, query {query!r}: {name} is {before!r} in one row and {after!r} in another",
                hint="a query is in one segment: give all its rows the same",
            )
    return InputError(
        f"judgments: two ids are both written {query!r}", hint="ids are compared as text: rename one of them"
    )
