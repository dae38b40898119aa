"""Places and Values as formulas: a number of each document, and of each query."""

from __future__ import annotations

from idealist import kernels
from idealist.backends.sql.dialects import NoSqlForm, by_level
from idealist.backends.sql.formula_nodes import ALL, INTEGER, Formulas, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Self

    from idealist.backends.sql.formula_nodes import Rows

INFINITY = float("inf")


class Numbers:
    """A formula with the arithmetic of measures."""

    __slots__ = ("formulas", "node")

    def __init__(self, formulas: Formulas, node: Node) -> None:
        self.formulas = formulas
        self.node = node

    def like(self, numbers: Any) -> Self:
        """Another number of the same documents or queries."""
        raise NotImplementedError

    def _operand(self, other: Any) -> Node | None:
        """What stands beside each number; None for what cannot."""
        if isinstance(other, (int, float)):
            return self.formulas.number(float(other))
        if isinstance(other, kernels.Values):
            raise NoSqlForm("numbers worked out query by query")
        return other.node if isinstance(other, Numbers) else None

    def _with(self, operation: str, other: Any, *, turned: bool = False) -> Self:
        operand = self._operand(other)
        if operand is None:
            return NotImplemented  # type: ignore[no-any-return]
        pair = (operand, self.node) if turned else (self.node, operand)
        return self.like(getattr(self.formulas, operation)(*pair))

    def _compared(self, sign: str, other: Any) -> Self:
        if isinstance(other, float) and abs(other) == INFINITY:  # beyond every number
            return self.like(self.formulas.number(float((other > 0) == (sign[0] == "<"))))
        operand = self._operand(other)
        if operand is None:
            return NotImplemented  # type: ignore[no-any-return]
        compared = self.formulas.compare(sign, self.node, operand)
        if self.node.name == "grade" and sign == ">=" and operand.value is not None:
            compared.name = by_level("relevant", operand.value)
        return self.like(compared)

    def __add__(self, other: Any) -> Self:
        return self._with("add", other)

    def __radd__(self, other: Any) -> Self:
        return self._with("add", other, turned=True)

    def __sub__(self, other: Any) -> Self:
        return self._with("subtract", other)

    def __rsub__(self, other: Any) -> Self:
        return self._with("subtract", other, turned=True)

    def __mul__(self, other: Any) -> Self:
        return self._with("multiply", other)

    def __rmul__(self, other: Any) -> Self:
        return self._with("multiply", other, turned=True)

    def __truediv__(self, other: Any) -> Self:
        return self._with("divide", other)

    def __rtruediv__(self, other: Any) -> Self:
        return self._with("divide", other, turned=True)

    def __pow__(self, other: Any) -> Self:
        return self._with("power", other)

    def __rpow__(self, other: Any) -> Self:
        return self._with("power", other, turned=True)

    def __ge__(self, other: Any) -> Self:
        return self._compared(">=", other)

    def __gt__(self, other: Any) -> Self:
        return self._compared(">", other)

    def __le__(self, other: Any) -> Self:
        return self._compared("<=", other)

    def __lt__(self, other: Any) -> Self:
        return self._compared("<", other)

    def minimum(self, other: Any) -> Self:
        return self if other == INFINITY else self._with("lower", other)

    def maximum(self, other: Any) -> Self:
        return self._with("higher", other)

    def where_positive(self, condition: Any) -> Self:
        return self._with("where_positive", condition)

    def filled(self, undefined: float) -> Self:
        return self.like(self.formulas.filled(self.node, undefined))

    def log2(self) -> Self:
        return self.like(self.formulas.log(self.node, 2.0))

    def _one_by_one(self) -> Any:
        raise NoSqlForm("its numbers one by one")

    def __iter__(self) -> Any:
        return self._one_by_one()

    def __len__(self) -> int:
        return self._one_by_one()  # type: ignore[no-any-return]

    def __getitem__(self, at: int) -> float:
        return self._one_by_one()  # type: ignore[no-any-return]

    def __bool__(self) -> bool:
        return self._one_by_one()  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return self._one_by_one()  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} in SQL: {self.node}>"


class Values(Numbers):
    """`kernels.Values` as a formula over sums."""

    __slots__ = ()

    def like(self, numbers: Any) -> Values:
        if numbers.rows is not None:
            raise NoSqlForm("a number of each document in the place of one of the query")
        return Values(self.formulas, numbers)

    def floored(self) -> Values:
        return self.like(
            self.formulas.formula("FLOOR({})", self.node, low=-INFINITY if self.node.low < 0 else 0.0)
        )

    def share_of(self, whole: Values) -> Values:
        return self / whole

    def first_infinite(self) -> int | None:
        """In a database that is an error, or infinite."""
        return None

    def first_undefined(self) -> int | None:
        raise NoSqlForm("a condition of each query")

    def sums_of(self, counts: Sequence[int]) -> Any:
        return self._one_by_one()

    def without(self, queries: Sequence[int]) -> Any:
        return self._one_by_one()

    def replaced(self, queries: Sequence[int], values: Any) -> Any:
        return self._one_by_one()

    def looked_up(self, table: Sequence[float]) -> Any:
        raise NoSqlForm("a table by the numbers of queries")

    def count(self) -> Any:
        return self._one_by_one()

    def sum(self) -> Any:
        return self._one_by_one()


