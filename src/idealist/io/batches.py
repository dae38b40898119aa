"""Runs and judgments that come as a stream of Arrow, batch by batch: from Parquet and Arrow files, and from DuckDB."""

from __future__ import annotations

from idealist.data.frames import Frame
from idealist.io.triples import require_some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist import kernels
    from idealist.data import Judgments
    from idealist.data.streaming import Matched
    from idealist.io.request import ReadRequest


def rows_of_batches(batches: Any, request: ReadRequest, source: str, threads: int) -> kernels.Rows:
    """The rows of a run or of judgments, in memory."""
    frame = Frame(batches, request.kind, columns=request.columns, source=source)
    rows = frame.rows(threads, duplicates=request.allow_duplicates)
    require_some(len(rows), request.kind, source)
    return rows


def match_batches(
    batches: Any,
    request: ReadRequest,
    source: str,
    judgments: Judgments,
    options: kernels.MatchOptions,
    threads: int,
) -> Matched:
    """The rankings that a run gives, measured while it is read."""
    frame = Frame(batches, request.kind, columns=request.columns, source=source)
    matched = frame.match(judgments, options, threads)
    require_some(matched.rows, request.kind, source)
    return matched
