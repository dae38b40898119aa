"""Profiles of users, and segments of queries: new and old users, head and tail queries, countries, …"""

from __future__ import annotations

from collections.abc import Mapping

from idealist.base.values import as_id, given_twice
from idealist.base.wording import count_of
from idealist.data.column_names import QUERY
from idealist.data.columns import Columns
from idealist.data.query_weights import QueryWeights, find_weight
from idealist.data.tables import holds_columns, read_table
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from idealist.types import GivenTable


class QuerySegments(dict[str, str]):
    """The segment of every query, as a table has it, and the name of that table for errors."""

    source: str | None = None


def segment_name(value: Any) -> str:
    """The name of a segment as text; empty where there is none.

    >>> segment_name("new"), segment_name(2024), segment_name(True), segment_name(float("nan"))
    ('new', '2024', 'True', '')
    """
    if _is_missing(value):
        return ""
    return as_id(value if isinstance(value, str) else str(value), "the name of a segment")


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas' NA is neither equal to itself nor unequal
        return True


def segments_by_query(pairs: Iterable[tuple[Any, Any]]) -> dict[str, str]:
    """The segment of every query that has one, from pairs of a query and a name.

    >>> segments_by_query([("q1", "new"), (2, "old"), ("q3", None)])
    {'q1': 'new', '2': 'old'}
    """
    segments: dict[str, str] = {}
    for query, value in pairs:
        name = as_id(query, "a segment: a query's id")
        segment = segment_name(value)
        if segment and segments.setdefault(name, segment) != segment:
            raise given_twice(f"the segment of query {name!r}")
    return segments


def segment_of(query: str, segments: Mapping[str, str]) -> str:
    """The segment of a query; an error if it has none."""
    if query not in segments:
        source = segments.source if isinstance(segments, QuerySegments) else None
        raise InputError(
            f"query {query!r} has no segment", source=source, hint="give the segment of every query"
        )
    return segments[query]


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
        """Notes on oddities of the table. It is an error unless every judged query has a profile."""
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
        """Reads the cells of a column with `read`; None where a cell is empty, or the column absent."""
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


SEGMENT = "segment"


def query_segments(
    segments: Any, segment_by: str | None, profiles: Profiles | None = None
) -> dict[str, str] | None:
    """The segment of every query, by the segments that are given, or by a column of the profiles; None where neither is
    asked for."""
    if segments is not None:
        return read_segments(segments, column=segment_by)
    if segment_by is None:
        return None
    if profiles is None:
        raise InputError(
            f"segment_by names the column {segment_by!r}, but no table with segments was given",
            hint="give the segments, or profiles (--segments FILE, --profiles FILE)",
        )
    return read_segments(profiles, column=segment_by)


def read_segments(source: Any, *, column: str | None = None) -> dict[str, str]:
    """The segment of every query: from a table (a file in any format of tables, a frame, a dict of columns, a list of
    records), a mapping from queries to names, or profiles. `column` names the column of segments; without it, it is
    called segment.

    >>> read_segments({"q1": "new", "q2": "old"})
    {'q1': 'new', 'q2': 'old'}
    >>> read_segments({"query": ["q1", "q2"], "country": ["CH", "AT"]}, column="country")
    {'q1': 'CH', 'q2': 'AT'}
    """
    if isinstance(source, QuerySegments) and column is None:
        return source
    if isinstance(source, Profiles):
        return source.column(column or SEGMENT)
    if isinstance(source, Mapping) and not holds_columns(source):
        if column is not None:
            raise InputError(
                f"the column {column!r} was named, but the segments are not a table",
                hint="leave the column out",
            )
        return segments_by_query(source.items())
    if isinstance(source, (list, tuple)) and not all(isinstance(entry, Mapping) for entry in source):
        raise InputError(
            f"segments must be a mapping from queries to names, or a table, not {source!r:.60}",
            hint='{"q1": "new users"}, or the path of a table',
        )
    return _from_table(read_table(source).of("segments"), column)


def _from_table(table: Columns, column: str | None) -> dict[str, str]:
    segment_column = table.named(column or SEGMENT)
    cells = table.columns[segment_column]
    if not any(map(segment_name, cells)):  # it says nothing of any query
        return {}
    segments = QuerySegments()
    segments.source = table.source
    for row, query in enumerate(table.ids(table.named(*QUERY))):
        segment = segment_name(cells[row])
        if not segment:
            raise table.wrong(f"{segment_column} is empty", row, hint="fill it in, or leave the row out")
        if segments.setdefault(query, segment) != segment:
            raise table.wrong(f"query {query!r} is in two segments", row, hint="keep one of the two rows")
    return segments


def read_profiles(
    source: Profiles | GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Profiles:
    """User profiles from a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns or a list of records:
    a column query or user, then any of k, gain, discount, patience, weight and columns that name segments.
    `encoding`, `decimal` and `columns` are those of read_table."""
    if isinstance(source, Profiles):
        return source
    return Profiles(
        read_table(source, columns=columns, format=format, encoding=encoding, decimal=decimal).of("profiles")
    )
