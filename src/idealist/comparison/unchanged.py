"""Whether the runs behind two systems of an evaluation ranked the same documents, where the runs are still at hand."""

from __future__ import annotations

from idealist import kernels
from idealist.base.frozen import Frozen
from idealist.base.wording import count_queries
from idealist.conventions import match_options
from idealist.data.provenance import MOST_READ_AGAIN
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from idealist.comparison.contrast import Contrast
    from idealist.conventions import Conventions
    from idealist.data import Run
    from idealist.evaluation.evaluation import Evaluation
    from idealist.measures import Measure


ALL_RANKS = 2**32 - 1
OWN_ORDER = ("id-descending", "id-ascending", "input-order")  # rules that put tied documents in one order


def lists_that_differ(
    evaluation: Evaluation, first: str, second: str, measures: Iterable[Measure]
) -> int | None:
    """In how many queries the lists of two systems differ, down to where the measures look: documents and their order,
    ties as the conventions order them. None where that cannot be known: the runs are not at hand, such as those of a saved
    evaluation, and their content is not the same.

    Runs of the same content are found by their SHA-256, where it is known. Others are read again.
    """
    conventions = evaluation.conventions
    if conventions.ties != "input-order" and _same_content(evaluation, first, second):
        return 0
    runs = [_read_again(evaluation, system) for system in (first, second)]
    if None in runs:
        return None
    one, other = (run for run in runs if run is not None)
    if conventions.ties != "input-order" and one.rows.equals(other.rows, kernels.available_threads()):
        return 0
    depths = [measure.depth for measure in measures]
    everything = (
        None in depths or conventions.unjudged == "removed"
    )  # ranks are then those of judged documents
    depth = None if everything else max(filter(None, depths), default=None)
    # A machine judges further queries.
    queries = listed_queries(evaluation) if evaluation.machine is None else sorted({*one, *other})
    return sum(
        _list(one, query, conventions, depth) != _list(other, query, conventions, depth) for query in queries
    )


def listed_queries(evaluation: Evaluation) -> Sequence[str]:
    """The queries that lists were measured on: numbers that were measured elsewhere may be of others, too."""
    of_lists = [measure for measure in evaluation.measures if not measure.given]
    if len(of_lists) == len(evaluation.measures):
        return evaluation.queries
    measured = {
        query
        for measure in of_lists
        for system in evaluation.systems
        for query in evaluation.by_query(measure, system)
    }
    return [query for query in evaluation.queries if query in measured]


def _same_content(evaluation: Evaluation, first: str, second: str) -> bool:
    """Whether both have the same SHA-256; one that would have to be computed first is not asked for."""
    sources = evaluation.provenance
    if sources is None or not {first, second} <= sources.runs.keys():
        return False
    one, other = (sources.runs[system].digest for system in (first, second))
    return isinstance(one, str) and one == other


def _read_again(evaluation: Evaluation, system: str) -> Run | None:
    """The run as it was measured; None where it is not at hand any more, or too large to be read for this."""
    snapshot, sources = evaluation.runs.get(system), evaluation.provenance
    if snapshot is None or sources is None or system not in sources.runs:
        return None
    rows = sources.runs[system].rows
    if rows > MOST_READ_AGAIN:
        return None
    try:
        return snapshot.run_again(rows)
    except (InputError, OSError):  # it is gone, or another, or was a pipe
        return None


def _list(run: Run, query: str, conventions: Conventions, depth: int | None) -> Sequence[Any]:
    """The documents down to the depth, in order; where ties have no order of their own, the sets of tied documents."""
    top = run.rows.top(query, match_options(conventions), ALL_RANKS if depth is None else depth)
    if conventions.ties in OWN_ORDER:
        return [document for document, _ in top[:depth]]
    tied: dict[float, set[str]] = {}
    for document, score in top:
        tied.setdefault(score, set()).add(document)
    return list(tied.values())


class ListChange(Frozen):
    """Facts about the lists of a system that has the baseline's values: `unchanged` says that they are the same, and
    `remark` in how many queries they differ, or that it is not known. Both are empty where some value of the lists differs.

    Numbers that were measured elsewhere are not of the lists: `numbers_differ` is whether some of them do."""

    unchanged: str = ""
    remark: str = ""
    numbers_differ: bool = False

    def reason(self, measure: Measure) -> str:
        """Why a verdict on the measure is "unchanged"; "" where it goes by its interval."""
        return "" if measure.given and self.numbers_differ else self.unchanged


def list_change(evaluation: Evaluation, contrasts: Sequence[Contrast]) -> ListChange:
    """That of one system, by its contrasts on all measures. Lists are looked at only where all their values are equal."""
    listed = [contrast for contrast in contrasts if not contrast.measure.given]
    if any(contrast.wins or contrast.losses for contrast in listed):
        return ListChange()
    numbers_differ = any(contrast.wins or contrast.losses for contrast in contrasts)
    queries = len(evaluation.queries)
    if not listed:
        same = f"in 0 of {count_queries(queries)} a number differs; whether what they were measured on does is not known"
        return ListChange(remark="" if numbers_differ else same)
    first, queries = listed[0], len(listed_queries(evaluation))
    measures = [contrast.measure for contrast in listed]
    count = lists_that_differ(evaluation, first.baseline, first.system, measures)
    value = f"a value of {_either(measures)}" if numbers_differ else "a value"
    if count is None:
        return ListChange(
            remark=f"in 0 of {count_queries(queries)} {value} differs; whether lists do is not known, as the runs are not at hand"
        )
    if count:
        return ListChange(
            remark=f"in 0 of {count_queries(queries)} {value} differs, but in {count:,} the lists do"
        )
    depths = [measure.depth for measure in measures]
    to_rank = "" if None in depths else f" down to rank {max(filter(None, depths), default=0)}"
    return ListChange(f"the lists of all {count_queries(queries)} are the same{to_rank}", "", numbers_differ)


def _either(measures: Sequence[Measure]) -> str:
    return " or ".join(measure.label for measure in measures)
