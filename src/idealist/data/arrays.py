"""NumPy arrays as rows: matrices, lists one behind the other, the top of each row, sets of relevant documents."""

from __future__ import annotations

from collections.abc import Mapping

from idealist import kernels
from idealist.data.numbers import EXACT, INEXACT, as_id
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def rows_of_matrix(
    cells: Any, title: str, queries: Iterable[Any] | None, documents: Iterable[Any] | None
) -> kernels.Rows:
    """A row per query, a column per document."""
    import numpy as np

    matrix = _numbers(cells, title, 2)
    rows, columns = matrix.shape
    return _rows(
        np.full(rows, columns, np.int64),
        np.tile(np.arange(columns), rows),
        matrix.ravel(),
        queries,
        documents,
    )


def rows_of_groups(
    values: Any, sizes: Any, title: str, queries: Iterable[Any] | None, documents: Iterable[Any] | None
) -> kernels.Rows:
    """The values of all queries one behind the other, and how many each has."""
    import numpy as np

    numbers = _numbers(values, title, 1)
    counts = _whole(sizes, "sizes", 1)
    if (counts < 0).any():
        query = int((counts < 0).argmax())
        raise InputError(f"size {query} must be 0 or more, not {int(counts[query])}")
    total = sum(counts.tolist())
    if total != len(numbers):
        raise InputError(
            f"the sizes add up to {total:,}, but there are {len(numbers):,} {title}",
            hint="sizes holds one number per query: how many documents it has",
        )
    if documents is None:
        return _rows(counts, np.arange(len(numbers)), numbers, queries, None)
    # A document may be in several groups: each id has one number.
    listed = documents.tolist() if hasattr(documents, "tolist") else list(documents)
    if len(listed) != len(numbers):
        raise InputError(f"{len(numbers):,} {title}, but {len(listed):,} documents")
    number_of: dict[str, int] = {}
    places = [
        number_of.setdefault(as_id(document, "documents: an id"), len(number_of)) for document in listed
    ]
    return _rows(counts, np.array(places, np.int64), numbers, queries, number_of)


def rows_of_top(
    indices: Any, scores: Any, queries: Iterable[Any] | None, documents: Iterable[Any] | None
) -> kernels.Rows:
    """The documents' numbers, best first, a row per query. −1 at the end of a row: there are no more."""
    import numpy as np

    numbers_given = _whole(indices, "indices", 2)
    columns = numbers_given.shape[1]
    is_filled = numbers_given >= 0
    if (numbers_given < -1).any() or (is_filled[:, 1:] & ~is_filled[:, :-1]).any():
        bad = np.argwhere(
            (numbers_given < -1) | np.pad(is_filled[:, 1:] & ~is_filled[:, :-1], ((0, 0), (1, 0)))
        )[0]
        raise InputError(
            f"row {bad[0]}, column {bad[1]}: the index is {numbers_given[bad[0], bad[1]]}"
            + (" behind a −1" if numbers_given[bad[0], bad[1]] >= 0 else ""),
            hint="−1 may stand only at the end of a row, for missing documents",
        )
    if scores is None:
        numbers = np.broadcast_to(-np.arange(1.0, columns + 1), numbers_given.shape)
    else:
        # What stands beside a −1 is no score, and often nan.
        given_scores = np.asarray(scores)
        if given_scores.shape != numbers_given.shape:
            raise InputError(f"indices have the shape {numbers_given.shape}, scores {given_scores.shape}")
        numbers = _numbers(np.where(is_filled, given_scores, 0), "scores", 2)
        rising = np.argwhere((numbers[:, 1:] > numbers[:, :-1]) & is_filled[:, 1:])
        if len(rising):
            raise InputError(
                f"row {rising[0][0]}: the scores rise from column {rising[0][1]} to the next, but the best come first",
                hint="if they are distances, give −distances, or leave the scores out",
            )
    return _rows(
        is_filled.sum(axis=1),
        numbers_given[is_filled],
        np.ascontiguousarray(numbers[is_filled]),
        queries,
        documents,
    )


def rows_of_sets(
    sets: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]], queries: Iterable[Any] | None, grade: float
) -> kernels.Rows:
    """What is relevant to each query: its documents' numbers or ids."""
    sets_by_query = named_lists(sets, queries, "a set")
    dicts = {
        query: {as_id(document, f"query {query!r}: a document's id"): grade for document in members}
        for query, members in sets_by_query.items()
    }
    rows = kernels.rows_from_dict(dicts, True, kernels.available_threads())
    if rows is None:
        raise InputError(f"the grade must be a finite number, not {grade!r}")
    return rows


def named_lists(
    lists: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]], queries: Iterable[Any] | None, title: str
) -> dict[str, Iterable[Any]]:
    """Lists or sets of documents by query; `title` names one of them in messages."""
    if isinstance(lists, Mapping):
        if queries is not None:
            raise InputError("the mapping names the queries already", hint="leave queries out")
        lists_by_query = {as_id(query, "a query's id"): members for query, members in lists.items()}
        count = len(lists)
    else:
        listed = list(lists)
        count = len(listed)
        names = [str(at) for at in range(count)] if queries is None else _names(queries, "queries")
        if len(names) != count:
            raise InputError(f"{count} {title.removeprefix('a ')}s, but {len(names)} queries")
        lists_by_query = dict(zip(names, listed, strict=True))
    if len(lists_by_query) < count:
        raise InputError("a query appears twice", hint="give each a name of its own")
    return {query: _members(query, members, title) for query, members in lists_by_query.items()}


