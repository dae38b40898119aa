"""A measure of somebody else's in ten lines, on tensors and as a loss."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from conftest import ROOT

from idealist import Measure
from idealist.learn import evaluate_tensors
from idealist.learn.losses import Soft
from idealist.measures.measure import registered

SCORES = torch.tensor([[3.0, 2.0, 1.0, 0.0], [0.0, 1.0, 2.0, 3.0]])
GRADES = torch.tensor([[1, 0, 2, 0], [2, 1, 0, 0]])


@pytest.fixture(scope="module")
def patience() -> Iterator[Measure]:
    spec = importlib.util.spec_from_file_location("patience_of_the_shop", ROOT / "examples/shop/patience.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module.Patience()
    registered().pop("Patience")  # the page of backends is made of the registry


def test_on_tensors(patience: Measure) -> None:
    expected = [patience([1, 0, 2, 0]), patience([0, 0, 1, 2])]
    (found,) = evaluate_tensors(GRADES, SCORES, patience).aggregates().values()
    assert expected == pytest.approx([0.9, 0.64])
    assert found == pytest.approx(sum(expected) / 2)


def test_as_a_loss(patience: Measure) -> None:
    scores = SCORES[1:].clone().requires_grad_()
    cold = Soft(patience, temperature=0.001)(scores, GRADES[1:])
    assert -float(cold.detach()) == pytest.approx(0.64)
    Soft(patience, temperature=1.0)(scores, GRADES[1:]).backward()
    assert scores.grad is not None
    assert bool((scores.grad[0, :2] < 0).all())  # relevant documents go up
