"""Parts of a run or of judgments as Arrow tables, whose errors name keys: a row's number says nothing on a cluster."""

from __future__ import annotations

from idealist import kernels
from idealist.base.wording import and_more
from idealist.data.frames import Frame
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class PartFrame(Frame):
    """Some of the rows of a run or of judgments."""

    def refuse(self, rows: kernels.Rows | kernels.Partitions, *, duplicates: bool = False) -> None:
        """Raises what is wrong with rows, by the query and the document."""
        if rows.problem is not None:
            kind, row, _, text, count = rows.problem
            number = "score" if self.kind == "run" else "grade"
            role = number if kind != "empty" or text == "number" else text
            what = "null" if kind == "empty" else text
            raise InputError(
                f"{self.kind}{self._key(row - 1, role)}: the {role} is {what}{and_more(count, 'row')}",
                hint="fill it in, or leave the row out",
            )
        if isinstance(rows, kernels.Rows) and rows.duplicate is not None and not duplicates:
            query, document, *_, count = rows.duplicate
            raise InputError(
                f"{self.kind}: document {document!r} appears twice for query {query!r}{and_more(count)}",
                hint="keep one of the two rows",
            )

    def _key(self, row: int, wrong: str) -> str:
        """Where a row is: its query and document, but for the one that is wrong."""
        keys = [(role, self.frame.column(role)[row].as_py()) for role in ("query", "document")]
        return "".join(f", {role} {key!r}" for role, key in keys if role != wrong and key is not None)


def refuse_nulls(table: Any, kind: str) -> None:
    """Raises for the first null id or number of an Arrow table with the columns query, document and a number; its
    message has the keys of that row."""
    for role in table.column_names[:3]:
        column = table.column(role)
        if column.null_count:
            import pyarrow.compute as pc

            row = pc.index(column.is_null(), True).as_py()
            frame = PartFrame(table, kind)
            raise InputError(
                f"{kind}{frame._key(row, role)}: the {role} is null{and_more(column.null_count, 'row')}",
                hint="fill it in, or leave the row out",
            )


def refuse_nulls_of_sides(batch: Any) -> None:
    """The same for an Arrow batch of both sides, with the columns side, query, document and number."""
    columns = batch.select(["query", "document", "number"])
    if any(column.null_count for column in columns.columns):
        import pyarrow as pa
        import pyarrow.compute as pc

        rows, judged = pa.Table.from_batches([columns]), pc.equal(batch.column("side"), 0)
        refuse_nulls(rows.filter(judged).rename_columns(["query", "document", "grade"]), "judgments")
        refuse_nulls(rows.filter(pc.invert(judged)).rename_columns(["query", "document", "score"]), "run")
