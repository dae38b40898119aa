"""Laws that every loss of rankings should keep: each gives a counterexample in words, or nothing."""

from __future__ import annotations

from functools import partial

import torch

from idealist.data import Rankings
from idealist.errors import InputError
from idealist.learn.laws.law_results import BROKEN, HOLDS, NOT_CLAIMED, LawCheck, LawResults
from idealist.learn.losses.loss import Loss
from idealist.measures.naming import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from idealist.measures.measure import Measure


# name: what holds
LAWS: dict[str, str] = {
    "padding": "padded places, whatever stands in them, change neither the value nor the gradient, and get none",
    "batch": "two lists together have the mean, or the sum, of their losses and gradients apart",
    "permutation": "another order of the input changes nothing",
    "permutation of ties": "another order of the input changes nothing where scores are equal",
    "tied scores": "value and gradient are finite where all scores are equal",
    "equal grades": "value and gradient are finite where all grades are equal",
    "one document": "value and gradient are finite for one document",
    "nothing relevant": "value and gradient are finite where every grade is 0",
    "empty list": "value and gradient are finite where a list has no document",
    "large scores": "value and gradient are finite for scores of ±10,000",
    "zero": "a list with nothing relevant has value 0 and gradient 0",
    "shift": "a constant added to all scores changes nothing",
    "cut-off": "a relevant document below the cut-off is pulled up, just below and far below in lists of 20, 100 and 1,000",
    "limit": "at a low temperature the value is minus the measure's",
}
# Those that any loss should keep, whatever it claims.
GENERAL = (
    "padding",
    "batch",
    "permutation",
    "permutation of ties",
    "tied scores",
    "equal grades",
    "one document",
    "nothing relevant",
    "empty list",
    "large scores",
)
# Of these a loss that draws numbers can promise nothing for one draw.
NOT_FOR_RANDOM = ("batch", "permutation", "permutation of ties")


CLOSE = 1e-6


class Answer:
    """The value of a loss, the sum over lists where it gives one for each, and its gradient by the scores."""

    def __init__(self, value: float, gradient: torch.Tensor) -> None:
        self.value = value
        self.gradient = gradient

    @property
    def finite(self) -> bool:
        return abs(self.value) < float("inf") and bool(self.gradient.isfinite().all())

    def __str__(self) -> str:
        gradient = ", ".join(f"{slope:.4g}" for slope in self.gradient.flatten().tolist())
        return f"value {self.value:.6g}, gradient ({gradient})"


class Trial:
    """A loss that is called as loss(scores, grades, mask=mask), with float64 scores."""

    def __init__(self, loss: Callable[..., Any]) -> None:
        self.loss = loss

    def __call__(
        self,
        scores: Sequence[Sequence[float]] | torch.Tensor,
        grades: Sequence[Sequence[float]] | torch.Tensor,
        mask: Sequence[Sequence[bool]] | torch.Tensor | None = None,
    ) -> Answer:
        reset = getattr(self.loss, "reset", None)
        if callable(reset):  # the same draws every time
            reset()
        given = torch.as_tensor(scores, dtype=torch.float64).clone().requires_grad_()
        target = torch.as_tensor(grades, dtype=torch.float64)
        there = torch.ones_like(target, dtype=torch.bool) if mask is None else torch.as_tensor(mask)
        value = self.loss(given, target, mask=there).sum()
        if value.requires_grad:
            (gradient,) = torch.autograd.grad(value, given, allow_unused=True)
        else:
            gradient = None
        return Answer(float(value.detach()), torch.zeros_like(given) if gradient is None else gradient)


def close(first: float, second: float) -> bool:
    return abs(first - second) <= CLOSE * max(1.0, abs(first), abs(second))


def all_close(first: torch.Tensor, second: torch.Tensor) -> bool:
    largest = max(1.0, float(first.abs().max()), float(second.abs().max())) if first.numel() else 1.0
    return bool(((first - second).abs() <= CLOSE * largest).all())


