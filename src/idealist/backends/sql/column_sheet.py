"""From a measure to the columns of a query: its formula, the stage in which each part can be computed, and how it is written."""

from __future__ import annotations

from idealist.backends.sql.dialects import NoSqlForm
from idealist.backends.sql.formula_lists import lists
from idealist.backends.sql.formula_nodes import (
    DOUBLE,
    PRODUCT,
    SAME,
    SUM,
    WHOLE,
    Formulas,
    Node,
    Rows,
    is_late,
)
from idealist.backends.sql.formula_numbers import Values
from idealist.conventions import DEFAULT
from idealist.data import Rankings
from idealist.data.needs import GRADES, QUERIES
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.measures import Measure


def form(measure: Measure, formulas: Formulas, conventions: Conventions) -> Node:
    """The formula of a measure, over sums of a query; an error that says what SQL lacks, if it has none."""
    try:
        return _form(measure, formulas, conventions)
    except InputError as error:
        raise InputError(
            f"{measure} cannot be written as SQL: {error.message.removeprefix(f'{measure}: ')}",
            hint=error.hint,
        ) from None


def _form(measure: Measure, formulas: Formulas, conventions: Conventions) -> Node:
    if measure.given or measure.needs not in (GRADES, QUERIES):
        raise NoSqlForm(measure.needs_in_words())
    if measure.aggregate == "pooled":
        raise NoSqlForm("all queries together")
    averaged = conventions.ties == "averaged"
    if averaged and not measure.averages_ties:
        raise InputError(
            "it has no closed form for averaged ties",
            hint="choose another rule for ties, such as ties=id-descending",
        )
    native: Any = lists(formulas, averaged=averaged, removed=conventions.unjudged == "removed")
    # What the conventions say of queries, the query itself looks after.
    negative = "not-relevant" if conventions.negative == "error" else conventions.negative
    rules = conventions.replace(missing="zero", empty="zero", negative=negative)
    values: Any = measure.measured(Rankings(native, rules, threads=1))
    if not isinstance(values, Values):
        raise NoSqlForm("numbers worked out query by query")
    return values.node


def why_not(measure: Measure, conventions: Conventions = DEFAULT) -> str | None:
    """Why a measure cannot be written as SQL; None if it can.

    >>> from idealist import AP, PNR
    >>> why_not(AP())
    >>> why_not(PNR())
    'PNR cannot be written as SQL: it needs a sum over the documents above of which another number is less, which SQL has no form for'
    """
    try:
        form(measure, Formulas(bits="DOUBLE", underflows=False), conventions)
    except InputError as error:
        return error.message
    return None


LATE = 1000  # the stage of what looks at the ranking, from the ideal list
CASE, END = "CASE ", " END"


class Stage:
    """A stage of the query, from `source`: its columns, of which some are those of other stages that are joined."""

    def __init__(self, name: str, source: str, rows: Rows) -> None:
        self.name = name
        self.source = source
        self.rows = rows
        self.columns: dict[str, str] = {}
        self.joins: dict[tuple[str, str], dict[str, str]] = {}


