"""What the options of `idealist evaluate` ask for besides means: segments of users, runs weighed by several measures."""

from __future__ import annotations

from idealist.data.segments import SEGMENT
from idealist.errors import InputError
from idealist.measures import parse
from idealist.measures.families.objectives import MultiObjective
from idealist.measures.parameter_tables import read_weights
from idealist.show.segment_tables import Breakdown, of_objectives, of_segments, of_thresholds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.evaluation import Evaluation
    from idealist.measures import Measure

OBJECTIVES = "for example --objective relevance=0.7,novelty=0.3"


class Plan:
    """What the options of the command ask for besides means, and the measures it takes."""

    def __init__(
        self,
        measures: tuple[Measure, ...],
        *,
        objectives: list[str] | None,
        at_least: list[str] | None,
        at_most: list[str] | None,
    ) -> None:
        self.at_least = _thresholds("--at-least", at_least)
        self.at_most = _thresholds("--at-most", at_most)
        self.alone: tuple[Measure, ...] = ()
        if objectives is not None:
            weights = _weights(objectives)
            # Every measure with the objectives weighed, and with each alone.
            self.alone = tuple(
                MultiObjective(of=measure, weights={name: 1.0}) for measure in measures for name in weights
            )
            together = [MultiObjective(of=measure, weights=weights) for measure in measures]
            measures = (*together, *self.alone)
            self.at_least = {
                MultiObjective(of=threshold_measure, weights=weights): v
                for threshold_measure, v in self.at_least.items()
            }
            self.at_most = {
                MultiObjective(of=threshold_measure, weights=weights): v
                for threshold_measure, v in self.at_most.items()
            }
        self.goal = measures[0]
        self.measures = tuple(dict.fromkeys([*measures, *self.at_least, *self.at_most]))

    def breakdowns(
        self, result: Evaluation, segments: Mapping[str, str] | None, segment_by: str | None
    ) -> list[Breakdown]:
        parts = [of_objectives(result, self.alone)] if self.alone else []
        if self.at_least or self.at_most:
            parts.append(of_thresholds(result, self.goal, self.at_least, self.at_most))
        if segments is not None:
            parts.append(of_segments(result, segments, segment_by or SEGMENT))
        return parts


def _weights(stated: list[str]) -> Mapping[str, float]:
    try:
        weights = read_weights(",".join(stated))
    except InputError as error:
        raise InputError(f"--objective: {error.message}", hint=OBJECTIVES) from None
    if not weights:
        raise InputError("--objective names no objective", hint=OBJECTIVES)
    return weights


def _thresholds(option: str, stated: list[str] | None) -> dict[Measure, float]:
    thresholds = {}
    for text in stated or []:
        name, equals, number = text.rpartition("=")
        try:
            if not equals:
                raise ValueError
            value = float(number)
        except ValueError:
            raise InputError(
                f"{option} {text!r} is not MEASURE=VALUE", hint=f"for example {option} Judged@10=0.8"
            ) from None
        thresholds[parse(name.rstrip("<>"))] = value
    return thresholds
