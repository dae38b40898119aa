"""Models as the learning-to-rank plugins of Elasticsearch and OpenSearch take them, with trees as XGBoost dumps them in JSON."""

from __future__ import annotations

import json

import numpy as np

from idealist.errors import InputError, located
from idealist.learn.models.formats.model_format import ModelFormat, read_json, required, write_json
from idealist.learn.models.formats.ranklib_files import parse_ranklib, ranklib_text
from idealist.learn.models.single_precision import (
    SinglePrecisionTrees,
    WeightedSum,
    float_text,
    following,
    is_linear,
    node_tree,
    planted,
    refuse_zero_rules,
    single_threshold,
    weighted_sum,
)
from idealist.learn.models.trees import NAN_LEFT, NAN_RIGHT, TreeEnsemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.models.base_model import Model
    from idealist.learn.models.trees import Tree


# Those that leave the sum of the trees as it is.
PLAIN = ("reg:linear", "reg:squarederror", "binary:logitraw", "rank:pairwise", "rank:ndcg", "rank:map")


def trees_dump(model: TreeEnsemble) -> list[dict[str, Any]]:
    """The trees as nested nodes; their weights go into the leaves, and an offset is a tree that is one leaf."""
    refuse_zero_rules(model)
    dump = [
        _dumped(tree, float(weight), model.names)
        for tree, weight in zip(model.trees, model.weights, strict=True)
    ]
    return [*dump, {"nodeid": 0, "leaf": model.offset}] if model.offset else dump


def _dumped(tree: Tree, weight: float, names: tuple[str, ...]) -> dict[str, Any]:
    def leaf(node: int) -> dict[str, Any]:
        return {"nodeid": node, "leaf": float(float_text(weight * tree.values[node]))}

    def inner(node: int, depth: int, left: Any, right: Any) -> dict[str, Any]:
        highest = single_threshold(float(tree.thresholds[node]))
        rule = tree.missing[node]
        # Where a missing feature goes, for plugins that look; those that do not take it for 0.
        absent_left = rule == NAN_LEFT or (rule != NAN_RIGHT and highest >= 0)
        return {
            "nodeid": node,
            "depth": depth,
            "split": names[int(tree.features[node])],
            "split_condition": float(float_text(following(highest))),
            "yes": left["nodeid"],
            "no": right["nodeid"],
            "missing": left["nodeid"] if absent_left else right["nodeid"],
            "children": [left, right],
        }

    dumped: dict[str, Any] = node_tree(tree, inner, leaf)
    return dumped


def parse_dump(text: str) -> SinglePrecisionTrees:
    """The trees of a dump, before which there may be an object of parameters, or which may be in one."""
    try:
        dump, end = json.JSONDecoder().raw_decode(text.strip())
        if isinstance(dump, dict):
            _refuse_objective(dump.get("objective", PLAIN[0]))
            dump = dump["splits"] if "splits" in dump else json.loads(text.strip()[end:])
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"the trees cannot be read: {error}", hint="the file is damaged or cut short"
        ) from None
    if not isinstance(dump, list) or not dump:
        raise InputError("there are no trees", hint="they are a list of nodes")
    names: dict[str, int] = {}

    def read(node: Any) -> Any:
        if isinstance(node, dict) and "leaf" in node:
            return _single(node["leaf"])
        children = {child.get("nodeid"): child for child in required(node, "children", list)}
        if not {node.get("yes"), node.get("no")} <= set(children):
            raise InputError(f"node {node.get('nodeid')} lacks a child", hint="the file is damaged")
        place = names.setdefault(required(node, "split", str), len(names))
        highest = float(np.nextafter(np.float32(_single(node.get("split_condition"))), np.float32(-np.inf)))
        return place, highest, children[node["yes"]], children[node["no"]]

    trees = [planted(root, read) for root in dump]
    return SinglePrecisionTrees(trees, names=names, weights=np.ones(len(trees)))


def _refuse_objective(objective: Any) -> None:
    if objective not in PLAIN:
        raise InputError(
            f"the objective {objective!r} changes the sum of the trees",
            hint=f"read here: {', '.join(PLAIN)}",
        )


def _single(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
        raise InputError(f"a node has {value!r} where a number belongs", hint="the file is damaged")
    return float(np.float32(value))


LINEAR, TREES, RANKLIB = "model/linear", "model/xgboost+json", "model/ranklib"
TYPES = (LINEAR, TREES, RANKLIB)


class Elasticsearch(ModelFormat):
    """POST _ltr/_featureset/SET/_createmodel takes what this writes; GET _ltr/_model/NAME gives what it reads as well."""

    name = "elasticsearch"
    label = "a model for Elasticsearch's or OpenSearch's learning to rank"
    about = (
        "trees (model/xgboost+json) and linear models (model/linear), or both as RankLib's (model/ranklib)"
    )
    endings = (".elasticsearch.json", ".opensearch.json")
    options = ("name", "type")

    def recognises(self, head: bytes) -> bool:
        return head.lstrip()[:1] == b"{" and any(f'"{one}"'.encode() in head for one in TYPES)

    def read(self, path: str) -> Model:
        record = read_json(path)
        record = record.get("_source", record) if isinstance(record, dict) else record
        outer = required(record, "model", dict, path)
        inner = required(outer, "model", dict, path) if "model" in outer else outer
        kind, definition = required(inner, "type", str, path), required(inner, "definition", str, path)
        try:
            return _parsed(kind, definition)
        except InputError as error:
            raise located(error, path) from None

    def takes(self, model: Model) -> bool:
        return isinstance(model, TreeEnsemble) or is_linear(model)

    def write(self, model: Model, path: str, **options: Any) -> None:
        usual = TREES if isinstance(model, TreeEnsemble) else LINEAR
        kind = options.get("type") or usual
        kind = kind if kind.startswith("model/") else f"model/{kind}"
        if kind not in (usual, RANKLIB):
            raise InputError(
                f"a {model.kind} model cannot be written as {kind}", hint=f"choose {usual} or {RANKLIB}"
            )
        if kind == RANKLIB:
            definition = ranklib_text(model)
        elif isinstance(model, TreeEnsemble):
            definition = json.dumps(trees_dump(model), ensure_ascii=False, allow_nan=False)
        else:
            terms = weighted_sum(model)
            weights = dict(zip(terms.names, terms.weights, strict=True))
            definition = json.dumps(weights, ensure_ascii=False, allow_nan=False)
        body = {"name": options.get("name") or "model", "model": {"type": kind, "definition": definition}}
        write_json({"model": body}, path)


ELASTICSEARCH = Elasticsearch()


def _parsed(kind: str, definition: str) -> Model:
    if kind == RANKLIB:
        return parse_ranklib(definition)
    if kind == TREES:
        return parse_dump(definition)
    if kind != LINEAR:
        raise InputError(f"models of type {kind!r} cannot be read", hint=f"these can: {', '.join(TYPES)}")
    try:
        weights = json.loads(definition)
        return WeightedSum(list(weights), [float(weight) for weight in weights.values()])
    except (ValueError, TypeError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"the definition is not a table of weights: {error}",
            hint='it looks like {"title": 0.3, "body": 0.5}',
        ) from None
