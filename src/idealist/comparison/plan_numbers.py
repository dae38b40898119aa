"""The numbers that plans are made of, checked."""

from __future__ import annotations

from idealist.data.numbers import as_number, as_share
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 10**15  # more than this is never
FEW = 50  # below so many, power is that of the very test: the normal approximation promises too much


def normal(share: float) -> float:
    """The quantile of the normal distribution."""
    from scipy.special import ndtri

    return float(ndtri(share))


def require_effect(value: Any, what: str) -> float:
    """The size of an effect, which is not 0."""
    number = abs(as_number(value, f"the {what}", finite=True))
    if number == 0:
        raise InputError(f"the {what} is 0", hint="no number shows that there is none; say how large it is")
    return number


def require_positive(value: Any, what: str) -> float:
    """A number above 0."""
    number = as_number(value, what, finite=True)
    if number <= 0:
        raise InputError(f"{what} is {number:g}", hint="it is above 0")
    return number


def require_whole(value: Any, what: str, least: int) -> int:
    """A whole number, `least` or more."""
    number = as_number(value, f"the number of {what}", finite=True)
    if number != int(number) or number < least:
        raise InputError(f"{number:g} {what}", hint=f"a whole number, {least} or more")
    return int(number)


def require_risks(power: Any, alpha: Any) -> None:
    """A power above alpha."""
    if as_share(power, "the power") <= as_share(alpha, "alpha"):
        raise InputError(
            f"a power of {power:g} at an alpha of {alpha:g}", hint="power is above alpha: 0.8 is usual"
        )
