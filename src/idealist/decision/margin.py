"""How much worse a system may be and still ship."""

from __future__ import annotations

from idealist.data.values import as_finite
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.wording import signed

TYPE_CHECKING = False
if TYPE_CHECKING:
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
