"""Features of LETOR and SVMlight rows. What a row does not write is 0."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.io.encoding import checked
from idealist.io.feature_rows import MOST_CELLS, MOST_FEATURES, chosen_columns, gathered
from idealist.io.formats.letor import (
    EXPECTED,
    needless_sizes,
    read_query_sizes,
    refuse_sizes,
    sizes_beside,
    wrong_row,
)
from idealist.kernels import FeatureText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import ndarray

    from idealist.data.features import Features
    from idealist.io.opening import Opened


def letor_features(
    opened: Opened,
    *,
    features: Sequence[str] | None,
    query_sizes: str | None,
    fill: float | str | None,
) -> Features:
    """The features of an open LETOR file, called by their numbers."""
    text = FeatureText()
    for block in checked(opened.blocks(), opened.source):
        text.add(block)
        if text.problem is not None:
            break
    text.finish()
    if text.problem is not None:
        kind, line, part = text.problem
        raise wrong_row(kind, line, opened.source, part)
    if not len(text):
        raise InputError("the file is empty", source=opened.source, hint=EXPECTED)

    def wrong(message: str, row: int, hint: str) -> InputError:
        return InputError(message, source=opened.source, line=int(text.lines[row]), hint=hint)

    matrix, names = _matrix(text, features, opened.source)
    return gathered(
        matrix,
        names,
        _queries(text, query_sizes, opened),
        text.documents() if text.has_documents else None,
        text.grades.copy(),
        numbered=not text.has_queries,
        fill=fill,
        source=opened.source,
        wrong=wrong,
    )


def _queries(text: FeatureText, query_sizes: str | None, opened: Opened) -> list[str]:
    """The query of every row; without qid:, 1, 2, … by the query sizes."""
    if text.has_queries:
        if query_sizes is not None:
            raise needless_sizes(query_sizes, opened.source)
        pairs = zip(text.queries(), text.sizes.tolist(), strict=True)
        return [query for query, size in pairs for _ in range(size)]
    path = query_sizes or sizes_beside(opened.path)
    sizes = [] if path is None else read_query_sizes(path)
    refuse_sizes(sizes, path, len(text), opened)
    return [str(number) for number, size in enumerate(sizes, 1) for _ in range(size)]


def _matrix(text: FeatureText, chosen: Sequence[str] | None, source: str) -> tuple[ndarray, list[str]]:
    """Rows × features, and what these are called: by default all numbers from 1, or 0 if it occurs, to the highest."""
    import numpy as np

    numbers = text.numbers
    rows = len(text)
    if chosen is None:
        low = min(1, int(numbers.min())) if len(numbers) else 1
        columns: Sequence[int] = range(low, int(numbers.max()) + 1) if len(numbers) else ()
    elif text.uniform:  # every row has the same features, so that one that it lacks is lacking, not 0
        there = [str(number) for number in sorted(numbers.tolist())]
        chosen_columns(there, chosen, source)
        columns = [_number(name, source) for name in chosen]
    else:
        columns = [_number(name, source) for name in chosen]
    if chosen is not None and len(set(columns)) < len(chosen):
        twice = next(number for at, number in enumerate(columns) if number in columns[:at])
        raise InputError(f"feature {twice} is named twice", source=source, hint="name each once")
    if rows * len(columns) > MOST_CELLS or len(columns) > MOST_FEATURES:
        raise InputError(
            f"features up to number {columns[-1]:,} in {rows:,} rows would be a matrix of "
            f"{rows * len(columns):,} numbers",
            source=source,
            hint="name the features that are wanted: features=[…] (--features 1,2,…)",
        )
    names = [str(number) for number in columns]
    if text.uniform and list(columns) == numbers.tolist():
        return text.values.reshape(rows, len(columns)), names
    if text.uniform:
        place = {number: at for at, number in enumerate(numbers.tolist())}
        whole = text.values.reshape(rows, len(numbers))
        matrix = np.zeros((rows, len(columns)))
        for at, number in enumerate(columns):
            if number in place:
                matrix[:, at] = whole[:, place[number]]
        return matrix, names
    return _scattered(text, columns), names


def _scattered(text: FeatureText, columns: Sequence[int]) -> ndarray:
    import numpy as np

    matrix = np.zeros((len(text), len(columns)))
    order = np.argsort(np.asarray(columns, np.int64), kind="stable")
    known = np.asarray(columns, np.int64)[order]
    numbers = text.numbers.astype(np.int64)
    at = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
    known_feature = known[at] == numbers
    rows = np.repeat(np.arange(len(text)), np.diff(text.begins.astype(np.int64)))
    matrix[rows[known_feature], order[at[known_feature]]] = text.values[known_feature]
    return matrix


def _number(name: str, source: str) -> int:
    if not name.isdecimal() or len(name) > 10:
        raise InputError(
            f"there is no feature {name!r}",
            source=source,
            hint="in LETOR features are called by their numbers",
        )
    return int(name)
