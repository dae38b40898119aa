"""Models for Elasticsearch, OpenSearch and Solr: written, read back, and scored by their own rules in a few lines here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idealist.data.feature_reading import read_features
from idealist.errors import InputError
from idealist.learn import load_model, save_model
from idealist.learn.models.linear import Linear
from idealist.learn.models.single_precision import SinglePrecisionTrees
from idealist.learn.models.trees import LEAF, NAN_LEFT, ZERO_LEFT, Tree, TreeEnsemble

GOLDEN = Path(__file__).parent / "ranklib"
f32 = np.float32


def solr_score(record: dict[str, Any], row: dict[str, float]) -> np.float32:
    """A document's score by the rules of Solr's two models, all in float32."""
    if record["class"].endswith("LinearModel"):
        total = f32(0)
        for feature in record["features"]:
            total += f32(row[feature["name"]]) * f32(record["params"]["weights"][feature["name"]])
        return total
    total = f32(0)
    for tree in record["params"]["trees"]:
        node = tree["root"]
        while "feature" in node:
            threshold = f32(node["threshold"]) + f32(1e-6)
            node = node["left"] if f32(row[node["feature"]]) <= threshold else node["right"]
        total += f32(tree["weight"]) * f32(node["value"])
    return total


def plugin_score(record: dict[str, Any], row: dict[str, float]) -> np.float32:
    """A document's score by the rules of the plugins for Elasticsearch and OpenSearch."""
    model = record["model"]["model"]
    definition = json.loads(model["definition"])
    total = f32(0)
    if model["type"] == "model/linear":
        for name, weight in definition.items():
            total += f32(weight) * f32(row[name])
        return total
    for root in definition:
        node = root
        while "leaf" not in node:
            branch = "yes" if f32(node["split_condition"]) > f32(row[node["split"]]) else "no"
            (node,) = (child for child in node["children"] if child["nodeid"] == node[branch])
        total += f32(node["leaf"])
    return total


SCORERS = {"solr": solr_score, "elasticsearch": plugin_score}


@pytest.mark.parametrize("engine", SCORERS)
@pytest.mark.parametrize("name", ["lambdamart", "mart", "forest", "rankboost", "coordinate", "adarank"])
def test_models_of_ranklib_go_to_engines(engine: str, name: str, tmp_path: Path) -> None:
    features = read_features(GOLDEN / "test.letor")
    model = load_model(GOLDEN / f"{name}.model")
    save_model(model, tmp_path / "model.json", format=engine)
    record = json.loads((tmp_path / "model.json").read_text())
    cells = np.nan_to_num(features.matrix)
    theirs = [SCORERS[engine](record, dict(zip(features.names, row, strict=True))) for row in cells]
    assert model.scores(features) == pytest.approx(theirs, rel=1e-6, abs=1e-6)
    assert load_model(tmp_path / "model.json").scores(features) == pytest.approx(theirs, rel=1e-6, abs=1e-6)


numbers = st.floats(-1e6, 1e6, width=32) | st.sampled_from([0.0, 1.0, 1e-7, -1e-6, 0.1, 1e-30, 3.4e38])


@st.composite
def ensembles(draw: Any) -> TreeEnsemble:
    trees = []
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            trees.append(Tree.leaf(draw(st.floats(-5, 5, width=32))))
            continue
        trees.append(
            Tree(
                features=[draw(st.integers(0, 1)), draw(st.integers(0, 1)), LEAF, LEAF, LEAF],
                thresholds=[draw(numbers), draw(st.floats(-10, 10)), 0, 0, 0],
                left=[1, 3, 0, 0, 0],
                right=[2, 4, 0, 0, 0],
                values=[0, 0, *(draw(st.floats(-5, 5, width=32)) for _ in range(3))],
            )
        )
    weights = [draw(st.sampled_from([1.0, 0.1, 0.5])) for _ in trees]
    return TreeEnsemble(
        trees, names=["title", "age"], weights=weights, offset=draw(st.sampled_from([0.0, 2.5]))
    )


