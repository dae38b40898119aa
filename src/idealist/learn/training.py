"""Training as one call: the trainer of a name, several seeds as one model."""

from __future__ import annotations

from idealist.base.values import as_count, as_seed
from idealist.conventions import DEFAULT, as_conventions
from idealist.data.feature_reading import read_features
from idealist.data.weight_reading import read_weights
from idealist.errors import InputError
from idealist.learn.models.bag import Bag
from idealist.learn.objective import Objective, trainable
from idealist.learn.trainers.base import Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data.features import Features
    from idealist.learn.models.base import Model
    from idealist.measures import Measure

SEEDS_APART = 1_000_003  # so that the seeds of a bag are nobody else's neighbours


def train(
    trainer: str | Trainer,
    features: Any,
    validation: Any = None,
    *,
    measure: str | Measure = "nDCG@10",
    conventions: Conventions | str = DEFAULT,
    seed: int = 0,
    bag: int = 1,
    progress: Callable[[int, int], None] | None = None,
    checkpoint: str | None = None,
    weights: Any = None,
    **parameters: Any,
) -> Model:
    """A model of graded features, chosen by `measure` on the validation features, or on the training ones without them.

    `trainer` is a name (linear, mlp, attention, ascent …) with its `parameters`, or a trainer. With `bag`, so many models are
    fitted from different seeds, and score together. `weights` are those of queries, as `evaluate` takes them: what each
    counts in the loss, and in the value on training and validation queries.

    >>> rows = {"query": [1] * 3, "grade": [2, 1, 0], "bm25": [3.0, 1.0, 2.0], "age": [0.0, 1.0, 5.0]}
    >>> train("ascent", rows, measure="nDCG").training["value"]
    1.0
    """
    seed = as_seed(seed)
    rules = as_conventions(conventions)
    target = trainable(measure, rules)
    chosen = Trainer.parse(trainer, **parameters)
    rows, judged = read_features(features), None if validation is None else read_features(validation)
    if weights is not None:
        counted = read_weights(weights)
        rows = rows.weighted(counted)
        judged = None if judged is None else judged.weighted(counted)
    bag = as_count(bag, "bag")
    how: dict[str, Any] = {"measure": target, "conventions": rules}
    if checkpoint is not None:
        if bag > 1:
            raise InputError(
                "a checkpoint is of one fit, and a bag has several", hint="leave one of the two out"
            )
        how["checkpoint"] = checkpoint
    if bag == 1:
        return chosen.fit(rows, judged, seed=seed, progress=progress, **how)
    models = []
    for number in range(bag):
        if progress is not None:
            progress(number, bag)
        models.append(chosen.fit(rows, judged, seed=seed + number * SEEDS_APART, **how))
    if progress is not None:
        progress(bag, bag)
    return _bagged(models, rows if judged is None else judged, target, rules)


def _bagged(models: list[Model], judged: Features, measure: Measure, conventions: Conventions) -> Model:
    model = Bag(models)
    shared = ("trainer", "parameters", "seed", "measure", "chosen_on")
    model.training = {
        **{name: models[0].training[name] for name in shared if name in models[0].training},
        "bag": len(models),
        "value": Objective(judged, measure, conventions).value(model.scores(judged)),
    }
    return model
