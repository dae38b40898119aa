"""Likelihoods, cross entropies and ordinal regression, by hand."""

from __future__ import annotations

from math import exp, log, log2

import pytest
import torch

from idealist.learn.losses import XENDCG, ListMLE, ListNet, Ordinal, SoftmaxCrossEntropy

SCORES = [0.5, -1.0, 2.0]


def given(scores: list[float]) -> torch.Tensor:
    return torch.tensor(scores, dtype=torch.float64)


def log_softmax(scores: list[float]) -> list[float]:
    total = log(sum(exp(score) for score in scores))
    return [score - total for score in scores]


def test_list_mle_draws_one_after_the_other() -> None:
    """Grades 1, 2, 0: first the document with -1 of all three, then 0.5 of the two left, then the last."""
    terms = [log_softmax([-1.0, 0.5, 2.0])[0], log_softmax([0.5, 2.0])[0], 0.0]
    grades = torch.tensor([1, 2, 0])
    assert ListMLE()(given(SCORES), grades) == pytest.approx(-sum(terms))
    assert ListMLE("nDCG@1")(given(SCORES), grades) == pytest.approx(-terms[0])
    aware = ListMLE(position_aware=True)(given(SCORES), grades)
    assert aware == pytest.approx(-(terms[0] + terms[1] / log2(3)))


def test_list_mle_holds_equals_against_their_equals() -> None:
    """Grades 1, 1, 0: both of grade 1 against all three; with a cut-off of 1 they share the one place."""
    shares = log_softmax(SCORES)
    grades = torch.tensor([1, 1, 0])
    assert ListMLE()(given(SCORES), grades) == pytest.approx(-(shares[0] + shares[1]))
    assert ListMLE("nDCG@1")(given(SCORES), grades) == pytest.approx(-(shares[0] + shares[1]) / 2)


def test_cross_entropies() -> None:
    shares = log_softmax(SCORES)
    grades = torch.tensor([1, 0, 2])
    assert SoftmaxCrossEntropy()(given(SCORES), grades) == pytest.approx(-(shares[0] + 2 * shares[2]))
    assert SoftmaxCrossEntropy("nDCG(gain=exp)")(given(SCORES), grades) == pytest.approx(
        -(shares[0] + 3 * shares[2])
    )
    total = exp(1) + exp(0) + exp(2)
    wanted = [exp(1) / total, exp(0) / total, exp(2) / total]
    expected = -sum(w * s for w, s in zip(wanted, shares, strict=True))
    assert ListNet()(given(SCORES), grades) == pytest.approx(expected)


def test_xendcg() -> None:
    """2^y - γ: with γ = ½ masses are 1.5, 0.5, 3.5; else those of the generator."""
    shares = log_softmax(SCORES)
    grades = torch.tensor([1, 0, 2])
    half = -(1.5 * shares[0] + 0.5 * shares[1] + 3.5 * shares[2]) / 5.5
    assert XENDCG(sample=False)(given(SCORES), grades) == pytest.approx(half)
    drawn = torch.rand(3, 1, generator=torch.Generator().manual_seed(7), dtype=torch.float64)[:, 0].tolist()
    masses = [2 - drawn[0], 1 - drawn[1], 4 - drawn[2]]
    expected = -sum(mass * share for mass, share in zip(masses, shares, strict=True)) / sum(masses)
    assert XENDCG(seed=7)(given(SCORES), grades) == pytest.approx(expected)


def test_ordinal() -> None:
    """Thresholds 0 and 1.5; grade 2 is above both, grade 1 above the first, grade 0 above none."""
    loss = Ordinal(levels=2, thresholds=[0.0, 1.5])
    scores, grades = [0.3, -0.4, 2.0], [1, 0, 2]
    terms = [
        log(1 + exp(-(score - threshold) if grade >= level else score - threshold))
        for score, grade in zip(scores, grades, strict=True)
        for level, threshold in ((1, 0.0), (2, 1.5))
    ]
    assert loss(given(scores), torch.tensor(grades)).detach() == pytest.approx(sum(terms) / 3, rel=1e-6)


def test_thresholds_learn_and_stay_in_order() -> None:
    """Scores say the grade, on a scale that begins at 5: thresholds between the grades lie near 5.5 and 6.5."""
    loss = Ordinal(levels=2)
    scores, grades = torch.tensor([5.0, 6.0, 7.0]) * 8, torch.tensor([0, 1, 2])
    optimiser = torch.optim.Adam(loss.parameters(), lr=0.5)
    for _ in range(400):
        optimiser.zero_grad()
        loss(scores, grades).backward()
        optimiser.step()
    first = float(loss.first.detach())
    second = first + float(torch.nn.functional.softplus(loss.gaps).detach()[0])
    assert 40 < first < 48 < second < 56


def test_ordinal_clicks_are_unbiased() -> None:
    """Seen with 0.4 and relevant: clicked with 0.4. The mean over both outcomes is the loss of relevance."""
    loss = Ordinal(levels=1)
    scores, seen = given([0.7, -0.3]), torch.tensor([0.4, 1.0], dtype=torch.float64)
    relevant = float(loss(scores, torch.tensor([1, 1])).detach())
    clicked = float(loss(scores, torch.tensor([1, 1]), propensities=seen).detach())
    not_clicked = float(loss(scores, torch.tensor([0, 1]), propensities=seen).detach())
    assert 0.4 * clicked + 0.6 * not_clicked == pytest.approx(relevant)
