"""Numbers as Java prints them, which is how RankLib writes its files."""

from __future__ import annotations

from math import floor, isinf, isnan


def double_text(number: float) -> str:
    """A double as Java's Double.toString has it: plain from 0.001 to 10,000,000, with an exponent beyond.

    >>> double_text(0.25), double_text(1e-4), double_text(12345678.0), double_text(0.0)
    ('0.25', '1.0E-4', '1.2345678E7', '0.0')
    """
    if isnan(number):
        return "NaN"
    if isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(float(number))
    # The fewest digits that tell it from its neighbours, one of them before the point.
    mantissa, _, exponent = f"{number!r}e0".partition("e")
    sign, digits = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    whole, _, fraction = digits.partition(".")
    shift = int(exponent.partition("e")[0]) + len(whole) - 1
    significant = (whole + fraction).rstrip("0")
    leading = len(significant) - len(significant.lstrip("0"))
    significant, shift = significant[leading:], shift - leading
    return f"{sign}{significant[0]}.{significant[1:] or '0'}E{shift}"


def rounded(number: float, digits: int) -> float:
    """A number to so many digits, halves up.

    >>> rounded(0.73455, 4), rounded(-0.00005, 4)
    (0.7346, 0.0)
    """
    if isnan(number) or isinf(number):
        return number
    power: int = 10**digits
    return floor(number * power + 0.5) / power
