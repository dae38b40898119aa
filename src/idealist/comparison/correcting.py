"""Differences that a few human judgments and many of a machine give together, and whom the machine favours."""

from __future__ import annotations

from idealist.statistics.corrections import adjust
from idealist.statistics.further import further_by_student
from idealist.statistics.means import Estimate
from idealist.wording import range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from idealist.comparison.contrast import Contrast
    from idealist.evaluation import Evaluation


def correct_contrasts(
    evaluation: Evaluation,
    contrasts: Sequence[Contrast],
    confidence: float,
    segments: Mapping[str, str] | None = None,
) -> tuple[list[Contrast], list[str]]:
    """The contrasts with their corrected differences, of segments by the queries of either kind that are in them, and
    notes on the machine; as they are where there is no machine. p-values are adjusted for the same family as those of
    people."""
    machine = evaluation.machine
    if machine is None:
        return list(contrasts), []
    members: dict[str, set[str]] = {}
    for query, segment in (segments or {}).items():
        members.setdefault(segment, set()).add(query)
    corrected, notes = [], []
    for contrast in contrasts:
        queries = None if contrast.segment is None else members[contrast.segment]
        systems = contrast.baseline, contrast.system
        estimate = machine.estimate(evaluation, contrast.measure, systems, confidence, queries)
        corrected.append(contrast.replace(corrected=estimate))
        favour = remark_favour(corrected[-1]) if contrast.segment is None else ""
        notes += [f"{contrast.measure}: {favour}"] if favour else []
    return _adjusted(corrected), notes


def _adjusted(contrasts: list[Contrast]) -> list[Contrast]:
    """The contrasts with corrected p-values adjusted for all of them, by Holm's method."""
    tested = [
        (at, contrast.corrected, contrast.corrected.p_value)
        for at, contrast in enumerate(contrasts)
        if contrast.corrected is not None and contrast.corrected.p_value is not None
    ]
    adjusted = adjust([p for _, _, p in tested], "holm")
    changed = {
        at: corrected.replace(p_adjusted=p) for (at, corrected, _), p in zip(tested, adjusted, strict=True)
    }
    return [
        contrast.replace(corrected=changed[at]) if at in changed else contrast
        for at, contrast in enumerate(contrasts)
    ]


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
