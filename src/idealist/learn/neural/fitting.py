"""A scorer fitted to query groups: epochs of mini-batches, stopped early by the measure that is reported."""

from __future__ import annotations

import torch

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.learn.neural.batches import Batch, Batches, scores_of
from idealist.learn.neural.checkpoints import Progressed, load_checkpoint, save_checkpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy import ndarray

    from idealist.learn.objective import Objective

SEED_RANGE = 2**63 - 1


class Schedule(Frozen):
    """How long, how fast, and when to stop: after `patience` epochs without a better value, 0 for never. `keep` says whose
    weights are the model's: those of the best epoch, or of the last."""

    epochs: int
    patience: int
    learning_rate: float
    weight_decay: float
    keep: str


class Fit:
    """One fit. After `run` the scorer has the weights of the best epoch by `objective`, which measures `rows` of `sizes`,
    or those of the last.

    Random numbers come from the seed and the epoch's number, those of a loss from its own generator, whose state is in the
    checkpoint, so that a fit that was interrupted and resumed from its checkpoint comes to the same numbers as one that was
    not. The random state of the caller stays as it is.
    """

    def __init__(
        self,
        scorer: torch.nn.Module,
        loss: Any,
        batches: Batches,
        objective: Objective,
        rows: ndarray,
        sizes: ndarray,
        schedule: Schedule,
        *,
        seed: int,
        checkpoint: str | None,
        fingerprint: str,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._scorer, self._loss, self._batches = scorer, loss, batches
        self._objective, self._rows, self._sizes = objective, rows, sizes
        self._schedule, self._seed = schedule, seed
        self._checkpoint, self._fingerprint, self._progress = checkpoint, fingerprint, progress
        groups: list[dict[str, Any]] = [{"params": list(scorer.parameters())}]
        # What a loss learns, such as the thresholds of Ordinal, is no weight to be kept small.
        if own := list(loss.parameters()):
            groups.append({"params": own, "weight_decay": 0.0})
        self._optimizer = torch.optim.AdamW(
            groups, lr=schedule.learning_rate, weight_decay=schedule.weight_decay
        )
        self.reached = Progressed()

    def run(self) -> Progressed:
        if self._checkpoint is not None:
            self.reached = load_checkpoint(
                self._checkpoint, self._fingerprint, self._scorer, self._loss, self._optimizer
            )
        while self.reached.epoch < self._schedule.epochs and not self._is_exhausted():
            if self._progress is not None:
                self._progress(self.reached.epoch, self._schedule.epochs)
            self._train_epoch(self.reached.epoch)
            self.reached.epoch += 1
            self._judge_epoch()
            if self._checkpoint is not None:
                save_checkpoint(
                    self._checkpoint,
                    self._fingerprint,
                    self.reached,
                    self._scorer,
                    self._loss,
                    self._optimizer,
                )
        if self._progress is not None:
            self._progress(self._schedule.epochs, self._schedule.epochs)
        if self._schedule.keep == "best":
            self._scorer.load_state_dict(self.reached.best_weights)
        return self.reached

    def _is_exhausted(self) -> bool:
        waited = self.reached.epoch - self.reached.best_epoch
        return bool(self._schedule.patience) and waited >= self._schedule.patience

    def _train_epoch(self, number: int) -> None:
        self._scorer.train()
        with seeded(self._seed, number):
            for batch in self._batches.epoch(number):
                if batch.weights is not None and not batch.weights.any():
                    continue  # queries that count nothing
                self._optimizer.zero_grad()
                try:
                    loss = self._batch_loss(batch)
                except InputError as error:
                    raise InputError(f"epoch {number + 1}: {error.message}", hint=error.hint) from None
                if not bool(loss.isfinite()):
                    raise InputError(
                        f"epoch {number + 1}: the loss is {float(loss)}", hint="lower the learning rate"
                    )
                loss.backward()
                self._optimizer.step()

    def _batch_loss(self, batch: Batch) -> Any:
        scores = self._scorer(batch.features, batch.mask)
        if batch.weights is None:
            return self._loss(scores, batch.grades, mask=batch.mask)
        loss = self._loss(scores, batch.grades, mask=batch.mask, query_weights=batch.weights)
        # The loss is a weighted mean within the batch; batches count by what their lists weigh.
        return loss * batch.weights.mean()

    def _judge_epoch(self) -> None:
        value = self._objective.value(scores_of(self._scorer, self._rows, self._sizes))
        self.reached.values.append(value)
        if self._objective.better(value, self.reached.best_value):
            self.reached.best_value, self.reached.best_epoch = value, self.reached.epoch
            self.reached.best_weights = {
                name: tensor.detach().clone() for name, tensor in self._scorer.state_dict().items()
            }


def seed_of(*numbers: int) -> int:
    """A seed for PyTorch from numbers of ours."""
    import numpy as np

    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0]) % SEED_RANGE


class seeded:
    """Random numbers of PyTorch from numbers of ours, for a `with` statement; what was before is after."""

    def __init__(self, *numbers: int) -> None:
        self._seed = seed_of(*numbers)
        devices = range(torch.cuda.device_count()) if torch.cuda.is_available() else ()
        self._fork = torch.random.fork_rng(devices=devices)

    def __enter__(self) -> None:
        self._fork.__enter__()
        torch.manual_seed(self._seed)

    def __exit__(self, *about: Any) -> None:
        self._fork.__exit__(*about)