def difference(before: Answer, after: Answer) -> str:
    """In words, what changed; nothing if nothing did."""
    if not close(before.value, after.value):
        return f"the value changes from {before.value:.6g} to {after.value:.6g}"
    if not all_close(before.gradient, after.gradient):
        worst = int((before.gradient - after.gradient).abs().flatten().argmax())
        was, becomes = before.gradient.flatten()[worst], after.gradient.flatten()[worst]
        return f"a document's gradient changes from {float(was):.6g} to {float(becomes):.6g}"
    return ""


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
        expected = -float(measure.values_with_conventions(rankings)[0])
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


def check(
    loss: Callable[..., Any],
    *,
    claims: Iterable[str] | None = None,
    k: int | None = None,
    measure: str | Measure | None = None,
    at_temperature: Callable[[float], Callable[..., Any]] | None = None,
    name: str = "",
) -> LawResults:
    """Which laws a loss keeps.

    It is called as `loss(scores, grades, mask=mask)` with matrices of lists × documents, float64 and boolean, and gives a
    number, or one for each list. `claims` are names of `LAWS`; by default `GENERAL` and, for losses of Idealist, what they
    claim. "cut-off" needs the cut-off `k`; "limit" needs the measure and `at_temperature`, which makes the loss of a
    temperature; losses of Idealist know all of these. A loss with a method `reset` has it called before every call.

    >>> from idealist.learn.losses import Soft
    >>> check(Soft("nDCG@3"))
    <LawResults: Soft, 14 laws, broken: none>
    """
    if isinstance(loss, Loss):
        k = getattr(loss.measure, "k", None) if k is None else k
        measure = loss.measure if measure is None else measure
        if at_temperature is None and "temperature" in loss.parameters_of_loss:
            at_temperature = partial(_cooled, loss)
    claimed = set(_claims(loss, k) if claims is None else claims)
    if unknown := claimed - set(LAWS):
        raise InputError(f"there is no law {sorted(unknown)[0]!r}", hint=f"name one of: {', '.join(LAWS)}")
    cases = dict(CASES)
    if k is not None:
        cases["cut-off"] = partial(cutoff, k=k)
    if measure is not None and at_temperature is not None:
        parsed, make = parse(measure), at_temperature
        cases["limit"] = lambda _: limit(make, parsed)
    if without := sorted(claimed - set(cases)):
        needs = "k" if without[0] == "cut-off" else "measure and at_temperature"
        raise InputError(f"the law {without[0]!r} cannot be checked", hint=f"give {needs}")
    trial = Trial(loss)
    checks = [
        _checked(law, cases[law], trial) if law in claimed else LawCheck(law, NOT_CLAIMED) for law in LAWS
    ]
    return LawResults(checks, name or getattr(loss, "__name__", type(loss).__name__))


def assert_laws(loss: Callable[..., Any], **arguments: Any) -> None:
    """For tests: an AssertionError that names the laws which do not hold, with counterexamples; arguments as of `check`."""
    results = check(loss, **arguments)
    if not results.ok:
        broken = [f"{law.law}: {law.counterexample}" for law in results if law.outcome == BROKEN]
        raise AssertionError(f"{results.name} breaks {len(broken)} laws\n" + "\n".join(broken))


def _claims(loss: Callable[..., Any], k: int | None) -> list[str]:
    claims = [*GENERAL, *(("zero", *loss.claims) if isinstance(loss, Loss) else ())]
    if getattr(loss, "random", False):
        claims = [law for law in claims if law not in NOT_FOR_RANDOM]
    return [law for law in claims if law != "cut-off" or k is not None]


def _cooled(loss: Loss, temperature: float) -> Loss:
    return loss.replaced(temperature=temperature)


def _checked(law: str, case: Callable[[Trial], str], trial: Trial) -> LawCheck:
    try:
        words = case(trial)
    except Exception as error:  # whatever somebody's loss raises is the finding
        words = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no message'}"
    return LawCheck(law, BROKEN if words else HOLDS, words)
