"""The result of a report on a judge, and the sentence that says what its labels may be used for."""

from __future__ import annotations

from idealist.frozen import Frozen
from idealist.results import Drawable
from idealist.statistics.interval import Interval
from idealist.wording import count_of, listed, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.judges.agreement import JudgeCoefficient, OverRating
    from idealist.judges.orders import SystemOrder

GOOD, POOR = 0.8, 0.2  # of weighted κ: above the one people agree no better, below the other little is known


class SwappedOrder(Frozen):
    """Pairs that were asked twice with their sides swapped: how many, the share with the same answer, and the share of
    decided answers that are for the first (left) side, with intervals over queries."""

    pairs: int
    same: float
    same_interval: Interval | None
    first: float
    first_interval: Interval | None


class JudgeReport(Drawable, Frozen):
    """A machine's judgments beside those of people, on the pairs of query and document that both judged.

    `confusion` has a row for every human grade of `levels` and a column for every grade of the machine. `by_column` has
    over-rating by the values of document columns; `repeat` the agreement of the machine with itself, `swapped` that of
    its answers when sides are swapped.
    """

    pairs: int
    queries: int
    levels: tuple[float, ...]
    confusion: tuple[tuple[int, ...], ...]
    agreement: tuple[JudgeCoefficient, ...]
    by_grade: tuple[OverRating, ...]
    overall: OverRating
    orders: tuple[SystemOrder, ...] = ()
    by_column: tuple[tuple[str, tuple[OverRating, ...]], ...] = ()
    repeat: tuple[JudgeCoefficient, ...] = ()
    repeated: int = 0
    swapped: SwappedOrder | None = None
    notes: tuple[str, ...] = ()
    confidence: float = 0.95

    def coefficient(self, name: str) -> JudgeCoefficient | None:
        """A coefficient of agreement by its name: raw, Cohen κ, weighted κ, α ordinal, AC1."""
        return next((coefficient for coefficient in self.agreement if coefficient.name == name), None)

    @property
    def use(self) -> str:
        """What the labels may be used for, in a sentence."""
        kappa = self.coefficient("weighted κ")
        if kappa is None or kappa.value != kappa.value or kappa.interval is None:
            return "there are too few queries or grades to say what the labels may be used for"
        found = f"weighted κ {signed(kappa.value)}, at least {signed(kappa.interval.low)}"
        favoured = {s.system for order in self.orders for s in order.favoured if (s.favour or 0) > 0}
        if favoured:
            return (
                f"the labels must not compare these systems by themselves: the machine favours {listed(sorted(favoured))}; "
                f"use them beside human judgments, with compare --machine ({found})"
            )
        if kappa.interval.high < POOR:
            return (
                f"the labels say little of what people think ({found}): do not measure with them; they may choose which "
                "documents people should judge"
            )
        if kappa.interval.low >= GOOD:
            unknown = "" if self.orders else "; name runs to see whether it favours one of them"
            return f"the labels may stand in for people's on queries like these ({found}){unknown}"
        return (
            f"the labels may be used beside human judgments (evaluate and compare --machine) and to choose what people "
            f"judge, not in the place of people ({found})"
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        record = {name: _plain(getattr(self, name)) for name in self.fields if name != "by_column"}
        record["by_column"] = {name: _plain(ratings) for name, ratings in self.by_column}
        return {**record, "use": self.use}

    def _gist(self) -> str:
        raw = self.agreement[0].value
        return (
            f"{100 * raw:.0f} % agreement; {count_of(self.pairs, 'pair')}, {count_of(self.queries, 'query')}"
        )


def _plain(value: Any) -> Any:
    if isinstance(value, Interval):
        return {"low": value.low, "high": value.high}
    if isinstance(value, Frozen) and hasattr(value, "aggregate"):  # a measure
        return str(value)
    if isinstance(value, Frozen):
        return {name: _plain(getattr(value, name)) for name in value.fields}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and value != value else value
