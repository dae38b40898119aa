"""A log of clicks: which document was shown where, and how often it was clicked."""

from __future__ import annotations

from idealist.base.wording import count_of, count_queries
from idealist.data.column_names import DOCUMENT, QUERY
from idealist.data.tables import read_table
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from idealist.data.columns import Columns
    from idealist.types import GivenTable


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

    __slots__ = ("_queries",)

    def __init__(self, columns: Columns) -> None:
        queries = columns.ids(columns.named(*QUERY))
        documents = columns.ids(columns.named(*DOCUMENT))
        position_column, clicks, propensity = (
            columns.named(*POSITION),
            columns.find(*CLICKS),
            columns.find(*PROPENSITY),
        )
        self._queries: dict[str, list[tuple[str, int, float, float | None]]] = {}
        row_of: dict[tuple[str, str, int], int] = {}
        for row, (query, document) in enumerate(zip(queries, documents, strict=True)):
            position = columns.number(position_column, row)
            if position < 1 or position != int(position):
                raise columns.wrong(
                    f"{position_column} must be a whole number, 1 or more, not {position:g}", row
                )
            count = 1.0 if clicks is None else columns.number(clicks, row)
            if count < 0:
                raise columns.wrong(f"{clicks} must be 0 or more, not {count:g}", row)
            chance = None if propensity is None else columns.number(propensity, row)
            if chance is not None and not 0 < chance <= 1:
                raise columns.wrong(f"{propensity} must be above 0 and at most 1, not {chance:g}", row)
            key = query, document, int(position)
            if key in row_of:
                raise columns.wrong(
                    f"query {query!r}, document {document!r} at {position_column} {position:g} appears twice, "
                    f"first {columns.where(row_of[key])}",
                    row,
                    hint="add up their clicks",
                )
            row_of[key] = row
            self._queries.setdefault(query, []).append((document, int(position), count, chance))
        if not self._queries:
            raise columns.wrong("the click log has no rows")

    def remarks(self, queries: Sequence[str]) -> list[str]:
        """Notes on the log."""
        unjudged_queries = len(self._queries.keys() - set(queries))
        queries_without_clicks = sum(query not in self._queries for query in queries)
        notes = []
        if unjudged_queries:
            notes.append(
                f"clicks: {unjudged_queries:,} of the log's queries are not judged, and not measured"
            )
        if queries_without_clicks:
            notes.append(f"clicks: {queries_without_clicks:,} of the judged queries have no row in the log")
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
                    f"query {query!r}, document {document!r}: position {position} has no propensity with "
                    f"eta={eta:g}",
                    hint="use a smaller eta",
                )
            yield document, clicks, chance

    def __repr__(self) -> str:
        queries = count_queries(len(self._queries))
        return f"<ClickLog: {queries}, {count_of(len(self), 'row')}>"


def read_clicks(
    source: ClickLog | GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> ClickLog:
    """A click log from a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns or a list of records.
    `encoding`, `decimal` and `columns` are those of read_table."""
    if isinstance(source, ClickLog):
        return source
    return ClickLog(
        read_table(source, columns=columns, format=format, encoding=encoding, decimal=decimal).of("clicks")
    )
