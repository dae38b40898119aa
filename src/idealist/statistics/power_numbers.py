"""The numbers that plans are made of, checked."""

from __future__ import annotations

from idealist.data.values import as_finite, as_share
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
    number = abs(as_finite(value, f"the {what}"))
    if number == 0:
        raise InputError(
            f"the {what} must not be 0", hint="no number shows that there is none; say how large it is"
        )
    return number


def require_risks(power: Any, alpha: Any) -> None:
    """A power above alpha."""
    if as_share(power, "the power") <= as_share(alpha, "alpha"):
        raise InputError(f"the power must be above alpha, {alpha:g}, not {power:g}", hint="0.8 is usual")
