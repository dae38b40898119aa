"""Checkpoints: all that is needed to go on with a fit and come to the same numbers. Safetensors and JSON, no pickle."""

from __future__ import annotations

import json
import os

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from idealist.data.targets import Target
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
