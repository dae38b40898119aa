"""Models of LightGBM, XGBoost and CatBoost from their files: the scores are the library's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import catboost
import lightgbm
import numpy as np
import pytest
import xgboost
from numpy.testing import assert_allclose

from idealist import InputError
from idealist.learn import load_model, save_model
from idealist.learn.models.trees import TreeEnsemble

SIZES = [20] * 6
QUERIES = np.repeat(np.arange(6), 20)


def table(seed: int, *, nan: bool = True) -> tuple[Any, Any]:
    """Six queries of 20 documents, with nan, zeros and numbers that float32 cannot hold."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(120, 4))
    matrix[:, 2] = np.where(rng.random(120) < 0.5, 0.0, matrix[:, 2])
    matrix[:, 3] = np.round(matrix[:, 3], 1)  # many equal, at thresholds too
    grades = np.clip(np.round(matrix[:, 0] + matrix[:, 3] + rng.normal(size=120)), 0, 3)
    if nan:
        matrix[rng.random(matrix.shape) < 0.15] = np.nan
    return matrix, grades


def same_scores(path: Path, matrix: Any, expected: Any, tolerance: float = 1e-6) -> TreeEnsemble:
    model = load_model(path)
    assert isinstance(model, TreeEnsemble)
    assert_allclose(model.score(matrix, np.array([len(matrix)])), expected, atol=tolerance, rtol=0)
    return model


LIGHTGBM = {
    "objective": "lambdarank",
    "verbosity": -1,
    "min_data_in_leaf": 2,
    "num_leaves": 8,
    "num_threads": 1,
}


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"use_missing": False},
        {"zero_as_missing": True},
        {"objective": "rank_xendcg"},
        {"boosting": "dart"},
        {"boosting": "rf", "bagging_fraction": 0.5, "bagging_freq": 1},
        {"objective": "regression"},
        {"min_data_in_leaf": 500},  # one leaf
    ],
    ids=lambda parameters: "-".join(map(str, parameters.values())) or "plain",
)
def test_lightgbm(tmp_path: Path, parameters: dict[str, Any]) -> None:
    matrix, grades = table(1)
    data = lightgbm.Dataset(matrix, grades, group=SIZES)
    booster = lightgbm.train(LIGHTGBM | parameters, data, 7)
    booster.save_model(tmp_path / "model.txt")
    other, _ = table(2)
    for cells in (matrix, other):
        # Of a random forest, raw scores are the sum, and what it predicts is the mean.
        raw = parameters.get("boosting") != "rf"
        same_scores(tmp_path / "model.txt", cells, booster.predict(cells, raw_score=raw), 1e-12)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"objective": "reg:squarederror"},
        {"objective": "binary:logistic", "base_score": 0.3},
        {"booster": "dart", "rate_drop": 0.5},
        {"num_parallel_tree": 3, "subsample": 0.5},
        {"grow_policy": "lossguide", "max_leaves": 5, "gamma": 0.3},
    ],
    ids=lambda parameters: "-".join(map(str, parameters.values())) or "plain",
)
@pytest.mark.parametrize("ending", ["json", "ubj"])
def test_xgboost(tmp_path: Path, parameters: dict[str, Any], ending: str) -> None:
    matrix, grades = table(1)
    data = xgboost.DMatrix(matrix, np.minimum(grades, 1), group=SIZES)
    given = {"objective": "rank:ndcg", "max_depth": 3, "nthread": 1} | parameters
    booster = xgboost.train(given, data, 7)
    booster.save_model(tmp_path / f"model.{ending}")
    other, _ = table(2)
    for cells in (matrix, other):
        margins = booster.predict(xgboost.DMatrix(cells), output_margin=True)
        same_scores(tmp_path / f"model.{ending}", cells, margins)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"nan_mode": "Max"},
        {"loss_function": "RMSE"},
        {"grow_policy": "Lossguide", "max_leaves": 5, "loss_function": "RMSE"},
        {"grow_policy": "Depthwise", "loss_function": "QueryRMSE", "nan_mode": "Max"},
    ],
    ids=lambda parameters: "-".join(map(str, parameters.values())) or "plain",
)
@pytest.mark.parametrize("ending", ["json", "cbm"])
def test_catboost(tmp_path: Path, parameters: dict[str, Any], ending: str) -> None:
    matrix, grades = table(1)
    given = {
        "loss_function": "YetiRank",
        "iterations": 7,
        "depth": 3,
        "allow_writing_files": False,
        "thread_count": 1,
    }
    model = catboost.CatBoost(given | parameters)
    model.fit(catboost.Pool(matrix, grades, group_id=QUERIES), verbose=False)
    model.save_model(str(tmp_path / f"model.{ending}"), format=ending)
    other, _ = table(2)
    for cells in (matrix, other):
        values = model.predict(catboost.Pool(cells), prediction_type="RawFormulaVal")
        same_scores(tmp_path / f"model.{ending}", cells, values)


