"""A log of impressions: the lists that were shown, and what was clicked in each."""

from __future__ import annotations

from idealist.base.wording import count_of, count_queries
from idealist.data.column_names import DOCUMENT, QUERY
from idealist.data.columns import as_moment, is_blank
from idealist.data.tables import read_table
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy import ndarray

    from idealist.data.columns import Columns
    from idealist.types import GivenTable


# What people call a column, by what we call it.
NAMES = {
    "impression": ("impression", "impression_id", "list", "list_id", "search_id", "request_id", "serp_id"),
    "query": QUERY,
    "document": DOCUMENT,
    "position": ("position", "pos", "rank"),
    "click": ("click", "clicks", "clicked"),
    "user": ("user", "user_id", "session", "session_id", "visitor", "visitor_id", "cookie"),
    "time": ("time", "timestamp", "datetime", "date"),
    "system": ("system", "team"),
    "propensity": ("propensity",),
    "position_propensity": ("position_propensity",),
}
OPTIONAL = ("user", "time", "system", "propensity", "position_propensity")
CREDIT = "credit:"  # begins the names of columns that say how much of a click a system is given
RANK = "rank:"  # begins those that say where a system ranks the document, for balanced interleaving
HINT = "a row for every document shown: impression (one list shown once), query, document, position and click (0 or 1)"


class Impressions:
    """Rows of impression, query, document, position and click, if known user (or session), time, system (whose
    document it is, in an interleaved list), propensity (the probability that the logging system put this document
    here, given those above it), position_propensity (the same whatever stands above), and the columns credit:NAME or rank:NAME of interleaved
    lists.

    Arrays have an entry per row, in the order of impressions and positions: `impression`, `pair` (the number of a
    query and document in `pairs`), `position` and `clicked`; `query`, `user` and `times` have one per impression.
    Users are the unit of intervals; without them every impression is one of its own.

    >>> from idealist.data.columns import Columns
    >>> table = {"impression": [1, 1], "query": ["q", "q"], "document": ["a", "b"], "position": [1, 2], "click": [0, 1]}
    >>> Impressions(Columns(table))
    <Impressions: 1 impression of 1 query, 1 click>
    """

    def __init__(self, table: Columns, *, columns: Mapping[str, str] | None = None) -> None:
        import numpy as np

        names = _find_columns(table, columns or {})
        if not len(table):
            raise table.wrong("the log has no rows", hint=HINT)
        self.source = table.source
        impressions, queries = table.ids(names["impression"]), table.ids(names["query"])
        documents = table.ids(names["document"])
        positions = [_position(table, names["position"], row) for row in range(len(table))]
        clicks = [_clicked(table, names["click"], row) for row in range(len(table))]
        numbers: dict[str, int] = {}
        first_rows: list[int] = []
        for row, name in enumerate(impressions):
            if numbers.setdefault(name, len(numbers)) == len(first_rows):
                first_rows.append(row)
        self.names = list(numbers)
        of_row = [numbers[name] for name in impressions]
        self._refuse_odd(table, of_row, first_rows, queries, documents, positions)
        order = sorted(range(len(table)), key=lambda row: (of_row[row], positions[row]))
        query_numbers: dict[str, int] = {}
        pair_numbers: dict[tuple[str, str], int] = {}
        self.impression: ndarray = np.asarray([of_row[row] for row in order])
        self.pair: ndarray = np.asarray(
            [pair_numbers.setdefault((queries[row], documents[row]), len(pair_numbers)) for row in order]
        )
        self.position: ndarray = np.asarray([positions[row] for row in order])
        self.clicked: ndarray = np.asarray([clicks[row] for row in order])
        self.query: ndarray = np.asarray(
            [query_numbers.setdefault(queries[row], len(query_numbers)) for row in first_rows]
        )
        self.queries, self.pairs = list(query_numbers), list(pair_numbers)
        self.user, self.users = self._users(table, names, first_rows)
        self.has_users = "user" in names
        self.times = [as_moment(table, names["time"], row) for row in first_rows] if "time" in names else None
        self.propensity, self.position_propensity = (
            _chances(table, names[role], order) if role in names else None
            for role in ("propensity", "position_propensity")
        )
        self.credits = self._credits(table, names, order)
        self.ranks = {
            name[len(RANK) :]: np.asarray([_rank(table, name, row) for row in order])
            for name in table.names
            if name.lower().startswith(RANK)
        }

    def __len__(self) -> int:
        return len(self.names)

    @property
    def longest(self) -> int:
        """The largest position."""
        return int(self.position.max())

    def matrix(self, column: Any, empty: Any = 0.0) -> ndarray:
        """A column of rows as impressions × positions, with `empty` where nothing was shown."""
        import numpy as np

        values = np.asarray(column)
        table = np.full((len(self), self.longest), empty, dtype=values.dtype)
        table[self.impression, self.position - 1] = values
        return table

    def __repr__(self) -> str:
        impressions, queries = count_of(len(self), "impression"), count_queries(len(self.queries))
        return f"<Impressions: {impressions} of {queries}, {count_of(int(self.clicked.sum()), 'click')}>"

    def _users(
        self, table: Columns, names: Mapping[str, str], first_rows: list[int]
    ) -> tuple[ndarray, list[str]]:
        import numpy as np

        if "user" not in names:
            return np.arange(len(self)), self.names
        users = table.ids(names["user"])
        numbers: dict[str, int] = {}
        of_impression = [numbers.setdefault(users[row], len(numbers)) for row in first_rows]
        return np.asarray(of_impression), list(numbers)

    def _credits(self, table: Columns, names: Mapping[str, str], order: list[int]) -> dict[str, ndarray]:
        """How much of a click on each row every system is given: by columns credit:NAME, or all to the one named."""
        import numpy as np

        stated = [name for name in table.names if name.lower().startswith(CREDIT)]
        if stated:
            return {
                name[len(CREDIT) :]: np.asarray([table.number(name, row) for row in order]) for name in stated
            }
        if "system" not in names:
            return {}
        systems = np.asarray(table.texts(names["system"]))[order]
        return {str(name): (systems == name).astype(float) for name in sorted(set(systems.tolist())) if name}

    def _refuse_odd(
        self,
        table: Columns,
        of_row: list[int],
        first_rows: list[int],
        queries: list[str],
        documents: list[str],
        positions: list[int],
    ) -> None:
        places: dict[tuple[int, int], int] = {}
        shown: dict[tuple[int, str], int] = {}
        for row, number in enumerate(of_row):
            first = first_rows[number]
            if queries[row] != queries[first]:
                raise table.wrong(
                    f"impression {self.names[number]!r} has the queries {queries[first]!r} and {queries[row]!r}",
                    row,
                    hint="an impression is one list, shown once for one query",
                )
            for what, key, seen in (
                (f"position {positions[row]}", positions[row], places),
                (f"document {documents[row]!r}", documents[row], shown),
            ):
                if (number, key) in seen:
                    raise table.wrong(
                        f"impression {self.names[number]!r} has {what} twice",
                        row,
                        hint="a list has one document at a position; number impressions so that each is shown once",
                    )
                seen[number, key] = row  # type: ignore[index]


