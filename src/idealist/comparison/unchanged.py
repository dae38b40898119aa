"""Whether anything changed: systems whose values are all equal, and the lists behind them."""

from __future__ import annotations

from idealist.evaluation.same_lists import listed_queries, lists_that_differ
from idealist.frozen import Frozen
from idealist.wording import count_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.comparison.contrast import Contrast
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure


class ListChange(Frozen):
    """What is known of the lists of a system that has the baseline's values: `unchanged` says that they are the same, and
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
