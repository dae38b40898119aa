"""Results in Weights & Biases: numbers as metrics, settings in the run's config, files as an artifact.

import wandb
from idealist.integrations.wandb import WandbLogger

with wandb.init(project="search") as run:               # mode="offline" needs no account
    WandbLogger(run).log(idealist.evaluate(judgments, system, "nDCG@10"), step=epoch)
"""

from __future__ import annotations

import re

from idealist.errors import InputError, MissingDependency
from idealist.integrations.tracking import ResultLogger, metric_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["WandbLogger"]

UNNAMED = re.compile(
    r"[^A-Za-z0-9_.\-]"
)  # what the name of an artifact cannot have, though that of a number can


class WandbLogger(ResultLogger):
    """Logs to a run of Weights & Biases; without one, to that which `wandb.init` began."""

    def __init__(self, run: Any = None) -> None:
        try:
            import wandb
        except ImportError:
            raise MissingDependency("Weights & Biases is not installed", hint="pip install wandb") from None
        self._wandb: Any = wandb
        self._run = wandb.run if run is None else run
        if self._run is None:
            raise InputError("no run of Weights & Biases is active", hint="call wandb.init(…) first")

    def _log_values(self, values: Mapping[str, float], step: int | None) -> None:
        self._run.log(dict(values), step=step)

    def _log_settings(self, settings: Mapping[str, str]) -> None:
        self._run.config.update(dict(settings), allow_val_change=True)

    def _log_files(self, files: Mapping[str, str], step: int | None) -> None:
        """One artifact per result, named after the run and the result's place; a later one is a new version."""
        place = next(iter(files)).rpartition("/")[0]
        name = UNNAMED.sub("_", metric_name(place))
        artifact = self._wandb.Artifact(f"{name}-{self._run.id}", type="evaluation")
        for name, text in files.items():
            with artifact.new_file(name.rpartition("/")[2], mode="w", encoding="utf-8") as opened:
                opened.write(text)
        self._run.log_artifact(artifact)
