"""What a grade is worth, and how much a rank counts, as formulas."""

from __future__ import annotations

from idealist.backends.sql.following import followed
from idealist.backends.sql.nodes import Formulas, Node
from idealist.backends.sql.words import NoSqlForm, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from idealist.backends.sql.numbers import Places
    from idealist.kernels import Gain

LONGEST_TABLE = 1_000  # ranks of a discount that is written out rank by rank
TRIED = tuple(number / 2 for number in range(-10, 61))


class Worth:
    """What grades are worth by a function: for SQL what `kernels.Gain` is."""

    kind = "function"

    def __init__(self, function: Callable[[Any], Any], negative_counts: bool) -> None:
        self.function = function
        self.negative_counts = negative_counts

    def __call__(self, grade: Any) -> Any:
        return self.function(grade) if self.negative_counts or grade >= 0 else 0.0

    @property
    def table(self) -> list[tuple[float, float]]:
        """Grades and what they are worth: those that a table of gains has, and otherwise some that are tried."""
        grades = getattr(self.function, "grades", None) or TRIED
        return [
            (grade, float(self.function(grade))) for grade in grades if grade >= 0 or self.negative_counts
        ]


def gain_node(gain: Gain | Worth, grade: Node, formulas: Formulas) -> Node:
    """The gain of a grade; undefined if a table lacks it."""
    if isinstance(gain, Worth):
        return followed(gain, grade, formulas)
    if gain.kind not in ("linear", "exp"):
        raise NoSqlForm("a table of the grades that occur")
    counted = grade if gain.negative_counts else formulas.at_least(grade, 0.0)
    if gain.kind == "exp":
        power = formulas.power(formulas.number(2.0), counted)
        counted = formulas.subtract(power, formulas.number(1.0))
    if gain.negative_counts:
        return counted
    return formulas.case(formulas.condition("{} > 0", grade), counted)


def worth_of(gain: Gain | Worth, grade: float) -> float:
    """The gain of one grade."""
    if isinstance(gain, Worth):
        return float(gain(grade))
    counted = grade if gain.negative_counts else max(grade, 0.0)
    return 2.0**counted - 1.0 if gain.kind == "exp" else counted


def falls_nowhere(gain: Gain | Worth) -> bool:
    """Whether a higher grade is never worth less, as far as that is known."""
    if not isinstance(gain, Worth):
        return True
    if not hasattr(gain.function, "grades"):
        return False
    worths = [worth for _, worth in gain.table]
    return worths == sorted(worths)


class ByRank:
    """A number of each rank: a function of it, or a table of the first ranks, and 0 below."""

    def __init__(
        self, function: Callable[[Any], Any], table: Callable[[int], Sequence[float]], k: int | None
    ) -> None:
        self.function = function
        self.table = table
        self.k = k

    def at(self, ranks: Places) -> Places:
        return ranks.like(self.node(ranks.node, ranks.formulas))

    def node(self, rank: Node, formulas: Formulas) -> Node:
        try:
            node = followed(self.function, rank, formulas)
            self.table(min(self.k or LONGEST_TABLE, LONGEST_TABLE))  # which refuses what rises
            return node
        except NoSqlForm:
            if self.k is None or self.k > LONGEST_TABLE:
                raise NoSqlForm(
                    f"a discount that is no formula of the rank, below rank {LONGEST_TABLE}"
                ) from None
        cases = " ".join(
            f"WHEN {place} THEN {number(value)}" for place, value in enumerate(self.table(self.k), 1)
        )
        return formulas.formula(f"CASE {{}} {cases} ELSE 0 END", rank, low=0.0, type=1)
