"""Cross-validation by query: every query is ranked by a model that never saw it, and models are compared on all of them."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.values import as_count, as_seed
from idealist.conventions import DEFAULT, as_conventions
from idealist.data.features import Features, join_features
from idealist.data.judgments import Judgments
from idealist.data.run import Run
from idealist.data.weight_reading import read_weights
from idealist.errors import InputError
from idealist.learn.objective import trainable
from idealist.learn.training import train

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.learn.models.base import Model
    from idealist.measures import Measure

FEWEST = 3  # a part to test on, one to choose on, and one at least to train on


class CrossValidated(Frozen):
    """What cross-validation gives: the run of each recipe over all queries, the judgments of them, and the models, by
    recipe and fold. `evaluate` and `compare` take runs and judgments as they are."""

    runs: Mapping[str, Run]
    judgments: Judgments
    models: Mapping[str, tuple[Model, ...]]


def cross_validate(
    recipes: Mapping[str, Mapping[str, Any]],
    parts: Sequence[Features],
    *,
    measure: str | Measure = "nDCG@10",
    conventions: Conventions | str = DEFAULT,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    weights: Any = None,
) -> CrossValidated:
    """Fits every recipe on every fold. `parts` are what folds are made of, as LETOR does: fold i is tested on part i,
    chosen on part i − 1, and trained on the others; `folds_of` cuts one table into parts.

    A recipe is what `train` takes: `{"trainer": "linear", "epochs": 50, "bag": 3}`. Scores of different folds are never
    compared, so that they may have different scales. `weights` are those of `train`.
    """
    if len(parts) < FEWEST:
        raise InputError(
            f"there are {len(parts)} parts, and {FEWEST} at least are needed",
            hint="one to test on, one to choose on, the others to train on",
        )
    rules = as_conventions(conventions)
    target = trainable(measure, rules)
    if weights is not None:
        counted = read_weights(weights)
        parts = [part.weighted(counted) for part in parts]
    join_features(parts)  # refuses parts that do not fit together
    scores: dict[str, dict[str, dict[str, float]]] = {name: {} for name in recipes}
    models: dict[str, list[Model]] = {name: [] for name in recipes}
    done, whole = 0, len(recipes) * len(parts)
    for number, test in enumerate(parts):
        chosen_on = (number - 1) % len(parts)
        rest = [part for place, part in enumerate(parts) if place not in (number, chosen_on)]
        training = join_features(rest)
        for name, recipe in recipes.items():
            if progress is not None:
                progress(done, whole)
            how = {"seed": seed, **recipe}
            model = train(
                how.pop("trainer"), training, parts[chosen_on], measure=target, conventions=rules, **how
            )
            models[name].append(model)
            scores[name] |= model.rank(test).to_dict()
            done += 1
    if progress is not None:
        progress(whole, whole)
    judged = {query: grades for part in parts for query, grades in part.judgments().to_dict().items()}
    return CrossValidated(
        {name: Run(by_query, name=name) for name, by_query in scores.items()},
        Judgments(judged),
        {name: tuple(fitted) for name, fitted in models.items()},
    )


def folds_of(features: Features, count: int, *, seed: int = 0) -> list[Features]:
    """A table cut into parts by query, at random, of sizes that differ by one at most.

    >>> [len(part.queries) for part in folds_of(Features([[0.0]] * 7, sizes=[1] * 7), 3)]
    [3, 2, 2]
    """
    import numpy as np

    count = as_count(count, "folds", FEWEST)
    if len(features.sizes) < count:
        raise InputError(
            f"{len(features.sizes)} queries cannot be cut into {count} folds",
            source=features.source,
            hint="at most as many folds as queries",
        )
    order = np.random.default_rng(as_seed(seed)).permutation(len(features.sizes))
    return [features.of_queries(np.sort(order[number::count]).tolist()) for number in range(count)]
