"""A log of clicks: which document was shown where, and how often it was clicked."""

from __future__ import annotations

from idealist.data.columns import DOCUMENT, QUERY
from idealist.errors import InputError
from idealist.wording import count_of, count_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from idealist.data.columns import Columns

POSITION = ("position", "pos", "rank")
CLICKS = ("clicks", "click")
PROPENSITY = ("propensity",)


class ClickLog:
    """Rows of query, document, position, clicks (1 where there is no such column) and, if it was logged, the
    propensity: the chance that a person looked at what stood there.

    >>> from idealist.data.columns import Columns
    >>> log = ClickLog(Columns({"query": ["q", "q"], "document": ["a", "b"], "position": [1, 2]}))
    >>> log
    <ClickLog: 1 query, 2 rows>
    >>> list(log.rows("q"))
    [('a', 1, 1.0, None), ('b', 2, 1.0, None)]
    """

    __slots__ = ("_queries", "has_propensities")

    def __init__(self, columns: Columns) -> None:
        queries = columns.ids(columns.named(*QUERY))
        documents = columns.ids(columns.named(*DOCUMENT))
        place, clicks, propensity = columns.named(*POSITION), columns.find(*CLICKS), columns.find(*PROPENSITY)
        self.has_propensities = propensity is not None
        self._queries: dict[str, list[tuple[str, int, float, float | None]]] = {}
        seen: dict[tuple[str, str, int], int] = {}
        for row, (query, document) in enumerate(zip(queries, documents, strict=True)):
            position = columns.number(place, row)
            if position < 1 or position != int(position):
                raise columns.wrong(f"{place} is {position:g}", row, hint="it is a whole number, from 1 up")
            count = 1.0 if clicks is None else columns.number(clicks, row)
            if count < 0:
                raise columns.wrong(f"{clicks} is {count:g}", row, hint="it is not negative")
            chance = None if propensity is None else columns.number(propensity, row)
            if chance is not None and not 0 < chance <= 1:
                raise columns.wrong(f"{propensity} is {chance:g}", row, hint="it is above 0, and at most 1")
            key = query, document, int(position)
            if key in seen:
                raise columns.wrong(
                    f"query {query!r}, document {document!r} at {place} {position:g} is there twice, "
                    f"first {_where(columns, seen[key])}",
                    row,
                    hint="add up their clicks",
                )
            seen[key] = row
            self._queries.setdefault(query, []).append((document, int(position), count, chance))
        if not self._queries:
            raise columns.wrong("the click log has no rows")

    def remarks(self, queries: Sequence[str]) -> list[str]:
        """What is odd about the log."""
        strangers = len(self._queries.keys() - set(queries))
        without = sum(query not in self._queries for query in queries)
        notes = []
        if strangers:
            notes.append(f"clicks: {strangers:,} of the log's queries are not judged, and not measured")
        if without:
            notes.append(f"clicks: {without:,} of the judged queries have no row in the log")
        return notes

    def __len__(self) -> int:
        return sum(map(len, self._queries.values()))

    def __contains__(self, query: object) -> bool:
        return query in self._queries

    def rows(self, query: str) -> Iterator[tuple[str, int, float, float | None]]:
        """(document, position, clicks, propensity or None) for every row of a query."""
        return iter(self._queries.get(query, ()))

    def propensities(self, query: str, eta: float) -> Iterator[tuple[str, float, float]]:
        """(document, clicks, propensity) for every row of a query; the propensity is (1/position)^eta where
        none was logged."""
        for document, position, clicks, propensity in self.rows(query):
            chance = float(position) ** -eta if propensity is None else propensity
            if chance == 0:
                raise InputError(
                    f"query {query!r}, document {document!r}: nobody looks at position {position} with "
                    f"eta={eta:g}",
                    hint="use a smaller eta",
                )
            yield document, clicks, chance

    def __repr__(self) -> str:
        queries = count_queries(len(self._queries))
        return f"<ClickLog: {queries}, {count_of(len(self), 'row')}>"


def _where(columns: Columns, row: int) -> str:
    return f"in row {row + 1}" if columns.first_line is None else f"on line {columns.first_line + row}"
