"""The order in which the judgments of queries were complete: a list of ids, a file with one a line, or a table."""

from __future__ import annotations

from idealist.data.column_names import QUERY
from idealist.data.moments import as_moment
from idealist.data.numbers import as_id
from idealist.errors import InputError
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TIME = ("time", "timestamp", "datetime", "date")


def read_query_order(source: Any) -> dict[str, int]:
    """The place of every query. A table has the column query and, unless its rows are in order, time; a query that
    has several rows, such as a judgment each, is complete with the last of them.

    >>> read_query_order(["q7", "q2"])
    {'q7': 0, 'q2': 1}
    >>> read_query_order({"query": ["q7", "q2", "q7"], "time": ["2026-01-01", "2026-01-02", "2026-01-03"]})
    {'q2': 0, 'q7': 1}
    """
    if isinstance(source, (list, tuple)) and all(isinstance(entry, (str, int)) for entry in source):
        ids = [as_id(entry, "the id of a query in the order") for entry in source]
        if len(set(ids)) < len(ids):
            twice = next(query for query in ids if ids.count(query) > 1)
            raise InputError(f"the order has the query {twice!r} twice", hint="name it once")
        return {query: place for place, query in enumerate(ids)}
    table = read_table(source).of("order")
    queries = table.ids(table.named(*QUERY))
    rows = list(range(len(table)))
    if (name := table.find(*TIME)) is not None:
        moments = [as_moment(table, name, row) for row in rows]
        rows.sort(key=moments.__getitem__)
    last = {queries[row]: place for place, row in enumerate(rows)}
    return {query: place for place, query in enumerate(sorted(last, key=last.__getitem__))}
