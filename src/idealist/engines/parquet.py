"""Row groups of Parquet files, read with pyarrow on the machines of a cluster: their rows never become rows of the engine."""

from __future__ import annotations

import os

from idealist.base.frozen import Frozen
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any


class FileColumn(Frozen):
    """A column of the files, the name that the kernel has for it, and its type there, as Arrow."""

    source: str
    name: str
    kind: Any


class RowGroup(Frozen):
    """Some rows of a file of `size` bytes: how many documents they have, and the least and greatest query as its footer has
    them (None where it does not say)."""

    path: str
    size: int
    index: int
    rows: int
    least: Any = None
    greatest: Any = None


def read_footers(paths: Iterable[str], columns: Sequence[FileColumn]) -> tuple[RowGroup, ...] | None:
    """The row groups of all files; None where a file cannot be read, or has other columns or types than are expected. The
    engine then reads the files by itself, which knows more of types, and says what is wrong."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    groups: list[RowGroup] = []
    for path in paths:
        try:
            size = os.path.getsize(path)
            footer = pq.read_metadata(path)
            schema = footer.schema.to_arrow_schema()
        except (OSError, pa.ArrowException):
            return None
        if not all(_fits(schema, column) for column in columns):
            return None
        places = {footer.schema.column(at).path: at for at in range(footer.num_columns)}
        query = places[columns[0].source]
        # A list has as many cells as its values.
        document = next(at for path_, at in places.items() if path_.split(".")[0] == columns[1].source)
        for index in range(footer.num_row_groups):
            group = footer.row_group(index)
            ends = _ends(group.column(query).statistics)
            groups.append(RowGroup(path, size, index, group.column(document).num_values, *ends))
    return tuple(groups)


def read_groups(groups: Iterable[RowGroup], columns: Sequence[FileColumn]) -> Iterator[tuple[RowGroup, Any]]:
    """Every row group with its rows, as an Arrow table with the kernel's names."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path, file = None, None
    for group in groups:
        try:
            if group.path != path:
                if os.path.getsize(group.path) != group.size:
                    raise InputError(
                        "the file has changed since its DataFrame was made",
                        source=group.path,
                        hint="read the files again, with spark.read",
                    )
                path, file = group.path, pq.ParquetFile(group.path)
            assert file is not None
            table = file.read_row_group(
                group.index, columns=[column.source for column in columns], use_threads=False
            )
        except (OSError, pa.ArrowException) as error:
            raise InputError(
                f"cannot be read: {str(error).splitlines()[0]}",
                source=group.path,
                hint="write it again, or leave it out; every machine of the cluster must see it under this path",
            ) from None
        cells = [table.column(column.source).cast(column.kind, safe=False) for column in columns]
        yield group, pa.Table.from_arrays(cells, [column.name for column in columns])


def _ends(statistics: Any) -> tuple[Any, Any]:
    try:
        if statistics is not None and statistics.has_min_max:
            return statistics.min, statistics.max
    except UnicodeDecodeError:  # a text that was cut short within a character
        pass
    return None, None


def _fits(schema: Any, column: FileColumn) -> bool:
    """Whether files have the column once, in a type that may become the kernel's: the same, or a number for a float."""
    import pyarrow as pa

    if len(schema.get_all_field_indices(column.source)) != 1:
        return False
    found, expected = schema.field(column.source).type, column.kind
    if pa.types.is_list(expected):
        if not pa.types.is_list(found):
            return False
        found, expected = found.value_type, expected.value_type
    if expected == pa.float64():
        return bool(pa.types.is_signed_integer(found) or found in (pa.float32(), pa.float64()))
    return bool(found == expected)
