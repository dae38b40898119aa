"""Training where what is relevant stands far below the cut-off at the start."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from idealist.data.feature_reading import read_features
from idealist.data.features import Features
from idealist.learn import evaluate_tensors, train
from idealist.learn.models.neural_model import MlpScorer, scorer_of
from idealist.learn.trainers.network_fitting import seeded
from idealist.learn.trainers.neural_trainers import BEGINNING, MlpTrainer

LISTS, DOCUMENTS, RELEVANT, COLUMNS = 4, 500, 8, 4
LOSSES = [
    *("soft(k=none)", "soft", "pirank(k=10)", "neural-ndcg(steps=3,k=10)", "pl-rank(k=10)"),
    *(
        "lambda-rank(k=10)",
        "lambda-loss(k=10)",
        "lambda-loss(kind=loss2,k=10)",
        "lambda-loss(kind=loss1,k=10)",
    ),
    "list-mle(k=10)",
]
EPOCHS = {"linear": 100, "mlp": 40}
HOW: dict[str, dict[str, Any]] = {
    "linear": {"learning_rate": 0.2},
    "mlp": {"learning_rate": 0.02, "dropout": 0.0},
}


@cache
def rows() -> Features:
    """What the multilayer perceptron's first weights score highest is worth least, as near as a line comes to it."""
    draw = np.random.default_rng(1)
    matrix = draw.normal(size=(LISTS, DOCUMENTS, COLUMNS))
    start = first_scores(matrix)
    weights = np.linalg.lstsq(matrix.reshape(-1, COLUMNS), (start - start.mean()).reshape(-1), rcond=None)[0]
    grades = ((matrix @ weights).argsort(1).argsort(1) < RELEVANT).astype(int)
    for scores in (start, np.zeros_like(start)):  # as linear begins
        measured = evaluate_tensors(torch.as_tensor(grades), torch.as_tensor(scores), ["nDCG@10"])
        assert measured.mean("nDCG@10") < 0.1
    columns = {f"f{at}": matrix[..., at].reshape(-1).tolist() for at in range(COLUMNS)}
    queries = np.repeat(np.arange(LISTS), DOCUMENTS).tolist()
    return read_features({"query": queries, "grade": grades.reshape(-1).tolist(), **columns})


def first_scores(matrix: np.ndarray) -> np.ndarray:
    with seeded(0, BEGINNING):
        scorer = scorer_of(MlpTrainer().architecture(), COLUMNS)
    assert isinstance(scorer, MlpScorer)
    inputs = torch.as_tensor(matrix, dtype=torch.float32)
    with torch.no_grad():
        scores: np.ndarray = scorer.eval()(inputs, torch.ones(inputs.shape[:2], dtype=torch.bool)).numpy()
    return scores


@pytest.mark.parametrize("trainer", HOW)
@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_learns_from_far_below_the_cut_off(loss: str, trainer: str) -> None:
    """The best one ranks what is relevant first: nDCG@10 is 1."""
    model = train(
        trainer, rows(), measure="nDCG@10", loss=loss, epochs=EPOCHS[trainer], patience=0, **HOW[trainer]
    )
    assert model.training["value"] > 0.95
