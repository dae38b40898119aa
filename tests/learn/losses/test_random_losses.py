"""Losses that draw: the same seed gives the same numbers, and the mean is the right one."""

from __future__ import annotations

from itertools import permutations
from math import log2

import pytest
import torch
from support.losses import number, some_lists

from idealist.errors import InputError
from idealist.learn.losses import XENDCG, PLRank
from idealist.learn.losses.loss import RandomLoss

MAKERS = [XENDCG, PLRank]


@pytest.mark.parametrize("make", MAKERS)
def test_a_seed_gives_the_same_numbers_and_every_call_new_ones(make: type[RandomLoss]) -> None:
    scores, grades, mask = some_lists()
    one, other, third = make(seed=4), make(seed=4), make(seed=5)
    first = [one(scores, grades, mask=mask) for _ in range(3)]
    assert [other(scores, grades, mask=mask) for _ in range(3)] == first
    assert len(set(first)) == 3
    assert third(scores, grades, mask=mask) != first[0]
    one.reset()
    assert one(scores, grades, mask=mask) == first[0]


@pytest.mark.parametrize("make", MAKERS)
def test_seeds_below_0_are_refused(make: type[RandomLoss]) -> None:
    with pytest.raises(InputError, match="the seed must be a whole number, 0 or more, not -1"):
        make(seed=-1)


@pytest.mark.parametrize("make", MAKERS)
def test_a_generator_of_the_caller_is_used(make: type[RandomLoss]) -> None:
    scores, grades, _ = some_lists()
    loss = make(generator=torch.Generator().manual_seed(9))
    assert loss(scores, grades) == make(seed=9)(scores, grades)


@pytest.mark.parametrize("make", MAKERS)
def test_a_checkpoint_goes_on_where_it_ended(make: type[RandomLoss]) -> None:
    scores, grades, _ = some_lists()
    loss, resumed = make(seed=1), make(seed=2)
    loss(scores, grades)
    resumed.load_state_dict(loss.state_dict())
    assert resumed(scores, grades) == loss(scores, grades)


@pytest.mark.parametrize("make", MAKERS)
def test_padding_takes_no_numbers(make: type[RandomLoss]) -> None:
    scores, grades, _ = some_lists()
    padded = torch.nn.functional.pad(scores, (0, 3), value=1.0)
    mask = torch.nn.functional.pad(torch.ones_like(grades, dtype=torch.bool), (0, 3))
    more = torch.nn.functional.pad(grades, (0, 3), value=3)
    padded_value = make(seed=1)(padded, more, mask=mask)
    assert padded_value == pytest.approx(number(make(seed=1)(scores, grades)), abs=1e-12)


def exact_mean(scores: torch.Tensor, gains: list[float], k: int) -> torch.Tensor:
    """The mean DCG@k over all orders, each with the chance that it is drawn."""
    total = torch.zeros((), dtype=torch.float64)
    for order in permutations(range(len(gains))):
        chance = torch.ones((), dtype=torch.float64)
        for place in range(len(order)):
            chance = chance * scores[list(order[place:])].softmax(dim=-1)[0]
        total = total + chance * sum(gains[i] / log2(place + 2) for place, i in enumerate(order[:k]))
    return total


@pytest.mark.parametrize("k", [2, 4])
def test_the_mean_over_draws_is_that_over_all_orders(k: int) -> None:
    """40,000 draws: an error of a slope is near 1/200 of its spread, which is about 1."""
    scores = torch.tensor([0.5, -0.7, 0.0, 1.2], dtype=torch.float64, requires_grad=True)
    grades = torch.tensor([1, 3, 0, 2])
    expected = exact_mean(scores, [1.0, 3.0, 0.0, 2.0], k)
    (slopes,) = torch.autograd.grad(expected, scores)
    value = -PLRank(f"DCG@{k}", samples=40_000, seed=3)(scores, grades)
    (estimate,) = torch.autograd.grad(value, scores)
    assert number(value) == pytest.approx(number(expected), abs=0.03)
    assert estimate.tolist() == pytest.approx(slopes.tolist(), abs=0.03)


def test_the_temperature_is_that_of_the_draws() -> None:
    """At temperature 2 the scores are half as large; so is what the gradient by them is, once more halved."""
    scores = torch.tensor([0.5, -0.7, 1.2], dtype=torch.float64, requires_grad=True)
    grades = torch.tensor([0, 2, 1])
    (warm,) = torch.autograd.grad(PLRank(temperature=2.0)(scores, grades), scores)
    halved = (scores.detach() / 2).requires_grad_()
    (plain,) = torch.autograd.grad(PLRank()(halved, grades), halved)
    assert warm.tolist() == pytest.approx((plain / 2).tolist())
