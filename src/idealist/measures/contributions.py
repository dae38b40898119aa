"""How a measure's value is made of one ranking: what each document adds to a sum, and what the sum is divided by."""

from __future__ import annotations

from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Term(Frozen):
    """A number with its name: the sum over the ranks, or what it is divided by."""

    name: str
    value: float


class IdealList(Frozen):
    """The list a ranking is compared with: its grades, what each adds, and what the sum is called."""

    grades: Sequence[float]
    contributions: Sequence[float]
    running_title: str
    retrieved_only: bool = False


class Contributions(Frozen):
    """What each document of a ranking adds to a measure's value, which is `total` / `divisor`.

    `columns` are the numbers that contributions are made of, by title; `title` is that of the contributions, and
    `running_title` that of their sum so far, if it says more. `undefined` says why there is no value, if so.
    """

    columns: Mapping[str, Sequence[float]]
    contributions: Sequence[float]
    title: str
    running_title: str
    total: Term
    divisor: Term | None
    ideal: IdealList | None
    undefined: str
