"""A scorer fitted to query groups: epochs of mini-batches, stopped early by the measure that is reported, with checkpoints to go on from."""

from __future__ import annotations

import json
import os

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from idealist.base.frozen import Frozen
from idealist.data.targets import Target
from idealist.errors import InputError
from idealist.learn.models.neural_model import Batch, Batches, scores_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy import ndarray

    from idealist.learn.objective import Objective


FORMAT = "idealist checkpoint"
KEY = "idealist"


class Progressed:
    """How far a fit has come: the last epoch, the value of each so far, the best one, its value, and its weights."""

    def __init__(self) -> None:
        self.epoch = 0
        self.values: list[float] = []
        self.best_epoch = 0
        self.best_value: float | None = None
        self.best_weights: dict[str, torch.Tensor] = {}


def save_checkpoint(
    path: str,
    fingerprint: str,
    reached: Progressed,
    scorer: torch.nn.Module,
    loss: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
) -> None:
    tensors = {f"weights.{name}": value for name, value in scorer.state_dict().items()}
    tensors |= {f"loss.{name}": value for name, value in _loss_tensors(loss).items()}
    tensors |= {f"best.{name}": value for name, value in reached.best_weights.items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": value for name, value in state.items()}
    record = {
        "format": FORMAT,
        "fingerprint": fingerprint,
        "epoch": reached.epoch,
        "values": reached.values,
        "best_epoch": reached.best_epoch,
        "best_value": reached.best_value,
    }
    with Target(path, force=True) as unfinished:
        # Each by itself: tensors that share memory are not written.
        copies = {name: value.detach().clone().contiguous() for name, value in tensors.items()}
        save_file(copies, unfinished, metadata={KEY: json.dumps(record)})


def load_checkpoint(
    path: str,
    fingerprint: str,
    scorer: torch.nn.Module,
    loss: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
) -> Progressed:
    """Takes up where a checkpoint left off; nothing is done where there is none yet."""
    reached = Progressed()
    if not os.path.exists(path):
        return reached
    record, tensors = _read(path)
    if record.get("fingerprint") != fingerprint:
        raise InputError(
            "this checkpoint is of other settings, features or another seed",
            source=path,
            hint="name another file, or remove it to begin anew",
        )
    scorer.load_state_dict(_under("weights.", tensors))
    loss.load_state_dict(_loss_state(_under("loss.", tensors)))
    state = optimizer.state_dict()
    state["state"] = {}
    for name, value in _under("optimizer.", tensors).items():
        number, _, field = name.partition(".")
        state["state"].setdefault(int(number), {})[field] = value
    optimizer.load_state_dict(state)
    reached.epoch, reached.best_epoch = int(record["epoch"]), int(record["best_epoch"])
    reached.values = [float(value) for value in record["values"]]
    reached.best_value = None if record["best_value"] is None else float(record["best_value"])
    reached.best_weights = _under("best.", tensors)
    return reached


def _loss_tensors(loss: torch.nn.Module) -> dict[str, torch.Tensor]:
    """What a loss learns, and the state of its generator if it draws numbers, which is a table of its own."""
    tensors: dict[str, torch.Tensor] = {}
    for name, value in loss.state_dict().items():
        tensors |= (
            {f"{name}/{key}": inner for key, inner in value.items()}
            if isinstance(value, dict)
            else {name: value}
        )
    return tensors


def _loss_state(tensors: dict[str, torch.Tensor]) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for name, value in tensors.items():
        table, inside, key = name.partition("/")
        if inside:
            state.setdefault(table, {})[key] = value
        else:
            state[name] = value
    return state


def _read(path: str) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    try:
        with safe_open(path, framework="pt") as file:
            record = json.loads((file.metadata() or {}).get(KEY, "{}"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no dict
    except (SafetensorError, OSError, ValueError) as error:
        raise InputError(
            f"the checkpoint is damaged or cut short: {error}", source=path, hint="remove it to begin anew"
        ) from None
    if record.get("format") != FORMAT:
        raise InputError("this is not a checkpoint of Idealist", source=path, hint="name another file")
    return record, tensors


def _under(prefix: str, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


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
