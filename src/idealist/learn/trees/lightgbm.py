"""Inside LightGBM: data sets of our features, and our measures as metric and objective.

data, held_out = dataset(train), dataset(validation)
lightgbm.train({"objective": Lambdas("AP"), "metric": "None"}, data, valid_sets=[held_out], feval=Metric("AP"))
"""

from __future__ import annotations

import os
import sys

import lightgbm
import numpy as np

from idealist.data.features import grades_of
from idealist.errors import InputError
from idealist.learn.models.formats.lightgbm_files import ensemble_of
from idealist.learn.trees.grouped_data import Lambdas as Lambdas
from idealist.learn.trees.grouped_data import Metric as _Metric
from idealist.learn.trees.grouped_data import names_for
from idealist.measures.gains import gain_function, number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.data.features import Features
    from idealist.learn.models.trees import TreeEnsemble
    from idealist.learn.trainers.trainer import Progress
    from idealist.measures import Measure

FORBIDDEN = '",:[]{}'  # in names of features, as LightGBM says
HIGHEST_LABEL = 10_000  # that a table of gains is made for


class RankingData(lightgbm.Dataset):
    """A data set that knows the features it was made of, so that grades and ids are ours to the last bit."""

    features: Features


def dataset(features: Features, *, reference: Any = None, **arguments: Any) -> RankingData:
    """The data set of features with grades. `reference` is the one trained on, where this one is for validation; other
    arguments are those of lightgbm.Dataset.

    nan is LightGBM's missing value.
    """
    grades = grades_of(features)
    weights = None if features.weights is None else np.repeat(features.weights, features.sizes)
    arguments = {"feature_name": names_for(features, FORBIDDEN) or "auto", "weight": weights, **arguments}
    data = RankingData(features.matrix, grades, group=features.sizes, reference=reference, **arguments)
    data.features = features
    return data


class Metric(_Metric):
    """Our measure as `feval`: its name, its value over the queries of the data set, and whether higher is better."""

    def __call__(self, predictions: Any, data: Any) -> tuple[str, float, bool]:
        return str(self.measure), self.value(predictions, data), self.higher_is_better


def lambdarank(measure: Measure, features: Features) -> dict[str, Any]:
    """LightGBM's parameters for its own lambdarank with a measure's gains, where it has some, and at least its cut-off."""
    grades = np.unique(features.grades if features.grades is not None else [])
    strange = [grade for grade in grades if grade < 0 or grade != int(grade) or grade > HIGHEST_LABEL]
    if strange:
        raise InputError(
            f"LightGBM's lambdarank takes the grades 0, 1, 2, …, not {number_text(float(strange[0]))}",
            hint="objective=measure takes any grade",
        )
    highest = int(grades.max(initial=0))
    gain = gain_function(getattr(measure, "gain", "exp"))
    try:
        table = [float(gain(float(grade))) for grade in range(highest + 1)]
    except KeyError as error:
        raise InputError(
            f"the gain table lacks grade {number_text(float(error.args[0]))}",
            hint=f"LightGBM wants a gain for every grade from 0 to {highest}",
        ) from None
    truncation = max(30, getattr(measure, "k", None) or 30)
    return {"objective": "lambdarank", "label_gain": table, "lambdarank_truncation_level": truncation}


def plain_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as the library itself takes them, with no objective where it is a function."""
    return {**settings, "objective": "none"} if callable(settings["objective"]) else settings


def refuse_settings(settings: dict[str, Any], data: RankingData) -> None:
    """Raises what LightGBM raises for settings that it cannot train with, without the lines that it also writes to standard
    error itself: what the error says is enough."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        lightgbm.Booster(plain_settings(settings), data)
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def parameter_names() -> set[str]:
    """All parameters that LightGBM knows, and their other names, by its own list."""
    by_name = lightgbm.basic._ConfigAliases._get_all_param_aliases()
    return {*by_name, *(other for others in by_name.values() for other in others)}


class Rounds:
    """How many rounds were run, as a callback: a booster that was stopped early has those up to the best. Each is reported to
    `progress`, if there is one, with the number of rounds at most."""

    def __init__(self, limit: int, progress: Progress | None = None) -> None:
        self.run, self.limit, self.progress = 0, limit, progress

    def __call__(self, state: Any) -> None:
        self.run = state.iteration + 1
        if self.progress is not None:
            self.progress(self.run, self.limit)


def names_of(parameter: str) -> set[str]:
    """A parameter's own name and its other names."""
    return {parameter, *lightgbm.basic._ConfigAliases.get(parameter)}


def ensemble(booster: Any, names: Any = None, *, rounds: int | None = None) -> TreeEnsemble:
    """A trained booster as a model of ours: its first `rounds` trees, or those up to its best iteration."""
    return ensemble_of(booster.model_to_string(num_iteration=rounds), names)
