"""Neural models: a scorer of PyTorch, with the normalisation that it was trained with."""

from __future__ import annotations

import numpy as np
import torch

from idealist.base.wording import count_of
from idealist.learn.models.base import Model, cells_for
from idealist.learn.neural.batches import scores_of
from idealist.learn.neural.scorers import scorer_of
from idealist.learn.normalisation import Normalisation, normalisation_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy import ndarray

PRECISIONS = {"single": torch.float32, "double": torch.float64}


class Neural(Model):
    """A scorer that is described by its `architecture`, and holds its weights."""

    kind = "neural"
    takes_missing = False

    def __init__(
        self,
        names: Sequence[str],
        architecture: Mapping[str, Any],
        scorer: torch.nn.Module,
        *,
        normalisation: Normalisation | str = "none",
        precision: str = "single",
    ) -> None:
        self.names = tuple(map(str, names))
        self.architecture = dict(architecture)
        self.scorer = scorer.eval()
        self.normalisation = normalisation_of(normalisation)
        self.precision = precision

    def __repr__(self) -> str:
        weights = sum(parameter.numel() for parameter in self.scorer.parameters())
        kind, features = self.architecture["kind"], count_of(len(self.names), "feature")
        return f"<Neural: {kind}, {features}, {weights:,} weights>"

    def score(self, matrix: ndarray, sizes: ndarray) -> ndarray:
        counts = np.asarray(sizes)
        rows = self.normalisation.apply(cells_for(self, matrix), counts, self.names)
        return scores_of(self.scorer, rows, counts)

    def record(self) -> dict[str, Any]:
        return {
            "architecture": self.architecture,
            "precision": self.precision,
            "normalisation": self.normalisation.record(),
        }

    def arrays(self) -> dict[str, ndarray]:
        return {name: tensor.cpu().numpy() for name, tensor in self.scorer.state_dict().items()}

    @classmethod
    def from_record(cls, record: Mapping[str, Any], arrays: Mapping[str, ndarray]) -> Neural:
        precision = record["precision"]
        scorer = scorer_of(record["architecture"], len(record["features"])).to(PRECISIONS[precision])
        scorer.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in arrays.items()})
        normalisation = Normalisation.from_record(record["normalisation"], len(record["features"]))
        return cls(
            record["features"],
            record["architecture"],
            scorer,
            normalisation=normalisation,
            precision=precision,
        )
