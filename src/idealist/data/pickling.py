"""Rankings on their way between processes: as the run and the judgments they were made of, or as they are."""

from __future__ import annotations

from idealist import kernels
from idealist.data.matching import match_run
from idealist.data.options import match_options
from idealist.data.run import Run, as_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data.judgments import Judgments
    from idealist.data.rankings import Rankings

# What is not made again.
ATTRIBUTES = ("tables", "undefined", "notes", "run_queries", "run_rows")


def reduced(rankings: Rankings) -> tuple[Callable[..., Rankings], tuple[Any, ...]]:
    """What pickle writes. Of the run, only the judged queries."""
    attributes = {name: getattr(rankings, name) for name in ATTRIBUTES}
    if rankings.run is not None and rankings.judgments is not None:
        run = as_run(rankings.run)
        judged = run.with_rows(Run({query: run[query] for query in rankings.judgments if query in run}).rows)
        return _matched, (
            type(rankings),
            rankings.judgments,
            judged,
            rankings.conventions,
            rankings.threads,
            attributes,
        )
    return _unpacked, (
        type(rankings),
        kernels.packed(rankings.native),
        rankings.conventions,
        rankings.depth,
        rankings.threads,
        attributes,
    )


# The class is an argument of what restores it: pickle writes it by name, and this module need not import it.
def _matched(
    cls: type[Rankings],
    judgments: Judgments,
    run: Run,
    conventions: Conventions,
    threads: int,
    attributes: dict[str, Any],
) -> Rankings:
    native = match_run(judgments, run, match_options(conventions), threads).rankings
    return _with(cls(native, conventions, threads=threads, run=run, judgments=judgments), attributes)


def _unpacked(
    cls: type[Rankings],
    native: bytes,
    conventions: Conventions,
    depth: int | None,
    threads: int,
    attributes: dict[str, Any],
) -> Rankings:
    return _with(cls(kernels.unpacked(native), conventions, depth=depth, threads=threads), attributes)


def _with(rankings: Rankings, attributes: dict[str, Any]) -> Rankings:
    for name, value in attributes.items():
        setattr(rankings, name, value)
    return rankings
