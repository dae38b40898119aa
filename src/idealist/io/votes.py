"""Votes: tables with the columns query and vote and, if known, document, rater, side, weight, segment, anchor and time;
or with counts of good, same and bad votes."""

from __future__ import annotations

from idealist.data.columns import Columns
from idealist.data.votes import Votes
from idealist.errors import InputError
from idealist.io.tables import read_table
from idealist.io.weights import read_weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.types import GivenTable


def read_votes(
    source: Votes | Columns | GivenTable,
    *,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    candidate: str | None = None,
    scale: int | str | None = None,
    weights: Any = None,
    weight_by: str | None = None,
    words: Mapping[str, str | Sequence[str]] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Votes:
    """Votes from a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns, a list of records, or a plain
    list of votes, each then on a query of its own. Votes says what the other arguments are.

    `weights` are those of queries, from what read_weights reads, by its column `weight_by`; without weights,
    that is a column of the votes themselves. `encoding` and `decimal` are those of read_table, for the votes.

    >>> read_votes(["good", "same", "bad", "bad"])
    <Votes: 4 votes, 4 queries>
    >>> read_votes({"query": ["q1", "q2"], "G": [3, 0], "S": [1, 1], "B": [0, 2]})
    <Votes: 7 votes, 2 queries>
    >>> read_votes(["1", "2", "3"], words={"good": "1", "same": "2", "bad": "3"}).values
    [1, 0, -1]
    """
    if isinstance(source, Votes):
        if columns or any(entry is not None for entry in (candidate, scale, weights, weight_by, words)):
            raise InputError(
                "options for reading votes were given, but these votes are read already",
                hint="give columns, words, candidate, scale and weights to read_votes",
            )
        return source
    if (
        isinstance(source, (list, tuple))
        and source
        and all(isinstance(entry, (str, int, float)) for entry in source)
    ):
        source = Columns({"query": list(range(1, len(source) + 1)), "vote": list(source)})
    if weight_by is not None and weights is None:
        if columns and "weight" in columns:
            raise InputError("the column of weights is named twice", hint="as weight_by, or among columns")
        columns = {**(columns or {}), "weight": weight_by}
    return Votes(
        read_table(source, format=format, encoding=encoding, decimal=decimal).of("votes"),
        columns=columns,
        candidate=candidate,
        scale=scale,
        weights=None if weights is None else read_weights(weights, column=weight_by),
        words=words,
    )
