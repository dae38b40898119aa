"""Numbers and ids as people give them: any numeric type, strings or whole numbers as ids."""

from __future__ import annotations

import re
from collections.abc import Mapping

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    """What to do about a number with the other decimal sign; nothing if it is no number either way.

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
