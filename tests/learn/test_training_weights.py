"""Weights of queries: what counts more in training, and in the value that a model is chosen by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command

import idealist as il
from idealist.data.query_weights import QueryWeights
from idealist.errors import InputError
from idealist.learn import Trainer, train
from idealist.learn.objective import Objective

RNG = np.random.default_rng(5)
QUICK: dict[str, dict[str, Any]] = {
    **{name: {"epochs": 30} for name in ("linear", "ranknet", "lambdarank", "listnet")},
    **{name: {"epochs": 30, "dropout": 0} for name in ("mlp", "attention")},
    **{name: {"rounds": 20} for name in ("lightgbm", "xgboost", "catboost", "rankboost", "adarank")},
    "mart": {"trees": 20},
    "lambdamart": {"trees": 20},
    "random-forest": {"bags": 20},
    "ascent": {"restarts": 1},
    "regression": {},
}


def opposed() -> il.data.Features:
    """Ten queries in which the first feature is the grade, and ten in which the second is: of every document one is what
    the other lacks of 2, so that nothing tells which kind of query it is of."""
    rows, grades = [], []
    for query in range(20):
        for _ in range(10):
            grade = int(RNG.integers(0, 3))
            first = (grade if query < 10 else 2 - grade) + 0.1 * float(RNG.normal())
            rows.append([first, 2 - first])
            grades.append(grade)
    return il.data.Features(rows, sizes=[10] * 20, grades=grades)


FEATURES = opposed()


def counted(first: float, second: float) -> dict[str, float]:
    return {str(query): first if query < 10 else second for query in range(20)}


def halves(model: Any) -> tuple[float, float]:
    """nDCG of the first ten queries, and of the others."""
    values = Objective(FEATURES, "nDCG@5").query_values(model.scores(FEATURES))
    return float(values[:10].mean()), float(values[10:].mean())


@pytest.mark.parametrize("name", Trainer.names())
def test_a_model_serves_the_queries_that_count(name: str) -> None:
    """Two halves that ask for opposite orders: whichever weighs a hundred times as much as the other gets its own."""
    for weights, served in ((counted(100, 1), 0), (counted(1, 100), 1)):
        model = train(name, FEATURES, measure="nDCG@5", weights=weights, **QUICK[name])
        values = halves(model)
        assert values[served] > values[1 - served] + 0.2, (name, served, values)


@pytest.mark.parametrize("name", Trainer.names())
def test_equal_weights_change_nothing(name: str) -> None:
    plain = train(name, FEATURES, measure="nDCG@5", **QUICK[name])
    weighted = train(name, FEATURES, measure="nDCG@5", weights=counted(2, 2), **QUICK[name])
    assert halves(weighted) == pytest.approx(halves(plain), abs=0.05)


def test_the_value_is_that_of_evaluate_with_the_same_weights() -> None:
    weights = {str(query): 1.0 + query for query in range(20)}
    model = train("ascent", FEATURES, measure="nDCG@5", weights=weights, restarts=1)
    run = model.rank(FEATURES)
    reported = il.evaluate(FEATURES.judgments(), run, "nDCG@5", weights=weights).mean("nDCG@5")
    assert model.training["value"] == reported
    values = Objective(FEATURES, "nDCG@5").query_values(model.scores(FEATURES))
    assert reported == pytest.approx(float(values @ np.arange(1, 21)) / 210)


def test_a_query_of_weight_0_teaches_nothing() -> None:
    """The same model as without it, by gradients over all queries at once."""
    kept = FEATURES.of_queries(range(10))
    alone = train("linear", kept, measure="nDCG@5", batch=0, epochs=5)
    weighted = train("linear", FEATURES, measure="nDCG@5", weights=counted(1, 0), batch=0, epochs=5)
    assert weighted.weights == pytest.approx(alone.weights, rel=1e-6)  # type: ignore[attr-defined]
    assert weighted.training["value"] == pytest.approx(alone.training["value"])


def test_weights_go_with_their_queries() -> None:
    weighted = FEATURES.weighted(QueryWeights(counted(3, 1), "given"))
    assert weighted.of_queries([12, 3]).weights.tolist() == [1.0, 3.0]  # type: ignore[union-attr]
    joined = il.data.features.join_features([weighted.of_queries([0]), weighted.of_queries([11])])
    assert joined.weights.tolist() == [3.0, 1.0]  # type: ignore[union-attr]
    assert weighted.weighted(None).weights is None


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"0": 1.0}, "query '1' has no weight in the weights given, but is in the features"),
        (counted(0, 0), "the weights add up to 0"),
        (counted(-1, 1), "the weight of query '0' must be 0 or more, not -1"),
    ],
)
def test_weights_that_are_none(weights: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        train("ascent", FEATURES, weights=weights)
    with pytest.raises(InputError, match="20 queries"):
        il.data.Features(FEATURES.matrix, sizes=FEATURES.sizes, weights=[1.0])


def test_commands_take_weights(idealist: Command, tmp_path: Path) -> None:
    rows, table = tmp_path / "rows.txt", tmp_path / "weights.csv"
    grades = FEATURES.grades
    assert grades is not None
    rows.write_text(
        "".join(
            f"{grades[row]:g} qid:{row // 10} 1:{cells[0]:.4f} 2:{cells[1]:.4f} #docid = d{row}\n"
            for row, cells in enumerate(FEATURES.matrix)
        )
    )
    lines = [f"{query},{weight:g}" for query, weight in counted(100, 1).items()]
    table.write_text("query,traffic\n" + "\n".join(lines) + "\n")
    model, run = tmp_path / "model.json", tmp_path / "model.run"
    how = ("--model", "ascent", "-m", "nDCG@5", "--weights", table)
    done = idealist("train", rows, *how, "-o", model)
    assert done.returncode == 0, done.stderr
    assert idealist("rank", model, rows, "-o", run).returncode == 0
    shown = idealist("evaluate", rows, run, "-m", "nDCG@5", "--weights", table).stdout
    assert f"{il.learn.load_model(model).training['value']:.4f}" in shown
    done = idealist("cross-validate", rows, *how, "--folds", "4")
    assert done.returncode == 0, done.stderr
    assert "weighted by column traffic" in done.stdout
    done = idealist("train", rows, "--weight-by", "traffic", "-o", tmp_path / "other.json")
    assert done.returncode == 2
    assert "--weight-by names a column of --weights" in done.stderr
