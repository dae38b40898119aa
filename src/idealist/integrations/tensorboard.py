"""Results in TensorBoard: numbers as scalars, tables as text.

    from idealist.integrations.tensorboard import TensorBoardLogger

    with TensorBoardLogger("runs/today") as logger:         # or a SummaryWriter that there is already
        logger.log(idealist.evaluate(judgments, run, "nDCG@10"), step=epoch)

A folder is written by PyTorch's `SummaryWriter` or, without PyTorch, by that of `tensorboardX`.
"""

from __future__ import annotations

import os
from importlib.util import find_spec

from idealist.errors import InputError, MissingDependency
from idealist.integrations.tracking import ResultLogger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self

__all__ = ["TensorBoardLogger"]


class TensorBoardLogger(ResultLogger):
    """Logs to a folder of event files, or to a writer with `add_scalar` and `add_text`.

    A writer that was given stays open; that of a folder is closed by `close`, or at the end of `with`.
    """

    def __init__(self, target: Any) -> None:
        self._own = isinstance(target, (str, os.PathLike))
        self._writer = _writer(os.fspath(target)) if self._own else target
        for method in ("add_scalar", "add_text"):
            if not hasattr(self._writer, method):
                raise InputError(
                    f"a {type(target).__name__} has no {method}", hint="give a folder, or a SummaryWriter"
                )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Writes what is buffered; closes the writer of a folder."""
        if self._own:
            self._writer.close()
        else:
            self._writer.flush()

    def _log_values(self, values: Mapping[str, float], step: int | None) -> None:
        for name, value in values.items():
            self._writer.add_scalar(name, value, global_step=step)

    def _log_settings(self, settings: Mapping[str, str]) -> None:
        lines = "".join(f"- {name}: {text}\n" for name, text in settings.items())
        self._writer.add_text("idealist/settings", lines)

    def _log_files(self, files: Mapping[str, str], step: int | None) -> None:
        """The tables; TensorBoard shows no other files."""
        for name, text in files.items():
            if name.endswith(".md"):
                self._writer.add_text(name.removesuffix(".md"), text, global_step=step)


def _writer(folder: str) -> Any:
    if find_spec("torch") is not None and find_spec("tensorboard") is not None:
        from torch.utils.tensorboard import SummaryWriter
    elif find_spec("tensorboardX") is not None:
        from tensorboardX import SummaryWriter
    else:
        raise MissingDependency(
            "TensorBoard's files are written by PyTorch with tensorboard, or by tensorboardX",
            hint="pip install tensorboardX, or pip install torch tensorboard",
        )
    return SummaryWriter(folder)
