"""Coordinate ascent."""

from __future__ import annotations

import numpy as np
import pytest

from idealist.data.features import Features
from idealist.errors import InputError
from idealist.learn.models.linear import Linear
from idealist.learn.objective import Objective
from idealist.learn.trainers.linear_trainers import Ascent
from idealist.learn.trainers.trainer import Trainer


def made(queries: int, seed: int, noise: float = 0.0) -> Features:
    """Documents whose grade follows 2·a − b; c is noise and d is constant."""
    rng = np.random.default_rng(seed)
    matrix = np.column_stack([rng.normal(size=(queries * 8, 3)), np.ones(queries * 8)])
    worth = 2 * matrix[:, 0] - matrix[:, 1] + noise * rng.normal(size=len(matrix))
    return Features(
        matrix, sizes=[8] * queries, grades=np.clip(np.round(worth) + 1, 0, 4), names=["a", "b", "c", "d"]
    )


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "RR", "ERR@5", "RBP"])
def test_it_finds_the_weights_that_made_the_grades(measure: str) -> None:
    model = Ascent(normalisation="none", restarts=2).fit(made(30, 0), measure=measure)
    assert isinstance(model, Linear)
    a, b, _, d = model.weights
    assert a > 0 > b
    assert d == 0
    test = made(30, 1)
    best = Objective(test, measure).value(2 * test.matrix[:, 0] - test.matrix[:, 1])
    assert Objective(test, measure).value(model.scores(test)) > 0.95 * best


def test_the_value_it_states_is_that_of_its_model() -> None:
    train, validation = made(20, 0, noise=2), made(10, 1, noise=2)
    for choice in ("best", "mean"):
        model = Ascent(restarts=2, choice=choice).fit(train, validation, measure="nDCG@5")
        value = Objective(validation, "nDCG@5").value(model.scores(validation))
        assert model.training["value"] == value
        assert model.training["chosen_on"] == "validation"


def test_no_single_step_raises_the_measure_further() -> None:
    train = made(10, 3, noise=1)
    model = Ascent(normalisation="none", restarts=1, tolerance=0, passes=100).fit(train, measure="nDCG@5")
    assert isinstance(model, Linear)
    objective = Objective(train, "nDCG@5")
    weights = np.array(model.weights)
    value = objective.value(train.matrix @ weights)
    for place in range(3):
        for step in (1 / 64, -1 / 64, 1 / 4, -1 / 4, 2, -2):
            moved = weights.copy()
            moved[place] += step
            assert objective.value(train.matrix @ moved) <= value


def test_the_same_seed_gives_the_same_model() -> None:
    train = made(10, 4, noise=1)
    first, again, other = (Ascent(restarts=2).fit(train, measure="AP", seed=seed) for seed in (7, 7, 8))
    assert isinstance(first, Linear)
    assert isinstance(again, Linear)
    assert first.weights == again.weights
    assert first.weights != getattr(other, "weights", None)


def test_regularisation_makes_weights_more_even() -> None:
    train = made(20, 5, noise=1)

    def unevenness(strength: float) -> float:
        model = Ascent(normalisation="none", regularisation=strength, restarts=1).fit(train, measure="nDCG@5")
        assert isinstance(model, Linear)
        return sum(w * w for w in model.weights)

    assert unevenness(10.0) < unevenness(0.0)


@pytest.mark.parametrize("validated", [False, True])
def test_a_measure_that_is_better_when_lower(validated: bool) -> None:
    # The second feature alone puts the relevant documents first; then no pair stands the wrong way round.
    rng = np.random.default_rng(6)
    grades = rng.integers(0, 2, size=40)
    train = Features(np.column_stack([rng.normal(size=40), -grades]), sizes=[8] * 5, grades=grades)
    model = Ascent(normalisation="none").fit(train, train if validated else None, measure="RankingLoss")
    assert Objective(train, "RankingLoss").value(model.scores(train)) == 0.0
    assert model.training["value"] == 0.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"restarts": 0}, "restarts must be 1 or more"),
        ({"restarts": "two"}, "restarts must be a number, not 'two'"),
        ({"choice": "median"}, "choice must be best or mean"),
        ({"tolerance": -1}, "tolerance must be 0 or more"),
        ({"normalisation": "softmax"}, "there is no normalisation 'softmax'"),
        ({"depth": 3}, "ascent has no parameter 'depth'"),
    ],
)
def test_parameters_that_cannot_be_right(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Trainer.parse("ascent", **parameters)


def test_constant_features_are_refused_where_there_are_no_others() -> None:
    with pytest.raises(InputError, match="every feature is constant"):
        Ascent().fit(Features([[1.0], [1.0]], sizes=[2], grades=[0, 1]), measure="RR")


def test_a_trainer_that_there_is_not() -> None:
    with pytest.raises(InputError, match="there is no trainer 'forest'"):
        Trainer.parse("forest")


@pytest.mark.parametrize(("name", "meant"), [("lgbm", "lightgbm"), ("Coordinate_Ascent", "ascent")])
def test_names_of_other_tools(name: str, meant: str) -> None:
    assert Trainer.named(name).name == meant


def test_what_was_likely_meant() -> None:
    with pytest.raises(InputError, match=r"hint: did you mean lambdarank\? Name one of: linear, "):
        Trainer.parse("lambdarnk")
    with pytest.raises(InputError, match=r"hint: did you mean restarts\? It has normalisation, restarts"):
        Trainer.parse("ascent", restart=3)


def test_rows_of_another_width() -> None:
    with pytest.raises(InputError, match=r"features have the shape \(2, 1\), but the model takes 2"):
        Linear(["bm25", "age"], [1.0, 0.5]).score(np.array([[1.0], [2.0]]), np.array([2]))
