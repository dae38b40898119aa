"""Groups of items by their names in a column: the one that a measure is about, and what a message says of them."""

from __future__ import annotations

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.measures.base import Measure

MOST_SHOWN = 10


def group_position(measure: Measure, group: str | None, column: str, names: Sequence[str]) -> int:
    """Where the group that a measure names stands among those of the column; an error where it names none, or none
    of these."""
    if group not in names:
        problem = "needs group" if group is None else f"names group {group!r}, which no item is in"
        raise InputError(f"{measure} {problem}", hint=groups_hint(column, names))
    return names.index(group)


def groups_hint(column: str, names: Sequence[str]) -> str:
    """The groups that a column has, a few of them where they are many.

    >>> groups_hint("group", ["a", "b"])
    'column group has a, b'
    """
    more = ", …" if len(names) > MOST_SHOWN else ""
    return f"column {column} has {', '.join(names[:MOST_SHOWN])}{more}"
