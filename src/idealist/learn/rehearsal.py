"""Before hours of training: whether the file that was named can hold the model."""

from __future__ import annotations

import os
import tempfile

from idealist.data.features import Features
from idealist.learn.libraries import missing_library
from idealist.learn.models.bag import Bag
from idealist.learn.models.files import format_for
from idealist.learn.objective import refuse_grades

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.learn.models.formats.base import ModelFormat
    from idealist.learn.trainers.base import Trainer
    from idealist.measures import Measure

# Parameters that say how long a fit takes, and not what kind of model comes of it.
LENGTHS = ("epochs", "rounds", "trees", "restarts", "passes", "bags")
ROWS = 4


def rehearse_saving(
    trainer: Trainer,
    features: Features,
    path: str | os.PathLike[str],
    *,
    measure: str | Measure,
    conventions: Conventions,
    format: str | None = None,
    bag: int = 1,
    **options: Any,
) -> ModelFormat:
    """The format that the model will be written in. An InputError, as `save_model` would raise it, if that format cannot
    hold what this trainer makes of these features: a small model of made-up rows with the same columns is written first."""
    import numpy as np

    refuse_grades(features, measure, conventions)  # of these, and not of made-up rows
    short = trainer.replace(**{name: 1 for name in LENGTHS if name in trainer.fields})
    rows = np.random.default_rng(0).random((ROWS, len(features.names)))
    known = [0.0, 1.0] if features.grades is None else [features.grades.min(), features.grades.max()]
    small = Features(rows, sizes=[ROWS], grades=[known[row % 2] for row in range(ROWS)], names=features.names)
    model = short.fit(small, measure=measure, conventions=conventions)
    if bag > 1:
        model = Bag([model] * bag)
    chosen = format_for(model, path, format, **options)
    with tempfile.TemporaryDirectory() as folder:
        try:
            chosen.rehearse(model, os.path.join(folder, "model"), **options)
        except ModuleNotFoundError as error:
            raise missing_library(f"writing {chosen.label}", error) from None
    return chosen
