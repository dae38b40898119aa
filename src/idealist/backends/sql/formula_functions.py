"""Functions of a grade or a rank as formulas: gains, discounts, and any function, run on a symbol once for every way its comparisons can turn out.

A function of one number as a formula: it is run on a symbol, once for every way that its comparisons can turn out.

So what a grade is worth, or a rank counts, is said once, in Python.
"""

from __future__ import annotations

from idealist.backends.sql.dialects import NoSqlForm, number
from idealist.backends.sql.formula_nodes import SAME, Formulas, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from idealist.backends.sql.formula_numbers import Places
    from idealist.kernels import Gain


MOST_WAYS = 200


class _Open(Exception):
    """A comparison that was not decided yet."""

    def __init__(self, condition: Node) -> None:
        super().__init__()
        self.condition = condition


class _Condition:
    """A comparison: true or false, as was decided for this run."""

    __slots__ = ("_decided", "_node")

    def __init__(self, node: Node, decided: dict[Node, bool]) -> None:
        self._node = node
        self._decided = decided

    def __bool__(self) -> bool:
        if self._node not in self._decided:
            raise _Open(self._node)
        return self._decided[self._node]

    def __float__(self) -> float:
        return float(bool(self))


class Symbol:
    """A number that is not known, with the arithmetic of numbers."""

    __slots__ = ("_decided", "_formulas", "_node")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, formulas: Formulas, node: Node, decided: dict[Node, bool]) -> None:
        self._formulas = formulas
        self._node = node
        self._decided = decided

    def _of(self, other: Any) -> Node | None:
        if isinstance(other, Symbol):
            return other._node
        return self._formulas.number(float(other)) if isinstance(other, (int, float)) else None

    def _with(self, operation: str, other: Any, *, turned: bool = False, **how: bool) -> Any:
        operand = self._of(other)
        if operand is None:
            return NotImplemented
        pair = (operand, self._node) if turned else (self._node, operand)
        return Symbol(self._formulas, getattr(self._formulas, operation)(*pair, **how), self._decided)

    def __add__(self, other: Any) -> Any:
        return self._with("add", other)

    def __radd__(self, other: Any) -> Any:
        return self._with("add", other, turned=True)

    def __sub__(self, other: Any) -> Any:
        return self._with("subtract", other)

    def __rsub__(self, other: Any) -> Any:
        return self._with("subtract", other, turned=True)

    def __mul__(self, other: Any) -> Any:
        return self._with("multiply", other)

    def __rmul__(self, other: Any) -> Any:
        return self._with("multiply", other, turned=True)

    def __truediv__(self, other: Any) -> Any:
        return self._with("divide", other, strict=True)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with("divide", other, turned=True, strict=True)

    def __pow__(self, other: Any) -> Any:
        return self._with("power", other)

    def __rpow__(self, other: Any) -> Any:
        return self._with("power", other, turned=True)

    def __neg__(self) -> Any:
        return 0 - self

    def log(self, base: float) -> Symbol:
        return Symbol(self._formulas, self._formulas.log(self._node, base, strict=True), self._decided)

    def _compared(self, sign: str, other: Any) -> Any:
        operand = self._of(other)
        if operand is None:
            return NotImplemented
        if operand.value is not None and (known := _known(sign, self._node.low, operand.value)) is not None:
            return known
        node = self._node.args[0] if self._node.template == SAME else self._node
        return _Condition(self._formulas.condition(f"{{}} {sign} {{}}", node, operand), self._decided)

    def __lt__(self, other: Any) -> Any:
        return self._compared("<", other)

    def __le__(self, other: Any) -> Any:
        return self._compared("<=", other)

    def __gt__(self, other: Any) -> Any:
        return self._compared(">", other)

    def __ge__(self, other: Any) -> Any:
        return self._compared(">=", other)

    def __eq__(self, other: object) -> Any:
        return self._compared("=", other)

    def __ne__(self, other: object) -> Any:
        return self._compared("<>", other)

    def __float__(self) -> float:
        raise NoSqlForm("a function of Python that is more than arithmetic and comparisons")

    __int__ = __index__ = __bool__ = __float__


def _known(sign: str, low: float, limit: float) -> bool | None:
    """What a comparison comes to, of a number that is not less than `low`; None if it may be either."""
    if low > limit or (low == limit and sign in ("<", ">=")):
        return sign in (">", ">=", "<>")
    return None


def _least(node: Node, decided: dict[Node, bool]) -> float:
    """The least that a number is after what was decided of it."""
    low = node.low
    for condition, holds in decided.items():
        first, second = condition.args
        sign = condition.template.split()[1]
        if (
            first is node
            and second.value is not None
            and sign in ((">", ">=", "=") if holds else ("<", "<="))
        ):
            low = max(low, second.value)
    return low


def followed(function: Callable[[Any], Any], node: Node, formulas: Formulas) -> Node:
    """The formula of a function; undefined where it raises KeyError."""
    ways = 0

    def under(decided: dict[Node, bool]) -> Node | None:
        nonlocal ways
        ways += 1
        if ways > MOST_WAYS:
            raise NoSqlForm("a function of Python with so many cases")
        try:
            low = _least(node, decided)
            result = function(Symbol(formulas, formulas.at_least(node, low), decided))
        except KeyError:
            return None
        except _Open as question:
            condition = question.condition
            return _choice(
                condition, under({**decided, condition: True}), under({**decided, condition: False}), formulas
            )
        except (TypeError, ValueError, AttributeError):
            raise NoSqlForm("a function of Python that is more than arithmetic and comparisons") from None
        if isinstance(result, _Condition):
            result = float(result)
        return result._node if isinstance(result, Symbol) else formulas.number(float(result))

    try:
        whole = under({})
    except _Open as question:  # a comparison that was given back
        yes, no = formulas.number(1.0), formulas.number(0.0)
        whole = _choice(question.condition, yes, no, formulas)
    if whole is None:
        raise NoSqlForm("a function of Python that is defined nowhere")
    return whole


def _choice(condition: Node, yes: Node | None, no: Node | None, formulas: Formulas) -> Node | None:
    if yes is None and no is None:
        return None
    if yes is not None and no is not None and no.value == 0:
        return formulas.case(condition, yes)
    if yes is no:
        return yes
    low = min(node.low for node in (yes, no) if node is not None)
    kind = max(node.type for node in (yes, no) if node is not None)
    if yes is None:
        assert no is not None
        return formulas.formula(
            "CASE WHEN NOT ({}) THEN {} END", condition, no, low=low, undefined=True, type=kind
        )
    if no is None:
        return formulas.formula(
            "CASE WHEN {} THEN {} END", condition, yes, low=low, undefined=True, type=kind
        )
    return formulas.formula("CASE WHEN {} THEN {} ELSE {} END", condition, yes, no, low=low, type=kind)


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
