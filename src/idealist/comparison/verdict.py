"""Whether a system may ship: one word from a difference, its interval and a margin fixed beforehand."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.values import as_choice, as_finite
from idealist.base.wording import count_of, interval_title, listed, range_text, signed
from idealist.errors import InputError
from idealist.statistics.inversion import ALLOWING, INVERSION
from idealist.statistics.mean_estimates import Interval
from idealist.statistics.unseen import BY_BEST_THIRD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


DEFAULT_SHARE = 0.02  # of the baseline's mean, or of the votes
LARGE_SHARE = 0.1  # of the baseline's mean: more is remarked on
HINT = "0.02 is a difference of the measure, 2% a share of the baseline's mean"


class Margin(Frozen):
    """The largest loss that ships: its size, the share of the baseline's mean that it was given as, if it was,
    and whether the user stated it. A loss that is significant ships by a stated margin only."""

    size: float
    share: float | None = None
    stated: bool = True

    def __str__(self) -> str:
        return (
            signed(self.size)
            if self.share is None
            else f"{signed(self.size)}, {100 * self.share:g} % of the baseline"
        )


def read_margin(
    stated: Any, *, baseline: float | None = None, limit: float = float("inf"), title: str = "the margin"
) -> Margin:
    """A margin as people state it: a number, a share such as "2%", or None for the default.

    A share is one of `baseline`, a mean; without a baseline (for votes) it is the number itself. A margin must lie
    below `limit`, the largest difference there can be.

    >>> read_margin("2%", baseline=0.4)
    Margin(size=0.008, share=0.02, stated=True)
    >>> read_margin(None, baseline=0.4), read_margin(0.01)
    (Margin(size=0.008, share=0.02, stated=False), Margin(size=0.01, share=None, stated=True))
    """
    if isinstance(stated, Margin):
        return stated
    number, is_share = (DEFAULT_SHARE, True) if stated is None else _number(stated, title)
    if number < 0:
        raise InputError(
            f"{title} must be 0 or more, not {stated}", hint="it says how much worse the new system may be"
        )
    if is_share and baseline is not None:
        if number >= 1:
            raise InputError(f"{title} must be below 100%, not {stated}: everything would ship", hint=HINT)
        return Margin(number * abs(baseline), number, stated is not None)
    if number >= limit:
        raise InputError(f"{title} must be below {limit:g}, the largest difference, not {stated}", hint=HINT)
    return Margin(number, None, stated is not None)


def remark_large(margin: Margin, baseline: float) -> str:
    """A remark on a margin that is large compared with the baseline's mean; "" for others.

    >>> remark_large(Margin(0.02), 0.0429)
    "the margin 0.0200 is 47 % of the baseline's mean 0.0429: large losses ship"
    """
    if not margin.size or margin.size < LARGE_SHARE * abs(baseline):
        return ""
    share = f"{100 * margin.size / abs(baseline):.0f} % of the" if baseline else "above the"
    return (
        f"the margin {signed(margin.size)} is {share} baseline's mean {signed(baseline)}: large losses ship"
    )


def _number(stated: Any, title: str) -> tuple[float, bool]:
    """The number, and whether it is a share."""
    if not isinstance(stated, str):
        return as_finite(stated, title, hint=HINT), False
    text = stated.strip()
    number = as_finite(text.removesuffix("%"), title, text=True, hint=HINT)
    return (number / 100, True) if text.endswith("%") else (number, False)


EXIT_CODES = {"ship": 0, "unchanged": 0, "block": 1, "undecided": 3}
PASSING = ("ship", "unchanged")  # outcomes that a guard can turn into "undecided"
PASSED, FAILED, CANNOT_TELL = "passed", "failed", "cannot tell"
POLICIES = ("interval", "sign")
SAME_LISTS = "the lists of all queries are the same"


def _method_text(method: str) -> str:
    """How an interval was made, behind its ends: for test inversion, what that means.

    >>> _method_text("Student's t"), _method_text("test inversion over queries")
    (" by Student's t", ' over queries, allowing for rare large differences')
    >>> _method_text("test inversion, best third")
    ', allowing for unseen failures'
    """
    if method == BY_BEST_THIRD:
        return ", allowing for unseen failures"
    if not method.startswith(INVERSION):
        return f" by {method}" if method else ""
    return f"{method.removeprefix(INVERSION)}, {ALLOWING}"


class Guard(Frozen):
    """A condition beside the difference, and its answer: passed, failed, or cannot tell.

    A guard that failed makes "undecided" of "ship" and "unchanged". One that cannot tell does so only where `stops`
    says so: a large loss that is not excluded, or a floor that was stated and cannot be checked. A guard that lacks
    what it needs to be computed says "cannot tell", and changes nothing.

    >>> print(Guard("segments", CANNOT_TELL, "vip may lose 0.2"))
    cannot tell  segments: vip may lose 0.2
    >>> print(Guard.of("same queries", False))
    FAILED  same queries
    """

    name: str
    answer: str
    message: str = ""
    stops: bool = False

    @classmethod
    def of(cls, name: str, passed: bool, message: str = "") -> Guard:
        """A guard that passed or failed."""
        return cls(name, PASSED if passed else FAILED, message, not passed)

    @property
    def passed(self) -> bool:
        return self.answer == PASSED

    def __str__(self) -> str:
        text = f"{self.name}: {self.message}" if self.message else self.name
        return f"{self.answer.upper() if self.answer == FAILED else self.answer}  {text}"


class Verdict(Result, Frozen):
    """Ship, block, unchanged or undecided, and why.

    `needed` is how many further queries or judgments (`unit`) would decide with 80 % power, where more of them
    would; `needed_votes` how many votes that takes, where each of them has several. `method` names the interval.
    `margin_share` is the share of the baseline's mean that the margin was given as; `margin_stated` is whether
    the user gave it.
    """

    outcome: str
    reason: str
    value: float
    interval: Interval | None
    margin: float
    policy: str = "interval"
    needed: int | None = None
    unit: str = "queries"
    guards: tuple[Guard, ...] = ()
    remark: str = ""
    method: str = ""
    margin_share: float | None = None
    margin_stated: bool = True
    needed_votes: int | None = None

    @property
    def exit_code(self) -> int:
        """For a pipeline: 0 ship or unchanged, 1 block, 3 undecided; 2 stays for what could not be read."""
        return EXIT_CODES[self.outcome]

    @property
    def line(self) -> str:
        """The verdict in one line, without guards."""
        return f"{self.outcome.upper()}: {self.why}"

    @property
    def why(self) -> str:
        """The reason, the numbers behind it, and how many more queries would decide; of what is unchanged the reason."""
        if self.outcome == "unchanged":
            return self.reason
        return f"{self.reason} ({self._numbers}){self._further}"

    @property
    def _further(self) -> str:
        if self.needed is None:
            return ""
        votes = "" if self.needed_votes is None else f", {count_of(self.needed_votes, 'vote')},"
        unit = f"{self.unit[:-3]}y" if self.unit.endswith("ies") else self.unit[:-1]
        those = "it is like those seen" if self.needed == 1 else "they are like those seen"
        return f"; {count_of(self.needed, f'more {unit}')}{votes} would decide with 80 % power, if {those}"

    @property
    def _numbers(self) -> str:
        if self.interval is None:
            return f"difference {signed(self.value)}, no interval"
        interval = f"{interval_title(self.interval.confidence)} {range_text(self.interval)}"
        return f"difference {signed(self.value)}, {interval}{_method_text(self.method)}"

    def _gist(self) -> str:
        return self.line

    def to_dict(self) -> dict[str, Any]:
        """For JSON: numbers that are none, such as the value of nothing, are null."""
        interval = self.interval
        return {
            "outcome": self.outcome,
            "exit_code": self.exit_code,
            "reason": self.reason,
            "value": _finite(self.value),
            "interval": None
            if interval is None
            else {
                "low": _finite(interval.low),
                "high": _finite(interval.high),
                "confidence": interval.confidence,
            },
            "method": self.method,
            "margin": self.margin,
            "margin_share": self.margin_share,
            "margin_stated": self.margin_stated,
            "policy": self.policy,
            "needed": self.needed,
            "needed_votes": self.needed_votes,
            "unit": self.unit,
            "guards": [
                {
                    "name": guard.name,
                    "answer": guard.answer,
                    "passed": guard.passed,
                    "message": guard.message,
                    "stops": guard.stops,
                }
                for guard in self.guards
            ],
            "remark": self.remark,
        }


def decide(
    value: float,
    interval: Interval | None,
    *,
    margin: Margin | float | str | None = None,
    policy: str = "interval",
    guards: Iterable[Guard] = (),
    needed: int | None = None,
    needed_votes: int | None = None,
    unit: str = "queries",
    remark: str = "",
    method: str = "",
    loss: str = "",
    sparse: str = "",
    unchanged: str = "",
    beside_others: str = "",
) -> Verdict:
    """The verdict on a difference, B − A, where higher is better.

    By the interval [L, U] and the margin m: L > 0 ships (better), L > −m ships (not worse by more than m),
    U < 0 blocks, anything else is undecided. Where the user stated no margin, it is 0.02 and U < 0 always blocks:
    a significant loss never ships by default. By the sign: below 0 blocks, the rest ships, however unsure.
    A guard that failed makes "undecided" of "ship". `needed` is kept only where more of them would decide.
    `loss` says why there may be a significant loss although U ≥ 0; then nothing ships without a stated margin.
    `sparse` says why the interval is as wide as it is, for a verdict that is undecided. `unchanged` says that nothing
    differs, such as that all lists are identical: the outcome is then "unchanged", whatever the interval. `beside_others`
    says why L > 0 is not enough for "better", such as that the system is one of many candidates.

    >>> print(decide(-0.001, Interval(-0.008, 0.006, 0.95), margin=0.02))
    SHIP: not worse by more than the margin you set, 0.0200 (difference −0.0010, 95 % interval −0.0080 to 0.0060)
    >>> print(decide(-0.01, Interval(-0.015, -0.005, 0.95)))
    BLOCK: worse (difference −0.0100, 95 % interval −0.0150 to −0.0050)
    >>> print(decide(-0.01, Interval(-0.04, 0.02, 0.95), needed=240))
    UNDECIDED: the interval includes both 0 and −0.0200 (difference −0.0100, 95 % interval −0.0400 to 0.0200); 240 more queries would decide with 80 % power, if they are like those seen
    >>> decide(-0.01, None, policy="sign").outcome
    'block'
    """
    margin = read_margin(margin)
    as_choice(policy, "policy", POLICIES)
    if interval is not None and (interval.low != interval.low or interval.high != interval.high):
        interval = None
    value = float(value)
    if unchanged:
        outcome, reason = "unchanged", unchanged
    elif policy == "sign":
        outcome, reason = _by_sign(value)
    else:
        outcome, reason = _by_interval(value, interval, margin, sparse, beside_others)
        if outcome == "ship" and loss and not margin.stated:
            outcome, reason = "undecided", f"{reason}, but {loss}"
    undecided = outcome == "undecided"  # by the numbers: more queries mend no guard
    verdict = Verdict(
        outcome=outcome,
        reason=reason,
        value=value,
        interval=interval,
        margin=margin.size,
        policy=policy,
        needed=needed if undecided else None,
        unit=unit,
        remark=remark,
        method=method,
        margin_share=margin.share,
        margin_stated=margin.stated,
        needed_votes=needed_votes if undecided and needed is not None else None,
    )
    return with_guards(verdict, guards)


def as_unchanged(verdict: Verdict, reason: str = SAME_LISTS) -> Verdict:
    """The verdict on two systems whose lists are the same, in the place of what their interval says."""
    return verdict.replace(
        outcome="unchanged", reason=reason, guards=(), remark="", needed=None, needed_votes=None
    )


def with_guards(verdict: Verdict, further_guards: Iterable[Guard]) -> Verdict:
    """The same verdict with further guards: one that stops it makes "undecided" of "ship" and "unchanged"."""
    further_guards = tuple(further_guards)
    verdict = verdict.replace(guards=(*verdict.guards, *further_guards))
    stopping = [guard for guard in further_guards if guard.stops]
    if not stopping or verdict.outcome not in PASSING:
        return verdict
    failed = [guard.name for guard in stopping if guard.answer == FAILED]
    unclear = [guard.name for guard in stopping if guard.answer != FAILED]
    reasons = [f"{listed(failed)} failed"] if failed else []
    reasons += [f"{listed(unclear)} cannot tell"] if unclear else []
    return verdict.replace(outcome="undecided", reason=f"{verdict.reason}, but {' and '.join(reasons)}")


def _by_interval(
    value: float, interval: Interval | None, margin: Margin, sparse: str, beside_others: str
) -> tuple[str, str]:
    if value != value:
        return "undecided", "there is no difference to judge"
    if interval is None:
        return "undecided", sparse or "too few queries for an interval"
    if interval.low > 0 and not beside_others:
        return "ship", "better"
    if interval.low > 0 and not margin.size:  # not to be worse at all would be the same claim
        return "undecided", beside_others
    margin_text = f"the margin you set, {margin}" if margin.stated else str(margin)
    if interval.high < 0 and not (margin.stated and interval.low > -margin.size):
        return "block", "worse"
    if interval.high < 0:
        return "ship", f"worse, but not by more than {margin_text}"
    if interval.low > -margin.size:
        more = f"; {beside_others}" if interval.low > 0 else ""
        return "ship", f"not worse by more than {margin_text}{more}"
    reason = (
        f"the interval includes both 0 and {signed(-margin.size)}"
        if margin.size
        else "the interval includes 0"
    )
    return "undecided", f"{reason}; {sparse}" if sparse else reason


def _by_sign(value: float) -> tuple[str, str]:
    if value != value:
        return "undecided", "there is no difference to judge"
    return (
        ("block", "below 0, by its sign alone") if value < 0 else ("ship", "not below 0, by its sign alone")
    )


def _finite(number: float) -> float | None:
    return number if abs(number) < float("inf") else None
