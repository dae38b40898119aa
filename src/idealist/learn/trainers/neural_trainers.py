"""Trainers of linear, MLP and self-attention scorers by any loss."""

from __future__ import annotations

import json
import os
from hashlib import sha256

import torch

from idealist.errors import InputError
from idealist.learn.feature_scaling import normalisation_of
from idealist.learn.losses.loss_names import loss_of
from idealist.learn.models.base_model import columns_named, iterations
from idealist.learn.models.linear import Linear
from idealist.learn.models.neural_model import ACTIVATIONS, PRECISIONS, Batches, Neural, scorer_of
from idealist.learn.objective import Objective
from idealist.learn.trainers.network_fitting import Fit, Schedule, seed_of, seeded
from idealist.learn.trainers.trainer import Range, Task, Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from idealist.data.features import Features
    from idealist.learn.models.base_model import Model

KEPT = ("best", "last")
MOST_BYTES = 1 << 36  # of a batch, for lists that are longer than any memory is large
BEGINNING = 1 << 31  # epochs are numbered from 0; the first weights are drawn under a number of their own
NOISE = BEGINNING + 1  # the number under which losses draw


class NeuralTrainer(Trainer):
    """What the trainers share: AdamW over mini-batches of `batch` queries (0: all at once), stopped when the measure has
    not been better for `patience` epochs; the weights of the best epoch are the model's, or of the last (`keep`)."""

    loss: str = "soft"
    normalisation: str = "z-score"
    epochs: int = 200
    patience: int = 30
    batch: int = 16
    learning_rate: float = 0.01
    weight_decay: float = 0.0
    keep: str = "best"
    precision: str = "single"
    device: str = "cpu"
    has_checkpoints = True
    ranges: ClassVar[Mapping[str, Range]] = {
        **{name: Range(1) for name in ("epochs", "width", "heads", "layers")},
        **{name: Range(0) for name in ("batch", "patience")},
        # Steps and shares of weights: with more than these nothing but overflow comes of it.
        "learning_rate": Range(0, 100, above=True),
        "weight_decay": Range(0, 1000),
    }

    def _checked(self, field: str, value: Any) -> Any:
        value = super()._checked(field, value)
        if field == "hidden" and not all(size >= 1 for size in value):
            raise InputError(f"{self.name}: the sizes of hidden layers must be 1 or more, not {value}")
        if field == "dropout" and not 0 <= value < 1:
            raise InputError(f"{self.name}: dropout must be 0 or more and below 1, not {value}")
        for choice, known in (("precision", PRECISIONS), ("activation", ACTIVATIONS), ("keep", KEPT)):
            if field == choice and value not in known:
                raise InputError(f"{self.name}: {field} must be one of {', '.join(known)}, not {value!r}")
        return value

    def architecture(self) -> dict[str, Any]:
        """What a model file says of the scorer."""
        return {"kind": self.name}

    def fitted(self, task: Task) -> tuple[Model, dict[str, Any]]:
        train, judged, objective, seed = task.train, task.judged, task.objective, task.seed
        loss = loss_of(self.loss, objective.measure, seed=seed_of(seed, NOISE))
        normalisation = normalisation_of(self.normalisation).fit(train.matrix, train.sizes)
        rows = normalisation.apply(train.matrix, train.sizes, train.names)
        assert train.grades is not None, "fit has looked"
        if not (rows != rows[0]).any():
            raise InputError(
                "every feature is constant: there is nothing to learn",
                source=train.source,
                hint="give features that tell documents apart",
            )
        self._refuse_long(train)
        dtype, device = PRECISIONS[self.precision], _device(self.device)
        with seeded(seed, BEGINNING):
            scorer = scorer_of(self.architecture(), len(train.names)).to(dtype=dtype, device=device)
        fit = Fit(
            scorer,
            loss,
            Batches(
                rows,
                train.grades,
                train.sizes,
                size=self.batch,
                seed=seed,
                dtype=dtype,
                device=device,
                weights=train.weights,
            ),
            objective,
            normalisation.apply(columns_named(judged, train.names), judged.sizes, train.names),
            judged.sizes,
            Schedule(self.epochs, self.patience, self.learning_rate, self.weight_decay, self.keep),
            seed=seed,
            checkpoint=None if task.checkpoint is None else os.fspath(task.checkpoint),
            fingerprint="" if task.checkpoint is None else self._fingerprint(train, judged, objective, seed),
            progress=task.progress,
        )
        reached = fit.run()
        model = self._model(train.names, scorer.cpu(), normalisation)
        used = reached.best_epoch if self.keep == "best" else reached.epoch
        return model, {
            **iterations("epoch", used, reached.epoch, self.epochs),
            "values": list(reached.values),
        }

    def cells(self, longest: int) -> int:
        """How many numbers a list of so many documents takes in one batch, at the least."""
        return longest

    def _refuse_long(self, train: Features) -> None:
        """An InputError for lists that cannot fit into memory, which names the longest."""
        longest = int(train.sizes.max())
        lists = min(self.batch or len(train.sizes), len(train.sizes))
        needed = lists * self.cells(longest) * PRECISIONS[self.precision].itemsize
        if needed > MOST_BYTES:
            query = train.queries[int(train.sizes.argmax())]
            raise InputError(
                f"query {query!r} has {longest:,} documents: a batch of {lists} such lists takes {needed / 2**30:,.0f} GiB",
                source=train.source,
                hint="make the batch smaller (--set batch=1), or leave documents out",
            )

    def _model(self, names: tuple[str, ...], scorer: torch.nn.Module, normalisation: Any) -> Model:
        return Neural(
            names, self.architecture(), scorer, normalisation=normalisation, precision=self.precision
        )

    def _fingerprint(self, train: Features, judged: Features, objective: Objective, seed: int) -> str:
        """What must be the same for a fit to go on; it may go on for longer."""
        settings = {
            name: value
            for name, value in self.parameters().items()
            if name not in ("epochs", "patience", "keep")
        }
        conventions = objective.conventions.to_dict()
        identity = [self.name, settings, seed, str(objective.measure), conventions]
        digest = sha256(json.dumps(identity).encode())
        for features in (train, judged):
            digest.update(json.dumps([features.names, features.queries, features.documents]).encode())
            for array in (features.matrix, features.sizes, features.grades, features.weights):
                digest.update(b"" if array is None else array.tobytes())
        return digest.hexdigest()


