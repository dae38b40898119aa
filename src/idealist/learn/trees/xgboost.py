"""Inside XGBoost: data of our features, and our measures as metric and objective.

data, held_out = dataset(train), dataset(validation)
xgboost.train({}, data, evals=[(held_out, "validation")], obj=Lambdas("AP"), custom_metric=Metric("AP"), maximize=True)
"""

from __future__ import annotations

import json
import re
import warnings

import numpy as np
import xgboost

from idealist.data.features import grades_of
from idealist.errors import InputError
from idealist.learn.models.formats.xgboost_files import ensemble_of
from idealist.learn.trees.grouped_data import Lambdas as Lambdas
from idealist.learn.trees.grouped_data import Metric as _Metric
from idealist.learn.trees.grouped_data import names_for
from idealist.measures.gains import number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.data.features import Features
    from idealist.learn.models.trees import TreeEnsemble
    from idealist.measures import Measure

FORBIDDEN = "[]<"  # in names of features, as XGBoost says
HIGHEST_EXPONENT = 31  # of a label with 2^label − 1, as XGBoost says


class RankingMatrix(xgboost.DMatrix):
    """Data that knows the features it was made of, so that grades and ids are ours to the last bit."""

    features: Features


def dataset(features: Features, **arguments: Any) -> RankingMatrix:
    """The data of features with grades; other arguments are those of xgboost.DMatrix.

    nan is XGBoost's missing value.
    """
    grades = grades_of(features)
    if np.isinf(features.matrix).any():
        row, column = np.argwhere(np.isinf(features.matrix))[0]
        raise InputError(
            f"feature {features.names[column]!r} of document {features.documents[row]!r} is infinite",
            hint="XGBoost takes finite numbers, and nan for what is missing",
        )
    # Of ranked data XGBoost takes a weight a query.
    arguments = {"feature_names": names_for(features, FORBIDDEN), "weight": features.weights, **arguments}
    data = RankingMatrix(features.matrix, grades, group=features.sizes, **arguments)
    data.features = features
    return data


class Metric(_Metric):
    """Our measure as `custom_metric`: its name, and its value over the queries of the data.

    XGBoost must be told whether higher is better: maximize=metric.higher_is_better.
    """

    def __call__(self, predictions: Any, data: Any) -> tuple[str, float]:
        # XGBoost takes what stands behind a colon for the value.
        return str(self.measure).replace(":", "="), self.value(predictions, data)


def rank_ndcg(measure: Measure, features: Features) -> dict[str, Any]:
    """XGBoost's parameters for its own rank:ndcg with a measure's gain, which it has two of."""
    gain = getattr(measure, "gain", "exp")
    if gain not in ("exp", "linear"):
        raise InputError(
            f"XGBoost's rank:ndcg has the gains exp and linear, not those of {measure}",
            hint="objective=measure takes any gain",
        )
    grades = features.grades if features.grades is not None else np.empty(0)
    if grades.min(initial=0) < 0 or (gain == "exp" and grades.max(initial=0) > HIGHEST_EXPONENT):
        strange = grades.min() if grades.min() < 0 else grades.max()
        raise InputError(
            f"XGBoost's rank:ndcg takes grades from 0 up, and to {HIGHEST_EXPONENT} with gain=exp, "
            f"not {number_text(float(strange))}",
            hint="objective=measure takes any grade",
        )
    return {"objective": "rank:ndcg", "ndcg_exp_gain": gain == "exp"}


def unused_parameters(settings: dict[str, Any]) -> tuple[list[str], set[str]]:
    """The parameters that XGBoost says it does not use, and those that it has: from a tree over two rows.

    It has no list of its parameters; it warns of those that it does not know, and says its settings afterwards.
    """
    data = xgboost.DMatrix(np.array([[0.0], [1.0]]), [0, 1], group=[2])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            booster = xgboost.train({**settings, "verbosity": 1, "validate_parameters": True}, data, 1)
        except xgboost.core.XGBoostError:
            return [], set()  # a value is wrong, which the training itself will say
    unused = [
        name
        for warning in caught
        for group in re.findall(r"Parameters: \{(.*?)\} are not used", str(warning.message))
        for name in re.findall(r'"(.*?)"', group)
    ]
    return unused, set(_keys(json.loads(booster.save_config())))


def _keys(settings: dict[str, Any]) -> Iterator[str]:
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _keys(value)
        else:
            yield name


def ensemble(booster: Any, names: Any = None, *, rounds: int | None = None) -> TreeEnsemble:
    """A trained booster as a model of ours: its first `rounds` rounds, or all of them."""
    chosen = booster if rounds is None else booster[:rounds]
    return ensemble_of(json.loads(chosen.save_raw("json")), names)
