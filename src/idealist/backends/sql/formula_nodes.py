"""Formulas: a node is a number of each document of some rows, or of each query. What is written alike is one node."""

from __future__ import annotations

from math import log

from idealist.backends.sql.dialects import NoSqlForm, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

INFINITY = float("inf")
LOGARITHM = "LN({}) / LN("
SAME = "{}"
# The documents of one query.
ALL = "PARTITION BY query"
# What binds how closely: a sum, a product, and what needs no brackets.
SUM, PRODUCT, WHOLE = 2, 3, 4
# What a database takes a number for: a whole one, one of so many digits, or one of 64 bits.
INTEGER, DECIMAL, DOUBLE = 0, 1, 2


class Rows:
    """Documents of every query: a stage of the query that has the columns `query` and `grade`, and a condition on them."""

    __slots__ = ("condition", "ideal", "name", "source", "sums")

    def __init__(
        self, name: str, source: str, sums: str, *, condition: str = "", ideal: bool = False
    ) -> None:
        self.name = name
        self.source = source
        # The stage with what is summed over them.
        self.sums = sums
        self.condition = condition
        self.ideal = ideal


class Node:
    """A formula. Its `kind` says how it is written; `rows` whose documents it is a number of, None for a number of the query.

    | kind | parts |
    |---|---|
    | column | a column of the rows |
    | number | itself |
    | formula | a template, and how closely its arguments must bind |
    | product, quotient | of two |
    | case | conditions, and what there is where they hold; 0 elsewhere |
    | condition | a template, which is true or not |
    | window | a template that looks at other documents of the query |
    | lookup | numbers and keys of other rows, and the limit that the last key must not pass |
    | sum | a template over all documents of the query |
    | brought | a sum, as a number of each document |

    `low` is the least it can be, as far as that is known; `undefined` whether it may be.
    """

    __slots__ = (
        "args",
        "binds",
        "default",
        "kind",
        "low",
        "made",
        "name",
        "needs",
        "rows",
        "template",
        "type",
        "undefined",
    )

    def __init__(
        self,
        kind: str,
        rows: Rows | None,
        template: str = "",
        args: Sequence[Node] = (),
        *,
        binds: int = WHOLE,
        needs: Sequence[int] = (),
        low: float = -INFINITY,
        undefined: bool = False,
        type: int = DOUBLE,
        name: str = "",
        default: float | None = None,
    ) -> None:
        self.kind = kind
        self.rows = rows
        self.template = template
        self.args = tuple(args)
        self.binds = binds
        self.needs = tuple(needs)
        self.low = low
        self.undefined = undefined
        self.type = DOUBLE if kind in ("window", "sum") else type  # columns are cast
        self.made = type
        self.name = name
        # Of a sum: what it is of no document, None if that is undefined.
        self.default = default

    @property
    def value(self) -> float | None:
        """The number that it is, if it is one."""
        return self.low if self.kind == "number" else None

    def __repr__(self) -> str:
        return f"<{self.kind} {self.template or self.name} {list(self.args)}>"


