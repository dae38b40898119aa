"""How many queries would decide."""

from __future__ import annotations

from math import sqrt

from idealist.comparison.correcting import corrected_gains, unseen_gains
from idealist.statistics.further import further_by_student, further_queries, queries_needed
from idealist.statistics.means import has_no_spread
from idealist.statistics.power import needed_queries as needed_by_student
from idealist.statistics.unseen import IN_ORDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.comparison.contrast import Contrast
    from idealist.evaluation import Evaluation
    from idealist.evaluation.machine_values import Sides

STEPS = 10  # of a fixed point, which takes about four


def needed_queries(evaluation: Evaluation, contrast: Contrast, margin: float) -> int | None:
    """How many more queries, judged by people, would decide with 80 % power, by the interval that decides: the corrected one
    where a machine's judgments add something."""
    if contrast.estimate is None or contrast.interval_name == IN_ORDER:
        return None
    sides = None if contrast.correction is None else corrected_gains(evaluation, contrast, None)
    if sides is not None:
        return _beside_machine(sides, contrast, margin)
    if contrast.bounded is not None:
        return further_queries(contrast.bounded, margin, contrast.confidence)
    gain_estimate = contrast.estimate.replace(mean=contrast.gain)
    return further_by_student(gain_estimate, margin, contrast.confidence)


def queries_to_show(contrast: Contrast) -> int | None:
    """How many queries like these show a difference such as theirs with 80 % power, by the interval of the contrast."""
    estimate, gain = contrast.estimate, contrast.gain
    if estimate is None or gain == 0 or contrast.interval_name == IN_ORDER:
        return None
    if (mean := contrast.bounded) is not None:
        return queries_needed(mean.above if gain > 0 else mean.below, 0.0, contrast.confidence)
    if has_no_spread(estimate):
        return None
    sd = estimate.error * sqrt(estimate.size)
    return needed_by_student(sd, gain, alpha=1 - contrast.confidence, failure=None)


def _beside_machine(sides: Sides, contrast: Contrast, margin: float) -> int | None:
    """By the corrected interval: the number for which λ is that of so many."""
    needed = None
    for _ in range(STEPS):
        test = sides.test(unseen_gains(contrast), needed or 0)
        if test is None:
            return None
        reach = test.reach(contrast.confidence)
        more = further_queries(test.people, margin, contrast.confidence, reach=reach)
        if more is None or more == needed:
            break
        needed = more
    return needed
