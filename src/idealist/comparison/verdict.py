"""May it ship? A difference, how sure it is, and a margin fixed beforehand, made into one word."""

from __future__ import annotations

from idealist.comparison.intervals import Interval
from idealist.data.numbers import as_number
from idealist.errors import InputError
from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

EXIT_CODES = {"ship": 0, "block": 1, "undecided": 3}
POLICIES = ("interval", "sign")


class Guard(Frozen):
    """A condition beside the difference: one that failed turns "ship" into "undecided"."""

    name: str
    passed: bool
    message: str = ""

    def __str__(self) -> str:
        shown = f"{self.name}: {self.message}" if self.message else self.name
        return f"{'passed' if self.passed else 'FAILED'}  {shown}"


class Verdict(Frozen):
    """Ship, block or undecided, and why.

    `needed` is how many further queries or judgments (`unit`) would decide, where more of them would.
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

    @property
    def exit_code(self) -> int:
        """For a pipeline: 0 ship, 1 block, 3 undecided; 2 stays for what could not be read."""
        return EXIT_CODES[self.outcome]

    @property
    def line(self) -> str:
        """The verdict in one line, without guards."""
        return f"{self.outcome.upper()}: {self._why}"

    @property
    def _why(self) -> str:
        further = (
            ""
            if self.needed is None
            else f"; about {self.needed:,} more {self.unit} would decide, if it stays so"
        )
        return f"{self.reason} ({self._numbers}){further}"

    @property
    def _numbers(self) -> str:
        if self.interval is None:
            return f"difference {signed(self.value)}, no interval"
        low, high = signed(self.interval.low), signed(self.interval.high)
        return (
            f"difference {signed(self.value)}, {100 * self.interval.confidence:g} % interval {low} to {high}"
        )

    def __str__(self) -> str:
        guards = [f"  {guard}" for guard in self.guards]
        return "\n".join([self.line, *guards, *([f"  {self.remark}"] if self.remark else [])])

    def to_markdown(self) -> str:
        """For the comment on a pull request."""
        lines = [f"### Verdict: {self.outcome}", "", f"{_capital(plain(self._why))}."]
        if self.guards:
            lines.append("")
        for guard in self.guards:
            message = f": {plain(guard.message)}" if guard.message else ""
            lines.append(f"- {'passed' if guard.passed else '**failed**'}: {plain(guard.name)}{message}")
        if self.remark:
            lines += ["", plain(self.remark)]
        return "\n".join(lines) + "\n"

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
            "margin": self.margin,
            "policy": self.policy,
            "needed": self.needed,
            "unit": self.unit,
            "guards": [
                {"name": guard.name, "passed": guard.passed, "message": guard.message}
                for guard in self.guards
            ],
            "remark": self.remark,
        }


def decide(
    value: float,
    interval: Interval | None,
    *,
    margin: float = 0.02,
    policy: str = "interval",
    guards: Iterable[Guard] = (),
    needed: int | None = None,
    unit: str = "queries",
    remark: str = "",
) -> Verdict:
    """The verdict on a difference, B − A, where higher is better.

    By the interval [L, U] and the margin m: L > 0 ships (better), L > −m ships (not worse by more than m),
    U < 0 blocks, anything else is undecided. By the sign: below 0 blocks, the rest ships, however unsure.
    A guard that failed makes "undecided" of "ship". `needed` is told only where more of them would decide.

    >>> print(decide(-0.001, Interval(-0.008, 0.006, 0.95)))
    SHIP: not worse by more than 0.0200 (difference −0.0010, 95 % interval −0.0080 to 0.0060)
    >>> print(decide(-0.01, Interval(-0.04, 0.02, 0.95), needed=240))
    UNDECIDED: the interval holds both 0 and −0.0200 (difference −0.0100, 95 % interval −0.0400 to 0.0200); about 240 more queries would decide, if it stays so
    >>> decide(-0.01, None, policy="sign").outcome
    'block'
    """
    margin = as_number(margin, "the margin", finite=True)
    if margin < 0:
        raise InputError(f"a margin of {margin:g}", hint="it is 0 or more: how much worse B may be")
    if policy not in POLICIES:
        raise InputError(f"no policy {policy!r}", hint=f"the policies are {' and '.join(POLICIES)}")
    if interval is not None and (interval.low != interval.low or interval.high != interval.high):
        interval = None
    value = float(value)
    if policy == "sign":
        outcome, reason = _by_sign(value)
    else:
        outcome, reason = _by_interval(value, interval, margin)
    told = needed if outcome == "undecided" else None
    kept = tuple(guards)
    failed = [guard.name for guard in kept if not guard.passed]
    if outcome == "ship" and failed:
        outcome, reason = "undecided", f"{reason}, but {_listed(failed)} failed"
    return Verdict(outcome, reason, value, interval, margin, policy, told, unit, kept, remark)


def needed_to_decide(value: float, interval: Interval | None, n: int, margin: float) -> int | None:
    """How many more would decide, if the difference stays as it is and the interval shrinks with √n.

    The verdict falls once L > −m or U < 0, whichever comes first; None when it has fallen, or never will.

    >>> needed_to_decide(0.0, Interval(-0.04, 0.04, 0.95), 100, 0.02)  # half the width: four times as many
    301
    """
    if interval is None or not (interval.low <= -margin and interval.high >= 0):
        return None
    ways = [(value - interval.low, value + margin), (interval.high - value, -value)]
    narrower = max((room / reach for reach, room in ways if reach > 0), default=0.0)
    if narrower < 1e-6:
        return None
    return max(0, int(n / narrower**2 - n)) + 1  # one more: at the very number, L is still −m


def signed(number: float) -> str:
    """Four decimals, or two digits of what is smaller, with a minus that can be seen.

    >>> signed(-0.01), signed(-0.0), signed(0.000012)
    ('−0.0100', '0.0000', '1.2e−05')
    """
    small = 0 < abs(number) < 0.0005
    return (f"{number:.2g}" if small else f"{number + 0.0:.4f}").replace("-", "−")


def _by_interval(value: float, interval: Interval | None, margin: float) -> tuple[str, str]:
    if value != value:
        return "undecided", "there is no difference to judge"
    if interval is None:
        return "undecided", "too few to say how sure the difference is"
    if interval.low > 0:
        return "ship", "better"
    if interval.low > -margin:
        within = f"not worse by more than {signed(margin)}"
        return "ship", f"worse, but {within}" if interval.high < 0 else within
    if interval.high < 0:
        return "block", "worse"
    return (
        "undecided",
        f"the interval holds both 0 and {signed(-margin)}" if margin else "the interval holds 0",
    )


def _by_sign(value: float) -> tuple[str, str]:
    if value != value:
        return "undecided", "there is no difference to judge"
    return (
        ("block", "below 0, by its sign alone") if value < 0 else ("ship", "not below 0, by its sign alone")
    )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _finite(number: float) -> float | None:
    return number if abs(number) < float("inf") else None


def plain(text: str) -> str:
    """Names come from files: what Markdown or HTML would act on is shown as it stands."""
    shown = "".join(f"\\{c}" if c in "\\`*_[]|" else c for c in " ".join(text.split()))
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
