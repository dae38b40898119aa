"""Features of tables: columns of queries, documents and grades, and the numeric ones beside them."""

from __future__ import annotations

import csv

from idealist.data.column_names import DOCUMENT, GRADE, QUERY, plain_name, refuse_repeats
from idealist.data.columns import Columns
from idealist.data.features import MISSING_HINT, chosen_columns, gathered
from idealist.errors import InputError
from idealist.kernels import DelimitedNumbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.data.features import Features


ROLES = {"query": QUERY, "document": DOCUMENT, "grade": GRADE}


def features_of_columns(
    table: Columns,
    *,
    columns: Mapping[str, str] | None,
    features: Sequence[str] | None,
    fill: float | str | None,
) -> Features:
    """The features of a table that was read as text, or of a dict of columns. A column whose first entry is a number is
    a feature, unless `features` names them."""
    roles = roles_of(table.names, columns, table.source)
    names = feature_names(table.names, roles, features, table.source, lambda name: _is_numeric(table, name))
    return gathered(
        _matrix([_numbers(table, name, fill is not None) for name in names], len(table)),
        names,
        table.ids(roles["query"]),
        table.ids(roles["document"]) if "document" in roles else None,
        _numbers(table, roles["grade"], False, "fill it in, or leave the row out")
        if "grade" in roles
        else None,
        fill=fill,
        source=table.source,
        wrong=lambda message, row, hint: table.wrong(message, row, hint=hint),
    )


def features_of_arrow(
    table: Any,
    source: str | None,
    *,
    columns: Mapping[str, str] | None,
    features: Sequence[str] | None,
    fill: float | str | None,
) -> Features:
    """The features of a table of pyarrow, column by column without a Python object per cell."""
    import pyarrow

    def is_numeric(name: str) -> bool:
        kind = table.schema.field(name).type
        known = (
            pyarrow.types.is_integer,
            pyarrow.types.is_floating,
            pyarrow.types.is_boolean,
            pyarrow.types.is_decimal,
        )
        return any(is_kind(kind) for is_kind in known)

    names = table.column_names
    refuse_repeats(names, source)
    roles = roles_of(names, columns, source)
    chosen = feature_names(names, roles, features, source, is_numeric)
    for name in chosen:
        if not is_numeric(name):
            raise InputError(
                f"column {name!r} is of type {table.schema.field(name).type}, not numbers",
                source=source,
                hint="name numeric columns as features",
            )
    # Ids as Columns reads them, whatever type they have.
    known = [roles[role] for role in ("query", "document") if role in roles]
    ids = Columns({name: table[name].to_pylist() for name in known}, source=source)
    grades = _of_arrow(table[roles["grade"]], roles["grade"], source) if "grade" in roles else None
    if grades is not None and (grades != grades).any():
        raise ids.wrong(
            f"{roles['grade']} is empty",
            int((grades != grades).argmax()),
            hint="fill it in, or leave the row out",
        )
    return gathered(
        _matrix([_of_arrow(table[name], name, source) for name in chosen], table.num_rows),
        chosen,
        ids.ids(roles["query"]),
        ids.ids(roles["document"]) if "document" in roles else None,
        grades,
        fill=fill,
        source=source,
        wrong=lambda message, row, hint: ids.wrong(message, row, hint=hint),
    )


def _of_arrow(column: Any, name: str, source: str | None) -> ndarray:
    import numpy as np
    import pyarrow

    try:
        return np.asarray(column.cast(pyarrow.float64(), safe=False).to_numpy(), dtype=np.float64)
    except (pyarrow.ArrowException, ValueError) as error:
        raise InputError(f"column {name!r} cannot be read as numbers: {error}", source=source) from None


def roles_of(names: Sequence[str], columns: Mapping[str, str] | None, source: str | None) -> dict[str, str]:
    """Finds the columns of queries, documents and grades; the latter two may be missing."""
    given = dict(columns or {})
    for role, name in given.items():
        if role not in ROLES:
            raise InputError(
                f"columns: {role!r} is not a known column", hint=f"name one of: {', '.join(ROLES)}"
            )
        if name not in names:
            raise InputError(
                f"there is no column {name!r}, which columns names as the {role}",
                source=source,
                hint=f"there are {', '.join(names) or 'no columns'}",
            )
    plain = {plain_name(name): name for name in reversed(names) if name not in given.values()}
    for role, common in ROLES.items():
        named_so = next(
            (plain[plain_name(common_name)] for common_name in common if plain_name(common_name) in plain),
            None,
        )
        if role not in given and named_so is not None:
            given[role] = named_so
    if "query" not in given:
        raise InputError(
            "there is no column 'query'",
            source=source,
            hint=f"there are {', '.join(names) or 'no columns'}; say which it is: --columns query=NAME, "
            "or columns={'query': NAME} in Python",
        )
    return given


def feature_names(
    names: Sequence[str],
    roles: Mapping[str, str],
    features: Sequence[str] | None,
    source: str | None,
    is_numeric: Any,
) -> list[str]:
    free = [name for name in names if name not in roles.values()]
    if features is not None:
        chosen_columns(free, features, source)
        return list(features)
    return [name for name in free if is_numeric(name)]


def _is_numeric(table: Columns, name: str) -> bool:
    """By its first entry: one that is no number further down is an error, not another kind of column."""
    first = next((value for value in table.columns[name] if value not in (None, "")), None)
    if isinstance(first, str):
        return is_number_text(first, table.decimal)
    return first is None or isinstance(first, (bool, int, float)) or hasattr(first, "__float__")


def is_number_text(text: str, decimal: str) -> bool:
    """Whether a cell of text is a number.

    >>> is_number_text("0,5", ","), is_number_text("red", ".")
    (True, False)
    """
    try:
        float(text.replace(decimal, "."))
    except ValueError:
        return False
    return True


def _numbers(table: Columns, name: str, may_be_missing: bool, hint: str = MISSING_HINT) -> ndarray:
    import numpy as np

    values = table.columns[name]
    if table.decimal == ".":
        try:
            numbers = np.asarray(values, dtype=np.float64)
            if np.isfinite(numbers).all():
                return numbers
        except (TypeError, ValueError):
            pass  # cell by cell, which says what is wrong and where
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        missing = _is_missing(value)
        if missing and not may_be_missing:
            shown = "empty" if value in ("", None) else f"{value!s:.40}, not a number"
            raise table.wrong(f"{name} is {shown}", row, hint=hint)
        numbers[row] = np.nan if missing else table.number(name, row)
    return numbers


def _is_missing(value: Any) -> bool:
    return bool(value in ("", None) or value != value or str(value).strip().lower() in ("nan", "null"))


def _matrix(columns: Sequence[ndarray], rows: int) -> ndarray:
    import numpy as np

    matrix = np.empty((rows, len(columns)))
    for place, column in enumerate(columns):
        matrix[:, place] = column
    return matrix


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