class Places(Numbers):
    """`kernels.Places` as a formula over the columns of a document. `rank` is what its documents are ordered by."""

    __slots__ = ("falls", "rank", "rows")

    def __init__(
        self, formulas: Formulas, node: Node, rows: Rows, rank: Node, *, falls: bool = False
    ) -> None:
        super().__init__(formulas, node)
        self.rows = rows
        self.rank = rank
        self.falls = falls  # from rank to rank, or stays

    def like(self, numbers: Any) -> Places:
        if not isinstance(numbers, Node):
            raise NoSqlForm("numbers worked out document by document")
        return Places(self.formulas, numbers, self.rows, self.rank)

    def _operand(self, other: Any) -> Node | None:
        if isinstance(other, Places) and (other.rows is not self.rows or other.rank is not self.rank):
            raise NoSqlForm("documents of one list beside those of another")
        operand = super()._operand(other)
        return self.formulas.in_rows(operand, self.rows) if isinstance(other, Values) and operand else operand

    def sum(self) -> Values:
        return self.added_up(self.node.name)

    def added_up(self, name: str) -> Values:
        """The sum, by a name."""
        node = self.node
        if node.value is not None:
            count = self.formulas.summed(
                "COUNT(*)", self.rows, low=0.0, type=INTEGER, name=f"count_{self.rows.name}"
            )
            return Values(self.formulas, self.formulas.multiply(count, node))
        template = "SUM({})"
        args = [node]
        if node.undefined:  # of which a database would take no notice
            template, args = "CASE WHEN COUNT({}) = COUNT(*) THEN SUM({}) END", [node, node]
        low = 0.0 if node.low >= 0 else -INFINITY
        name = name or "total"
        return Values(
            self.formulas,
            self.formulas.summed(
                template, self.rows, *args, low=low, type=node.type, name=name, undefined=node.undefined
            ),
        )

    def highest(self, otherwise: float) -> Values:
        self._refuse_undefined()
        name = f"highest_{self.node.name}" if self.node.name else "highest"
        low = min(self.node.low, otherwise)
        return Values(
            self.formulas,
            self.formulas.summed(
                "MAX({})", self.rows, self.node, low=low, type=self.node.type, name=name, default=otherwise
            ),
        )

    def _refuse_undefined(self) -> None:
        if self.node.undefined:
            raise NoSqlForm("documents above some of which a number is undefined")

    def _over(self, template: str, *args: Node, over: str, low: float, name: str) -> Places:
        """A window, undefined where it looks at a document of which the number is."""
        node = self.node
        if node.undefined:
            template = f"CASE WHEN COUNT({{}}) {over} = COUNT(*) {over} THEN {template} END"
            args = (node, self.rank, self.rank, *args)
        window = self.formulas.window(template, *args, low=low, name=name, undefined=node.undefined)
        return self.like(window)

    def running(self) -> Places:
        """The sum so far."""
        name = f"{self.node.name or 'total'}_so_far"
        low = 0.0 if self.node.low >= 0 else -INFINITY
        over = f"OVER ({ALL} ORDER BY {{}} ROWS UNBOUNDED PRECEDING)"
        return self._over(f"SUM({{}}) {over}", self.node, self.rank, over=over, low=low, name=name)

    def before(self) -> Places:
        """The sum of the places above."""
        return self.running() - self

    def product_before(self) -> Places:
        """As a logarithm; databases have no product of a column."""
        above = f"OVER ({ALL} ORDER BY {{}} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
        node, rank = self.node, self.rank
        logarithms = f"COALESCE(SUM(CASE WHEN {{}} <> 0 THEN LN({{}}) ELSE 0 END) {above}, 0)"
        if self.formulas.underflows:
            logarithms = f"GREATEST({logarithms}, -300)"
        template = f"CASE WHEN MIN({{}}) {above} <= 0 THEN 0 ELSE EXP({logarithms}) END"
        return self._over(template, node, rank, node, node, rank, over=above, low=0.0, name="product_above")

    def following(self, otherwise: float) -> Places:
        """The number of the place below; `otherwise` at the last."""
        self._refuse_undefined()
        template = f"COALESCE(LEAD({{}}) OVER ({ALL} ORDER BY {{}}), {otherwise:g})"
        name, low = f"next_{self.node.name or 'number'}", min(self.node.low, otherwise)
        return self.like(self.formulas.window(template, self.node, self.rank, low=low, name=name))

    def descending(self) -> Places:
        if self.falls:
            return self
        raise NoSqlForm("numbers put in another order")

    def last_up_to(self, keys: Places, limits: Places, otherwise: float) -> Places:
        """For every place of `limits`, the number of the last place whose key is not above the number there. Keys rise."""
        name = f"{self.node.name or 'number'}_reached"
        return limits.like(self.formulas.lookup(self.node, keys.node, limits.node, otherwise, name))

    def earlier_less(self, weights: Places) -> Places:
        if self.node is not self.rank:
            raise NoSqlForm("a sum over the documents above of which another number is less")
        template = (
            f"SUM({{}}) OVER ({ALL} ORDER BY {{}} RANGE UNBOUNDED PRECEDING) - SUM({{}}) OVER ({ALL}, {{}})"
        )
        weight, rank = weights.node, self.rank
        name = f"{weight.name or 'total'}_above"
        return self.like(self.formulas.window(template, weight, rank, weight, rank, low=0.0, name=name))

    def looked_up(self, table: Sequence[float]) -> Places:
        raise NoSqlForm("a table by the numbers of documents")

    def standing(self) -> Places:
        raise NoSqlForm("how many numbers are less")
