"""NumPy arrays as rows: matrices, groups one behind the other, the top of each row, sets of what is relevant."""

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
    cells: Any, what: str, queries: Iterable[Any] | None, documents: Iterable[Any] | None
) -> kernels.Rows:
    """A row per query, a column per document."""
    import numpy as np

    matrix = _numbers(cells, what, 2)
    rows, columns = matrix.shape
    return _rows(
        np.full(rows, columns, np.int64),
        np.tile(np.arange(columns), rows),
        matrix.ravel(),
        queries,
        documents,
    )


def rows_of_groups(
    values: Any, sizes: Any, what: str, queries: Iterable[Any] | None, documents: Iterable[Any] | None
) -> kernels.Rows:
    """The values of all queries one behind the other, and how many each has."""
    import numpy as np

    numbers = _numbers(values, what, 1)
    counts = _whole(sizes, "sizes", 1)
    if (counts < 0).any():
        raise InputError(f"the size of group {int((counts < 0).argmax())} is negative")
    total = sum(counts.tolist())
    if total != len(numbers):
        raise InputError(
            f"the sizes add up to {total:,}, but there are {len(numbers):,} {what}",
            hint="sizes holds one number per query: how many documents it has",
        )
    if documents is None:
        return _rows(counts, np.arange(len(numbers)), numbers, queries, None)
    # A document may be in several groups: each id has one number.
    listed = documents.tolist() if hasattr(documents, "tolist") else list(documents)
    if len(listed) != len(numbers):
        raise InputError(f"{len(numbers):,} {what}, but {len(listed):,} documents")
    number_of: dict[str, int] = {}
    places = [number_of.setdefault(as_id(one, "documents: an id"), len(number_of)) for one in listed]
    return _rows(counts, np.array(places, np.int64), numbers, queries, number_of)


def rows_of_top(
    indices: Any, scores: Any, queries: Iterable[Any] | None, documents: Iterable[Any] | None
) -> kernels.Rows:
    """The documents' numbers, best first, a row per query. −1 at the end of a row: there are no more."""
    import numpy as np

    found = _whole(indices, "indices", 2)
    columns = found.shape[1]
    there = found >= 0
    if (found < -1).any() or (there[:, 1:] & ~there[:, :-1]).any():
        bad = np.argwhere((found < -1) | np.pad(there[:, 1:] & ~there[:, :-1], ((0, 0), (1, 0))))[0]
        raise InputError(
            f"row {bad[0]}, column {bad[1]}: the index is {found[bad[0], bad[1]]}"
            + (" behind a −1" if found[bad[0], bad[1]] >= 0 else ""),
            hint="−1 may stand at the end of a row only, where nothing was found",
        )
    if scores is None:
        numbers = np.broadcast_to(-np.arange(1.0, columns + 1), found.shape)
    else:
        # What stands beside a −1 is no score, and often nan.
        given = np.asarray(scores)
        if given.shape != found.shape:
            raise InputError(f"indices have the shape {found.shape}, scores {given.shape}")
        numbers = _numbers(np.where(there, given, 0), "scores", 2)
        rising = np.argwhere((numbers[:, 1:] > numbers[:, :-1]) & there[:, 1:])
        if len(rising):
            raise InputError(
                f"row {rising[0][0]}: the scores rise from column {rising[0][1]} to the next, but the best come first",
                hint="if they are distances, give −distances, or leave the scores out",
            )
    return _rows(there.sum(axis=1), found[there], np.ascontiguousarray(numbers[there]), queries, documents)


def rows_of_sets(
    sets: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]], queries: Iterable[Any] | None, grade: float
) -> kernels.Rows:
    """What is relevant to each query: its documents' numbers or ids."""
    named = named_lists(sets, queries, "a set")
    dicts = {
        query: {as_id(document, f"query {query!r}: a document's id"): grade for document in one}
        for query, one in named.items()
    }
    rows = kernels.rows_from_dict(dicts, True, kernels.available_threads())
    if rows is None:
        raise InputError(f"the grade is {grade!r}, not a finite number")
    return rows


