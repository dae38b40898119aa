"""XGBoost's model files: JSON, and the binary form of it that XGBoost itself turns into JSON."""

from __future__ import annotations

import json
import re
from math import log

import numpy as np

from idealist.errors import InputError
from idealist.learn.models.formats.base import ModelFormat
from idealist.learn.models.formats.json_text import read_json, required
from idealist.learn.models.trees import LEAF, NAN_LEFT, NAN_RIGHT, Tree, TreeEnsemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.learn.models.base import Model

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
            raise InputError(error.message, source=path, hint=error.hint) from None


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
        weights, booster = required(booster, "weight_drop", list), required(booster, "gbtree", dict)
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
        names = learner.get("feature_names") or map(str, range(1, _whole(parameters, "num_feature") + 1))
    return TreeEnsemble(
        trees, names=names, weights=weights, offset=_offset(learner, parameters), single_precision=True
    )


def _whole(parameters: dict[str, Any], key: str, default: int = 0) -> int:
    try:
        return int(parameters.get(key, default))
    except (TypeError, ValueError):
        raise InputError(f"{key!r} is {parameters[key]!r}", hint=DAMAGED) from None


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
        entries = required(tree, name, list)
        try:
            return np.asarray(entries, kind)
        except (TypeError, ValueError):
            raise InputError(
                f"{name!r} of tree {number} has something that is not a number", hint=DAMAGED
            ) from None

    left, right = column("left_children", np.int32), column("right_children", np.int32)
    leaf = left == -1
    conditions = column("split_conditions", np.float32)
    if len({len(left), len(right), len(conditions)}) > 1 or not len(left):
        raise InputError(f"the arrays of tree {number} differ in length, or are empty", hint=DAMAGED)
    if column("split_type", np.int8)[~leaf].any():
        raise InputError(f"tree {number} compares categories", hint="train on features that are numbers")
    return Tree(
        features=np.where(leaf, LEAF, column("split_indices", np.int32)),
        # Below a threshold is up to the number before it, in single precision.
        thresholds=np.where(leaf, 0, np.nextafter(conditions, np.float32(-np.inf)).astype(np.float64)),
        left=np.where(leaf, 0, left),
        right=np.where(leaf, 0, right),
        values=np.where(leaf, conditions.astype(np.float64), 0.0),
        missing=np.where(column("default_left", np.int8) != 0, NAN_LEFT, NAN_RIGHT),
    )


FORMAT = XGBoost()
