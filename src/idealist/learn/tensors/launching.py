"""Where Triton's kernels run, and on which scores."""

from __future__ import annotations

import os
from contextlib import nullcontext
from functools import lru_cache
from importlib.util import find_spec

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

SCORES = (torch.float32, torch.bfloat16, torch.float16)


@lru_cache(maxsize=1)
def triton_is_there() -> bool:
    return find_spec("triton") is not None


def interpreted() -> bool:
    """Whether Triton's kernels run in its interpreter, which takes tensors that are not on a GPU."""
    return os.environ.get("TRITON_INTERPRET") == "1"


def can_launch(scores: torch.Tensor) -> bool:
    """Whether the kernels take scores of this device and type."""
    return (
        (scores.device.type == "cuda" or interpreted())
        and scores.dtype in SCORES
        and len(scores) > 0
        and triton_is_there()
    )


def on_device(device: torch.device) -> AbstractContextManager[object]:
    """Kernels are launched on the device that is current, which need not be that of the tensors."""
    if device.type != "cuda" or device.index == torch.cuda.current_device():
        return nullcontext()
    context: AbstractContextManager[object] = torch.cuda.device(device)
    return context