class Sheet:
    """Every formula that is asked for, as columns of stages.

    `stages` are those of documents, `sums` those with a row for each query, `brought` the sums of judged documents that the rows of
    the ranking have beside them. A formula is a column if it looks at other documents, or if it is used more than once and is
    more than a comparison.
    """

    def __init__(self, formulas: Formulas, roots: Iterable[Node]) -> None:
        self.formulas = formulas
        self.stages: dict[tuple[Rows, int], Stage] = {}
        self.sums: dict[str, Stage] = {}
        self.defaults: dict[str, dict[str, Node]] = {}
        self.brought: dict[str, None] = {}
        self.asked: dict[str, None] = {}  # sums that the values are made of
        self._names: dict[str, Node] = {}
        self._of: dict[Node, str] = {}
        self._levels: dict[Node, int] = {}
        self._columns = self._used_again(roots)

    # Which formulas are columns.

    def _used_again(self, roots: Iterable[Node]) -> set[Node]:
        seen: set[Node] = set()
        again: set[Node] = set()
        waiting = list(roots)
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            for arg in dict.fromkeys(node.args):
                if arg in seen or arg in waiting:
                    again.add(arg)
                waiting.append(arg)
            if node.kind == "lookup":
                again.update(node.args)
        looked_up = {arg for node in seen if node.kind == "lookup" for arg in node.args}
        columns = {node for node in again if node.rows is not None and _is_long(node)}
        return columns | {node for node in looked_up if node.kind not in ("column", "brought")}

    def _is_column(self, node: Node) -> bool:
        return node.kind in ("window", "lookup") or node in self._columns

    def _level(self, node: Node) -> int:
        """After which stage of its rows a formula can be written."""
        if node not in self._levels:
            args = node.args if node.kind != "lookup" else node.args[-1:]
            level = 0 if node.kind == "brought" else max((self._level(arg) for arg in args), default=0)
            if node.kind == "lookup" and node.rows is not None and node.rows.ideal:
                level = max(level, LATE)
            self._levels[node] = level + self._is_column(node)
        return self._levels[node]

    # Writing.

    def text(self, node: Node) -> str:
        """A formula over the columns of its rows, or of a query."""
        return self._written(node)[0]

    def alone(self, node: Node) -> str:
        """A formula over the columns that documents have to begin with."""
        return Sheet(self.formulas, []).text(node)

    def _written(self, node: Node) -> tuple[str, int]:
        if node.kind == "column" or node.kind == "number":
            return node.template, WHOLE
        if node.template == SAME:
            return self._written(node.args[0])
        if node.kind == "sum":
            name = self._sum(node)
            self.asked[name] = None
            return name, WHOLE
        if node.kind == "brought":
            name = self._sum(node.args[0])
            self.brought[name] = None
            return name, WHOLE
        return (self._column(node), WHOLE) if self._is_column(node) else self._inline(node)

    def _inline(self, node: Node) -> tuple[str, int]:
        if node.kind in ("product", "quotient", "case"):
            conditions, text, binds = self._guarded(node, itself=True)
            if not conditions:
                return text, binds
            return f"CASE WHEN {' AND '.join(conditions)} THEN {text} ELSE 0 END", WHOLE
        args = [
            self._bracketed(arg, needs)
            for arg, needs in zip(node.args, node.needs or (0,) * len(node.args), strict=True)
        ]
        if (
            node.kind == "formula"
            and node.template == "CASE WHEN {} > 0 THEN {} END"
            and node.args[0].kind in ("case", "product")
        ):
            conditions, text, _ = self._guarded(node.args[0])
            if conditions and text == "1":
                return f"CASE WHEN {' AND '.join(conditions)} THEN {args[1]} END", WHOLE
        if node.template.endswith("ELSE {} END") and args[-1].startswith(CASE) and args[-1].endswith(END):
            return node.template.format(*args[:-1], "").replace(
                " ELSE  END", f" {args[-1][len(CASE) :]}"
            ), WHOLE
        return node.template.format(*args), node.binds

    def _bracketed(self, node: Node, needs: int) -> str:
        text, binds = self._written(node)
        return f"({text})" if binds < needs else text

    def _guarded(self, node: Node, *, itself: bool = False) -> tuple[list[str], str, int]:
        """A formula as conditions, and what it is where all of them hold; elsewhere it is 0."""
        if (self._is_column(node) and not itself) or node.kind not in ("product", "quotient", "case"):
            return [], *self._written(node)
        first, second = node.args
        if node.kind == "case":
            conditions, text, binds = self._guarded(second)
            return list(dict.fromkeys([self._written(first)[0], *conditions])), text, binds
        if node.kind == "quotient" and not second.undefined:
            conditions, text, binds = self._guarded(first)
            part = text if binds >= PRODUCT else f"({text})"
            return conditions, f"{part} / {self._bracketed(second, WHOLE)}", PRODUCT
        if node.undefined:
            sign, needs = ("*", PRODUCT) if node.kind == "product" else ("/", WHOLE)
            return [], f"{self._bracketed(first, PRODUCT)} {sign} {self._bracketed(second, needs)}", PRODUCT
        (conditions, one, binds), (others, other, other_binds) = self._guarded(first), self._guarded(second)
        both = list(dict.fromkeys([*conditions, *others]))
        if one == "1" or other == "1":
            return both, *((other, other_binds) if one == "1" else (one, binds))
        texts = [
            text if close >= PRODUCT else f"({text})" for text, close in ((one, binds), (other, other_binds))
        ]
        return both, " * ".join(texts), PRODUCT

    def _named(self, node: Node, name: str) -> str:
        """The name, with a number where another formula has it."""
        numbered, count = name, 1
        while self._names.get(numbered, node) is not node:
            count += 1
            numbered = f"{name}_{count}"
        self._names[numbered] = node
        self._of[node] = numbered
        return numbered

    def _cast(self, text: str, node: Node) -> str:
        return text if node.made == DOUBLE else f"CAST({text} AS {self.formulas.bits})"

    def _column(self, node: Node) -> str:
        """The name of a formula that is a column, which it enters."""
        if node in self._of:
            return self._of[node]
        rows = node.rows
        assert rows is not None, "columns are of documents"
        if node.kind == "lookup":
            numbers, keys, above, _ = node.args
            texts = [self.text(arg) for arg in node.args]
            source = self.source(keys.rows, max(map(self._level, (numbers, keys, above))))
            here = self._stage(rows, self._level(node))
            name = self._named(node, node.name)
            condition = f"{{source}}.{texts[1]} {node.template} {{here}}.{texts[3]}"
            if node.template == "<=":
                after = f"{{source}}.{texts[2]}"
                condition += f" AND ({after} > {{here}}.{texts[3]} OR {after} IS NULL)"
            here.joins.setdefault((source, condition), {})[name] = texts[0]
            return name
        text = self._cast(self._inline(node)[0], node)
        name = self._named(node, node.name or "term")
        self._stage(rows, self._level(node)).columns[name] = text
        return name

    def _stage(self, rows: Rows, level: int) -> Stage:
        key = (rows, level)
        if key not in self.stages:
            self.stages[key] = Stage("", "", rows)
        return self.stages[key]

    def source(self, rows: Rows | None, level: int) -> str:
        """A mark for the last stage of the rows down to a level, which has a name when all are known."""
        assert rows is not None
        return f"<{rows.name}:{level}>"

    def _sum(self, node: Node) -> str:
        if node in self._of:
            return self._of[node]
        rows = node.args[0].rows
        assert rows is not None, "a sum is over documents"
        args = node.args[1:]
        late = rows.ideal and any(map(is_late, args))
        stage = f"{rows.name}_sums" if late else rows.sums
        text = self._cast(node.template.format(*(self.text(arg) for arg in args)), node)
        name = self._named(node, node.name or "total")
        level = max(map(self._level, args), default=0)
        sums = self.sums.setdefault(stage, Stage(stage, "", rows))
        sums.columns[name] = text
        self.defaults.setdefault(stage, {})[name] = node
        previous = int(sums.source.partition(":")[2].rstrip(">") or 0)
        sums.source = self.source(rows, max(level, previous))
        return name

    # The stages in order.

    def settle(self) -> None:
        """Gives the stages their names, once every formula was written."""
        for rows in dict.fromkeys(rows for rows, _ in self.stages):
            last, count = rows.source, 1 if rows.source == rows.name else 0
            for level in sorted(level for other, level in self.stages if other is rows):
                count += 1
                stage = self.stages[rows, level]
                stage.name = rows.name if count == 1 else f"{rows.name}_{count}"
                stage.source, last = last, stage.name
        for stage in (*self.stages.values(), *self.sums.values()):
            stage.joins = {
                (self.resolved(source), text): columns for (source, text), columns in stage.joins.items()
            }
        for sums in self.sums.values():
            sums.source = self.resolved(sums.source)

    def resolved(self, mark: str) -> str:
        """The stage that a mark is for."""
        name, _, level = mark.strip("<>").partition(":")
        for rows, found in sorted(self.stages, key=lambda key: -key[1]):
            if rows.name == name and found <= int(level):
                return self.stages[rows, found].name
        return next(
            (rows.source for rows in self.rows() if rows.name == name),
            name,
        )

    def rows(self) -> list[Rows]:
        """The rows that something is asked of."""
        return [stage.rows for stage in (*self.stages.values(), *self.sums.values())]


def _is_long(node: Node) -> bool:
    """Whether a formula is worth a column: not a column or a number, nor one comparison, nor the sum of two such."""
    if node.kind in ("column", "number", "condition", "brought") or node.template == SAME:
        return False
    if node.kind == "case":
        return node.args[1].kind != "number"
    if node.kind == "formula" and node.binds == SUM:
        return any(arg.kind not in ("column", "number", "window") for arg in node.args)
    return True
