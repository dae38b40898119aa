"""The base of evaluators for sentence-transformers' trainers: measures, the best checkpoint, a row of a CSV file."""

from __future__ import annotations

import csv
from pathlib import Path

from sentence_transformers.base.evaluation import BaseEvaluator

from idealist.conventions import as_conventions
from idealist.errors import InputError
from idealist.measures.base import Measure
from idealist.measures.text import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.conventions import Conventions


class MeasureEvaluator(BaseEvaluator):
    """The first measure is the one by which the best checkpoint is chosen: `primary_metric`, `greater_is_better`."""

    def __init__(
        self,
        measures: str | Measure | Sequence[str | Measure],
        conventions: str | Conventions,
        name: str,
        write_csv: bool,
    ) -> None:
        super().__init__()
        several = [measures] if isinstance(measures, (str, Measure)) else list(measures)
        self.measures = [parse(measure) for measure in several]
        if not self.measures:
            raise InputError("no measure was given", hint='for example ["nDCG@10", "RR@10"]')
        self.conventions = as_conventions(conventions)
        self.name = name
        self.write_csv = write_csv
        prefix = f"{name}_" if name else ""
        self.primary_metric = f"{prefix}{self.measures[0]}"
        self.greater_is_better = self.measures[0].better != "lower"

    def report(
        self, model: Any, values: dict[str, float], output_path: str | None, epoch: int, steps: int
    ) -> dict[str, float]:
        """The values as trainers take them; to the model's card and, with an output path, to a CSV file there."""
        if output_path is not None and self.write_csv:
            self._write(Path(output_path), epoch, steps, values)
        metrics: dict[str, float] = self.prefix_name_to_metrics(values, self.name)
        self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        return metrics

    def _write(self, folder: Path, epoch: int, steps: int, values: dict[str, float]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{type(self).__name__}{'_' + self.name if self.name else ''}_results.csv"
        new = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if new:
                writer.writerow(["epoch", "steps", *values])
            writer.writerow([epoch, steps, *values.values()])

    def get_config_dict(self) -> dict[str, Any]:
        """For the model card."""
        return {
            "measures": [str(measure) for measure in self.measures],
            "conventions": str(self.conventions),
        }
