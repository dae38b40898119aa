"""Votes on pairs of several systems: tables with the columns query, left, right and winner."""

from __future__ import annotations

from idealist.data.pair_votes import PairVotes
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.types import GivenTable


def read_pair_votes(
    source: PairVotes | GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
) -> PairVotes:
    """Votes on pairs of systems from a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns or a list of
    records. PairVotes says what its columns are, `columns` how they are called here; `format` and `encoding` are
    those of read_table.

    >>> read_pair_votes({"query": ["q"], "model_a": ["x"], "model_b": ["y"], "winner": ["model_a"]})
    <PairVotes: 1 vote, 2 systems, 1 query>
    """
    if isinstance(source, PairVotes):
        return source
    return PairVotes(read_table(source, format=format, encoding=encoding).of("votes"), columns=columns)
