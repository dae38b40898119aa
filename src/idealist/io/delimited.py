"""CSV and TSV. A slow but correct stand-in, to be replaced at the merge."""

from __future__ import annotations

from idealist.data.columns import find_roles
from idealist.errors import InputError
from idealist.io.triples import as_float, rows_of_triples, wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from idealist import kernels


def delimited_rows(
    opened: Any,
    kind: str,
    *,
    delimiter: str,
    names: Sequence[str] | None,
    columns: Mapping[str, str] | None,
    source: str,
    threads: int,
) -> kernels.Rows:
    import csv
    from io import StringIO

    text = b"".join(opened.blocks()).decode("utf-8-sig", "surrogateescape")
    if delimiter == "::":
        text, delimiter = text.replace(delimiter, "\t"), "\t"
    rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        coming = iter(rows)
        if names is None:
            names = [name.strip() for name in next((row for row in coming if row), [])]
        found = list(_triples(coming, rows, names, find_roles(names, kind, columns, source=source), source))
    except csv.Error as error:
        raise InputError(f"this is not CSV: {error}", source=source, line=rows.line_num) from None
    return rows_of_triples(found, kind, source=source, threads=threads)


def _triples(
    coming: Iterator[list[str]], rows: Any, names: Sequence[str], roles: dict[str, int], source: str
) -> Iterator[tuple[int, str, str, float]]:
    number = list(roles)[2]
    for row in coming:
        if not row:
            continue
        at = rows.line_num
        if len(row) != len(names):
            raise wrong(f"expected {len(names)} columns, found {len(row)}", at, source, hint=", ".join(names))
        query, document, text = (row[place].strip() for place in roles.values())
        for role, cell in zip(roles, (query, document, text), strict=True):
            if not cell:
                raise wrong(f"the {role} is empty", at, source, hint="fill it in, or leave the row out")
        value = as_float(text, number, at, source)
        yield at, query, document, -value if number == "rank" else value
