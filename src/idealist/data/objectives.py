"""Judgments with several grades per document: relevance, novelty, freshness, margin, …"""

from __future__ import annotations

from idealist.base.wording import count_of, count_queries
from idealist.data.column_names import DOCUMENT, QUERY
from idealist.data.judgments import Judgments, RichJudgments
from idealist.data.needs import OBJECTIVES
from idealist.data.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from idealist.data.columns import Columns
    from idealist.types import GivenTable


class Objectives(RichJudgments):
    """A table with one row per query and document, and one column of grades per objective.

    >>> from idealist.data import read_objectives
    >>> table = read_objectives({"query": ["q", "q"], "doc": ["a", "b"], "relevance": [3, 1], "novelty": [0, 2]})
    >>> table
    <Objectives: 1 query, 2 documents; relevance, novelty>
    >>> table["novelty"]["q"]
    {'a': 0.0, 'b': 2.0}
    """

    need = OBJECTIVES
    __slots__ = ("_columns", "_documents", "_queries", "names", "source")

    def __init__(self, columns: Columns) -> None:
        query, document = columns.named(*QUERY), columns.named(*DOCUMENT)
        self._columns = columns
        self._queries = columns.ids(query)
        self._documents = columns.ids(document)
        self.names = [name for name in columns.names if name not in (query, document)]
        self.source = columns.source
        row_of: dict[tuple[str, str], int] = {}
        for row, pair in enumerate(zip(self._queries, self._documents, strict=True)):
            if pair in row_of:
                raise columns.wrong(
                    f"document {pair[1]!r} appears twice for query {pair[0]!r}",
                    row,
                    hint="keep one of the two rows",
                )
            row_of[pair] = row
        if not row_of:
            raise columns.wrong("the table of judgments is empty")
        if not self.names:
            raise columns.wrong("there is no column of grades", hint="add one column per objective")

    def __getitem__(self, objective: str) -> Judgments:
        """The judgments of one objective."""
        return self.combined({objective: lambda grade: grade})

    def __repr__(self) -> str:
        queries, documents = len(set(self._queries)), count_of(len(self._queries), "document")
        return f"<Objectives: {count_queries(queries)}, {documents}; {', '.join(self.names)}>"

    def combined(self, worth: Mapping[str, Callable[[float], float]]) -> Judgments:
        """One grade a document: its grades combined, each by its objective's function."""
        sums = [0.0] * len(self._queries)
        for objective, function in worth.items():
            if objective not in self.names:
                raise self._columns.wrong(
                    f"there is no objective {objective!r}", hint=f"name one of: {', '.join(self.names)}"
                )
            for row, grade in enumerate(self._columns.numbers(objective)):
                sums[row] += function(grade)
        queries: dict[str, dict[str, float]] = {}
        for query, document, total in zip(self._queries, self._documents, sums, strict=True):
            queries.setdefault(query, {})[document] = total
        return Judgments(queries, name="+".join(worth))

    def content(self) -> Any:
        return {name: self[name].to_dict() for name in self.names}

    def plain(self) -> Judgments:
        """The judged documents, all alike: which of them are relevant only the objectives say."""
        queries: dict[str, dict[str, float]] = {}
        for query, document in zip(self._queries, self._documents, strict=True):
            queries.setdefault(query, {})[document] = 1.0
        return Judgments(queries, name="objectives")


def read_objectives(
    source: GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Objectives:
    """Judgments with several grades from a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns or a
    list of records: the columns query, document and one per objective. `encoding`, `decimal` and `columns` are
    those of read_table."""
    if isinstance(source, Objectives):
        return source
    return Objectives(
        read_table(source, columns=columns, format=format, encoding=encoding, decimal=decimal).of("judgments")
    )
