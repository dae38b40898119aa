"""Numbers, ids and other values as people give them: in Python, in texts and files, and on the command line.

Values that people set, in Python, in the text of a measure, in files of rules and on the command line: read alike, and
refused in the same words.

`what` names the value in the message: "confidence must lie between 0 and 1, not 2". With `text`, numbers may be
written as text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from idealist.errors import InputError, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


ANY_GRADE = float("-inf")  # the level that every grade reaches
EXACT = 2**53  # from here on, floats leave whole numbers out
INEXACT = "more digits than a float holds: it would tie with its neighbours"
DECIMAL_COMMA = "say --decimal , (decimal=',' in Python)"
EXACT_HINT = "give a rank, or a number below 2**53"
ABOVE_ZERO = 5e-324  # the level that every grade above 0 reaches


def as_number(value: Any, title: str, *, finite: bool) -> float:
    """A float from a number of any type, NumPy's included, but not from text."""
    if isinstance(value, (str, bytes, bytearray)):
        raise InputError(
            f"{title} is text, {value!r}, not a number", hint="convert it with float()", code="not-a-number"
        )
    try:
        number = float(value)
    except OverflowError:
        raise InputError(f"{title} is too large a number", hint="give a finite number") from None
    except (TypeError, ValueError):
        raise InputError(
            f"{title} is {value!r}, of type {type(value).__name__}, not a number", code="not-a-number"
        ) from None
    if abs(number) >= EXACT and hasattr(value, "__index__") and value.__index__() != number:
        raise InputError(
            f"{title} is {value}, {INEXACT}",
            hint=EXACT_HINT,
            code="not-exact",
        )
    if number != number:
        raise InputError(
            f"{title} is nan, not a number", hint="give a number, or leave it out", code="not-a-number"
        )
    if finite and number in (float("inf"), float("-inf")):
        raise InputError(f"{title} is infinite", hint="give a finite number", code="not-finite")
    return number


def loses_digits(text: str, number: float) -> bool:
    """Whether text is a whole number that its float does not hold. What has a fraction or an exponent is taken for
    what a float printed.

    >>> loses_digits("9007199254740993", 9007199254740993.0), loses_digits("9007199254740994", 9007199254740994.0)
    (True, False)
    """
    digits = text.strip().lstrip("+-").lstrip("0")
    if abs(number) < EXACT or not (digits.isascii() and digits.isdigit()):
        return False
    return abs(number) == float("inf") or int(digits) != abs(number)


def as_id(value: Any, title: str) -> str:
    """Text, or a whole number written as text."""
    if isinstance(value, str):
        text = str(value)
    elif hasattr(value, "__index__") and not isinstance(value, bool):
        text = str(value.__index__())
    else:
        raise InputError(
            f"{title} is {value!r}, of type {type(value).__name__}", hint="ids are strings or whole numbers"
        )
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise InputError(
            f"{title} {text!r} holds a character that is not valid text",
            hint="half of a surrogate pair is not",
        ) from None
    return text


def given_twice(what: str) -> InputError:
    """The keys 1 and "1" of a mapping are one id."""
    return InputError(f"{what} appears twice, as text and as a number", hint="write every id in one way")


def _in_message(value: Any) -> str:
    """A value in a message: small ones as they are, others by their type."""
    plain = isinstance(value, (str, bytes, int, float, type(None))) and len(repr(value)) < 80
    return repr(value) if plain else f"a {type(value).__name__}"


def plain_dicts(queries: Any, *, kind: str, number: str, finite: bool) -> dict[str, dict[str, float]]:
    """A copy of a mapping of mappings with text for ids and floats for numbers; the first thing that
    cannot be right is reported with its query and document."""
    if not isinstance(queries, Mapping):
        raise InputError(
            f"{kind}: expected {{query: {{document: {number}}}}}, found {_in_message(queries)}",
            hint=f"read_{kind} reads one from a file",
        )
    plain: dict[str, dict[str, float]] = {}
    for query, documents in queries.items():
        name = as_id(query, f"{kind}: a query's id")
        if name in plain:
            raise given_twice(f"{kind}: query {name!r}")
        if not isinstance(documents, Mapping):
            raise InputError(
                f"{kind}, query {name!r}: expected {{document: {number}}}, found {type(documents).__name__}"
            )
        plain[name] = row = {}
        for document, value in documents.items():
            where = f"{kind}, query {name!r}"
            text = as_id(document, f"{where}: a document's id")
            if text in row:
                raise given_twice(f"{where}: document {text!r}")
            row[text] = as_number(value, f"{where}, document {text!r}: the {number}", finite=finite)
    return plain


def known_decimal(sign: str | None) -> str:
    """The sign before fractions in text: a point unless a comma is asked for."""
    if sign not in (None, ".", ","):
        raise InputError(f"the decimal sign must be a point or a comma, not {sign!r}", hint="decimal=','")
    return sign or "."


def with_point(text: str, decimal: str) -> str:
    """A number with a point in the place of its decimal sign; with a point already, it is none.

    >>> with_point("0,5", ",")
    '0.5'
    """
    return text if decimal == "." else text.replace(".", "?").replace(decimal, ".")


def decimal_hint(text: str, decimal: str) -> str:
    """A hint about a number with the other decimal sign; empty if it is no number either way.

    >>> decimal_hint("0.5", ",")
    'write it with a decimal comma, as was said, or leave --decimal (decimal=) out'
    >>> decimal_hint("1,234.5", "."), decimal_hint("0,123", ".") == decimal_hint("0,5", ".")
    ('write it without signs between thousands', True)
    """
    other = "," if decimal == "." else "."
    plain = text.strip(" +-")
    if re.fullmatch(rf"[1-9]\d{{0,2}}({re.escape(other)}\d{{3}})+({re.escape(decimal)}\d*)?", plain):
        if plain.count(other) > 1 or decimal in plain:
            return "write it without signs between thousands"
        # A thousand, or a fraction of three digits: a wrong guess here would be a wrong value.
        sign, otherwise = (
            ("comma", DECIMAL_COMMA) if decimal == "." else ("point", "leave --decimal (decimal=) out")
        )
        return f"if the {sign} separates thousands, leave it out; if it is the decimal sign, {otherwise}"
    if not plain.replace(other, "", 1).isdigit():
        return ""
    if decimal == ",":
        return "write it with a decimal comma, as was said, or leave --decimal (decimal=) out"
    return f"write it with a decimal point; or {DECIMAL_COMMA}"


INFINITE = float("inf")


def refused(title: str, rule: str, value: Any, hint: str = "") -> InputError:
    """The error for a value that does not keep a rule.

    >>> print(refused("the margin", "be 0 or more", -1))
    the margin must be 0 or more, not -1
    """
    return InputError(f"{title} must {rule}, not {_value_in_message(value)}", hint=hint)


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
    """Converts a value, which may be text, to a type: a number, true or false, text, or a tuple of numbers.

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


def _value_in_message(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) < EXACT and value == int(value) else f"{value:g}"
    return shortened(repr(value), 80)


def _rule(low: float, high: float, ends: str) -> str:
    first, last = _value_in_message(float(low)), _value_in_message(float(high))
    if low > -INFINITE and high < INFINITE and ends in ("()", "[]"):
        return f"lie between {first} and {last}" if ends == "()" else f"be from {first} to {last}"
    least = f"{first} or more" if ends[0] == "[" else f"above {first}"
    most = f"at most {last}" if ends[1] == "]" else f"below {last}"
    return "be " + " and ".join([least] * (low > -INFINITE) + [most] * (high < INFINITE))