def named_lists(
    lists: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]], queries: Iterable[Any] | None, what: str
) -> dict[str, Iterable[Any]]:
    """Lists or sets of documents by query; `what` is what messages call one of them."""
    if isinstance(lists, Mapping):
        if queries is not None:
            raise InputError("the mapping names the queries already", hint="leave queries out")
        named = {as_id(query, "a query's id"): one for query, one in lists.items()}
        count = len(lists)
    else:
        listed = list(lists)
        count = len(listed)
        names = [str(at) for at in range(count)] if queries is None else _names(queries, "queries")
        if len(names) != count:
            raise InputError(f"{count} {what.removeprefix('a ')}s, but {len(names)} queries")
        named = dict(zip(names, listed, strict=True))
    if len(named) < count:
        raise InputError("a query is there twice", hint="give each a name of its own")
    return {query: _members(query, one, what) for query, one in named.items()}


def _members(query: str, members: Any, what: str) -> Iterable[Any]:
    if isinstance(members, Mapping):
        raise InputError(
            f"query {query!r}: expected {what}, found a mapping",
            hint="Judgments({query: {document: grade}}) takes grades",
        )
    if isinstance(members, (str, bytes)) or not hasattr(members, "__iter__"):
        raise InputError(f"query {query!r}: expected {what} of documents, found {members!r}")
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
        raise InputError(f"document {document!r} is there twice for query {query!r}")
    return rows


def _names(given: Iterable[Any], what: str) -> list[str]:
    listed = given.tolist() if hasattr(given, "tolist") else list(given)
    names = [as_id(name, f"{what}: an id") for name in listed]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{what}: {twice!r} is there twice")
    return names


def _array(cells: Any, what: str, dimensions: int) -> Any:
    import numpy as np

    refuse_sparse(cells, what)
    if isinstance(cells, np.ma.MaskedArray):
        raise InputError(f"{what} are a masked array", hint="fill it, or give dicts")
    try:
        array = np.asarray(cells)
    except ValueError:
        raise InputError(
            f"{what} have rows of different length",
            hint="fill the rows up with −1"
            if what == "indices"
            else "from_groups takes them one behind the other, with sizes",
        ) from None
    if array.ndim != dimensions:
        shape = "a matrix" if dimensions == 2 else "one row of numbers"
        raise InputError(f"{what} have the shape {array.shape}, and are to be {shape}")
    return array


def refuse_sparse(cells: Any, what: str) -> None:
    """SciPy's sparse matrices do not say whether what they leave out is 0 or was not retrieved."""
    if hasattr(cells, "toarray") and hasattr(cells, "nnz"):
        raise InputError(
            f"{what} are a sparse matrix",
            hint="toarray() makes it dense, with 0 for what is left out; dicts hold only what is there",
        )


def _numbers(cells: Any, what: str, dimensions: int) -> Any:
    """Floats without nan; grades are finite too."""
    import numpy as np

    array = _array(cells, what, dimensions)
    if array.dtype.kind not in "biuf":
        raise InputError(f"{what} are of type {array.dtype}, not numbers")
    numbers = np.ascontiguousarray(array, np.float64)
    refuse_inexact(array, numbers, what)
    bad = np.isnan(numbers) if what == "scores" else ~np.isfinite(numbers)
    if bad.any():
        place = tuple(int(at) for at in np.argwhere(bad)[0])
        where = f"row {place[0]}, column {place[1]}" if dimensions == 2 else f"row {place[0]}"
        raise InputError(f"{where}: the {what[:-1]} is {numbers[place]}", hint="give a number")
    return numbers


def refuse_inexact(array: Any, numbers: Any, what: str) -> None:
    """Whole numbers that floats cannot hold would tie with their neighbours."""
    import numpy as np

    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8 or not array.size:
        return
    large = np.flatnonzero(np.abs(numbers).ravel() >= EXACT)
    there = array.ravel()[large].tolist()
    for at, value in zip(large.tolist(), there, strict=True):
        if float(value) != value:
            place = ", ".join(map(str, np.unravel_index(at, array.shape)))
            raise InputError(
                f"{what}[{place}] is {value}, {INEXACT}",
                hint="give ranks, or numbers below 2**53",
            )


def _whole(cells: Any, what: str, dimensions: int) -> Any:
    import numpy as np

    array = _array(cells, what, dimensions)
    if array.dtype.kind not in "iu" and array.size:
        raise InputError(f"{what} are of type {array.dtype}, not whole numbers")
    return array.astype(np.int64)
