"""Differences that a few human judgments and many of a machine give together, and whom the machine favours."""

from __future__ import annotations

from idealist.statistics.further import further_by_student
from idealist.statistics.means import Estimate
from idealist.wording import range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.comparison.contrast import Contrast
    from idealist.evaluation import Evaluation


def correct_contrasts(
    evaluation: Evaluation, contrasts: Sequence[Contrast], confidence: float
) -> tuple[list[Contrast], list[str]]:
    """The contrasts over all queries with their corrected differences, and notes on the machine; as they are where there
    is no machine."""
    machine = evaluation.machine
    if machine is None:
        return list(contrasts), []
    corrected, notes = [], []
    for contrast in contrasts:
        if contrast.segment is None:
            systems = contrast.baseline, contrast.system
            estimate = machine.estimate(evaluation, contrast.measure, systems, confidence)
            contrast = contrast.replace(corrected=estimate)
        corrected.append(contrast)
        favour = remark_favour(contrast)
        notes += [f"{contrast.measure}: {favour}"] if favour else []
    if any(contrast.segment is not None for contrast in contrasts):
        notes.append("segments are compared by the human judgments alone")
    return corrected, notes


def remark_favour(contrast: Contrast) -> str:
    """That the machine's bias differs between the two systems, where its interval leaves out 0."""
    corrected = contrast.corrected
    if corrected is None or corrected.bias_interval is None or 0 in corrected.bias_interval:
        return ""
    higher, lower = contrast.system, contrast.baseline
    if corrected.bias < 0:
        higher, lower = lower, higher
    interval = corrected.bias_interval if corrected.bias > 0 else -corrected.bias_interval
    return (
        f"the machine favours {higher} over {lower} by {signed(abs(corrected.bias))} ({range_text(interval)}) more than "
        "people do: its own comparison of the two is biased, the corrected one is not"
    )


def further_human(contrast: Contrast, margin: float) -> int | None:
    """How many more human queries would decide with 80 % power, as if the whole error became smaller with them."""
    corrected = contrast.corrected
    if corrected is None or not corrected.error or corrected.n < 3:
        return None
    gain, _, _ = contrast.decisive
    estimate = Estimate(gain, corrected.error, float(corrected.n - 1), float(corrected.n))
    return further_by_student(estimate, margin, contrast.confidence)
