"""CatBoost's model files: JSON, and its binary form, which CatBoost itself turns into JSON."""

from __future__ import annotations

import os
from sys import float_info
from tempfile import TemporaryDirectory

import numpy as np

from idealist.errors import InputError, located
from idealist.learn.models.formats.model_format import ModelFormat, read_json, required
from idealist.learn.models.trees import LEAF, NAN_LEFT, NAN_RIGHT, Tree, TreeEnsemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from idealist.learn.models.base_model import Model

DAMAGED = "the file is damaged, or not a model of CatBoost"
BINARY = b"CBM1"
LARGEST = float_info.max
# Where nan goes; "AsIs" compares it, and it is above no border.
MISSING = {"AsIs": NAN_LEFT, "AsFalse": NAN_LEFT, "AsTrue": NAN_RIGHT}
# More levels of a symmetric tree than CatBoost grows: the leaves of one level more are twice as many.
DEEPEST = 24


class CatBoost(ModelFormat):
    name = "catboost"
    label = "a model of CatBoost"
    about = "trees over numbers, JSON or CBM (which needs catboost); scores are CatBoost's raw values"

    def recognises(self, head: bytes) -> bool:
        json_model = head.lstrip()[:1] == b"{" and any(
            word in head for word in (b'"float_features"', b'"features_info"', b'"oblivious_trees"')
        )
        return head.startswith(BINARY) or json_model

    def read(self, path: str) -> Model:
        with open(path, "rb") as file:
            binary = file.read(len(BINARY)) == BINARY
        try:
            return ensemble_of(_from_binary(path) if binary else read_json(path))
        except InputError as error:
            raise located(error, path) from None


def _from_binary(path: str) -> Any:
    import catboost

    model = catboost.CatBoost()
    try:
        model.load_model(path)
    except catboost.CatBoostError:
        raise InputError("CatBoost cannot read this file", hint=DAMAGED) from None
    return as_json(model)


def as_json(model: Any) -> Any:
    """A model of CatBoost's as its JSON, which it gives as a file only."""
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        model.save_model(path, format="json")
        return read_json(path)


def ensemble_of(record: Any, names: Iterable[str] | None = None) -> TreeEnsemble:
    """The trees of a model's JSON. Features without names are numbered from 1; `names` names them otherwise."""
    about = required(record, "features_info", dict)
    if about.get("categorical_features") or about.get("text_features") or about.get("embedding_features"):
        raise InputError(
            "this model takes features that are not numbers", hint="train on features that are numbers"
        )
    features = required(about, "float_features", list)
    scale, offset = _scale_and_offset(record)
    splits = _Splits(features)
    if "trees" in record:
        trees = [_tree(root, splits) for root in required(record, "trees", list)]
    else:
        trees = [_symmetric_tree(tree, splits) for tree in required(record, "oblivious_trees", list)]
    return TreeEnsemble(
        trees,
        names=splits.names if names is None else names,
        weights=[scale] * len(trees),
        offset=offset,
        single_precision=True,
    )


def _scale_and_offset(record: Any) -> tuple[float, float]:
    match record.get("scale_and_bias"):
        case [int() | float() as scale, [int() | float() as bias]] if all(
            abs(number) <= LARGEST for number in (scale, bias)
        ):
            return float(scale), float(bias)
        case [_, [_, _, *_]]:
            raise InputError(
                "this model gives a document several scores", hint="train it for ranking or regression"
            )
    raise InputError("'scale_and_bias' is missing, or not a pair of numbers", hint=DAMAGED)


class _Splits:
    """What a comparison of the file says about a node: its column, its border, and where nan goes."""

    def __init__(self, features: list[Any]) -> None:
        try:
            self.columns = {
                int(feature["feature_index"]): int(feature["flat_feature_index"]) for feature in features
            }
            self.missing = {
                int(feature["feature_index"]): MISSING[feature["nan_value_treatment"]] for feature in features
            }
            named = {int(feature["flat_feature_index"]): feature["feature_id"] for feature in features}
        except (KeyError, TypeError, ValueError, OverflowError):
            raise InputError("a feature of the file is incomplete", hint=DAMAGED) from None
        # The file lists all features, whether trees use them or not.
        if sorted(named) != list(range(len(features))):
            raise InputError(
                f"{len(features):,} features are not numbered 0, 1, … by flat_feature_index", hint=DAMAGED
            )
        self.names = [str(named[at] or at + 1) for at in range(len(named))]

    def read(self, split: Any) -> tuple[int, float, int]:
        if not isinstance(split, dict) or split.get("split_type") != "FloatFeature":
            kind = split.get("split_type") if isinstance(split, dict) else split
            raise InputError(
                f"a tree has a split of kind {kind!r}", hint="train on features that are numbers"
            )
        try:
            feature = int(split["float_feature_index"])
            return self.columns[feature], float(split["border"]), self.missing[feature]
        except (KeyError, TypeError, ValueError, OverflowError):
            raise InputError("a split of a tree is incomplete", hint=DAMAGED) from None


def _symmetric_tree(tree: Any, splits: _Splits) -> Tree:
    """A tree with one comparison for each level. The bit of a level, 1 above its border, counts 2^level in the number of
    the leaf."""
    leaves = required(tree, "leaf_values", list)
    levels = [splits.read(split) for split in (required(tree, "splits", list) if tree.get("splits") else [])]
    depth = len(levels)
    if depth > DEEPEST or len(leaves) != 2**depth:
        raise InputError(f"a tree of {depth} levels has {len(leaves):,} leaves, not 2^{depth}", hint=DAMAGED)
    # The nodes of a level stand one behind the other, by the bits so far: 2^level − 1 of other levels before them.
    width = 2 ** np.arange(depth)
    place = np.concatenate([np.arange(count) for count in width] + [np.empty(0, np.int64)])
    following = np.repeat(2 * width - 1, width)
    padding = [0] * len(leaves)
    column, border, missing = (np.repeat([level[part] for level in levels], width) for part in range(3))
    return Tree(
        features=[*column.astype(int), *[LEAF] * len(leaves)],
        thresholds=[*border, *padding],
        left=[*(following + place), *padding],
        right=[*(following + place + np.repeat(width, width)), *padding],
        values=[*[0.0] * len(place), *_numbers(leaves)],
        missing=[*missing.astype(int), *padding],
    )


def _numbers(values: list[Any]) -> list[float]:
    try:
        return [float(value) for value in values]
    except (TypeError, ValueError, OverflowError):
        raise InputError("a leaf is not a number", hint=DAMAGED) from None


def _tree(root: Mapping[str, Any], splits: _Splits) -> Tree:
    """A tree of nested nodes."""
    nodes: list[list[float]] = []
    waiting: list[tuple[Any, int, int]] = [(root, -1, 0)]
    while waiting:
        node, parent, side = waiting.pop()
        if not isinstance(node, dict):
            raise InputError("a node of a tree is missing", hint=DAMAGED)
        if parent >= 0:
            nodes[parent][side] = len(nodes)
        if "split" in node:
            waiting += [(node.get("right"), len(nodes), 3), (node.get("left"), len(nodes), 2)]
            feature, border, missing = splits.read(node["split"])
            nodes.append([feature, border, 0, 0, 0.0, missing])
        else:
            nodes.append([LEAF, 0.0, 0, 0, *_numbers([node.get("value")]), NAN_LEFT])
    features, thresholds, left, right, values, missing_rules = zip(*nodes, strict=True)
    return Tree(
        features=features, thresholds=thresholds, left=left, right=right, values=values, missing=missing_rules
    )


CATBOOST = CatBoost()
