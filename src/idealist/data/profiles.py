"""User profiles: how users value grades, how far they look, how much they count."""

from __future__ import annotations

from idealist.data.column_names import QUERY
from idealist.data.segments import segments_by_query
from idealist.data.weights import QueryWeights, find_weight
from idealist.errors import InputError
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.data.columns import Columns


SETTINGS = ("k", "gain", "discount", "patience", "weight")


class Profiles:
    """A table with one row per user, or per query where a query is what has a user.

    The columns k, gain, discount, patience and weight are settings of personalised measures; an empty cell
    leaves the choice to the measure. Any other column may name segments.
    """

    __slots__ = ("_columns", "_rows", "source")

    def __init__(self, columns: Columns) -> None:
        key = columns.named(*QUERY)
        rows: dict[str, int] = {}
        for row, name in enumerate(columns.ids(key)):
            if name in rows:
                raise columns.wrong(f"{key} {name!r} appears twice", row, hint="keep one of the two rows")
            rows[name] = row
        if not rows:
            raise columns.wrong("the table of profiles is empty")
        self._columns = columns
        self._rows = rows
        self.source = columns.source

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, column: object) -> bool:
        return column in self._columns

    def __repr__(self) -> str:
        return f"<Profiles: {count_of(len(self), 'user')}; {', '.join(self._columns.names)}>"

    def remarks(self, queries: Sequence[str]) -> list[str]:
        """What is odd about the table. It is an error unless every judged query has a profile."""
        notes = self._unjudged_users(queries)
        from difflib import get_close_matches

        return notes + [
            f"profiles: the column {name!r} is not a setting; did you mean {close[0]!r}?"
            for name in self._columns.names
            if name.lower() not in SETTINGS and (close := get_close_matches(name.lower(), SETTINGS, 1, 0.7))
        ]

    def _unjudged_users(self, queries: Sequence[str]) -> list[str]:
        """A note on the users for whom nothing is judged: a table of all users has more than were judged."""
        for query in queries:
            if query not in self._rows:
                raise InputError(
                    f"{query!r} is judged but has no profile",
                    source=self.source,
                    hint=f"add a row; empty cells leave the choice to the measure. There are profiles of "
                    f"{', '.join(map(repr, list(self._rows)[:3]))}",
                )
        judged_queries = set(queries)
        unjudged_users = [name for name in self._rows if name not in judged_queries]
        if not unjudged_users:
            return []
        count = count_of(len(unjudged_users), "user")
        return [f"profiles: nothing is judged for {count}, such as {unjudged_users[0]!r}, not measured"]

    def column(self, name: str) -> dict[str, str]:
        """A column by user, as `segments` takes it: text, without users whose cell is empty."""
        cells = self._columns.columns[self._columns.named(name)]
        return segments_by_query((user, cells[row]) for user, row in self._rows.items())

    def texts(self, column: str, queries: Sequence[str]) -> list[str]:
        """A column in the order of queries, as text; raises when there is no such column."""
        cells = self._columns.texts(self._columns.named(column))
        return [cells[self._rows[query]] for query in queries]

    def settings(self, column: str, queries: Sequence[str], read: Any) -> list[Any]:
        """What `read` makes of the cells of a column; None where a cell is empty, or the column absent."""
        name = self._columns.find(column)
        if name is None:
            return [None] * len(queries)
        cells = self._columns.columns[name]
        read_cells: dict[Any, Any] = {None: None, "": None}
        settings = []
        for query in queries:
            row = self._rows[query]
            cell = cells[row]
            if isinstance(cell, float) and cell != cell:
                cell = None  # how frames write that there is nothing
            key = cell if cell.__hash__ else repr(cell)
            if key not in read_cells:
                try:
                    read_cells[key] = read(cell)
                except InputError as error:
                    raise self._columns.wrong(error.message, row, hint=error.hint) from None
            settings.append(read_cells[key])
        return settings

    def weights(self, column: str | None = None) -> QueryWeights | None:
        """How much each user counts in a mean, by this column or by the one that find_weight finds; None without
        such a column. Traffic counts only if it is named: a profile may well hold it for something else."""
        weight_column = find_weight(self._columns, column, names=("weight",))
        if weight_column is None:
            return None
        source_text = f" of {self.source}" if self.source else " of the profiles"
        return QueryWeights(
            dict(zip(self._rows, weight_column.values(self._columns), strict=True)),
            f"{weight_column}{source_text}",
        )
