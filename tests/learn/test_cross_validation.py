"""Cross-validation, importance and selection of features, settings files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from idealist import compare, evaluate
from idealist.data.features import Features, join_features
from idealist.errors import InputError
from idealist.learn.model_training import cross_validate, folds_of, read_settings, settings_text, train
from idealist.learn.models.linear import Linear
from idealist.learn.objective import Objective
from idealist.learn.ranking_features import permutation_importance, select_features, summarise_features


def made(queries: int, seed: int = 0) -> Features:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(queries * 6, 3))
    grades = np.clip(np.round(2 * matrix[:, 0] - matrix[:, 1] + rng.normal(size=len(matrix))), 0, 3)
    return Features(matrix, sizes=[6] * queries, grades=grades, names=["a", "b", "noise"])


DATA = made(30)


def test_folds_are_a_partition_of_the_queries() -> None:
    parts = folds_of(DATA, 4, seed=3)
    assert sorted(query for part in parts for query in part.queries) == sorted(DATA.queries)
    assert max(len(part.queries) for part in parts) - min(len(part.queries) for part in parts) <= 1
    assert [part.queries for part in folds_of(DATA, 4, seed=3)] == [part.queries for part in parts]
    assert [part.queries for part in folds_of(DATA, 4, seed=4)] != [part.queries for part in parts]


def test_every_query_is_ranked_by_the_model_of_its_own_fold() -> None:
    parts = folds_of(DATA, 3)
    recipes = {"ascent": {"trainer": "ascent", "restarts": 1}, "quick": {"trainer": "ascent", "passes": 1}}
    result = cross_validate(recipes, parts, measure="nDCG@3")
    assert set(result.runs) == set(recipes)
    assert result.judgments.to_dict() == DATA.judgments().to_dict()
    # Fold 2: tested on the second part, chosen on the first, trained on the third.
    model = train("ascent", parts[2], parts[0], measure="nDCG@3", restarts=1)
    scores = result.runs["ascent"].to_dict()
    for query, documents in model.rank(parts[1]).to_dict().items():
        assert scores[query] == documents
    assert evaluate(result.judgments, result.runs["ascent"], "nDCG@3").mean("nDCG@3") > 0.6
    contrast = compare(result.judgments, dict(result.runs), "nDCG@3")["quick", "nDCG@3"]
    assert contrast.interval is None or contrast.interval.low <= contrast.difference <= contrast.interval.high


@pytest.mark.parametrize(
    ("count", "message"),
    [(2, "folds must be a whole number, 3 or more, not 2"), (31, "cannot be cut into 31 folds")],
)
def test_numbers_of_folds_that_cannot_be(count: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        folds_of(DATA, count)


def test_parts_that_do_not_fit_together() -> None:
    with pytest.raises(InputError, match="query '0' is in another part too"):
        join_features([DATA, DATA])
    other = Features([[1.0]], sizes=[1], grades=[1], queries=["x"])
    with pytest.raises(InputError, match="1, not 3"):
        join_features([DATA, other])
    with pytest.raises(InputError, match="there are 2 parts"):
        cross_validate({}, [DATA, other])


def test_what_features_are_like() -> None:
    features = Features([[1.0, 5.0], [3.0, 5.0], [2.0, 5.0], [2.0, 7.0]], sizes=[2, 2], grades=[1, 0, 1, 0])
    first, second = summarise_features(features, "RR")
    assert (first.lowest, first.mean, first.highest, first.distinct) == (1.0, 2.0, 3.0, 3)
    assert first.constant_queries == 0.5
    assert second.constant_queries == 0.5
    # Ascending by the first feature puts the relevant document of query 0 first; query 1 is tied, the greater id first.
    assert (first.value, first.descending) == ((1 + 1 / 2) / 2, False)


def test_importance_of_a_feature_that_says_nothing_is_nothing() -> None:
    model = Linear(["a", "b", "noise"], [2.0, -1.0, 0.0])
    found = {one.name: one for one in permutation_importance(model, DATA, "nDCG@3", rounds=3)}
    assert (found["noise"].loss, found["noise"].worse, found["noise"].better) == (0.0, 0, 0)
    assert found["noise"].interval is None
    assert found["a"].loss > found["b"].loss > 0
    interval = found["a"].interval
    assert interval is not None
    assert 0 < interval.low < found["a"].loss < interval.high


def test_importance_is_the_mean_loss_over_queries() -> None:
    """With one feature, shuffling it is a random order of the documents."""
    features = Features(DATA.matrix[:, :1], sizes=DATA.sizes, grades=DATA.grades)
    model = Linear(["1"], [1.0])
    (only,) = permutation_importance(model, features, "nDCG@3", rounds=40)
    whole = Objective(features, "nDCG@3").value(features.matrix[:, 0])
    rng = np.random.default_rng(1)
    random = np.mean([Objective(features, "nDCG@3").value(rng.normal(size=len(features))) for _ in range(40)])
    assert only.loss == pytest.approx(whole - random, abs=0.03)


def test_selection() -> None:
    model = Linear(["a", "b", "noise"], [2.0, -1.0, 0.0])
    importances = permutation_importance(model, DATA, "nDCG@3")
    assert select_features(importances) == ["a", "b"]
    assert select_features(importances, 1) == ["a"]
    with pytest.raises(InputError, match="features to select must be a whole number, 1 or more, not 0"):
        select_features(importances, 0)


def test_settings_come_back(tmp_path: Path) -> None:
    settings = {
        "model": "linear",
        "measure": "nDCG(gain=exp)@10",
        "seed": 7,
        "features": ["a", 'say "b"'],
        "fill": 0.5,
        "parameters": {"loss": "soft(temperature=0.3)", "epochs": 50, "learning_rate": 1e-05},
    }
    file = tmp_path / "settings.toml"
    file.write_text(settings_text(settings, {"value": 0.25}))
    assert read_settings(str(file)) == settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model = ", "this is not TOML"),
        ("modell = 'linear'", "there is no setting 'modell'"),
        ("seed = 'x'", "seed must be a whole number, not a string: 'x'"),
        ("bag = true", "bag must be a whole number, not true or false: True"),
    ],
)
def test_settings_that_cannot_be_right(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_settings(str(file))
