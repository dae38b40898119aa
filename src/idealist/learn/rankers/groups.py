"""Which rows are of one query: from sizes, or from a query's id for each row."""

from __future__ import annotations

import numpy as np

from idealist.base.frozen import Frozen
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import ndarray

HINT = "group is a query's id for each row, or how many rows each query has, one query behind the other"


class Groups(Frozen):
    """The rows of each query: `order` puts them together, `sizes` says how many each has, and `queries` names them."""

    order: ndarray
    sizes: ndarray
    queries: tuple[str, ...]


def read_groups(group: Any, rows: int) -> Groups:
    """The queries of rows.

    As many entries as rows are ids, which may be numbers or text, and whose rows may stand apart; fewer are sizes. As
    many ones as rows could be either and are refused; as text, "1", they are ids.

    >>> read_groups([2, 1], 3).sizes.tolist(), read_groups(["b", "a", "b"], 3).order.tolist()
    ([2, 1], [0, 2, 1])
    """
    if group is None:
        raise InputError("group is missing: which rows are of one query?", hint=HINT)
    entries = np.asarray(group)
    if entries.ndim != 1:
        raise InputError(f"group has the shape {entries.shape}", hint=HINT)
    numbers = _whole_numbers(entries)
    if len(entries) != rows:
        return _by_sizes(numbers, entries, rows)
    if rows > 1 and numbers is not None and (numbers == 1).all():
        raise InputError(
            f"group is {rows:,} ones: one query with the id 1, or {rows:,} queries of one row?",
            hint='give ids as text, such as "1", or other numbers',
        )
    return _by_ids(entries if numbers is None else numbers)


def has_ids(group: Any, rows: int) -> bool:
    """Whether a group that could be read has an id for each row: queries then keep their names from call to call."""
    return group is not None and len(group) == rows


def _whole_numbers(entries: ndarray) -> ndarray | None:
    """Numbers as whole ones; None for text."""
    if entries.dtype.kind not in "iufb":
        return None
    if entries.dtype.kind == "f" and not (np.isfinite(entries) & (entries == np.round(entries))).all():
        at = int((~(np.isfinite(entries) & (entries == np.round(entries)))).argmax())
        raise InputError(f"entry {at} of group is {entries[at]}", hint="ids are whole numbers or text")
    if entries.dtype.kind == "f":
        most = 2.0 ** (np.finfo(entries.dtype).nmant + 1)  # from here on some whole numbers are no floats
        if (np.abs(entries) >= most).any():
            at = int((np.abs(entries) >= most).argmax())
            raise InputError(
                f"entry {at} of group is {entries[at]}, which {entries.dtype} may have rounded",
                hint="give ids as whole numbers or text, not as floats",
            )
    return entries if entries.dtype.kind == "u" else entries.astype(np.int64)


def _by_sizes(numbers: ndarray | None, entries: ndarray, rows: int) -> Groups:
    if numbers is None:
        raise InputError(f"group has {len(entries):,} ids, but there are {rows:,} rows", hint=HINT)
    if len(numbers) and numbers.min() < 1:
        at = int((numbers < 1).argmax())
        raise InputError(f"query {at} has {numbers[at]} rows", hint="leave out a query without documents")
    total = sum(numbers.tolist())  # Python's own numbers do not run over
    if total != rows:
        raise InputError(
            f"group has {len(numbers):,} entries, which add up to {total:,}, but there are {rows:,} rows",
            hint=f"{HINT}; folds and searches of scikit-learn want ids",
        )
    return Groups(np.arange(rows), numbers.astype(np.int64), tuple(map(str, range(len(numbers)))))


def _by_ids(ids: ndarray) -> Groups:
    texts = [str(entry) for entry in ids.tolist()]
    places: dict[str, int] = {}
    for text in texts:
        places.setdefault(text, len(places))
    numbers = np.array([places[text] for text in texts], np.int64)
    return Groups(
        np.argsort(numbers, kind="stable"), np.bincount(numbers, minlength=len(places)), tuple(places)
    )
