"""XGBoost's model files: JSON, and the binary form of it that XGBoost itself turns into JSON."""

from __future__ import annotations

import json
import re
from math import log

import numpy as np

from idealist.data.features import MOST_FEATURES
from idealist.errors import InputError, located
from idealist.learn.models.formats.model_format import ModelFormat, read_json, required
from idealist.learn.models.trees import LEAF, NAN_LEFT, NAN_RIGHT, Tree, TreeEnsemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.learn.models.base_model import Model

DAMAGED = "the file is damaged, or not a model of XGBoost"
# Objectives that leave the sum of the trees and of the base score as it is, besides rank:…
PLAIN = ("reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror", "reg:quantileerror")
# Objectives whose base score is a probability.
LOGISTIC = ("binary:logistic", "reg:logistic")


class XGBoost(ModelFormat):
    name = "xgboost"
    label = "a model of XGBoost"
    about = "trees over numbers, JSON or UBJ (which needs xgboost); scores are XGBoost's margins"

    def recognises(self, head: bytes) -> bool:
        # JSON; or UBJ, where the length of a name stands before it.
        return re.match(rb'\s*\{\s*"learner"\s*:', head) is not None or (
            head[:1] == b"{" and b"learner{" in head[:40]
        )

    def read(self, path: str) -> Model:
        with open(path, "rb") as file:
            text = file.read(40).lstrip()[1:].lstrip().startswith(b'"')
        try:
            return ensemble_of(read_json(path) if text else _from_binary(path))
        except InputError as error:
            raise located(error, path) from None


def _from_binary(path: str) -> Any:
    import xgboost

    try:
        booster = xgboost.Booster(model_file=path)
    except xgboost.core.XGBoostError:
        raise InputError("XGBoost cannot read this file", hint=DAMAGED) from None
    return json.loads(booster.save_raw("json"))


def ensemble_of(record: Any, names: Iterable[str] | None = None) -> TreeEnsemble:
    """The trees of a model's JSON. Features without names are numbered from 1; `names` names them otherwise."""
    learner = required(record, "learner", dict)
    booster = required(learner, "gradient_booster", dict)
    parameters = required(learner, "learner_model_param", dict)
    weights = None
    if booster.get("name") == "dart":
        weights = _numbers(required(booster, "weight_drop", list), "'weight_drop'", np.float64)
        booster = required(booster, "gbtree", dict)
    elif booster.get("name") != "gbtree":
        raise InputError(
            f"this is a booster of kind {booster.get('name')!r}", hint="gbtree and dart are read"
        )
    if _whole(parameters, "num_class") > 1 or _whole(parameters, "num_target", 1) > 1:
        raise InputError(
            "this model gives a document several scores", hint="train it for ranking or regression"
        )
    trees = [
        _tree(number, tree)
        for number, tree in enumerate(required(required(booster, "model", dict), "trees", list))
    ]
    if names is None:
        names = _names(learner, parameters)
    return TreeEnsemble(
        trees, names=names, weights=weights, offset=_offset(learner, parameters), single_precision=True
    )


def _whole(parameters: dict[str, Any], key: str, default: int = 0) -> int:
    try:
        return int(parameters.get(key, default))
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{key!r} is {parameters[key]!r}, not a whole number", hint=DAMAGED) from None


def _names(learner: dict[str, Any], parameters: dict[str, Any]) -> list[str]:
    names = learner.get("feature_names") or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError("'feature_names' is not a list of strings", hint=DAMAGED)
    count = _whole(parameters, "num_feature")
    if count > MOST_FEATURES:
        raise InputError(f"'num_feature' is {count:,}, more than {MOST_FEATURES:,}", hint=DAMAGED)
    return names or [str(number) for number in range(1, count + 1)]


def _numbers(entries: list[Any], what: str, kind: type) -> np.ndarray:
    """A list of the file as an array; whole numbers are what fits into its type."""
    try:
        with np.errstate(over="ignore"):
            numbers = np.asarray(entries, np.float64)
            if numbers.ndim != 1:
                raise ValueError
            if np.issubdtype(kind, np.floating):
                return numbers.astype(kind)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what} has something that is not a number", hint=DAMAGED) from None
    limits = np.iinfo(kind)
    wrong = ~((numbers == np.round(numbers)) & (numbers >= limits.min) & (numbers <= limits.max))
    if wrong.any():
        raise InputError(f"{what} has {numbers[wrong][0]} where a whole number belongs", hint=DAMAGED)
    return numbers.astype(kind)


def _offset(learner: dict[str, Any], parameters: dict[str, Any]) -> float:
    """The base score, as it is added to the trees."""
    try:
        base = float(str(parameters["base_score"]).strip("[]"))
    except (KeyError, ValueError):
        raise InputError("'base_score' is missing or not a number", hint=DAMAGED) from None
    objective = str(required(learner, "objective", dict).get("name"))
    if objective in LOGISTIC and 0 < base < 1:
        return log(base / (1 - base))
    if objective in PLAIN or objective.startswith("rank:"):
        return base
    raise InputError(
        f"the scores of objective {objective!r} are not read",
        hint=f"rank:ndcg and its like, {', '.join((*PLAIN, *LOGISTIC))}",
    )


def _tree(number: int, tree: Any) -> Tree:
    def column(name: str, kind: type) -> np.ndarray:
        return _numbers(required(tree, name, list), f"{name!r} of tree {number}", kind)

    left, right = column("left_children", np.int32), column("right_children", np.int32)
    leaf = left == -1
    conditions = column("split_conditions", np.float32)
    features, types = column("split_indices", np.int32), column("split_type", np.int8)
    nan_left = column("default_left", np.int8) != 0
    if len({len(column) for column in (left, right, conditions, features, types, nan_left)}) > 1 or not len(
        left
    ):
        raise InputError(f"the arrays of tree {number} differ in length, or are empty", hint=DAMAGED)
    if (features[~leaf] < 0).any():
        raise InputError(f"tree {number} compares feature {features[~leaf].min()}", hint=DAMAGED)
    if types[~leaf].any():
        raise InputError(f"tree {number} compares categories", hint="train on features that are numbers")
    return Tree(
        features=np.where(leaf, LEAF, features),
        # Below a threshold is up to the number before it, in single precision.
        thresholds=np.where(leaf, 0, np.nextafter(conditions, np.float32(-np.inf)).astype(np.float64)),
        left=np.where(leaf, 0, left),
        right=np.where(leaf, 0, right),
        values=np.where(leaf, conditions.astype(np.float64), 0.0),
        missing=np.where(nan_left, NAN_LEFT, NAN_RIGHT),
    )


XGBOOST = XGBoost()
