"""Neural models: scorers, modules that give each document of a padded batch a score; batches of queries; the scaling they were trained with.

Scorers: modules that give each document of a padded batch a score.

They take features of shape lists × documents × features and a mask that is True where there is a document.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from idealist.base.wording import count_of
from idealist.errors import InputError
from idealist.learn.feature_scaling import Normalisation, normalisation_of
from idealist.learn.models.base_model import Model, cells_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from numpy import ndarray


# Batches in a stretch of queries that is put in order of length: more would make the same batches every time.
STRETCH = 16


class Batch:
    """Features, grades and a mask, of lists × documents; weights of the lists, whose mean over all of the training data
    is 1."""

    __slots__ = ("features", "grades", "mask", "weights")

    def __init__(
        self,
        features: torch.Tensor,
        grades: torch.Tensor,
        mask: torch.Tensor,
        weights: torch.Tensor | None = None,
    ) -> None:
        self.features, self.grades, self.mask, self.weights = features, grades, mask, weights


class Batches:
    """The batches of training data, in another order every epoch, which the seed and the epoch's number decide."""

    def __init__(
        self,
        matrix: ndarray,
        grades: ndarray,
        sizes: ndarray,
        *,
        size: int,
        seed: int,
        dtype: torch.dtype,
        device: torch.device,
        weights: ndarray | None = None,
    ) -> None:
        # Copies, which may be written to.
        self._rows = torch.as_tensor(np.array(matrix), dtype=dtype, device=device)
        self._grades = torch.as_tensor(np.array(grades), dtype=dtype, device=device)
        self._weights = (
            None if weights is None else torch.as_tensor(weights / weights.mean(), dtype=dtype, device=device)
        )
        self._sizes = sizes
        self._starts = np.concatenate([[0], np.cumsum(sizes)])
        self._size = size or len(sizes)
        self._seed = seed
        self._device = device

    def epoch(self, number: int) -> Iterator[Batch]:
        for queries in self.query_batches(number):
            yield self._batch(queries)

    def query_batches(self, number: int) -> list[ndarray]:
        """Which queries are together."""
        rng = np.random.default_rng([self._seed, number])
        order = rng.permutation(len(self._sizes))
        stretch = self._size * STRETCH
        batches = []
        for begin in range(0, len(order), stretch):
            some = order[begin : begin + stretch]
            by_length = some[np.argsort(self._sizes[some], kind="stable")]
            batches += [by_length[at : at + self._size] for at in range(0, len(by_length), self._size)]
        return [batches[at] for at in rng.permutation(len(batches))]

    def _batch(self, queries: ndarray) -> Batch:
        sizes = self._sizes[queries]
        columns = np.arange(int(sizes.max()))
        there = columns[None, :] < sizes[:, None]
        rows = np.where(there, self._starts[queries][:, None] + columns[None, :], 0)
        mask = torch.as_tensor(there, device=self._device)
        index = torch.as_tensor(rows, device=self._device)
        features = self._rows[index].masked_fill(~mask[..., None], 0.0)
        weights = None if self._weights is None else self._weights[torch.as_tensor(queries)]
        return Batch(features, self._grades[index].masked_fill(~mask, 0.0), mask, weights)


def scores_of(scorer: torch.nn.Module, matrix: ndarray, sizes: ndarray) -> ndarray:
    """The scores of rows, query by query: those of one never depend on which others stand beside it."""
    parameter = next(scorer.parameters())
    rows = torch.as_tensor(np.array(matrix), dtype=parameter.dtype, device=parameter.device)
    scores = np.empty(len(matrix))
    was_training = scorer.training
    scorer.eval()
    with torch.no_grad():
        start = 0
        for size in sizes.tolist():
            mask = torch.ones((1, size), dtype=torch.bool, device=parameter.device)
            outputs = scorer(rows[None, start : start + size], mask)
            scores[start : start + size] = outputs[0].double().cpu().numpy()
            start += size
    scorer.train(was_training)
    return scores


ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU, "tanh": nn.Tanh, "silu": nn.SiLU}


class LinearScorer(nn.Module):
    """A weighted sum of features. Without a constant, which would change no ranking.

    Weights begin at 0: from a random start with the wrong sign, the measure may not move before patience ends.
    """

    def __init__(self, features: int) -> None:
        super().__init__()
        self.last = nn.Linear(features, 1, bias=False)
        nn.init.zeros_(self.last.weight)

    def forward(self, features: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.last(features).squeeze(-1)
        return scores


class MlpScorer(nn.Module):
    """Layers of weights with an activation and dropout between them, each document by itself."""

    def __init__(self, features: int, hidden: tuple[int, ...], dropout: float, activation: str) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        width = features
        for size in hidden:
            layers += [nn.Linear(width, size), ACTIVATIONS[activation](), nn.Dropout(dropout)]
            width = size
        self.layers = nn.Sequential(*layers)
        self.last = nn.Linear(width, 1)

    def forward(self, features: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.last(self.layers(features)).squeeze(-1)
        return scores


class AttentionBlock(nn.Module):
    """Self-attention over the documents of a list, then a layer for each document; both beside what came in."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.before_attention = nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.mixed = nn.Linear(width, width)
        self.before_layer = nn.LayerNorm(width)
        self.layer = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(dropout), nn.Linear(2 * width, width)
        )

    def forward(self, documents: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        lists, length, width = documents.shape
        joined = self.queries_keys_values(self.before_attention(documents))
        parts = joined.view(lists, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(
            parts[0],
            parts[1],
            parts[2],
            attn_mask=mask[:, None, None, :],
            dropout_p=self.dropout if self.training else 0.0,
        )
        documents = documents + self.mixed(seen.transpose(1, 2).reshape(lists, length, width))
        changed: torch.Tensor = documents + self.layer(self.before_layer(documents))
        return changed


class AttentionScorer(nn.Module):
    """Scores that depend on the other documents of the list, and not on their order.

    Pobrotyn et al., Context-Aware Learning to Rank with Self-Attention, 2020.
    """

    def __init__(self, features: int, width: int, heads: int, layers: int, dropout: float) -> None:
        super().__init__()
        if width % heads:
            raise InputError(
                f"a width of {width} cannot be shared by {heads} heads", hint="choose a multiple"
            )
        self.first = nn.Linear(features, width)
        self.blocks = nn.ModuleList(AttentionBlock(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.last = nn.Linear(width, 1)

    def forward(self, features: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        documents = self.first(features)
        for block in self.blocks:
            documents = block(documents, mask)
        scores: torch.Tensor = self.last(self.norm(documents)).squeeze(-1)
        return scores


def scorer_of(architecture: Mapping[str, Any], features: int) -> nn.Module:
    """The module that an architecture describes, as a model file holds it, with weights that are yet random.

    >>> scorer_of({"kind": "mlp", "hidden": [4], "dropout": 0.0, "activation": "relu"}, 3).last.in_features
    4
    """
    kind = architecture["kind"]
    if kind == "linear":
        return LinearScorer(features)
    if kind == "mlp":
        hidden = tuple(int(size) for size in architecture["hidden"])
        return MlpScorer(features, hidden, float(architecture["dropout"]), architecture["activation"])
    if kind == "attention":
        width, heads, layers = (int(architecture[name]) for name in ("width", "heads", "layers"))
        return AttentionScorer(features, width, heads, layers, float(architecture["dropout"]))
    raise InputError(f"there is no scorer {kind!r}", hint="name one of: linear, mlp, attention")


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
