"""Models as the learning-to-rank plugins of Elasticsearch and OpenSearch take them: the body of a _createmodel request."""

from __future__ import annotations

import json

from idealist.errors import InputError, located
from idealist.learn.models.formats.base import ModelFormat
from idealist.learn.models.formats.json_text import read_json, required, write_json
from idealist.learn.models.formats.ranklib import parse_ranklib, ranklib_text
from idealist.learn.models.formats.xgboost_dump import parse_dump, trees_dump
from idealist.learn.models.portable import is_linear, weighted_sum
from idealist.learn.models.single_precision import WeightedSum
from idealist.learn.models.trees import TreeEnsemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.models.base import Model

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


FORMAT = Elasticsearch()


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
