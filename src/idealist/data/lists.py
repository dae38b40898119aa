"""Lists of ids by query, and rows of numbers, where a run or judgments are expected."""

from __future__ import annotations

from collections.abc import Mapping

from idealist import kernels
from idealist.data.numbers import as_id
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

ROWS = (list, tuple, set, frozenset)


def rows_of_lists(
    lists: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]], queries: Iterable[Any] | None
) -> kernels.Rows:
    """The documents found for each query, best first."""
    from idealist.data.arrays import named_lists

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
    from idealist.data.arrays import rows_of_matrix, rows_of_sets

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
