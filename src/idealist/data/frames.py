"""Frames as runs and judgments. A stand-in that uses pyarrow, to be replaced at the merge."""

from __future__ import annotations

from idealist import kernels
from idealist.data.columns import find_roles
from idealist.data.numbers import as_id, as_number
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def rows_of_frame(
    frame: Any,
    kind: str,
    *,
    columns: Mapping[str, str] | None = None,
    source: str | None = None,
    threads: int | None = None,
) -> kernels.Rows:
    import pyarrow

    table = pyarrow.table(frame)
    roles = find_roles(table.column_names, kind, columns, source=source)
    queries: dict[str, dict[str, float]] = {}
    cells = zip(*(table.column(at).to_pylist() for at in roles.values()), strict=True)
    for at, (query, document, number) in enumerate(cells, 1):
        for role, cell in zip(roles, (query, document, number), strict=True):
            if cell is None:
                raise InputError(f"row {at}: the {role} is null", source=source)
        documents = queries.setdefault(as_id(query, "query"), {})
        name = as_id(document, "document")
        if name in documents:
            raise InputError(f"row {at}: document {name!r} is there twice", source=source)
        value = as_number(number, list(roles)[2], finite=kind == "judgments")
        documents[name] = -value if "rank" in roles else value
    if not queries:
        raise InputError("the file is empty" if source else "the frame is empty", source=source)
    rows = kernels.rows_from_dict(queries, kind == "judgments", kernels.thread_count(threads))
    assert rows is not None
    return rows
