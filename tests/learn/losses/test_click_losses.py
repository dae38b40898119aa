"""Unbiased LambdaRank: pairs divided by the biases of their positions, which are learned from the pairs."""

from __future__ import annotations

import pytest
import torch
from support.losses import some_lists

import idealist as il
from idealist.learn.losses import LambdaRank, UnbiasedLambdaRank


def test_at_first_it_is_lambda_rank() -> None:
    scores, clicks, mask = some_lists()
    assert UnbiasedLambdaRank()(scores, clicks, mask=mask) == LambdaRank()(scores, clicks, mask=mask)


def test_pairs_are_divided_by_both_biases() -> None:
    """One pair: the clicked document was shown at 2, the other at 1."""
    scores, clicks = torch.tensor([0.0, 1.0]), torch.tensor([1, 0])
    loss = UnbiasedLambdaRank(positions=2)
    loss.clicked_bias.copy_(torch.tensor([1.0, 0.5]))
    loss.unclicked_bias.copy_(torch.tensor([1.0, 0.8]))
    plain = float(LambdaRank()(scores, clicks))
    assert loss(scores, clicks, shown_at=torch.tensor([2, 1])) == pytest.approx(plain / 0.5)
    assert loss(scores, clicks, shown_at=torch.tensor([1, 2])) == pytest.approx(plain / 0.8)


def test_biases_are_shares_of_the_first_position() -> None:
    """Scores are equal, so that all pairs cost the same: 4 clicks at position 1 against 1 at position 2."""
    clicks = torch.tensor([[1, 0]] * 4 + [[0, 1]])
    scores = torch.zeros(5, 2)
    loss = UnbiasedLambdaRank(positions=2, norm=1.0)
    loss(scores, clicks)
    loss.update()
    # (1/4)^(1/2) of a click at position 2; 1 document not clicked at position 1, 4 at position 2: (4/1)^(1/2).
    assert loss.clicked_bias.tolist() == pytest.approx([1.0, 0.5])
    assert loss.unclicked_bias.tolist() == pytest.approx([1.0, 2.0])
    loss.update()  # nothing was seen since
    assert loss.clicked_bias.tolist() == pytest.approx([1.0, 0.5])


def test_the_bias_of_positions_is_found_from_clicks() -> None:
    """Positions are seen with 1, ½ and ¼, whatever is shown there; scores are those of the relevance."""
    chance = torch.Generator().manual_seed(0)
    seen = torch.tensor([1.0, 0.5, 0.25])
    relevance = torch.rand(20_000, 3, generator=chance) < 0.5
    clicks = (relevance & (torch.rand(20_000, 3, generator=chance) < seen)).long()
    loss = UnbiasedLambdaRank(positions=3)
    for _ in range(5):
        loss(torch.zeros(20_000, 3), clicks)
        loss.update()
    one, two, three = loss.clicked_bias.tolist()
    assert one == 1
    assert two == pytest.approx(0.5, abs=0.1)
    assert three == pytest.approx(0.25, abs=0.1)


def test_evaluation_teaches_nothing() -> None:
    loss = UnbiasedLambdaRank().eval()
    loss(torch.zeros(2), torch.tensor([1, 0]))
    assert not loss.clicked_sums.any()


def test_flat_lists_with_positions() -> None:
    scores, clicks, mask = some_lists()
    shown_at = torch.randint(1, 12, scores.shape, generator=torch.Generator().manual_seed(2))
    loss = UnbiasedLambdaRank(positions=6).eval()
    loss.clicked_bias.copy_(torch.linspace(1, 0.3, 6))
    together = loss(scores, clicks, shown_at=shown_at, mask=mask)
    flat = loss(scores[mask], clicks[mask], shown_at=shown_at[mask], sizes=mask.sum(dim=-1))
    assert flat == pytest.approx(float(together))


def test_one_list_with_a_mask_and_positions() -> None:
    loss = UnbiasedLambdaRank(positions=3).eval()
    loss.clicked_bias.copy_(torch.tensor([1.0, 0.5, 0.25]))
    scores, clicks, shown_at = torch.tensor([1.0, 9.0, 0.0]), torch.tensor([0, 1, 1]), torch.tensor([1, 2, 3])
    mask = torch.tensor([True, False, True])
    alone = loss(scores[mask], clicks[mask], shown_at=shown_at[mask])
    assert float(loss(scores, clicks, shown_at=shown_at, mask=mask)) == float(alone)


@pytest.mark.parametrize(
    ("shown_at", "words"), [([1], "shown_at has shape (1,)"), ([0, 1], "a position below 1")]
)
def test_bad_positions(shown_at: list[int], words: str) -> None:
    with pytest.raises(il.InputError) as caught:
        UnbiasedLambdaRank()(torch.zeros(2), torch.tensor([1, 0]), shown_at=torch.tensor(shown_at))
    assert words in str(caught.value)