def _members(query: str, members: Any, title: str) -> Iterable[Any]:
    if isinstance(members, Mapping):
        raise InputError(
            f"query {query!r}: expected {title}, found a mapping",
            hint="Judgments({query: {document: grade}}) takes grades",
        )
    if isinstance(members, (str, bytes)) or not hasattr(members, "__iter__"):
        raise InputError(f"query {query!r}: expected {title} of documents, found {members!r}")
    return members.tolist() if hasattr(members, "tolist") else members  # type: ignore[no-any-return]


def _rows(
    sizes: Any, documents: Any, values: Any, queries: Iterable[Any] | None, names: Iterable[Any] | None
) -> kernels.Rows:
    import numpy as np

    query_names = [] if queries is None else _names(queries, "queries")
    document_names = [] if names is None else _names(names, "documents")
    if queries is not None and len(query_names) != len(sizes):
        raise InputError(f"{len(sizes):,} rows, but {len(query_names):,} queries")
    if names is not None and len(documents) and documents.max() >= len(document_names):
        raise InputError(
            f"document {int(documents.max())} has no name", hint=f"documents holds {len(document_names):,}"
        )
    rows = kernels.rows_from_arrays(
        np.ascontiguousarray(sizes, np.int64),
        np.ascontiguousarray(documents, np.int64),
        np.ascontiguousarray(values, np.float64),
        query_names,
        document_names,
        kernels.available_threads(),
    )
    if rows.duplicate is not None:
        query, document, *_ = rows.duplicate
        raise InputError(f"document {document!r} appears twice for query {query!r}")
    return rows


def _names(ids: Iterable[Any], title: str) -> list[str]:
    listed = ids.tolist() if hasattr(ids, "tolist") else list(ids)
    names = [as_id(name, f"{title}: an id") for name in listed]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{title}: {twice!r} appears twice")
    return names


def _array(cells: Any, title: str, dimensions: int) -> Any:
    import numpy as np

    refuse_sparse(cells, title)
    if isinstance(cells, np.ma.MaskedArray):
        raise InputError(f"{title} are a masked array", hint="fill it, or give dicts")
    try:
        array = np.asarray(cells)
    except ValueError:
        raise InputError(
            f"{title} have rows of different length",
            hint="fill the rows up with −1"
            if title == "indices"
            else "from_groups takes them one behind the other, with sizes",
        ) from None
    if array.ndim != dimensions:
        shape = "a matrix" if dimensions == 2 else "one row of numbers"
        raise InputError(f"{title} must be {shape}, not of shape {array.shape}")
    return array


def refuse_sparse(cells: Any, title: str) -> None:
    """SciPy's sparse matrices do not say whether what they leave out is 0 or was not retrieved."""
    if hasattr(cells, "toarray") and hasattr(cells, "nnz"):
        raise InputError(
            f"{title} are a sparse matrix",
            hint="toarray() makes it dense, with 0 for what is left out; dicts hold only what is there",
        )


def _numbers(cells: Any, title: str, dimensions: int) -> Any:
    """Floats without nan; grades are finite too."""
    import numpy as np

    array = _array(cells, title, dimensions)
    if array.dtype.kind not in "biuf":
        raise InputError(f"{title} are of type {array.dtype}, not numbers")
    numbers = np.ascontiguousarray(array, np.float64)
    refuse_inexact(array, numbers, title)
    bad = np.isnan(numbers) if title == "scores" else ~np.isfinite(numbers)
    if bad.any():
        position = tuple(int(at) for at in np.argwhere(bad)[0])
        where = f"row {position[0]}, column {position[1]}" if dimensions == 2 else f"row {position[0]}"
        raise InputError(f"{where}: the {title[:-1]} is {numbers[position]}", hint="give a number")
    return numbers


def refuse_inexact(array: Any, numbers: Any, title: str) -> None:
    """Whole numbers that floats cannot hold would tie with their neighbours."""
    import numpy as np

    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8 or not array.size:
        return
    large = np.flatnonzero(np.abs(numbers).ravel() >= EXACT)
    large_values = array.ravel()[large].tolist()
    for at, value in zip(large.tolist(), large_values, strict=True):
        if float(value) != value:
            position = ", ".join(map(str, np.unravel_index(at, array.shape)))
            raise InputError(
                f"{title}[{position}] is {value}, {INEXACT}",
                hint="give ranks, or numbers below 2**53",
            )


def _whole(cells: Any, title: str, dimensions: int) -> Any:
    import numpy as np

    array = _array(cells, title, dimensions)
    if array.dtype.kind not in "iu" and array.size:
        raise InputError(f"{title} are of type {array.dtype}, not whole numbers")
    return array.astype(np.int64)
