"""Means that a few human judgments and many of a machine give together."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.evaluation.indexing import system_and_measure
from idealist.results import Drawable
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterator, ValuesView
    from typing import Any

    from idealist.evaluation.result import Evaluation
    from idealist.measures import Measure
    from idealist.statistics.prediction_powered import PoweredMean


class CorrectedMeans(Drawable):
    """The corrected mean of every system and measure, by these: `corrected["dense", "nDCG@10"].interval`. Each is what
    `Contrast.corrected` is of a difference: a PoweredMean."""

    def __init__(
        self, evaluation: Evaluation, means: dict[tuple[str, Measure], PoweredMean], confidence: float
    ) -> None:
        self.confidence = confidence
        self.evaluation = evaluation
        self._means = means

    def __getitem__(self, key: tuple[str, str | Measure]) -> PoweredMean:
        system, measure = system_and_measure(
            key, "a corrected result", "corrected", self.evaluation.systems, self.evaluation.measures
        )
        found = self._means.get((system, self.evaluation.measure_of(measure)))
        if found is None:
            raise InputError(
                f"there is no corrected mean of {measure} for {system!r}",
                hint=f"those there are: {', '.join(f'{s} {m}' for s, m in self._means)}",
            )
        return found

    def __iter__(self) -> Iterator[tuple[str, Measure]]:
        return iter(self._means)

    def items(self) -> ItemsView[tuple[str, Measure], PoweredMean]:
        return self._means.items()

    def values(self) -> ValuesView[PoweredMean]:
        return self._means.values()

    def __len__(self) -> int:
        return len(self._means)

    def to_dict(self) -> list[dict[str, Any]]:
        """For JSON: a record per system and measure."""
        return [
            {"system": system, "measure": str(measure), **mean.to_dict()}
            for (system, measure), mean in self.items()
        ]

    def _gist(self) -> str:
        return count_of(len(self), "corrected mean")


def corrected_means(evaluation: Evaluation, confidence: float) -> CorrectedMeans:
    """The corrected means of an evaluation that was made with a machine's judgments."""
    if evaluation.machine is None:
        raise InputError(
            "the evaluation was made without a machine's judgments",
            hint="evaluate(human, run, measures, machine=…) has corrected means",
        )
    means = {}
    for measure in evaluation.measures:
        if measure.aggregate != "mean" or measure.given:
            continue
        for system in evaluation.systems:
            estimate = evaluation.machine.estimate(evaluation, measure, (system,), confidence)
            if estimate is not None:
                means[system, measure] = estimate
    return CorrectedMeans(evaluation, means, confidence)
