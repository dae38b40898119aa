"""Laws checked, one after the other, with a counterexample for each that is broken."""

from __future__ import annotations

from functools import partial

from idealist.errors import InputError
from idealist.learn.laws.cases import CASES, cutoff, limit
from idealist.learn.laws.names import GENERAL, LAWS, NOT_FOR_RANDOM
from idealist.learn.laws.results import BROKEN, HOLDS, NOT_CLAIMED, LawCheck, LawResults
from idealist.learn.laws.trials import Trial
from idealist.learn.losses.base import Loss
from idealist.measures.text import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from idealist.measures.base import Measure


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
