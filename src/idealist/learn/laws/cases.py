"""The laws, each as a function that gives a counterexample in words, or nothing."""

from __future__ import annotations

import torch

from idealist.data import Rankings
from idealist.learn.laws.trials import Answer, Trial, close, difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from idealist.measures.base import Measure

SCORES = [0.9, -0.4, 0.3, 1.7, -1.1, 0.6]
GRADES = [0.0, 2.0, 1.0, 0.0, 1.0, 3.0]
TIED = [0.5, 0.5, -0.2, 0.5, -0.2, 1.0]
LARGE = [1e4, -1e4, 0.0, 1e4, -1e4, 3.0]
COLD = 1e-3
FAR = ((20, 19), (100, 50), (100, 99), (1000, 999))  # documents, and the place of the relevant one
LEAST_PULL = 1e-6
ORDERS = ([5, 4, 3, 2, 1, 0], [2, 0, 5, 1, 3, 4], [1, 2, 0, 4, 5, 3])


def padding(trial: Trial) -> str:
    """With a mask, a padded place may hold anything that is finite."""
    plain = trial([SCORES], [GRADES])
    for score, grade in ((0.0, 0.0), (2.5, 3.0), (-40.0, 0.0)):
        padded = trial([SCORES + [score] * 3], [GRADES + [grade] * 3], [[True] * 6 + [False] * 3])
        inside = Answer(padded.value, padded.gradient[:, :6])
        if words := difference(plain, inside):
            return f"three padded places with score {score:g} and grade {grade:g}: {words}"
        if bool((padded.gradient[:, 6:] != 0).any()):
            return f"a padded place has gradient {float(padded.gradient[0, 6:].abs().max()):.6g}"
    return ""


def batch(trial: Trial) -> str:
    """With lists that have less and more that is relevant, and with one that is longer, for which the first is padded."""
    alone = trial([SCORES], [GRADES])
    longer = [*SCORES[::-1], 0.1, -0.7, 1.3]
    for grades in ([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [2.0, 2.0, 1.0, 1.0, 0.0, 3.0], [1.0, 0.0, 3.0] * 3):
        length = len(grades)
        scores, padding = longer[:length], [0.0] * (length - 6)
        other = trial([scores], [grades])
        both = trial(
            [SCORES + padding, scores],
            [GRADES + padding, grades],
            [[True] * 6 + [False] * (length - 6), [True] * length],
        )
        surroundings = f"beside a list of {length} documents with grades {grades}"
        share = next(
            (share for share in (0.5, 1.0) if close(both.value, share * (alone.value + other.value))), None
        )
        if share is None:
            return (
                f"losses {alone.value:.6g} and {other.value:.6g} apart are {both.value:.6g} together, neither their "
                f"mean nor their sum, {surroundings}"
            )
        expected = Answer(both.value, torch.cat([alone.gradient[0], other.gradient[0]]) * share)
        together = Answer(both.value, torch.cat([both.gradient[0, :6], both.gradient[1]]))
        if words := difference(expected, together):
            return f"{words}, {surroundings}"
    return ""


def permutation(trial: Trial, scores: list[float] = SCORES) -> str:
    plain = trial([scores], [GRADES])
    for order in ORDERS:
        moved = trial([[scores[i] for i in order]], [[GRADES[i] for i in order]])
        back = torch.empty_like(moved.gradient)
        back[:, order] = moved.gradient
        if words := difference(plain, Answer(moved.value, back)):
            return f"scores {scores}, grades {GRADES} in the order {order}: {words}"
    return ""


def permutation_of_ties(trial: Trial) -> str:
    return permutation(trial, TIED) or permutation(trial, [0.0] * 6)


def finite(scores: list[list[float]], grades: list[list[float]], mask: Any = None) -> Callable[[Trial], str]:
    def law(trial: Trial) -> str:
        answer = trial(scores, grades, mask)
        return "" if answer.finite else f"scores {scores}, grades {grades}: {answer}"

    return law


def zero(trial: Trial) -> str:
    answer = trial([SCORES], [[0.0] * 6])
    return "" if answer.value == 0 and not bool(answer.gradient.any()) else f"scores {SCORES}: {answer}"


def shift(trial: Trial) -> str:
    plain = trial([SCORES], [GRADES])
    for constant in (2.0, -7.5):
        if words := difference(plain, trial([[score + constant for score in SCORES]], [GRADES])):
            return f"{constant:g} added to all scores: {words}"
    return ""


def cutoff(trial: Trial, k: int) -> str:
    return _just_below(trial, k) or _far_below(trial)


def _far_below(trial: Trial) -> str:
    """Scores fall evenly from 2.5 to -2.5; the one relevant document stands in the middle, or last."""
    for documents, place in FAR:
        grades = torch.zeros(documents)
        grades[place] = 1.0
        pull = float(trial(torch.linspace(2.5, -2.5, documents)[None], grades[None]).gradient[0, place])
        if not pull < -LEAST_PULL:
            return (
                f"the relevant document stands at rank {place + 1} of {documents}, its gradient is {pull:.3g}"
            )
    return ""


def _just_below(trial: Trial, k: int) -> str:
    """Scores fall by 0.2 from rank to rank; the best document stands at rank k + 1."""
    scores = [-0.2 * place for place in range(k + 5)]
    grades = [1.0] + [0.0] * (k - 1) + [3.0] + [0.0] * 4
    gradient = trial([scores], [grades]).gradient[0]
    pull = float(gradient[k])
    largest = float(gradient.abs().max())
    if largest > 0 and pull < -1e-4 * largest:
        return ""
    return (
        f"the best document stands at rank {k + 1}, its gradient is {pull:.3g}, the largest is {largest:.3g}"
    )


def limit(at_temperature: Callable[[float], Callable[..., Any]], measure: Measure) -> str:
    chance = torch.Generator().manual_seed(3)
    cold = at_temperature(COLD)
    for _ in range(5):
        scores = torch.randperm(12, generator=chance).double() * 0.5
        grades = torch.randint(0, 4, (12,), generator=chance).double()
        value = Trial(cold)(scores[None], grades[None]).value
        rankings = Rankings.from_arrays(grades[None].numpy(), scores[None].numpy())
        expected = -float(measure.settled(rankings)[0])
        if not abs(value - expected) <= 1e-4 * max(1.0, abs(expected)):
            return f"at temperature {COLD:g} the value is {value:.6g}, minus {measure} is {expected:.6g}"
    return ""


CASES: dict[str, Callable[[Trial], str]] = {
    "padding": padding,
    "batch": batch,
    "permutation": permutation,
    "permutation of ties": permutation_of_ties,
    "tied scores": finite([[0.0] * 6], [GRADES]),
    "equal grades": finite([SCORES], [[2.0] * 6]),
    "one document": finite([[0.7]], [[1.0]]),
    "nothing relevant": finite([SCORES], [[0.0] * 6]),
    "empty list": finite([SCORES, SCORES], [GRADES, GRADES], [[True] * 6, [False] * 6]),
    "large scores": finite([LARGE], [GRADES]),
    "zero": zero,
    "shift": shift,
}
