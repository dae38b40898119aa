"""Values that people set, in Python, in the text of a measure, in files of rules and on the command line: read alike, and
refused in the same words.

`what` names the value in the message: "confidence must lie between 0 and 1, not 2". With `text`, numbers may be
written as text.
"""

from __future__ import annotations

from idealist.data.numbers import EXACT, as_number
from idealist.errors import InputError, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

INFINITE = float("inf")


def refused(title: str, rule: str, value: Any, hint: str = "") -> InputError:
    """The error for a value that does not keep a rule.

    >>> print(refused("the margin", "be 0 or more", -1))
    the margin must be 0 or more, not -1
    """
    return InputError(f"{title} must {rule}, not {_in_message(value)}", hint=hint)


def as_finite(value: Any, title: str, *, text: bool = False, hint: str = "") -> float:
    """A finite number.

    >>> as_finite("0.5", "level", text=True)
    0.5
    """
    try:
        if isinstance(value, (bool, str, bytes, bytearray)) and not (text and isinstance(value, str)):
            raise ValueError
        number = float(value)
        if number != number:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise refused(title, "be a number", value, hint) from None
    if abs(number) == INFINITE:
        raise refused(title, "be finite", value, hint)
    # Whole numbers that a float cannot hold are refused there.
    return number if isinstance(value, str) else as_number(value, title, finite=True)


def as_within(
    value: Any,
    title: str,
    low: float = -INFINITE,
    high: float = INFINITE,
    ends: str = "[]",
    *,
    text: bool = False,
    hint: str = "",
) -> float:
    """A number of an interval; `ends` says whether each end belongs to it, as mathematicians write it.

    >>> as_within(0.5, "sigma", 0, 1)
    0.5
    """
    number = as_finite(value, title, text=text, hint=hint)
    above = number >= low if ends[0] == "[" else number > low
    below = number <= high if ends[1] == "]" else number < high
    if not (above and below):
        raise refused(title, _rule(low, high, ends), number, hint)
    return number


def as_share(value: Any, title: str, *, text: bool = False, hint: str = "") -> float:
    """A number between 0 and 1, both left out: a confidence, a power, a risk."""
    return as_within(value, title, 0, 1, "()", text=text, hint=hint or "0.95 is 95 %")


def as_count(
    value: Any,
    title: str,
    least: int = 1,
    most: int = EXACT,
    *,
    text: bool = False,
    hint: str = "",
) -> int:
    """A whole number.

    >>> as_count(10.0, "k")
    10
    """
    rule = f"be a whole number, {least} or more"
    try:
        number = as_finite(value, title, text=text)
    except InputError:
        raise refused(title, rule, value, hint) from None
    if number != int(number) or number < least:
        raise refused(title, rule, number, hint)
    if number > most:
        raise refused(title, f"be at most {most}", number, hint)
    return int(number)


def as_seed(value: Any) -> int:
    """Where random numbers begin: a whole number of any size."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < 0:
        raise refused("the seed", "be a whole number, 0 or more", value)
    return int(value.__index__())


def as_choice(value: Any, title: str, choices: Iterable[str], *, hint: str = "") -> str:
    """One of several words.

    >>> as_choice("sign", "policy", ("interval", "sign"))
    'sign'
    """
    words = tuple(choices)
    if not isinstance(value, str) or value not in words:
        raise refused(title, f"be {either(words)}", value, hint)
    return str(value)


def as_flag(value: Any, title: str, *, text: bool = False) -> bool:
    """True or false.

    >>> as_flag("True", "normalize", text=True)
    True
    """
    if text and isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if not isinstance(value, bool):
        raise refused(title, "be true or false", value)
    return value


def as_text(value: Any, title: str) -> str:
    """Text that is not empty."""
    if not isinstance(value, str) or not value:
        raise refused(title, "be text", value)
    return value


def as_kind(value: Any, title: str, kind: type) -> Any:
    """What is of a type, which text may say: a number, true or false, text, or a tuple of numbers.

    >>> as_kind("3", "depth", int), as_kind("64,32", "hidden", tuple), as_kind("no", "bias", bool)
    (3, (64, 32), False)
    """
    text = value.strip() if isinstance(value, str) else value
    if kind is bool:
        known = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if isinstance(text, bool):
            return text
        if str(text).lower() in known:
            return known[str(text).lower()]
        raise refused(title, "be yes or no", value)
    if kind is tuple:
        members = text.replace(":", ",").split(",") if isinstance(text, str) else text
        members = [members] if isinstance(members, (int, float)) else members
        return tuple(_finite(title, member) for member in members if member != "")
    if kind in (int, float):
        number = _finite(title, text)
        if kind is int and number != int(number):
            raise refused(title, "be a whole number", value)
        return kind(number)
    return text


def _finite(title: str, value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise refused(title, "be a number", value)
    try:
        number = float(value)
    except ValueError:
        raise refused(title, "be a number", value) from None
    except OverflowError:
        number = INFINITE
    if number != number or abs(number) == INFINITE:
        raise refused(title, "be a finite number", value)
    whole = isinstance(value, int) or (isinstance(value, str) and value.strip().lstrip("+-").isdigit())
    # From what was given: a float would lose digits beyond 2^53.
    return int(value) if whole else number


def either(words: Iterable[str]) -> str:
    """Words to choose from.

    >>> either(["a", "b", "c"])
    'a, b or c'
    """
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def _in_message(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) < EXACT and value == int(value) else f"{value:g}"
    return shortened(repr(value), 80)


def _rule(low: float, high: float, ends: str) -> str:
    first, last = _in_message(float(low)), _in_message(float(high))
    if low > -INFINITE and high < INFINITE and ends in ("()", "[]"):
        return f"lie between {first} and {last}" if ends == "()" else f"be from {first} to {last}"
    least = f"{first} or more" if ends[0] == "[" else f"above {first}"
    most = f"at most {last}" if ends[1] == "]" else f"below {last}"
    return "be " + " and ".join([least] * (low > -INFINITE) + [most] * (high < INFINITE))
