"""Conventions as they stand beside numbers: what differs from the default in a line, all of them in a table."""

from __future__ import annotations

from idealist.conventions import CHOICES, DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.conventions import Conventions
    from idealist.reporting.table import Cell, Table

ALL = "`idealist conventions idealist` lists them"


def conventions_line(conventions: Conventions, shown: Mapping[str, str] | None = None) -> str:
    """The choices that are not the default ones, and how to see all. `shown` has other words for some of them.
    Parameters stand in the names of the measures that have them.

    >>> conventions_line(DEFAULT)
    'conventions: default (`idealist conventions idealist` lists them)'
    >>> conventions_line(DEFAULT.replace(ties="averaged", missing="skip"))
    'conventions: ties averaged · missing skip, otherwise default (`idealist conventions idealist` lists them)'
    """
    chosen = {**conventions.to_dict(), **(shown or {})}
    different = [f"{name} {choice}" for name, choice in chosen.items() if choice != getattr(DEFAULT, name)]
    if not different:
        return f"conventions: default ({ALL})"
    return f"conventions: {' · '.join(different)}, otherwise default ({ALL})"


def conventions_table(conventions: Conventions) -> Table:
    """Every choice in force, in words."""
    from idealist.reporting.table import Table

    rows: list[list[Cell]] = [
        [about, getattr(conventions, field), known[getattr(conventions, field)]]
        for field, (about, known) in CHOICES.items()
    ]
    rows += [
        [f"{name} of measures that state none", str(value), None]
        for name, value in conventions.parameters.items()
    ]
    return Table(["what", "choice", "meaning"], rows)
