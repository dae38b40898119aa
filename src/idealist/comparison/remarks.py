"""Remarks on a verdict about a difference: how many queries would decide, and where the numbers could mislead."""

from __future__ import annotations

from math import sqrt

from idealist.base.wording import count_of, count_queries, p_text, percent, range_text, signed
from idealist.comparison.corrected_differences import corrected_gains, unseen_gains
from idealist.evaluation.joining import CRITERION
from idealist.statistics.mean_estimates import has_no_spread
from idealist.statistics.multiple_comparisons import adjust
from idealist.statistics.power import further_by_student, further_queries, queries_needed
from idealist.statistics.power import needed_queries as needed_by_student
from idealist.statistics.sequential_testing import SEQUENCE
from idealist.statistics.unseen import BEST_THIRD, BY_STUDENT, IN_ORDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.comparison.contrast import Contrast
    from idealist.comparison.verdict import Margin
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


def remark_sparse(contrast: Contrast, margin: Margin) -> str:
    """Why queries that look decisive are not: nothing differs, or all do alike."""
    if contrast.estimate is None:
        return ""
    if contrast.wins == contrast.losses == 0:
        what = "no query differs"
    elif contrast.alike:
        what = "all queries differ by the same amount"
    else:
        return ""
    if (bounded := contrast.bounded) is not None:
        queries, loss = count_queries(contrast.n), signed(bounded.largest_loss)
        return f"{what}, but {queries} leave room for rare losses of up to {loss} each"
    return f"{what}, so that Student's t gives no interval" if contrast.gain_interval is None else ""


def remark_unseen(contrast: Contrast) -> str:
    """Remarks on the cost of a failure that the queries do not show."""
    if contrast.interval_name == IN_ORDER:
        return _remark_looks(contrast)
    failure = contrast.unseen
    if failure is None:
        return _remark_no_range(contrast)
    not_allowed_for = ", and Student's interval does not allow for it" if contrast.bounded is None else ""
    return (
        f"with {count_queries(contrast.n)}, a failure of up to {percent(failure.share)} of queries could be missing from the "
        f"sample{not_allowed_for}; it would cost up to "
        f"{signed(failure.cost)} if it hits any queries, {signed(failure.cost_of_good)} if it hits good ones"
    )


def _remark_no_range(contrast: Contrast) -> str:
    """That nothing allows for unseen failures, where what they could cost is not known."""
    if contrast.interval_name == BY_STUDENT or contrast.student is None:
        return ""
    measure = contrast.measure
    states = measure.given and measure.label != CRITERION
    hint = f"; {measure.label}(low=…,high=…) states it" if states else ""
    return (
        f"{measure.label} has no known range: failures that the queries do not show are not allowed for{hint}"
    )


def _remark_looks(contrast: Contrast) -> str:
    """The price of looking at any time: the interval for one look, and how many queries it would save."""
    interval, once = contrast.gain_interval, contrast.replace(interval_name=BEST_THIRD).gain_interval
    if interval is None or once is None or contrast.bounded is None:
        return f"{contrast.measure} has no range, so no {SEQUENCE}: this verdict is for one look"
    wider = (interval.high - interval.low) / (once.high - once.low)
    p = contrast.p_value
    changed = p is not None and p <= 1 - contrast.confidence and 0 in interval
    return (
        f"the interval is a {SEQUENCE}: this verdict is valid at every look. For one look it would be {range_text(once)}; "
        f"the sequence is {wider:.1f} times as wide, and needs about {wider**2:.1f} times as many queries"
        + changed
        * ". Differences changed over time: p is by the earlier looks, and the interval holds where they are now"
    )


def remark_beside_others(contrast: Contrast, others: Sequence[Contrast]) -> str:
    """Why a system that is better by itself is not, as one of several candidates: its p-value, adjusted for them by Holm's
    method, is not below the level."""
    candidates = [candidate for candidate in (contrast, *others) if candidate.p_better is not None]
    if contrast.p_better is None or len(candidates) == 1:
        return ""
    adjusted = adjust(
        [candidate.p_better for candidate in candidates if candidate.p_better is not None], "holm"
    )[0]
    if adjusted <= (1 - contrast.confidence) / 2:
        return ""
    return (
        f"better by itself, but not as one of {count_of(len(candidates), 'candidate')} (p {p_text(min(1.0, 2 * adjusted))} "
        "by Holm's method)"
    )


def remark_sign(contrast: Contrast, margin: float) -> str:
    """How often the sign alone errs with so many queries."""
    if contrast.estimate is None or not contrast.estimate.error:
        return ""
    from scipy.special import ndtr

    passes = float(ndtr(-margin / contrast.estimate.error))
    return (
        f"by the sign alone, with {count_queries(contrast.n)}, a system as good as the baseline is blocked 50 % of "
        f"the time, and one that is worse by {signed(margin)} passes {100 * passes:.0f} %"
    )
