"""What a model says of its training, in the same words whichever trainer it was."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.data.features import Features
    from idealist.learn.objective import Objective
    from idealist.learn.trainers.base import Trainer


def account_of(
    trainer: Trainer, objective: Objective, seed: int, value: float, validation: Features | None, **more: Any
) -> dict[str, Any]:
    """The trainer, its parameters, and the value that the model was chosen by or reached."""
    return {
        "trainer": trainer.name,
        "parameters": trainer.parameters(),
        "seed": seed,
        "measure": str(objective.measure),
        "value": value,
        "chosen_on": "train" if validation is None else "validation",
        **more,
    }
