"""Models as Solr's learning to rank takes them: what is uploaded to a model store."""

from __future__ import annotations

import numpy as np

from idealist.errors import InputError, located
from idealist.learn.models.formats.model_format import ModelFormat, read_json, required, write_json
from idealist.learn.models.single_precision import (
    SinglePrecisionTrees,
    WeightedSum,
    float_text,
    is_linear,
    node_tree,
    planted,
    refuse_zero_rules,
    single_threshold,
    weighted_sum,
)
from idealist.learn.models.trees import TreeEnsemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.models.base_model import Model
    from idealist.learn.models.trees import Tree

PACKAGE = "org.apache.solr.ltr.model."
LINEAR, TREES = f"{PACKAGE}LinearModel", f"{PACKAGE}MultipleAdditiveTreesModel"
IDENTITY = {"class": "org.apache.solr.ltr.norm.IdentityNormalizer"}
SLACK = np.float32(1e-6)  # which Solr adds to every threshold of a tree


class Solr(ModelFormat):
    name = "solr"
    label = "a model for Solr's learning to rank"
    about = "trees (MultipleAdditiveTreesModel) and linear models (LinearModel)"
    endings = (".solr.json",)
    options = ("name", "store")

    def recognises(self, head: bytes) -> bool:
        return head.lstrip()[:1] == b"{" and f'"{PACKAGE}'.encode() in head

    def read(self, path: str) -> Model:
        try:
            return _parsed(read_json(path))
        except InputError as error:
            raise located(error, path) from None

    def takes(self, model: Model) -> bool:
        return isinstance(model, TreeEnsemble) or is_linear(model)

    def write(self, model: Model, path: str, **options: Any) -> None:
        if isinstance(model, TreeEnsemble):
            refuse_zero_rules(model)
            used = [model.names[place] for place in model.used()]
            trees = [
                {"weight": float_text(weight), "root": _nested(tree, model.names)}
                for tree, weight in zip(model.trees, model.weights, strict=True)
            ]
            if model.offset:
                # What every document gets is a tree that is one leaf.
                trees.append({"weight": "1.0", "root": {"value": float_text(model.offset)}})
            kind, names, params = TREES, used, {"trees": trees}
        else:
            terms = weighted_sum(model)
            kind, names = LINEAR, list(terms.names)
            params = {"weights": dict(zip(names, terms.weights, strict=True))}  # type: ignore[dict-item]
        record = {"class": kind, "name": options.get("name") or "model"}
        if options.get("store"):
            record["store"] = options["store"]
        write_json({**record, "features": [{"name": name} for name in names], "params": params}, path)


SOLR = Solr()


def _nested(tree: Tree, names: tuple[str, ...]) -> Any:
    def leaf(node: int) -> dict[str, Any]:
        return {"value": float_text(tree.values[node])}

    def inner(node: int, depth: int, left: Any, right: Any) -> dict[str, Any]:
        threshold = float_text(_without_slack(single_threshold(float(tree.thresholds[node]))))
        name = names[int(tree.features[node])]
        return {"feature": name, "threshold": threshold, "left": left, "right": right}

    return node_tree(tree, inner, leaf)


def _without_slack(threshold: float) -> float:
    """What to write, so that Solr's sum with its slack is the threshold, or the nearest number below it that can be."""
    exact = np.float32(threshold)
    written = exact - SLACK
    with np.errstate(over="ignore", under="ignore"):
        while written + SLACK > exact:
            written = np.nextafter(written, np.float32(-np.inf))
        while np.nextafter(written, np.float32(np.inf)) + SLACK <= exact:
            written = np.nextafter(written, np.float32(np.inf))
    return float(written)


def _parsed(record: Any) -> Model:
    kind = required(record, "class", str)
    features = required(record, "features", list)
    names = [required(feature, "name", str) for feature in features]
    normalised = next(
        (feature["name"] for feature in features if feature.get("norm", IDENTITY) != IDENTITY), None
    )
    if normalised is not None:
        raise InputError(
            f"feature {normalised!r} is normalised within Solr, which cannot be read",
            hint="normalise before, and leave norm out",
        )
    params = required(record, "params", dict)
    if kind == LINEAR:
        weights = required(params, "weights", dict)
        missing = next((name for name in names if name not in weights), None)
        if missing is not None:
            raise InputError(f"feature {missing!r} has no weight", hint="Solr refuses such a model")
        return WeightedSum(names, [_number(weights[name]) for name in names])
    if kind != TREES:
        raise InputError(f"models of class {kind!r} cannot be read", hint=f"these can: {LINEAR}, {TREES}")
    places = {name: place for place, name in enumerate(names)}

    def read(node: Any) -> Any:
        if isinstance(node, dict) and "feature" not in node and "value" in node:
            return _number(node["value"])
        name = required(node, "feature", str)
        if name not in places:
            raise InputError(
                f"a tree compares feature {name!r}, which is not among the features",
                hint="the file is damaged, or not a model",
            )
        threshold = float(np.float32(_number(node.get("threshold"))) + SLACK)
        return places[name], threshold, required(node, "left", dict), required(node, "right", dict)

    trees = required(params, "trees", list)
    roots = [planted(required(tree, "root", dict), read) for tree in trees]
    if not roots:
        raise InputError("there are no trees", hint="the file is damaged, or not a model")
    return SinglePrecisionTrees(roots, names=names, weights=[_number(tree.get("weight")) for tree in trees])


def _number(value: Any) -> float:
    """A number, which Solr takes as text as well, in single precision."""
    try:
        number = float(np.float32(value)) if isinstance(value, (int, float, str)) else float("nan")
    except ValueError:
        number = float("nan")
    if not np.isfinite(number):
        raise InputError(f"{value!r} stands where a number belongs", hint="the file is damaged")
    return number