class Formulas:
    """All nodes of a query, each once, and what is checked of the grades."""

    def __init__(self, *, bits: str, underflows: bool) -> None:
        self.bits = bits  # the type of numbers of 64 bits
        self.underflows = underflows
        self._known: dict[tuple[object, ...], Node] = {}
        # Grades that must not be passed, and formulas that every grade must have.
        self.limits: dict[float, None] = {}
        self.worths: dict[Node, None] = {}

    def _one(self, node: Node) -> Node:
        key = (
            node.kind,
            node.rows,
            node.template,
            node.args,
            node.default,
            node.low if node.kind == "number" or node.template == SAME else 0,
        )
        return self._known.setdefault(key, node)

    def number(self, value: float) -> Node:
        kind = INTEGER if value == int(value) and abs(value) < 1e9 else DECIMAL
        return self._one(Node("number", None, number(value), low=value, type=kind))

    def column(self, rows: Rows, name: str, low: float = -INFINITY, *, undefined: bool = False) -> Node:
        return self._one(Node("column", rows, name, low=low, name=name, undefined=undefined))

    def formula(
        self,
        template: str,
        *args: Node,
        binds: int = WHOLE,
        needs: Sequence[int] = (),
        low: float = -INFINITY,
        undefined: bool | None = None,
        type: int = DOUBLE,
        name: str = "",
    ) -> Node:
        if undefined is None:
            undefined = any(arg.undefined for arg in args)
        rows = rows_of(args)
        return self._one(
            Node(
                "formula",
                rows,
                template,
                args,
                binds=binds,
                needs=needs or (0,) * len(args),
                low=low,
                undefined=undefined,
                type=type,
                name=name,
            )
        )

    def condition(self, template: str, *args: Node) -> Node:
        return self._one(Node("condition", rows_of(args), template, args, needs=(SUM,) * len(args)))

    def case(self, condition: Node, value: Node, name: str = "") -> Node:
        """The value where a condition holds, 0 elsewhere."""
        low = min(0.0, value.low)
        args = (condition, value)
        return self._one(
            Node(
                "case",
                rows_of(args),
                "",
                args,
                low=low,
                undefined=value.undefined,
                type=value.type,
                name=name,
            )
        )

    def window(
        self,
        template: str,
        *args: Node,
        low: float,
        type: int = DOUBLE,
        name: str = "",
        undefined: bool = False,
    ) -> Node:
        return self._one(
            Node("window", rows_of(args), template, args, low=low, type=type, name=name, undefined=undefined)
        )

    def summed(
        self,
        template: str,
        rows: Rows,
        *args: Node,
        low: float,
        type: int = DOUBLE,
        name: str = "",
        default: float | None = 0.0,
        undefined: bool = False,
    ) -> Node:
        """A number of each query, from all its documents among these rows."""
        return self._one(
            Node(
                "sum",
                None,
                template,
                (self.column(rows, "query"), *args),
                low=low,
                type=type,
                name=name,
                default=default,
                undefined=undefined or default is None,
            )
        )

    def lookup(self, numbers: Node, keys: Node, limits: Node, otherwise: float, name: str) -> Node:
        """Of other rows, the number at the last key that is not above the limit."""
        assert numbers.rows is not None, "numbers are of documents"
        template, above = (
            "<=",
            self.window(f"LEAD({{}}) OVER ({ALL} ORDER BY {{}})", keys, keys, low=keys.low, name="next_key"),
        )
        if numbers.rows.ideal and keys.template.startswith("ROW_NUMBER"):
            # There is a document at every rank down to the last.
            template, above = "=", keys
            count = self.summed("COUNT(*)", numbers.rows, low=1.0, type=INTEGER, name="all_judged")
            limits = self.lower(limits, self.in_rows(count, limits.rows))
            limits.name = limits.name or "ideal_rank_reached"
        found = self._one(
            Node("lookup", limits.rows, template, (numbers, keys, above, limits), undefined=True, name=name)
        )
        low = min(numbers.low, otherwise)
        return self.formula(f"COALESCE({{}}, {number(otherwise)})", found, low=low, undefined=False)

    def in_rows(self, value: Node, rows: Rows | None) -> Node:
        """A number of the query, beside each of its documents."""
        if value.kind == "number" or value.rows is not None:
            return value
        if value.kind == "sum":
            source = value.args[0].rows
            assert source is not None
            if source is rows:
                if value.template.startswith("CASE"):
                    raise NoSqlForm(f"{value.name or 'a sum'} that may be undefined, beside each document")
                return self.window(
                    f"{value.template} OVER ({ALL})",
                    *value.args[1:],
                    low=value.low,
                    type=value.type,
                    name=value.name,
                    undefined=value.undefined,
                )
            if not source.ideal or is_late(value):
                raise NoSqlForm("what other documents add up to, beside each document")
            return self._one(
                Node("brought", rows, "", (value,), low=value.low, undefined=value.undefined, name=value.name)
            )
        args = [self.in_rows(arg, rows) for arg in value.args]
        return self._one(
            Node(
                value.kind,
                rows_of(args),
                value.template,
                args,
                binds=value.binds,
                needs=value.needs,
                low=value.low,
                undefined=value.undefined,
                type=value.type,
                name=value.name,
            )
        )

    # Arithmetic, as measures mean it: NULL is undefined, and so is what is divided by 0.

    def add(self, a: Node, b: Node) -> Node:
        if a.value is not None and b.value is not None:
            return self.number(a.value + b.value)
        if a.value == 0:
            return b
        if b.value == 0:
            return a
        if b.value is not None and b.value < 0:
            return self._plain("{} - {}", a, self.number(-b.value), SUM, (SUM, PRODUCT), a.low + b.low)
        return self._plain("{} + {}", a, b, SUM, (SUM, SUM), a.low + b.low)

    def subtract(self, a: Node, b: Node) -> Node:
        if b.value is not None:
            return self.add(a, self.number(-b.value))
        if a.value == 0:
            return self._plain("-{}", b, None, SUM, (WHOLE,), -INFINITY)
        return self._plain("{} - {}", a, b, SUM, (SUM, PRODUCT), -INFINITY)

    def multiply(self, a: Node, b: Node) -> Node:
        if a.value is not None and b.value is not None:
            return self.number(a.value * b.value)
        for one, other in ((a, b), (b, a)):
            if one.value == 1:
                return other
            if one.value == 0 and not other.undefined:
                return self.number(0.0)
        low = a.low * b.low if min(a.low, b.low) >= 0 and INFINITY not in (a.low, b.low) else -INFINITY
        return self._binary("product", a, b, low)

    def divide(self, a: Node, b: Node, *, strict: bool = False) -> Node:
        """A quotient, undefined where the divisor is 0; if `strict`, that does not occur."""
        if b.value == 1:
            return a
        if a.value is not None and b.value:
            return self.number(a.value / b.value)
        if b.template.startswith(LOGARITHM):
            # 1 / log2(x) is written LN(2) / LN(x).
            base = b.template.removeprefix(LOGARITHM)
            inverse = self.formula(
                f"LN({base} / LN({{}})", b.args[0], binds=PRODUCT, low=0.0 if b.low >= 0 else -INFINITY
            )
            return self.multiply(a, inverse)
        sure = strict or b.low > 0
        divisor = b if sure else self.formula("NULLIF({}, 0)", b, undefined=True, type=b.type)
        return self._binary("quotient", a, divisor, 0.0 if a.low >= 0 and (sure or b.low >= 0) else -INFINITY)

    def _binary(self, kind: str, a: Node, b: Node, low: float) -> Node:
        if (kind == "quotient" and DOUBLE not in (a.type, b.type)) or (
            a.type + b.type > 0 and DOUBLE not in (a.type, b.type)
        ):
            a = self.as_double(a)
        return self._one(
            Node(
                kind,
                rows_of((a, b)),
                "",
                (a, b),
                binds=PRODUCT,
                low=low,
                undefined=a.undefined or b.undefined,
                type=max(a.type, b.type),
            )
        )

    def _plain(
        self, template: str, a: Node, b: Node | None, binds: int, needs: Sequence[int], low: float
    ) -> Node:
        args = (a,) if b is None else (a, b)
        return self.formula(
            template, *args, binds=binds, needs=needs, low=low, type=max(arg.type for arg in args)
        )

    def as_double(self, node: Node) -> Node:
        """The same as a number of 64 bits."""
        if node.type == DOUBLE:
            return node
        return self.formula(f"CAST({{}} AS {self.bits})", node, low=node.low)

    def power(self, base: Node, exponent: Node) -> Node:
        """A power. Where one too small for a number is an error, it is taken for e^-300."""
        if base.value is not None and exponent.value is not None:
            return self.number(base.value**exponent.value)
        if self.underflows and base.value is not None and base.value not in (0, 1) and base.value > 0:
            end = int(300 / log(base.value))
            bound = "LEAST" if end < 0 else "GREATEST"
            if not (end > 0 and exponent.low >= -1):
                exponent = self.formula(f"{bound}({{}}, {-end})", exponent, low=exponent.low)
        positive = base.low >= 0
        low = -INFINITY
        if positive:
            low = 1.0 if base.low >= 1 and exponent.low >= 0 else 0.0
        return self.formula("POWER({}, {})", base, exponent, low=low)

    def log(self, a: Node, base: float, *, strict: bool = False) -> Node:
        """A logarithm, undefined where the number is not above 0; if `strict`, that does not occur."""
        if strict or a.low > 0:
            low = log(a.low, base) if a.low > 0 else -INFINITY
            return self.formula(f"{LOGARITHM}{number(base)})", a, binds=PRODUCT, low=low)
        return self.formula(
            f"CASE WHEN {{}} > 0 THEN {LOGARITHM}{number(base)}) END", a, a, needs=(SUM, 0), undefined=True
        )

    def lower(self, a: Node, b: Node) -> Node:
        if a.value is not None and b.value is not None:
            return self.number(min(a.value, b.value))
        return self._bound("LEAST", a, b, min(a.low, b.low))

    def higher(self, a: Node, b: Node) -> Node:
        if a.value is not None and b.value is not None:
            return self.number(max(a.value, b.value))
        if b.value is not None and a.low >= b.value:
            return a
        return self._bound("GREATEST", a, b, max(a.low, b.low))

    def _bound(self, word: str, a: Node, b: Node, low: float) -> Node:
        if b.undefined:
            b = self.formula("COALESCE({}, {})", b, a)
        kind = max(a.type, b.type)
        if a.undefined:
            return self.formula(
                f"CASE WHEN {{}} IS NOT NULL THEN {word}({{}}, {{}}) END",
                a,
                a,
                b,
                needs=(SUM, 0, 0),
                low=low,
                type=kind,
            )
        return self.formula(f"{word}({{}}, {{}})", a, b, low=low, undefined=False, type=kind)

    def where_positive(self, a: Node, condition: Node) -> Node:
        if condition.low > 0:
            return a
        return self.formula(
            "CASE WHEN {} > 0 THEN {} END",
            condition,
            a,
            needs=(SUM, 0),
            low=a.low,
            undefined=True,
            type=a.type,
        )

    def filled(self, a: Node, undefined: float) -> Node:
        if not a.undefined:
            return a
        return self.formula(
            f"COALESCE({{}}, {number(undefined)})", a, low=min(a.low, undefined), undefined=False, type=a.type
        )

    def at_least(self, node: Node, low: float) -> Node:
        """The same number, of which is known that it is not less."""
        if node.low >= low:
            return node
        return self._one(
            Node(
                "formula",
                node.rows,
                SAME,
                (node,),
                binds=WHOLE,
                needs=(WHOLE,),
                low=low,
                type=node.type,
                name=node.name,
            )
        )

    def compare(self, sign: str, a: Node, b: Node) -> Node:
        """1 where it holds, 0 where it does not, or one of them is undefined."""
        if a.value is not None and b.value is not None:
            holds = {
                ">=": a.value >= b.value,
                ">": a.value > b.value,
                "<=": a.value <= b.value,
                "<": a.value < b.value,
            }
            return self.number(float(holds[sign]))
        return self.case(self.condition(f"{{}} {sign} {{}}", a, b), self.number(1.0))


def rows_of(nodes: Sequence[Node]) -> Rows | None:
    """The rows that formulas are of."""
    found = {node.rows for node in nodes if node.rows is not None}
    if len(found) > 1:
        raise NoSqlForm("documents of one list beside those of another")
    return next(iter(found), None)


def is_late(node: Node) -> bool:
    """Whether a formula looks at other rows than its own."""
    return node.kind == "lookup" or any(is_late(arg) for arg in node.args)