@pytest.mark.parametrize("engine", ["elasticsearch", "solr"])
@given(model=ensembles(), rows=st.lists(st.tuples(numbers, numbers), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_features_in_single_precision_take_the_same_branches(
    engine: str,
    model: TreeEnsemble,
    rows: list[tuple[float, float]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """On the thresholds too; but Solr adds 1e-6 to each, which leaves gaps between the thresholds near 0 that can be said."""
    path = tmp_path_factory.mktemp("models") / "model.json"
    save_model(model, path, format=engine)
    read = load_model(path)
    record = json.loads(path.read_text())
    on_them = [threshold for tree in model.trees for threshold in tree.thresholds if abs(threshold) < 3e38]
    points = [*rows, *((float(f32(one)), float(f32(one))) for one in on_them)]
    for row in points:
        named = {"title": float(f32(row[0])), "age": float(f32(row[1]))}
        theirs = SCORERS[engine](record, named)
        ours = read.score(np.array([[named[name] for name in read.names]]), np.array([1]))[0]
        assert ours == pytest.approx(theirs, rel=1e-5, abs=1e-5)
        small = [one for one in on_them if abs(one) < 1e-5] if engine == "solr" else []
        if not any(abs(value - one) < 2e-13 for value in row for one in small):
            assert model.score(np.array([list(named.values())]))[0] == pytest.approx(
                theirs, rel=1e-5, abs=1e-5
            )


def test_a_linear_model_by_hand(tmp_path: Path) -> None:
    model = Linear(["title", "body"], [0.25, 0.5])
    save_model(model, tmp_path / "a.json", format="elasticsearch", name="movies")
    assert json.loads((tmp_path / "a.json").read_text()) == {
        "model": {
            "name": "movies",
            "model": {"type": "model/linear", "definition": '{"title": 0.25, "body": 0.5}'},
        }
    }
    save_model(model, tmp_path / "b.json", format="solr", name="movies", store="films")
    assert json.loads((tmp_path / "b.json").read_text()) == {
        "class": "org.apache.solr.ltr.model.LinearModel",
        "name": "movies",
        "store": "films",
        "features": [{"name": "title"}, {"name": "body"}],
        "params": {"weights": {"title": 0.25, "body": 0.5}},
    }


def test_a_tree_by_hand(tmp_path: Path) -> None:
    stump = Tree(
        features=[0, LEAF, LEAF], thresholds=[8, 0, 0], left=[1, 0, 0], right=[2, 0, 0], values=[0, -1, 1]
    )
    save_model(
        TreeEnsemble([stump], names=["title"], weights=[0.5]), tmp_path / "a.json", format="elasticsearch"
    )
    written = json.loads((tmp_path / "a.json").read_text())["model"]["model"]
    assert written["type"] == "model/xgboost+json"
    (tree,) = json.loads(written["definition"])
    # Up to 8 is below the next float32 after 8, which is 8 + 2^-20.
    assert f32(tree["split_condition"]) == 8 + 2**-20
    assert (tree["split"], tree["yes"], tree["no"], tree["missing"]) == ("title", 1, 2, 1)
    assert [child["leaf"] for child in tree["children"]] == [-0.5, 0.5]
    save_model(TreeEnsemble([stump], names=["title"], weights=[0.5]), tmp_path / "b.json", format="solr")
    (tree,) = json.loads((tmp_path / "b.json").read_text())["params"]["trees"]
    assert tree["weight"] == "0.5"
    assert f32(tree["root"]["threshold"]) + f32(1e-6) == 8
    assert (tree["root"]["left"], tree["root"]["right"]) == ({"value": "-1.0"}, {"value": "1.0"})


def test_as_ranklib_within_elasticsearch(tmp_path: Path) -> None:
    model = load_model(GOLDEN / "lambdamart.model")
    save_model(model, tmp_path / "a.json", format="elasticsearch", type="ranklib")
    written = json.loads((tmp_path / "a.json").read_text())["model"]["model"]
    assert written["type"] == "model/ranklib"
    assert written["definition"].startswith("## LambdaMART\n")
    features = read_features(GOLDEN / "test.letor")
    assert (load_model(tmp_path / "a.json").scores(features) == model.scores(features)).all()


def test_what_the_plugin_gives_back_is_read(tmp_path: Path) -> None:
    """GET _ltr/_model/NAME wraps the model, with its features, in a document."""
    inner = {
        "type": "model/xgboost+json",
        "definition": '{"objective": "reg:linear"} [{"nodeid": 0, "leaf": 0.5}]',
    }
    source = {
        "name": "m",
        "type": "model",
        "model": {"name": "m", "feature_set": {"features": []}, "model": inner},
    }
    (tmp_path / "got.json").write_text(json.dumps({"_index": ".ltrstore", "found": True, "_source": source}))
    assert load_model(tmp_path / "got.json").score(np.empty((1, 0)), np.array([1])).tolist() == [0.5]


def test_rules_for_missing_features() -> None:
    stump = {"features": [0, LEAF, LEAF], "thresholds": [-1, 0, 0], "left": [1, 0, 0], "right": [2, 0, 0]}
    from idealist.learn.models.formats.elasticsearch_files import trees_dump

    # Without a rule a missing feature counts 0, which is above -1; by its rule it goes left.
    plain = TreeEnsemble([Tree(**stump, values=[0, 1, 2])], names=["a"])
    left = TreeEnsemble([Tree(**stump, values=[0, 1, 2], missing=[NAN_LEFT, 0, 0])], names=["a"])
    assert [trees_dump(model)[0]["missing"] for model in (plain, left)] == [2, 1]
    zeros = TreeEnsemble([Tree(**stump, values=[0, 1, 2], missing=[ZERO_LEFT, 0, 0])], names=["a"])
    with pytest.raises(InputError, match="tree 1 takes zeros for missing"):
        trees_dump(zeros)


BAD = {
    '{"model": {"type": "model/linear"': "damaged or cut short",
    '{"model": {"model": {"type": "model/linear"}}}': "'definition' is missing",
    '{"model": {"model": {"type": "model/linear", "definition": "[1, 2]"}}}': "not a table of weights",
    '{"model": {"model": {"type": "model/xgboost+json", "definition": "[{\\"nodeid\\": 0}]"}}}': "'children' is missing",
    '{"model": {"model": {"type": "model/xgboost+json", "definition": "[]"}}}': "no trees",
    '{"model": {"model": {"type": "model/xgboost+json", "definition": "{\\"objective\\": \\"binary:logistic\\"} [1]"}}}': "changes the sum",
    '{"class": "org.apache.solr.ltr.model.NeuralNetworkModel", "features": [], "params": {}}': "cannot be read",
    '{"class": "org.apache.solr.ltr.model.LinearModel", "features": [{"name": "a"}], "params": {"weights": {}}}': "'a' has no weight",
    '{"class": "org.apache.solr.ltr.model.LinearModel", "features": [{"name": "a", "norm": {"class": "x"}}], "params": {}}': "normalised within Solr",
    '{"class": "org.apache.solr.ltr.model.MultipleAdditiveTreesModel", "features": [], "params": {"trees": [{"weight": "1", "root": {"feature": "a"}}]}}': "not among the features",
    '{"class": "org.apache.solr.ltr.model.MultipleAdditiveTreesModel", "features": [], "params": {"trees": [{"weight": "x", "root": {"value": "1"}}]}}': "where a number belongs",
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_not_a_model_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(InputError, match=BAD[text]) as caught:
        load_model(tmp_path / "bad.json")
    assert "bad.json" in str(caught.value)


def test_nothing_is_half_written(tmp_path: Path) -> None:
    network = load_model(GOLDEN / "ranknet.model")
    for engine in SCORERS:
        with pytest.raises(InputError, match="cannot be written as a model for"):
            save_model(network, tmp_path / "model.json", format=engine)
    trees = load_model(GOLDEN / "mart.model")
    with pytest.raises(InputError, match="cannot be written as model/linear"):
        save_model(trees, tmp_path / "model.json", format="elasticsearch", type="linear")
    assert list(tmp_path.iterdir()) == []


def test_the_constant_of_all_documents_stays_out_of_linear_models(tmp_path: Path) -> None:
    """Neither engine has a place for it, and the order is the same."""
    features = read_features(GOLDEN / "test.letor")
    model = load_model(GOLDEN / "linear.model")
    save_model(model, tmp_path / "model.json", format="solr")
    shift = model.scores(features) - load_model(tmp_path / "model.json").scores(features)
    assert shift == pytest.approx(np.full(len(shift), model.constant), abs=1e-6)  # type: ignore[attr-defined]


def test_a_forest_is_a_mean_of_bags() -> None:
    forest = load_model(GOLDEN / "forest.model")
    assert isinstance(forest, SinglePrecisionTrees)
    assert forest.bags == (2, 2, 2, 2)
