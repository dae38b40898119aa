"""Trainers of trees: stopped by our measure, the same model twice, errors of the libraries in our words."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import idealist as il
from idealist import InputError, MissingDependency
from idealist.data.features import Features
from idealist.learn import Trainer, TreeEnsemble, load_model, save_model

LIBRARIES = ["lightgbm", "xgboost", "catboost"]


def letor(seed: int, queries: int = 20, size: int = 15) -> Features:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(queries * size, 4))
    grades = np.clip(np.round(matrix[:, 0] + 0.5 * matrix[:, 1] + rng.normal(size=len(matrix))), 0, 4)
    return Features(matrix, sizes=[size] * queries, grades=grades, names=["bm25", "title", "age", "length"])


TRAIN, VALIDATION = letor(1), letor(2, 10)


def trained(name: str, validation: Features | None = VALIDATION, **parameters: Any) -> TreeEnsemble:
    given = {"rounds": 40, "patience": 5, **parameters}
    model = Trainer.parse(name, **given).fit(TRAIN, validation, measure=il.measures.parse("nDCG@5"), seed=3)
    assert isinstance(model, TreeEnsemble)
    return model


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_model_is_that_of_the_best_round(name: str) -> None:
    model = trained(name)
    said = model.training
    assert said["trainer"] == name
    assert said["chosen_on"] == "validation"
    made = said["iterations"]
    assert made == {"unit": "round", "used": len(model.trees), "run": made["used"] + 5, "limit": 40}
    run = VALIDATION.run(model.scores(VALIDATION))
    assert said["value"] == pytest.approx(
        il.evaluate(VALIDATION.judgments(), run, "nDCG@5").mean("nDCG@5"), abs=1e-12
    )
    # No number of trees before is better.
    for count in range(1, len(model.trees)):
        fewer = TreeEnsemble(
            model.trees[:count],
            names=model.names,
            weights=model.weights[:count],
            offset=model.offset,
            single_precision=model.single_precision,
        )
        value = il.evaluate(VALIDATION.judgments(), fewer.rank(VALIDATION), "nDCG@5").mean("nDCG@5")
        assert value <= said["value"] + 1e-6  # XGBoost compares six digits


@pytest.mark.parametrize("name", LIBRARIES)
def test_without_validation_all_rounds_are_trained(name: str) -> None:
    model = trained(name, None, rounds=7)
    assert (
        len(model.trees) == model.training["iterations"]["used"] == model.training["iterations"]["run"] == 7
    )
    assert model.training["chosen_on"] == "train"


@pytest.mark.parametrize(
    ("name", "objective"),
    [
        ("lightgbm", "lambdarank"),
        ("lightgbm", "rank_xendcg"),
        ("lightgbm", "measure"),
        ("xgboost", "rank:ndcg"),
        ("xgboost", "rank:pairwise"),
        ("xgboost", "measure"),
        ("catboost", "YetiRank"),
        ("catboost", "QueryRMSE"),
    ],
)
def test_every_objective_twice_gives_the_same_model(name: str, objective: str) -> None:
    first, second = (trained(name, rounds=12, objective=objective) for _ in range(2))
    assert np.array_equal(first.scores(VALIDATION), second.scores(VALIDATION))
    shuffled = np.random.default_rng(0).normal(size=len(VALIDATION))
    by_chance = il.evaluate(VALIDATION.judgments(), VALIDATION.run(shuffled), "nDCG@5").mean("nDCG@5")
    assert first.training["value"] > by_chance + 0.1


@pytest.mark.parametrize("name", LIBRARIES)
def test_columns_of_the_validation_are_found_by_name(name: str) -> None:
    columns = [3, 1, 0, 2]
    other = Features(
        VALIDATION.matrix[:, columns],
        sizes=VALIDATION.sizes,
        grades=VALIDATION.grades,
        names=[VALIDATION.names[column] for column in columns],
    )
    assert trained(name, other, rounds=10).training["value"] == trained(name, rounds=10).training["value"]


def test_dart_is_not_stopped_and_all_its_trees_are_the_model() -> None:
    with pytest.warns(UserWarning, match="Early stopping is not available in dart"):
        model = trained("lightgbm", rounds=8, options={"boosting": "dart"})
    assert len(model.trees) == 8
    assert model.training["iterations"] == {"unit": "round", "used": 8, "run": 8, "limit": 8}


@pytest.mark.parametrize(
    ("name", "option", "parameter"),
    [
        ("lightgbm", "num_iterations", "rounds"),
        ("lightgbm", "n_estimators", "rounds"),
        ("lightgbm", "early_stopping_round", "patience"),
        ("xgboost", "num_boost_round", "rounds"),
        ("catboost", "iterations", "rounds"),
        ("catboost", "od_wait", "patience"),
    ],
)
def test_options_do_not_override_parameters(name: str, option: str, parameter: str) -> None:
    with pytest.raises(
        InputError, match=f"{option} is set by the parameter {parameter}\nhint: .*{parameter}=2"
    ):
        trained(name, options={option: 2})


@pytest.mark.parametrize("name", LIBRARIES)
def test_progress_is_told(name: str) -> None:
    told: list[tuple[int, int]] = []
    Trainer.parse(name, rounds=3).fit(
        TRAIN, measure=il.measures.parse("nDCG@5"), progress=lambda done, of: told.append((done, of))
    )
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_options_are_handed_on_and_read_from_text(tmp_path: Any) -> None:
    model = trained("lightgbm", None, rounds=5, options="max_depth=1,extra_trees=true")
    assert all(tree.depth == 1 for tree in model.trees)
    assert model.training["parameters"]["options"] == "max_depth=1,extra_trees=True"
    assert all(tree.depth == 2 for tree in trained("xgboost", None, rounds=2, options={"max_depth": 2}).trees)
    save_model(model, tmp_path / "model.safetensors")
    assert load_model(tmp_path / "model.safetensors").training == model.training


def test_lightgbm_takes_the_gains_of_the_measure() -> None:
    """With a gain for the highest grade alone, what is trained raises that grade."""
    table, plain = (
        Trainer.parse("lightgbm", rounds=10).fit(TRAIN, measure=il.measures.parse(measure))
        for measure in ("nDCG(gain={0:0,1:0,2:0,3:0,4:1})@5", "nDCG(gain=exp)@5")
    )
    assert not np.array_equal(table.scores(TRAIN), plain.scores(TRAIN))


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("lightgbm", {"objective": "ndcg"}, "lightgbm has no objective 'ndcg'"),
        ("catboost", {"objective": "measure"}, "catboost has no objective 'measure'"),
        ("lightgbm", {"rounds": 0}, "rounds must be 1 to"),
        ("xgboost", {"learning_rate": 0.0}, "learning_rate must be above 0"),
        ("xgboost", {"leaves": 3}, "xgboost has no parameter 'leaves'"),
        ("xgboost", {"options": "depth"}, "options must be name=value"),
        ("xgboost", {"options": 3}, "options must be a mapping"),
    ],
)
def test_parameters_that_are_none(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Trainer.parse(name, **parameters)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("lightgbm", {"num_leaves": 1}, "LightGBM cannot train"),
        ("xgboost", {"max_depth": -3}, "XGBoost cannot train"),
        ("catboost", {"depth": 99}, "CatBoost cannot train"),
    ],
)
def test_what_a_library_refuses_is_an_input_error(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        trained(name, options=options)


def test_reasons_are_those_of_the_library() -> None:
    with pytest.raises(InputError, match="binary") as caught:
        trained("xgboost", objective="rank:map")
    assert "[bt]" not in str(caught.value)


@pytest.mark.parametrize("name", LIBRARIES)
def test_grades_that_the_gain_table_lacks_are_named(name: str) -> None:
    with pytest.raises(InputError, match="the grade is 2, which the gain table lacks"):
        Trainer.parse(name).fit(TRAIN, VALIDATION, measure=il.measures.parse("nDCG(gain={0:0,1:1})@5"))


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_that_is_missing_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"idealist.learn.trees.{name}", raising=False)
    with pytest.raises(MissingDependency, match=f"training {name} needs {name}"):
        trained(name)


def test_features_without_grades_are_refused() -> None:
    with pytest.raises(InputError, match="no grades to learn from"):
        Trainer.parse("lightgbm").fit(Features([[1.0]], sizes=[1]), measure=il.measures.parse("AP"))
    with pytest.raises(InputError, match=r"not 0\.5"):
        Trainer.parse("lightgbm").fit(
            Features([[1.0], [2.0]], sizes=[2], grades=[0, 0.5]), measure=il.measures.parse("AP")
        )
