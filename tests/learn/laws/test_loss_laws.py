"""The laws hold of our losses, and losses that break one are caught at it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from support.losses import CERTAIN, RANDOM, name_of

import idealist as il
from idealist.learn import laws
from idealist.learn.losses import LambdaLoss, LambdaRank, Loss, Soft, UnbiasedLambdaRank

Form = Callable[..., torch.Tensor]


@pytest.mark.parametrize("loss", [*CERTAIN, *RANDOM, UnbiasedLambdaRank("nDCG@3")], ids=name_of)
def test_our_losses_keep_the_laws(loss: Loss) -> None:
    laws.assert_laws(loss)
    claimed = [one.law for one in laws.check(loss) if one.outcome == "holds"]
    assert {"padding", "zero", *loss.claims} - {"cut-off"} <= set(claimed)


def no_mask(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Cross entropy over padding too."""
    return -(grades * scores.log_softmax(dim=-1)).sum(dim=-1).mean()


def pairs_of_batch(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """A mean over all pairs of the batch: lists with more pairs count more."""
    better = (grades[:, :, None] > grades[:, None, :]) & mask[:, :, None] & mask[:, None, :]
    losses = torch.nn.functional.softplus(scores[:, None, :] - scores[:, :, None])
    return losses[better].sum() / better.sum().clamp(min=1)


def by_index(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The first document is the one that is wanted."""
    return -scores.masked_fill(~mask, -1e30).log_softmax(dim=-1)[:, 0].mean()


def spread(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Divides by the deviation of grades and of scores."""
    gains = grades.masked_fill(~mask, 0)
    return (gains / gains.std(dim=-1, keepdim=True) / scores.std(dim=-1, keepdim=True)).sum(dim=-1).mean()


def pairs_within_cutoff(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Only documents that already stand within the first three are looked at."""
    ranks = scores.argsort(dim=-1, descending=True).argsort(dim=-1)
    return pairs_of_batch(scores, grades, mask & (ranks < 3))


def exponentials(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return ((grades - scores.exp()) ** 2 * mask).sum(dim=-1).mean()


@pytest.mark.parametrize(
    ("loss", "law"),
    [
        (no_mask, "padding"),
        (no_mask, "empty list"),
        (pairs_of_batch, "batch"),
        (by_index, "permutation"),
        (by_index, "permutation of ties"),
        (by_index, "zero"),
        (spread, "equal grades"),
        (spread, "one document"),
        (spread, "tied scores"),
        (spread, "nothing relevant"),
        (exponentials, "large scores"),
        (exponentials, "shift"),
        (pairs_within_cutoff, "cut-off"),
    ],
)
def test_who_breaks_a_law_is_caught(loss: Form, law: str) -> None:
    if law == "empty list":
        loss = spread  # without a mask an empty list is a list
    found = laws.check(loss, claims=[law], k=3)
    assert found.broken == [law]
    assert found.outcome(law) == "broken"
    words = next(one.counterexample for one in found if one.law == law)
    assert words
    with pytest.raises(AssertionError, match=law):
        laws.assert_laws(loss, claims=[law], k=3)


def test_a_limit_that_is_another_measure_is_caught() -> None:
    def cold(temperature: float) -> Loss:
        return Soft("nDCG(gain=exp)", temperature=temperature)

    found = laws.check(Soft(), claims=["limit"], at_temperature=cold)
    assert found.broken == ["limit"]
    assert "minus nDCG is -0." in str(found)


def test_an_error_is_a_counterexample() -> None:
    def fails(scores: torch.Tensor, grades: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("too short")

    found = laws.check(fails, claims=["one document"])
    assert next(one.counterexample for one in found if one.law == "one document") == "RuntimeError: too short"


def test_results_are_a_table() -> None:
    found = laws.check(LambdaRank("nDCG@2"))
    assert repr(found) == "<LawResults: LambdaRank, 13 laws, broken: none>"
    assert found.ok
    assert found.outcome("limit") == "not claimed"
    assert [one.law for one in found] == list(laws.LAWS)
    assert str(found).splitlines()[1].split() == ["padding", "holds"]
    assert "| cut-off" in found.to_markdown()


def test_per_list_values_are_taken_too() -> None:
    assert laws.check(LambdaLoss(reduction="none")).ok
    assert laws.check(LambdaLoss(reduction="sum")).ok


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        (["symmetry"], "there is no law 'symmetry'"),
        (["cut-off"], "the law 'cut-off' cannot be checked"),
        (["limit"], "the law 'limit' cannot be checked"),
    ],
)
def test_claims_that_cannot_be_checked(claims: list[str], words: str) -> None:
    with pytest.raises(il.InputError, match=words):
        laws.check(pairs_of_batch, claims=claims)
