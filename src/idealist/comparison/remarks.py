"""Remarks on a verdict about a difference, where the numbers alone could mislead."""

from __future__ import annotations

from idealist.evaluation.criterion import CRITERION
from idealist.statistics.corrections import adjust
from idealist.statistics.sequential import SEQUENCE
from idealist.statistics.unseen import BEST_THIRD, BY_STUDENT, IN_ORDER
from idealist.wording import count_of, count_queries, p_text, percent, range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.comparison.contrast import Contrast
    from idealist.decision.margin import Margin


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
    """What a failure that the queries do not show could cost."""
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
    """What it costs that one may look at any time: the interval for one look, and how many queries it would save."""
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
