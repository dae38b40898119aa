"""Models of LightGBM, XGBoost and CatBoost on their way to RankLib, Solr and Elasticsearch: the same scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from idealist.data.feature_reading import read_features
from idealist.data.features import Features
from idealist.learn import load_model, save_model

GOLDEN = Path(__file__).parent / "ranklib"


@pytest.fixture(scope="module")
def train() -> Features:
    features = read_features(GOLDEN / "train.letor", fill=0)
    # In single precision, as all the targets keep features.
    return Features(features.matrix.astype(np.float32), sizes=features.sizes, grades=features.grades)


def lightgbm_model(train: Features, path: Path) -> np.ndarray:
    import lightgbm

    data = lightgbm.Dataset(train.matrix, np.asarray(train.grades).astype(int), group=train.sizes)
    settings = {
        "objective": "lambdarank",
        "num_leaves": 7,
        "min_data_in_leaf": 2,
        "num_threads": 1,
        "verbosity": -1,
    }
    booster = lightgbm.train(settings, data, 20)
    booster.save_model(path)
    return np.asarray(booster.predict(train.matrix))


def xgboost_model(train: Features, path: Path) -> np.ndarray:
    import xgboost

    data = xgboost.DMatrix(train.matrix, label=train.grades)
    data.set_group(train.sizes)
    booster = xgboost.train({"objective": "rank:ndcg", "max_depth": 3, "nthread": 1}, data, 20)
    booster.save_model(path)
    return np.asarray(booster.predict(data))


def catboost_model(train: Features, path: Path) -> np.ndarray:
    import catboost

    model = catboost.CatBoostRegressor(
        iterations=20, depth=3, verbose=False, thread_count=1, allow_writing_files=False
    )
    model.fit(train.matrix, train.grades)
    model.save_model(str(path), format="json")
    return np.asarray(model.predict(train.matrix))


LIBRARIES: dict[str, tuple[str, Callable[[Features, Path], np.ndarray]]] = {
    "lightgbm": ("model.txt", lightgbm_model),
    "xgboost": ("model.json", xgboost_model),
    "catboost": ("model.json", catboost_model),
}


@pytest.mark.parametrize("target", ["ranklib", "solr", "elasticsearch"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_scores_survive_conversion(library: str, target: str, train: Features, tmp_path: Path) -> None:
    name, fit = LIBRARIES[library]
    expected = fit(train, tmp_path / name)
    # Features without names are called by their numbers, from 1, as in LETOR and RankLib.
    save_model(load_model(tmp_path / name), tmp_path / "converted", format=target)
    scores = load_model(tmp_path / "converted").scores(train)
    assert scores == pytest.approx(expected, rel=1e-5, abs=2e-6)
