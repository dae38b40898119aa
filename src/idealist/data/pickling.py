"""Rankings on their way between processes: as the run and the judgments they were made of, or as lists of grades."""

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
KEPT = ("tables", "undefined", "notes", "run_queries", "run_rows")


def reduced(rankings: Rankings) -> tuple[Callable[..., Rankings], tuple[Any, ...]]:
    """What pickle writes. Of the run, only the judged queries."""
    kept = {name: getattr(rankings, name) for name in KEPT}
    if rankings.run is not None and rankings.judgments is not None:
        run = as_run(rankings.run)
        judged = Run({query: run[query] for query in rankings.judgments if query in run}, name=run.name)
        return _matched, (
            type(rankings),
            judged,
            rankings.judgments,
            rankings.conventions,
            rankings.threads,
            kept,
        )
    native = rankings.native
    lists = [native.query(at) for at in range(len(native))]
    if kernels.tied(native) or _listed(lists, rankings.conventions) != native:
        # Lists of grades do not say which documents had equal scores.
        raise TypeError(
            "rankings of matrices with equal scores cannot be pickled or copied; pickle the matrices, and make the "
            "rankings again"
        )
    return _from_lists, (type(rankings), lists, rankings.conventions, rankings.threads, kept)


# The class is an argument of what restores it: pickle writes it by name, and this module need not import it.
def _matched(
    cls: type[Rankings],
    run: Run,
    judgments: Judgments,
    conventions: Conventions,
    threads: int,
    kept: dict[str, Any],
) -> Rankings:
    native = match_run(run, judgments, match_options(conventions), threads).rankings
    return _with(cls(native, conventions, threads=threads, run=run, judgments=judgments), kept)


def _from_lists(
    cls: type[Rankings], lists: list[Any], conventions: Conventions, threads: int, kept: dict[str, Any]
) -> Rankings:
    return _with(cls(_listed(lists, conventions), conventions, threads=threads), kept)


def _listed(lists: list[Any], conventions: Conventions) -> kernels.Rankings:
    grades: list[list[float | None]] = []
    for retrieved, ranks, found, _ in lists:
        grades.append([None] * retrieved)
        for rank, grade in zip(ranks, found, strict=True):
            grades[-1][rank - 1] = grade
    return kernels.rank_lists(grades, [judged for *_, judged in lists], match_options(conventions))


def _with(rankings: Rankings, kept: dict[str, Any]) -> Rankings:
    for name, value in kept.items():
        setattr(rankings, name, value)
    return rankings
