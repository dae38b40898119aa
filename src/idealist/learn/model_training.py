"""Training: settings as a TOML file, a check that the file to be written can hold the model, one fit, and cross-validation by query."""

from __future__ import annotations

import json
import os
import tempfile
import tomllib
from difflib import get_close_matches

from idealist.base.frozen import Frozen
from idealist.base.values import as_count, as_seed
from idealist.conventions import DEFAULT, as_conventions
from idealist.data.feature_reading import read_features
from idealist.data.features import Features, join_features
from idealist.data.judgments import Judgments
from idealist.data.run import Run
from idealist.data.weight_reading import read_weights
from idealist.errors import InputError
from idealist.learn.libraries import missing_library
from idealist.learn.models.base_model import Bag
from idealist.learn.models.model_storage import format_for
from idealist.learn.objective import Objective, refuse_grades, trainable
from idealist.learn.trainers.trainer import Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.learn.models.base_model import Model
    from idealist.learn.models.formats.model_format import ModelFormat
    from idealist.measures import Measure


LARGEST = 1 << 20  # bytes of a settings file
# What a settings file may say: what it is for Python, in words, and an example.
PARAMETERS = "parameters"
KEYS: dict[str, tuple[tuple[type, ...], str, str]] = {
    "model": ((str,), "a string", 'model = "linear"'),
    "measure": ((str,), "a string", 'measure = "nDCG@10"'),
    "conventions": ((str,), "a string", 'conventions = "empty=zero"'),
    "seed": ((int,), "a whole number", "seed = 0"),
    "bag": ((int,), "a whole number", "bag = 5"),
    "features": ((list,), "a list of strings", 'features = ["bm25", "age"]'),
    "fill": ((int, float, str), "a number or 'keep'", "fill = 0.0"),
    PARAMETERS: ((dict,), "a table", "[parameters], and a line epochs = 200 below it"),
}


def read_settings(path: str) -> dict[str, Any]:
    """The settings in a file; a key that is none, or is of another kind, is an InputError."""
    try:
        with open(path, "rb") as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise InputError(
                "this is not a settings file: it has more than a megabyte",
                source=path,
                hint="name the settings of a model, as `idealist train` writes them",
            )
        settings = tomllib.loads(text.decode())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=path, hint="check the path") from None
    except ValueError as error:
        raise InputError(
            f"this is not TOML: {error}", source=path, hint='for example model = "linear"'
        ) from None
    for key, value in settings.items():
        if key not in KEYS:
            near = get_close_matches(key, KEYS, 1)
            suggestion = f"did you mean {near[0]!r}? " if near else ""
            raise InputError(
                f"there is no setting {key!r}", source=path, hint=f"{suggestion}there are {', '.join(KEYS)}"
            )
        kinds, expected, example = KEYS[key]
        strange = (
            next((name for name in value if not isinstance(name, str)), None)
            if key == "features" and isinstance(value, list)
            else None
        )
        if isinstance(value, bool) or not isinstance(value, kinds) or strange is not None:
            given = f"one with {_kind_of(strange)}" if strange is not None else _kind_of(value)
            raise InputError(
                f"{key} must be {expected}, not {given}: {value!r:.60}",
                source=path,
                hint=f"for example {example}",
            )
    for name, value in settings.get(PARAMETERS, {}).items():
        if not isinstance(value, (bool, int, float, str, list)) and not (
            name == "options" and isinstance(value, dict)
        ):
            raise InputError(
                f"[{PARAMETERS}]: {name} must be a number, a string, a list, true or false, not {_kind_of(value)}",
                source=path,
                hint="for example epochs = 200",
            )
    return settings


def _kind_of(value: Any) -> str:
    """What TOML calls a value.

    >>> _kind_of(True), _kind_of([1]), _kind_of("x")
    ('true or false', 'a list', 'a string')
    """
    kinds = {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "a table",
    }
    return kinds.get(type(value), f"a {type(value).__name__}")


def settings_text(settings: Mapping[str, Any], about: Mapping[str, Any] | None = None) -> str:
    """Settings as TOML, which `read_settings` reads back; `about` goes into comments above.

    >>> print(settings_text({"model": "ascent", "parameters": {"restarts": 2}}, {"value": 0.5}), end="")
    # value: 0.5
    model = "ascent"
    <BLANKLINE>
    [parameters]
    restarts = 2
    """
    lines = [f"# {name}: {value}" for name, value in (about or {}).items()]
    lines += [
        f"{key} = {_toml(value)}"
        for key, value in settings.items()
        if key in KEYS and key != PARAMETERS and value is not None
    ]
    parameters = {name: value for name, value in settings.get("parameters", {}).items() if value is not None}
    if parameters:
        lines += ["", "[parameters]", *(f"{name} = {_toml(value)}" for name, value in parameters.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """A value in TOML: texts and numbers are written as JSON has them."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


# Parameters that say how long a fit takes, and not what kind of model comes of it.
LENGTHS = ("epochs", "rounds", "trees", "restarts", "passes", "bags")
ROWS = 4


def check_export(
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
            chosen.try_write(model, os.path.join(folder, "model"), **options)
        except ModuleNotFoundError as error:
            raise missing_library(f"writing {chosen.label}", error) from None
    return chosen


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
