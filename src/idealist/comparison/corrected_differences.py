"""Differences that a few human judgments and many of a machine give together, and whom the machine favours."""

from __future__ import annotations

from idealist.base.wording import range_text, signed
from idealist.evaluation.drawn_values import DrawnValues
from idealist.evaluation.machine_values import MachineValues
from idealist.statistics.multiple_comparisons import adjust
from idealist.statistics.prediction_powered import DRAWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from typing import Any

    from idealist.comparison.contrast import Contrast
    from idealist.evaluation import Evaluation
    from idealist.evaluation.machine_values import Sides
    from idealist.statistics.prediction_powered import PoweredMean


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
        if contrast.measure.given:  # of which the machine's judgments say nothing
            corrected.append(contrast)
            continue
        corrected.append(contrast.replace(corrected=_estimate(evaluation, contrast, queries)))
        favour = remark_favour(corrected[-1]) if contrast.segment is None else ""
        notes += [f"{contrast.measure}: {favour}"] if favour else []
    return _adjusted(corrected), notes


def _estimate(
    evaluation: Evaluation, contrast: Contrast, queries: Container[str] | None
) -> PoweredMean | None:
    """The corrected difference; that of people itself, with its interval and its p-value, where the machine adds nothing."""
    machine = evaluation.machine
    if isinstance(machine, DrawnValues):
        systems = contrast.baseline, contrast.system
        drawn = machine.estimate(evaluation, contrast.measure, systems, contrast.confidence, queries)
        return None if drawn is None else drawn.replace(**_by_people(contrast, DRAWN))
    sides = corrected_gains(evaluation, contrast, queries)
    if sides is None:
        return None
    estimate = sides.estimate(contrast.confidence, unseen_gains(contrast))
    if contrast.sign < 0:
        estimate = -estimate
    of_people = _by_people(contrast)
    if not estimate.weight:
        estimate = estimate.replace(**of_people)
    return estimate.replace(human=of_people["value"], human_interval=of_people["interval"])


def _by_people(contrast: Contrast, method: str | None = None) -> dict[str, Any]:
    interval = contrast.interval
    if interval is not None and method is not None:
        interval = interval.replace(method=method)
    error = None if contrast.estimate is None else contrast.estimate.error
    return {"value": contrast.difference, "interval": interval, "p_value": contrast.p_value, "error": error}


def corrected_gains(
    evaluation: Evaluation, contrast: Contrast, queries: Container[str] | None
) -> Sides | None:
    """The parts of the corrected gain."""
    machine = evaluation.machine
    if not isinstance(machine, MachineValues):
        return None
    sides = machine.sides(evaluation, contrast.measure, (contrast.baseline, contrast.system), queries)
    return -sides if sides is not None and contrast.sign < 0 else sides


def unseen_gains(contrast: Contrast) -> tuple[float, float] | None:
    """What the interval of people takes the gain in a query that was not seen to be."""
    return None if contrast.bounded is None else (contrast.bounded.low, contrast.bounded.high)


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
