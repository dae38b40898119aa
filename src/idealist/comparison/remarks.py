"""Remarks on a verdict about a difference, where the numbers alone could mislead."""

from __future__ import annotations

from idealist.wording import count_queries, p_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.comparison.contrast import Contrast
    from idealist.decision.margin import Margin


def remark_sparse(contrast: Contrast, margin: Margin) -> str:
    """Why queries that look decisive are not: nothing differs, or Student's interval would have decided."""
    bounded, interval = contrast.bounded, contrast.gain_interval
    if bounded is None or interval is None:
        return ""
    room = (
        f"{count_queries(contrast.n)} leave room for rare losses of up to {signed(bounded.largest_loss)} each"
    )
    if contrast.wins == contrast.losses == 0:
        return f"no query differs, but {room}"
    if contrast.alike:
        return f"all queries differ by the same amount, but {room}"
    student = contrast.student
    if student is None or interval.low > -margin.size:
        return ""
    low = min(contrast.sign * student.low, contrast.sign * student.high)
    return f"{room}, which Student's interval does not allow for" if low > -margin.size else ""


def remark_loss(contrast: Contrast) -> str:
    """That Student's test finds a loss, where it does; the interval may leave that open."""
    if not contrast.lost_by_student or contrast.p_value is None:
        return ""
    return f"Student's test finds a loss, p {p_text(contrast.p_value)}"


def remark_disagreement(contrast: Contrast) -> str:
    """Why the interval and the printed p-values may fall on different sides of significance."""
    interval, p = contrast.gain_interval, contrast.p_value
    if interval is None or p is None or contrast.bounded is None:
        return ""
    level = 1 - interval.confidence
    excludes_zero = interval.low > 0 or interval.high < 0
    if excludes_zero == (p < level):
        return ""
    bounded_p = contrast.bounded.p_value()
    return (
        f"Student's p {p_text(p)} and the interval disagree on 0: the interval allows for rare large differences "
        f"(its own test has p {p_text(bounded_p)})"
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