def test_a_model_read_is_written_as_ours(tmp_path: Path) -> None:
    matrix, grades = table(1)
    booster = lightgbm.train(LIGHTGBM, lightgbm.Dataset(matrix, grades, group=SIZES), 5)
    booster.save_model(tmp_path / "model.txt")
    model = load_model(tmp_path / "model.txt")
    save_model(model, tmp_path / "model.safetensors")
    read = load_model(tmp_path / "model.safetensors")
    assert isinstance(read, TreeEnsemble)
    assert read.names == model.names == ("1", "2", "3", "4")
    assert np.array_equal(read.score(matrix), model.score(matrix, None))  # type: ignore[arg-type]


def test_names_of_features_are_the_librarys(tmp_path: Path) -> None:
    matrix, grades = table(1)
    names = ["bm25", "title", "age", "clicks"]
    booster = lightgbm.train(LIGHTGBM, lightgbm.Dataset(matrix, grades, group=SIZES, feature_name=names), 2)
    booster.save_model(tmp_path / "l.txt")
    data = xgboost.DMatrix(matrix, grades, group=SIZES, feature_names=names)
    xgboost.train({"objective": "rank:ndcg", "nthread": 1}, data, 2).save_model(tmp_path / "x.json")
    model = catboost.CatBoost({"iterations": 2, "allow_writing_files": False, "thread_count": 1})
    model.fit(catboost.Pool(matrix, grades, feature_names=names), verbose=False)
    model.save_model(str(tmp_path / "c.json"), format="json")
    for file in ("l.txt", "x.json", "c.json"):
        assert load_model(tmp_path / file).names == tuple(names)


