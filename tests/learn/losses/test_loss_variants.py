"""Further forms of losses: scalings of the transpose, disturbed scores, several outputs."""

from __future__ import annotations

import math

import pytest
import torch
from support.losses import number, some_lists

from idealist.errors import InputError
from idealist.learn import laws
from idealist.learn.losses import NeuralNDCG, Ordinal, OrdinalOutputs


def test_the_transpose_differs_by_what_the_scaling_leaves() -> None:
    """Scaled to the end, both forms sum the same doubly stochastic matrix; after one step they do not."""
    scores, grades, mask = some_lists(documents=6)
    both = [
        number(NeuralNDCG(transposed=turned, steps=2000, tolerance=1e-13)(scores, grades, mask=mask))
        for turned in (False, True)
    ]
    assert both[0] == pytest.approx(both[1], abs=1e-9)
    once = [
        number(NeuralNDCG(transposed=turned, steps=1)(scores, grades, mask=mask)) for turned in (False, True)
    ]
    assert abs(once[0] - once[1]) > 1e-6


def test_a_step_of_the_transpose_by_hand() -> None:
    """Two documents, P̂ = [[p, 1-p], [1-p, p]] is doubly stochastic already: both forms are its sum."""
    p = 1 / (1 + math.exp(-1.0))
    discounts = (1.0, 1 / math.log2(3))
    expected = (1 - p) * discounts[0] + p * discounts[1]
    for turned in (False, True):
        loss = NeuralNDCG("DCG", transposed=turned)
        assert number(loss(torch.tensor([1.0, 0.0]), torch.tensor([0, 1]))) == pytest.approx(
            -expected, rel=1e-5
        )


def test_disturbed_scores_are_drawn_from_the_seed() -> None:
    scores, grades, mask = some_lists()
    draws = [NeuralNDCG(samples=4, seed=seed)(scores, grades, mask=mask) for seed in (1, 1, 2)]
    assert number(draws[0]) == number(draws[1]) != number(draws[2])
    # With little noise the mean over draws is the loss without; the first difference is of the order of the noise.
    quiet = NeuralNDCG(samples=2, noise=1e-9)(scores, grades, mask=mask)
    assert number(quiet) == pytest.approx(number(NeuralNDCG()(scores, grades, mask=mask)), abs=1e-7)


def test_gradients_of_disturbed_scores() -> None:
    scores, grades, mask = some_lists(documents=5)

    def value(given: torch.Tensor) -> torch.Tensor:
        return NeuralNDCG(samples=2, noise=0.5)(given, grades, mask=mask)

    assert torch.autograd.gradcheck(value, (scores.requires_grad_(),))


def test_outputs_that_are_shifted_scores_are_the_ordinal_loss() -> None:
    """o_l = s - θ_l with the thresholds that Ordinal starts from."""
    scores, grades, mask = some_lists()
    weights = torch.rand(4, 7, dtype=torch.float64)
    ordinal = Ordinal(levels=3, thresholds=(-1.0, 0.0, 2.0)).double()
    outputs = scores[..., None] - torch.tensor([-1.0, 0.0, 2.0], dtype=torch.float64)
    given = {"mask": mask, "item_weights": weights, "query_weights": torch.tensor([1.0, 2.0, 0.5, 0.0])}
    together = OrdinalOutputs(levels=3)(outputs, grades, **given)
    assert number(together) == pytest.approx(number(ordinal(scores, grades, **given)), rel=1e-6)
    flat = OrdinalOutputs(levels=3)(outputs[mask], grades[mask], sizes=mask.sum(dim=-1))
    assert number(flat) == pytest.approx(number(OrdinalOutputs(levels=3)(outputs, grades, mask=mask)))
    one = OrdinalOutputs(levels=3, reduction="none")(outputs[0], grades[0])
    assert one.shape == ()


def test_outputs_keep_the_laws() -> None:
    """The laws give one score a document; an output for each level is made of it."""
    loss = OrdinalOutputs(levels=3)

    def of_scores(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return loss(scores[..., None] * torch.tensor([1.5, 1.0, 0.5]).to(scores), grades, mask=mask)

    laws.assert_laws(of_scores)


def test_outputs_learn_the_order_of_grades() -> None:
    grades = torch.tensor([[0, 3, 1, 2]])
    outputs = torch.zeros(1, 4, 3, requires_grad=True)
    optimiser = torch.optim.Adam([outputs], lr=0.1)
    for _ in range(50):
        optimiser.zero_grad()
        OrdinalOutputs(levels=3)(outputs, grades).backward()
        optimiser.step()
    assert OrdinalOutputs.expected_grades(outputs)[0].argsort(descending=True).tolist() == [1, 3, 2, 0]


@pytest.mark.parametrize(
    ("outputs", "grades", "message"),
    [
        (torch.zeros(2, 3), torch.zeros(2, 3), "outputs have shape"),
        (torch.zeros(2, 3, 2), torch.zeros(2, 3), "outputs have shape"),
        (torch.zeros(2, 3, 3), torch.full((2, 3), 4), "grade 4 occurs, but the loss has 3 levels"),
    ],
)
def test_outputs_that_do_not_fit(outputs: torch.Tensor, grades: torch.Tensor, message: str) -> None:
    with pytest.raises(InputError, match=message):
        OrdinalOutputs(levels=3)(outputs, grades)
