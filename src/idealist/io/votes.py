"""Votes: tables with the columns query and vote and, if known, document, rater, side, weight, segment, anchor and time."""

from __future__ import annotations

from idealist.data.columns import Columns
from idealist.data.votes import Votes
from idealist.errors import InputError
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def read_votes(
    source: Any,
    *,
    columns: Mapping[str, str] | None = None,
    candidate: str | None = None,
    scale: int | None = None,
) -> Votes:
    """Votes from a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns, a list of records, or a plain
    list of votes, each then on a query of its own. Votes says what the other arguments are.

    >>> read_votes(["good", "same", "bad", "bad"])
    <Votes: 4 votes, 4 queries>
    """
    if isinstance(source, Votes):
        if columns or candidate is not None or scale is not None:
            raise InputError(
                "these votes are read already", hint="say columns, candidate and scale to read_votes"
            )
        return source
    if (
        isinstance(source, (list, tuple))
        and source
        and all(isinstance(one, (str, int, float)) for one in source)
    ):
        source = Columns({"query": list(range(1, len(source) + 1)), "vote": list(source)})
    return Votes(read_table(source), columns=columns, candidate=candidate, scale=scale)
