"""Features of CSV and TSV whose lines are as usual, without a Python object per cell."""

from __future__ import annotations

import csv

from idealist.data.columns import Columns
from idealist.io.feature_rows import gathered
from idealist.io.feature_tables import feature_names, is_number_text, roles_of
from idealist.kernels import DelimitedNumbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from idealist.data.features import Features


def delimited_features(
    content: bytes,
    delimiter: str,
    source: str,
    decimal: str,
    *,
    columns: Mapping[str, str] | None,
    features: Sequence[str] | None,
    fill: float | str | None,
) -> Features | None:
    """The features of such text; None where it has to be read cell by cell, which also says what is wrong and where."""
    if b"\0" in content:
        return None
    begin = content.find(b"\n") + 1
    if not begin or len(delimiter) != 1 or not _is_utf8(content):
        return None
    first = content[:begin].decode("utf-8-sig").rstrip("\r\n")
    if not first.strip() or first.count('"') % 2:
        return None
    try:
        (names,) = csv.reader([first], delimiter=delimiter, strict=True)
    except (csv.Error, ValueError):
        return None
    names = [name.strip() for name in names]
    if len(set(names)) < len(names):
        return None
    roles = roles_of(names, columns, source)
    firsts = _first_entries(content, begin, delimiter, names)
    if firsts is None:
        return None
    chosen = feature_names(
        names, roles, features, source, lambda name: is_number_text(firsts.get(name, "0"), decimal)
    )
    numbers = [*chosen, *([roles["grade"]] if "grade" in roles else [])]
    ids = [role for role in ("query", "document") if role in roles]
    table = DelimitedNumbers(
        content,
        begin,
        delimiter,
        decimal,
        len(names),
        [names.index(name) for name in numbers],
        [names.index(roles[role]) for role in ids],
        fill is not None,
    )
    if not table.whole:
        return None
    matrix = table.values.reshape(len(table), len(numbers))
    grades = matrix[:, -1] if "grade" in roles else None
    if grades is not None and (grades != grades).any():
        return None
    texts = {role: [text.strip() for text in table.texts(at)] for at, role in enumerate(ids)}
    where = Columns({}, source=source, first_line=2)
    return gathered(
        matrix[:, : len(chosen)],
        chosen,
        texts["query"],
        texts.get("document"),
        grades,
        fill=fill,
        source=source,
        wrong=lambda message, row, hint: where.wrong(message, row, hint=hint),
    )


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _first_entries(content: bytes, begin: int, delimiter: str, names: Sequence[str]) -> dict[str, str] | None:
    """The first entry of each column that is not empty, by which it is seen whether the column is of numbers; None
    where lines are not as usual."""
    entries: dict[str, str] = {}
    while begin < len(content) and len(entries) < len(names):
        end = content.find(b"\n", begin)
        line = content[begin : len(content) if end < 0 else end].decode().rstrip("\r")
        begin = len(content) if end < 0 else end + 1
        if line.count('"') % 2 or "\r" in line:
            return None
        try:
            row = next(csv.reader([line], delimiter=delimiter, strict=True), [])
        except (csv.Error, ValueError):
            return None
        if len(row) != len(names):
            return None
        for name, cell in zip(names, row, strict=True):
            if cell.strip():
                entries.setdefault(name, cell.strip())
    return entries
