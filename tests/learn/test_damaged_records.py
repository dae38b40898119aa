"""Model files that are whole JSON or text, with one value in them that cannot be: an error of ours that names the file."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import catboost
import lightgbm
import numpy as np
import pytest
import xgboost
from safetensors.numpy import save_file

from idealist.errors import InputError
from idealist.learn import load_model, save_model
from idealist.learn.feature_scaling import Normalisation
from idealist.learn.models.base_model import Bag
from idealist.learn.models.linear import Linear

SPOILERS: list[Any] = [
    None,
    True,
    1,
    -1,
    1.5,
    1e99,
    10**400,
    math.nan,
    math.inf,
    "x",
    [],
    [1],
    [[1, 2]],
    {},
    [None],
]
MATRIX = np.array([[1.0, 5.0], [2.0, 3.0], [4.0, 1.0], [8.0, 2.0]])
GRADES = np.array([0.0, 1.0, 2.0, 1.0])


def xgboost_record(folder: Path) -> Any:
    data = xgboost.DMatrix(MATRIX, GRADES, feature_names=["a", "b"])
    chosen = {"objective": "reg:squarederror", "booster": "dart", "max_depth": 1, "nthread": 1}
    return json.loads(xgboost.train(chosen, data, 1).save_raw("json"))


def catboost_record(folder: Path) -> Any:
    chosen = {"iterations": 1, "depth": 1, "thread_count": 1, "verbose": 0, "allow_writing_files": False}
    model = catboost.CatBoost(chosen)
    model.fit(MATRIX, GRADES)
    model.save_model(str(folder / "catboost.json"), format="json")
    record = json.loads((folder / "catboost.json").read_text())
    # What is read, and not what is said about the training.
    return {key: record[key] for key in ("features_info", "oblivious_trees", "scale_and_bias")}


def our_record(folder: Path) -> Any:
    scaled = Normalisation("global-z-score+rank").fit(MATRIX, np.array([4]))
    save_model(Bag([Linear("ab", [1, 2], normalisation=scaled)]), folder / "ours.json")
    return json.loads((folder / "ours.json").read_text())


def places(record: Any) -> list[tuple[Any, Any]]:
    """The (container, key) of every value in a record."""
    keys = (
        list(record if isinstance(record, dict) else range(len(record)))
        if isinstance(record, (dict, list))
        else []
    )
    return [place for key in keys for place in [(record, key), *places(record[key])]]


def refused_or_scores(path: Path, format: str) -> None:
    try:
        model = load_model(path, format=format)
    except InputError as error:
        assert error.source == str(path)
        assert error.message.count(str(path)) == 1
    else:
        matrix = np.ones((2, len(model.names)))
        assert np.isfinite(model.score(matrix, np.array([2]))).all()


@pytest.mark.parametrize(
    ("format", "record_of"),
    [("xgboost", xgboost_record), ("catboost", catboost_record), ("json", our_record)],
)
def test_any_value_may_be_spoilt(tmp_path: Path, format: str, record_of: Any) -> None:
    record = record_of(tmp_path)
    path = tmp_path / "spoilt.json"
    for container, key in places(record):
        good = container[key]
        for spoiler in SPOILERS:
            container[key] = spoiler
            path.write_text(json.dumps(record), encoding="utf-8")
            refused_or_scores(path, format)
        container[key] = good


def test_any_number_of_lightgbm_may_be_spoilt(tmp_path: Path) -> None:
    chosen = {"verbosity": -1, "min_data_in_leaf": 1, "min_data_in_bin": 1, "num_leaves": 3, "num_threads": 1}
    text = lightgbm.train(chosen, lightgbm.Dataset(MATRIX, GRADES), 1).model_to_string()
    lines = text[: text.index("end of trees")].split("\n")
    path = tmp_path / "spoilt.txt"
    for at, line in enumerate(lines):
        key, _, _ = line.partition("=")
        for spoiler in ("", "nan", "inf", "-1", "1e99", "0.5", "x", "9" * 400):
            spoilt = [*lines[:at], f"{key}={spoiler}", *lines[at + 1 :]]
            path.write_text("\n".join(spoilt) + "end of trees\n", encoding="utf-8")
            refused_or_scores(path, "lightgbm")


@pytest.mark.parametrize("split", ["nan", "inf", "1e99", "0.5", "-1"])
def test_a_feature_of_lightgbm_that_is_no_number(tmp_path: Path, split: str) -> None:
    text = lightgbm.train(
        {"verbosity": -1, "min_data_in_leaf": 1, "min_data_in_bin": 1, "num_leaves": 2, "num_threads": 1},
        lightgbm.Dataset(MATRIX, GRADES),
        1,
    ).model_to_string()
    lines = [
        f"split_feature={split}" if line.startswith("split_feature=") else line for line in text.split("\n")
    ]
    (tmp_path / "model.txt").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match=r"whole number belongs|compares feature -1") as caught:
        load_model(tmp_path / "model.txt")
    assert caught.value.source == str(tmp_path / "model.txt")


@pytest.mark.parametrize(
    ("normalisation", "message"),
    [
        ({"name": None}, "the normalisation is called None"),
        ({"name": "global-min-max"}, "has not learnt a shift and a scale of each of 2"),
        ({"name": "global-min-max", "learned": [[[0.0], [1.0]]]}, "of each of 2 features"),
        ({"name": "global-min-max", "learned": [[[0, 0], [1, math.nan]]]}, "of each of 2 features"),
        ({"name": "rank", "learned": [None, None]}, "has 1 steps and has learnt of 2"),
    ],
)
def test_a_normalisation_that_does_not_fit(tmp_path: Path, normalisation: Any, message: str) -> None:
    path = tmp_path / "model.json"
    save_model(Linear("ab", [1, 2]), path)
    record = json.loads(path.read_text()) | {"normalisation": normalisation}
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        load_model(path)
    assert caught.value.source == str(path)


@pytest.mark.parametrize("format", ["json", "xgboost", "catboost", "solr", "elasticsearch"])
def test_deep_nesting(tmp_path: Path, format: str) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000 + "]" * 100_000, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_model(path, format=format)
    assert caught.value.source == str(path)
    assert caught.value.message.count(str(path)) == 1


def test_deep_nesting_in_safetensors(tmp_path: Path) -> None:
    path = tmp_path / "deep.safetensors"
    save_file({}, path, metadata={"idealist": "[" * 100_000 + "]" * 100_000})
    with pytest.raises(InputError, match="damaged or cut short") as caught:
        load_model(path, format="safetensors")
    assert caught.value.source == str(path)
