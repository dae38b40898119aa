"""Numbers as C reads them from text: what looks like one at the beginning, 0 if nothing does."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match

LONGEST = 2**63 - 1
DIGITS = len(str(LONGEST))
_INTEGER = r"[ \t\n\v\f\r]*([+-]?)([0-9]+)"
_REAL = (
    r"(?i)[ \t\n\v\f\r]*(?:"
    r"(?P<hex>[+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)"
    r"|(?P<plain>[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|infinity|inf|nan))"
    r")"
)


def atol(text: str) -> int:
    """The whole number a text begins with, within 64 bits.

    >>> atol("1.9"), atol(" -2x"), atol("x")
    (1, -2, 0)
    >>> atol("9" * 5000) == 2**63 - 1, atol("-" + "9" * 5000) == -(2**63)
    (True, True)
    """
    if len(text) < DIGITS and text.isascii() and text.isdigit():
        return int(text)
    match = _match(_INTEGER, text)
    if not match:
        return 0
    sign, digits = match[1], match[2].lstrip("0")
    number = LONGEST + 1 if len(digits) > DIGITS else int(digits or "0")
    return max(-LONGEST - 1, -number) if sign == "-" else min(LONGEST, number)


def atof(text: str) -> float:
    """The real number a text begins with: decimal, hexadecimal, infinite or nan.

    >>> atof("1.5e1x"), atof("0x1p3"), atof("1e400"), atof("score")
    (15.0, 8.0, inf, 0.0)
    """
    if text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text)
    match = _match(_REAL, text)
    if not match:
        return 0.0
    if match["hex"]:
        try:
            return float.fromhex(match["hex"])
        except OverflowError:
            return float("-inf" if match["hex"].startswith("-") else "inf")
    return float(match["plain"])


def _match(pattern: str, text: str) -> Match[str] | None:
    import re  # not for the usual numbers

    return re.match(pattern, text)
