"""Arrays and lists as rows: matrices, lists one behind the other, the top of each row, lists of ids by query."""

from __future__ import annotations

from collections.abc import Mapping

from idealist import kernels
from idealist.base.values import EXACT, INEXACT, as_id
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
    """Rows of relevant documents by query: their numbers or ids."""
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


ROWS = (list, tuple, set, frozenset)


def rows_of_lists(
    lists: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]], queries: Iterable[Any] | None
) -> kernels.Rows:
    """The documents found for each query, best first."""

    ranked: dict[str, dict[str, float]] = {}
    for query, documents in named_lists(lists, queries, "a list").items():
        if isinstance(documents, (set, frozenset)):
            raise InputError(
                f"run, query {query!r}: a set has no order", hint="give a list, the best document first"
            )
        scores: dict[str, float] = {}
        ranked[query] = scores
        for rank, document in enumerate(documents, 1):
            name = as_id(document, f"run, query {query!r}, rank {rank}: a document's id")
            if name in scores:
                raise InputError(
                    f"run, query {query!r}: document {name!r} appears twice, at ranks "
                    f"{-scores[name]:.0f} and {rank}"
                )
            scores[name] = -float(rank)
    rows = kernels.rows_from_dict(ranked, False, kernels.available_threads())
    assert rows is not None, "text and floats are plain"
    return rows


def rows_listed(lists: Any, kind: str) -> kernels.Rows | None:
    """The rows of a run or judgments that were given as lists of ids or as a matrix; None if it was neither."""

    if holds_lists(lists):
        _refuse_mixed(lists, kind)
        return rows_of_lists(lists, None) if kind == "run" else rows_of_sets(lists, None, 1.0)
    refuse_records(lists)
    if not holds_rows(lists):
        return None
    if _is_array(lists) and lists.dtype == object:
        lists = lists.tolist()
    if not _is_array(lists) and _are_ids(lists):
        return rows_of_lists(lists, None) if kind == "run" else rows_of_sets(lists, None, 1.0)
    if kind == "judgments":
        return rows_of_matrix(lists, "grades", None, None)
    _refuse_whole(lists)
    return rows_of_matrix(lists, "scores", None, None)


def holds_lists(mapping: object) -> bool:
    """Whether a mapping is from queries to lists of ids: by the first that is not empty.

    >>> holds_lists({"q": ["a", "b"]}), holds_lists({"q": {"a": 1.0}})
    (True, False)
    """
    if not isinstance(mapping, Mapping) or not mapping:
        return False
    if type(next(iter(mapping.values()))) is dict and next(iter(mapping.values())):
        return False
    filled = (members for members in mapping.values() if not hasattr(members, "__len__") or len(members))
    return is_row(next(filled, next(iter(mapping.values()))))


def holds_rows(candidate: object) -> bool:
    """Whether something is a matrix, or a sequence of rows of numbers or ids: a row per query.

    >>> holds_rows([[0.5, 0.1]]), holds_rows([["a", "b"], ["c"]]), holds_rows([{"q": {"a": 1.0}}])
    (True, True, False)
    """
    if _is_array(candidate):
        return candidate.dtype != object or holds_rows(candidate.tolist())  # type: ignore[attr-defined]
    return isinstance(candidate, (list, tuple)) and bool(candidate) and all(map(is_row, candidate))


def is_row(candidate: object) -> bool:
    """Whether this is a list, a set or an array of ids or numbers."""
    if isinstance(candidate, ROWS):
        return all(
            entry is None or isinstance(entry, str) or hasattr(entry, "__float__") for entry in candidate
        )
    return hasattr(candidate, "tolist") and getattr(candidate, "ndim", 0) == 1


def refuse_other_shape(judgments: Any, run: Any) -> None:
    """Raises unless scores and grades, where both are arrays, have the same shape."""
    if _is_array(run) and _is_array(judgments) and tuple(run.shape) != tuple(judgments.shape):
        raise InputError(
            f"scores have shape {tuple(run.shape)} and grades {tuple(judgments.shape)}",
            hint="both are queries × documents; from_groups takes lists of different length, one behind the other",
        )


def _is_array(candidate: Any) -> bool:
    return hasattr(candidate, "__array__") and hasattr(candidate, "ndim") and hasattr(candidate, "dtype")


def _are_ids(rows: Any) -> bool:
    if any(isinstance(row, (set, frozenset)) for row in rows):
        return True
    return any(isinstance(cell, str) for row in rows for cell in row)


def _refuse_mixed(lists: Mapping[Any, Any], kind: str) -> None:
    for query, members in lists.items():
        if isinstance(members, Mapping) and members:
            number = "scores" if kind == "run" else "grades"
            raise InputError(
                f"{kind}, query {query!r}: documents with {number}, where other queries have lists of ids",
                hint="give all queries dicts, or all lists",
            )


def refuse_records(rows: Any) -> None:
    """Raises for a list whose members are rows of a table: named tuples, such as those of ir_measures, or dicts."""
    first = rows[0] if isinstance(rows, (list, tuple)) and rows else None
    if isinstance(first, Mapping):
        fields = [] if any(isinstance(cell, (Mapping, *ROWS)) for cell in first.values()) else list(first)
    else:
        fields = list(getattr(first, "_fields", ()))
    if fields:
        raise InputError(
            f"a list of rows with the fields {', '.join(map(str, fields))} is neither a run nor judgments",
            hint="make a frame of it, such as pandas.DataFrame(rows), or {query: {document: number}}",
        )


def _refuse_whole(matrix: Any) -> None:
    """Whole numbers may be scores, or the numbers of documents in ranked order."""
    if _is_array(matrix):
        is_whole = matrix.ndim == 2 and not str(matrix.dtype).rpartition(".")[2].startswith(
            ("float", "bfloat")
        )
    else:
        is_whole = all(hasattr(cell, "__index__") for row in matrix for cell in row)
    if is_whole:
        raise InputError(
            "run: rows of whole numbers may be scores, or ids of documents in ranked order",
            hint="if they are grades, judgments come first: evaluate(judgments, runs, …); Run.from_matrix takes scores, Run.from_lists ids, Run.from_top rows that are filled up with −1",
        )