class LinearTrainer(NeuralTrainer, name="linear"):
    """A linear model by gradients of a loss.

    >>> LinearTrainer(loss="soft(temperature=0.3)").precision
    'double'
    """

    precision: str = "double"

    def _model(self, names: tuple[str, ...], scorer: Any, normalisation: Any) -> Model:
        return Linear(names, scorer.last.weight.detach()[0].tolist(), normalisation=normalisation)


class MlpTrainer(NeuralTrainer, name="mlp"):
    """A multilayer perceptron: each document is scored by itself."""

    hidden: tuple[int, ...] = (64, 32)
    dropout: float = 0.1
    activation: str = "relu"
    learning_rate: float = 0.003

    def architecture(self) -> dict[str, Any]:
        return {
            "kind": self.name,
            "hidden": list(self.hidden),
            "dropout": self.dropout,
            "activation": self.activation,
        }


class AttentionTrainer(NeuralTrainer, name="attention"):
    """Self-attention over the documents of a query: what a document is worth depends on its rivals."""

    width: int = 32
    heads: int = 2
    layers: int = 2
    dropout: float = 0.1
    learning_rate: float = 0.001

    def cells(self, longest: int) -> int:
        return longest * longest * self.heads

    def architecture(self) -> dict[str, Any]:
        sizes = {name: getattr(self, name) for name in ("width", "heads", "layers", "dropout")}
        return {"kind": self.name, **sizes}


def _device(name: str) -> torch.device:
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise InputError(
            f"device {name!r} cannot be used: {str(error).partition(chr(10))[0]}", hint="cpu, cuda, cuda:1"
        ) from None
    return device