@pytest.fixture
def lightgbm_text() -> str:
    matrix, grades = table(1)
    return str(lightgbm.train(LIGHTGBM, lightgbm.Dataset(matrix, grades, group=SIZES), 3).model_to_string())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("end of trees", "", "no line 'end of trees'"),
        ("Tree=1\n", "", "2 trees, but 3 sizes"),
        ("num_tree_per_iteration=1", "num_tree_per_iteration=3", "several scores"),
        ("is_linear=0", "is_linear=1", "linear models"),
        ("threshold=", "threshold=x ", "not a number"),
        ("leaf_value=", "leaf=", "'leaf_value' is missing"),
        ("left_child=", "left_child=99 ", "names a node|differ in length|reached twice"),
        ("split_feature=", "split_feature=7 ", "differ in length|uses? feature 8"),
        ("decision_type=", "decision_type=1 ", "compares categories"),
    ],
)
def test_damaged_lightgbm(tmp_path: Path, lightgbm_text: str, old: str, new: str, message: str) -> None:
    path = tmp_path / "model.txt"
    path.write_text(lightgbm_text.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        load_model(path)
    assert caught.value.source == str(path)


def test_every_cut_of_a_file_is_refused(tmp_path: Path, lightgbm_text: str) -> None:
    path = tmp_path / "model.txt"
    whole = lightgbm_text[: lightgbm_text.index("end of trees")]
    for length in range(len("tree\nversion="), len(whole), 37):
        path.write_text(whole[:length], encoding="utf-8")
        with pytest.raises(InputError):
            load_model(path)


def xgboost_record() -> Any:
    matrix, grades = table(1)
    data = xgboost.DMatrix(matrix, grades, group=SIZES)
    return json.loads(xgboost.train({"objective": "rank:ndcg", "nthread": 1}, data, 2).save_raw("json"))


def test_damaged_xgboost(tmp_path: Path) -> None:
    path = tmp_path / "model.json"

    def refused(record: Any, message: str) -> None:
        path.write_text(json.dumps(record), encoding="utf-8")
        with pytest.raises(InputError, match=message):
            load_model(path)

    record = xgboost_record()
    record["learner"]["gradient_booster"]["model"]["trees"][1]["left_children"][0] = 10**6
    refused(record, "names a node that it lacks")
    record = xgboost_record()
    record["learner"]["gradient_booster"]["model"]["trees"][0]["default_left"].pop()
    refused(record, "differ in length")
    record = xgboost_record()
    record["learner"]["gradient_booster"]["model"]["trees"][0]["split_type"][0] = 1
    refused(record, "tree 0 compares categories")
    record = xgboost_record()
    record["learner"]["gradient_booster"]["name"] = "gblinear"
    refused(record, "gblinear")
    record = xgboost_record()
    record["learner"]["objective"]["name"] = "survival:cox"
    refused(record, "survival:cox")
    record = xgboost_record()
    del record["learner"]["learner_model_param"]["base_score"]
    refused(record, "base_score")
    text = json.dumps(xgboost_record())
    path.write_text(text[: len(text) // 2], encoding="utf-8")
    with pytest.raises(InputError, match="damaged or cut short"):
        load_model(path)


def test_damaged_binary_files(tmp_path: Path) -> None:
    (tmp_path / "cut.cbm").write_bytes(b"CBM1\x00\x00")
    with pytest.raises(InputError, match="CatBoost cannot read"):
        load_model(tmp_path / "cut.cbm")
    matrix, grades = table(1)
    data = xgboost.DMatrix(matrix, grades, group=SIZES)
    content = xgboost.train({"objective": "rank:ndcg", "nthread": 1}, data, 2).save_raw("ubj")
    (tmp_path / "cut.ubj").write_bytes(content[:200])
    with pytest.raises(InputError, match="XGBoost cannot read"):
        load_model(tmp_path / "cut.ubj")


def test_damaged_catboost(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    split = {"split_type": "FloatFeature", "float_feature_index": 0, "border": 0.5}
    feature = {"feature_index": 0, "flat_feature_index": 0, "feature_id": "", "nan_value_treatment": "AsIs"}

    def refused(message: str, tree: Any = None, **changes: Any) -> None:
        record = {
            "features_info": {"float_features": [feature]},
            "oblivious_trees": [tree or {"splits": [split], "leaf_values": [1, 2]}],
            "scale_and_bias": [1, [0]],
        } | changes
        path.write_text(json.dumps(record), encoding="utf-8")
        with pytest.raises(InputError, match=message):
            load_model(path)

    refused("1 levels has 3 leaves", {"splits": [split], "leaf_values": [1, 2, 3]})
    refused("OnlineCtr", {"splits": [split | {"split_type": "OnlineCtr"}], "leaf_values": [1, 2]})
    refused(
        "split of a tree is incomplete",
        {"splits": [split | {"float_feature_index": 3}], "leaf_values": [1, 2]},
    )
    refused("leaf is not a number", {"splits": [split], "leaf_values": [1, "x"]})
    refused("scale_and_bias", scale_and_bias=[1])
    refused("several scores", scale_and_bias=[1, [0, 0]])
    refused("not numbers", features_info={"float_features": [feature], "categorical_features": [{}]})
    refused("feature of the file", features_info={"float_features": [{}]})
    refused(
        "1 features are not numbered 0",
        features_info={"float_features": [feature | {"flat_feature_index": 10**12}]},
    )
    refused("'float_features'", features_info={})