def _find_columns(table: Columns, mapped: Mapping[str, str]) -> dict[str, str]:
    for role in mapped:
        if role not in NAMES:
            raise InputError(f"a log has no column {role!r}", hint=f"name one of: {', '.join(NAMES)}")
    columns = {}
    for role, names in NAMES.items():
        if role in mapped:
            columns[role] = table.named(mapped[role])
        elif role in OPTIONAL:
            # What is the query already, such as user_id of a recommender, is not the user besides.
            name = table.find(*(name for name in names if name not in columns.values()))
            if name is not None:
                columns[role] = name
        else:
            if table.find(*names) is None:
                there = ", ".join(table.names) or "no columns"
                named = f"--columns {role}=NAME, or columns={{{role!r}: NAME}} in Python, names it"
                raise table.wrong(
                    f"the log has no column {role!r}", hint=f"there are {there}; {named}; {HINT}"
                )
            columns[role] = table.named(*names)
    return columns


def _position(table: Columns, name: str, row: int) -> int:
    position = table.number(name, row)
    if position < 1 or position != int(position) or position > 10_000:
        raise table.wrong(f"{name} must be a whole number from 1 to 10,000, not {position:g}", row)
    return int(position)


def _rank(table: Columns, name: str, row: int) -> float:
    """Where a system ranks the document of a row; infinity where it does not."""
    return float("inf") if is_blank(table.columns[name][row]) else table.number(name, row)


def _clicked(table: Columns, name: str, row: int) -> bool:
    cell = table.columns[name][row]
    if isinstance(cell, bool):
        return cell
    if isinstance(cell, str) and cell.strip().lower() in ("true", "false"):
        return cell.strip().lower() == "true"
    clicks = table.number(name, row)
    if clicks < 0:
        raise table.wrong(f"{name} must be 0 or more, not {clicks:g}", row)
    return clicks > 0


def _chances(table: Columns, name: str, order: list[int]) -> ndarray:
    import numpy as np

    chances = table.numbers(name)
    for row, chance in enumerate(chances):
        if not 0 < chance <= 1:
            raise table.wrong(
                f"{name} must be above 0 and at most 1, not {chance:g}",
                row,
                hint="it is the probability that the document was put there",
            )
    return np.asarray(chances)[order]


def read_impressions(
    source: Impressions | GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
) -> Impressions:
    """A log of impressions from a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns or a list of records.
    Impressions says what its columns are, `columns` how they are called here.

    >>> rows = [{"impression": 1, "query": "q", "document": d, "position": p, "click": p == 2} for p, d in [(1, "a"), (2, "b")]]
    >>> read_impressions(rows)
    <Impressions: 1 impression of 1 query, 1 click>
    """
    if isinstance(source, Impressions):
        return source
    return Impressions(read_table(source, format=format, encoding=encoding).of("clicks"), columns=columns)
