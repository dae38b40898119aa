"""Lists of which nothing is known but the columns: the operations that measures ask of lists, as formulas."""

from __future__ import annotations

from idealist.backends.sql.dialects import NoSqlForm, by_level, to_rank
from idealist.backends.sql.formula_functions import ByRank, Worth, falls_nowhere, gain_node, worth_of
from idealist.backends.sql.formula_nodes import ALL, DOUBLE, INTEGER, Formulas, Node, Rows
from idealist.backends.sql.formula_numbers import Numbers, Places, Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from idealist.kernels import Gain

INFINITY = float("inf")
DEEPEST = 1000  # ranks that are made where a list has none

RANKED = Rows("tied", "ranked", "lists")
FOUND = Rows("graded", "ranked", "found", condition="grade IS NOT NULL")
IDEAL = Rows("ideals", "judged", "totals", ideal=True)


class Highest:
    """The highest grade there is. Whether it is above a limit is known where the query runs, and checked there."""

    def __init__(self, formulas: Formulas) -> None:
        self._formulas = formulas

    def __gt__(self, limit: float) -> bool:
        self._formulas.limits[limit] = None
        return False


class Lists:
    """The judged documents of a list, in the order of `rank`, as `kernels.Rankings`.

    `everything` are all documents of the list. With averaged ties, `tied` says where those begin that share a score, and how many
    they are. `fill` is the grade of an unjudged document, if it is taken for judged, and `padded` says that there are as many
    ranks as `depth` says.
    """

    backend = "SQL"

    def __init__(
        self,
        formulas: Formulas,
        rows: Rows,
        rank: Node,
        *,
        everything: Rows = RANKED,
        removed: bool = False,
        tied: Tied | None = None,
        fill: float | None = None,
        padded: int | None = None,
        name: str = "",
    ) -> None:
        self.formulas = formulas
        self.rows = rows
        self.rank = rank
        self.everything = everything
        self.removed = removed
        self.ties = tied
        self.fill = fill
        self.padded = padded
        self.name_before = name

    # What conventions and errors ask.

    def __len__(self) -> int:
        return 1  # one formula for all

    def missing(self) -> list[int]:
        return []

    empty = missing

    def tied(self) -> list[int]:
        return [] if self.ties is None else [0]

    def name(self, query: int) -> str:
        raise NoSqlForm("queries one by one")

    query = name

    def queries(self) -> list[str]:
        raise NoSqlForm("queries one by one")

    def longest(self) -> int:
        raise NoSqlForm("the length of the longest list")

    def levels(self) -> list[float]:
        raise NoSqlForm("the grades that occur")

    def highest_grade(self) -> Any:
        return Highest(self.formulas)

    def part(self, begin: int, end: int) -> Lists:
        return self

    # Functions of a grade and of a rank.

    def worths(self, worth: Callable[[float], float], negative_counts: bool) -> Any:
        """What grades are worth by a function."""
        made = Worth(worth, negative_counts)
        node = gain_node(made, self.formulas.column(IDEAL, "grade"), self.formulas)
        if node.undefined:
            self.formulas.worths[node] = None
        return made

    def rank_formula(
        self, function: Callable[[Any], Any], table: Callable[[int], Sequence[float]], k: int | None
    ) -> Any:
        """A number of each rank, by a function."""
        return ByRank(function, table, k)

    # Numbers along the lists.

    def _places(self, node: Node) -> Places:
        rank = self.rank if self.ties is None else self.ties.start_of_judged
        return Places(self.formulas, node, self.rows, rank)

    def _grade(self) -> Node:
        return self.formulas.column(self.rows, "grade")

    def grades(self) -> Places:
        if self.fill is not None:
            if abs(self.fill) == INFINITY:
                raise NoSqlForm("an infinite grade")
            return self._places(
                self.formulas.formula(f"COALESCE({{}}, {self.fill!r})", self._grade(), undefined=False)
            )
        return self._places(self._grade())

    def ranks(self) -> Places:
        """The rank of each document; tied ones have the first of theirs."""
        return self._places(self.rank if self.ties is None else self.ties.start_of_judged)

    def gains(self, gain: Gain | Worth) -> Places:
        formulas, grade = self.formulas, self._grade()
        node = gain_node(gain, grade, formulas)
        if self.fill is not None:
            unjudged = formulas.condition("{} IS NULL", grade)
            worth = formulas.number(worth_of(gain, self.fill))
            if worth.value != 0 or node.kind != "case":  # which is 0 where the grade is NULL
                low = min(worth.low, node.low)
                node = formulas.formula("CASE WHEN {} THEN {} ELSE {} END", unjudged, worth, node, low=low)
        places = self._places(_named(formulas, node, "gain"))
        places.falls = self.rows.ideal and falls_nowhere(gain)
        return places

    # Sums.

    def _sum(self, node: Node, name: str) -> Values:
        return self._places(node).added_up(self.name_before + name)

    def _relevant(self, level: float) -> Node:
        """1 of a relevant document, and 0."""
        if level == -INFINITY:
            return self.formulas.number(1.0)
        least = self.formulas.number(level)
        if self.fill is None or self.fill < level:
            return self.formulas.compare(">=", self._grade(), least)
        reached = self.formulas.condition("({} >= {} OR {} IS NULL)", self._grade(), least, self._grade())
        return self.formulas.case(reached, self.formulas.number(1.0))

    def _within(self, node: Node, k: float | None) -> Node:
        """A number, 0 below rank k."""
        if k is None or k == INFINITY:
            return node
        return self.formulas.multiply(
            node, self.formulas.compare("<=", self.rank, self.formulas.number(float(k)))
        )

    def _refuse_filled(self, what: str) -> None:
        if self.fill is not None:
            raise NoSqlForm(f"{what}, with unjudged documents that have a grade")

    def hits(self, level: float, k: int | None, threads: int) -> Values:
        name = to_rank(by_level("hits", level), k)
        if self.ties is None or k is None:
            return self._sum(self._within(self._relevant(level), k), name)
        return self.ties.sum(self.ties.mean(self.ties.relevant(level)), name, k)

    def hits_within(self, level: float, k: Values, threads: int) -> Values:
        name = by_level(f"hits_within_{k.node.name or 'rank'}", level)
        if self.ties is None:
            within = self._places(self.rank) <= k
            return self._sum(self.formulas.multiply(self._relevant(level), within.node), name)
        return self.ties.sum(self.ties.mean(self.ties.relevant(level)), name, k)

    def any_hit(self, level: float, k: int | None, threads: int) -> Values:
        if self.ties is None:
            return self.hits(level, k, threads) > 0.0
        return self.ties.sum(self.ties.first(level), by_level("any_relevant", level), k)

    def reciprocal_rank(self, level: float, k: int | None, threads: int) -> Values:
        formulas, name = self.formulas, to_rank(by_level("first_relevant_rank", level), k)
        if self.ties is not None:
            first = formulas.divide(self.ties.first(level), self.ties.rank)
            return self.ties.sum(first, by_level("first_reciprocal_rank", level), k)
        hit = self._within(self._relevant(level), k)
        rank = formulas.formula("CASE WHEN {} > 0 THEN {} END", hit, self.rank, needs=(2, 0), undefined=True)
        least = formulas.summed(
            "MIN({})", self.rows, rank, low=1.0, name=self.name_before + name, default=None
        )
        return (1.0 / Values(formulas, least)).filled(0.0)

    def precision_sum(self, level: float, k: int | None, threads: int) -> Values:
        """Σ P@r over relevant documents at ranks r = 1..k."""
        name = by_level("precision_sum", level)
        if self.ties is not None:
            return self.ties.sum(self.ties.precision(level), name, k)
        hit = self._places(_named(self.formulas, self._relevant(level), by_level("relevant", level)))
        precision = hit * hit.running() / self._places(self.rank)
        return self._sum(self._within(precision.node, k), to_rank(name, k))

    def discounted_gains(self, gain: Gain | Worth, discounts: ByRank, k: int | None, threads: int) -> Values:
        """Σ gain · discount over the first k."""
        formulas = self.formulas
        if self.ties is not None:
            weight = discounts.node(self.ties.rank, formulas)
            return self.ties.sum(formulas.multiply(self.ties.mean(self.ties.gain(gain)), weight), "dcg", k)
        weight = discounts.node(self.rank, formulas)
        discounted = formulas.multiply(self.gains(gain).node, weight)
        return self._sum(self._within(discounted, k), to_rank("cg" if weight.value == 1 else "dcg", k))

    def ideal_gains(
        self, gain: Gain | Worth, discounts: ByRank, k: int | None, retrieved_only: bool, threads: int
    ) -> Values:
        """The same over the ideal list."""
        self._refuse_filled("an ideal list")
        formulas = self.formulas
        ideal, worth = _best_first(
            formulas, FOUND if retrieved_only else IDEAL, gain, by_gain=not falls_nowhere(gain)
        )
        weight = discounts.node(ideal.rank, formulas)
        name = to_rank("ideal_cg" if weight.value == 1 else "ideal_dcg", k)
        return ideal._sum(
            ideal._within(formulas.multiply(worth, weight), k),
            f"retrieved_{name}" if retrieved_only else name,
        )

    def relevant(self, level: float) -> Values:
        """How many judged documents are relevant."""
        grade = self.formulas.column(IDEAL, "grade")
        hit = (
            self.formulas.number(1.0)
            if level == -INFINITY
            else self.formulas.compare(">=", grade, self.formulas.number(level))
        )
        name = "all_judged" if level == -INFINITY else by_level("all_relevant", level)
        judged = Places(self.formulas, hit, IDEAL, grade).added_up(name)
        if self.fill is None or self.fill < level:
            return judged
        unjudged = self.formulas.case(
            self.formulas.condition("{} IS NULL", self._grade()), self.formulas.number(1.0)
        )
        return judged + self._sum(unjudged, "unjudged")

    def retrieved(self, k: int | None) -> Values:
        """How many documents were retrieved, counting no more than k."""
        formulas = self.formulas
        if self.padded is not None:
            return Values(formulas, formulas.number(float(self.padded)))
        template: str = "COUNT(*)"
        args: tuple[Node, ...] = ()
        if self.removed:
            template, args = "COUNT({})", (formulas.column(self.everything, "grade"),)
        name = "retrieved" if self.everything is RANKED else f"{self.everything.sums}_retrieved"
        count = formulas.summed(template, self.everything, *args, low=0.0, type=INTEGER, name=name)
        every = Values(formulas, count)
        return every if k is None or k == INFINITY else every.minimum(float(k))

    # Lists seen another way.

    def ideal_order(self) -> Lists:
        """The judged documents, best first."""
        self._refuse_filled("an ideal list")
        return _best_first(self.formulas, IDEAL)[0]

    def condensed(self) -> Lists:
        """The lists without their unjudged documents."""
        self._refuse_filled("a list without unjudged documents")
        formulas, name = self.formulas, "judged_rank"
        rank = formulas.window(
            f"ROW_NUMBER() OVER ({ALL} ORDER BY {{}})", self.rank, low=1.0, name=name, type=INTEGER
        )
        tied = None
        if self.ties is not None:
            start = self.ties.start_of_judged
            first = formulas.window(
                f"RANK() OVER ({ALL} ORDER BY {{}})", start, low=1.0, name="judged_tie_start", type=INTEGER
            )
            tied = Tied(formulas, FOUND, rank, first, first, "condensed_")
        return Lists(formulas, self.rows, rank, everything=FOUND, tied=tied, name="condensed_")

    def filled(self, grade: float, depth: float | None, padded: bool) -> Lists:
        """Every unjudged document with a grade, down to a depth, and every rank below the list if `padded`."""
        if self.ties is not None:
            raise NoSqlForm("unjudged documents with a grade, and averaged ties")
        formulas = self.formulas
        if not padded and self.removed:
            return self  # there are none
        if not padded:
            if depth is not None and depth != INFINITY:
                raise NoSqlForm("unjudged documents with a grade, down to a rank")
            return Lists(formulas, RANKED, formulas.column(RANKED, "rank", 1.0), fill=grade, name="filled_")
        if depth is None or depth > DEEPEST:
            raise NoSqlForm(f"every rank, also below the list, down to {depth or 'the last'}")
        rows = padded_rows(int(depth))
        return Lists(
            formulas,
            rows,
            formulas.column(rows, "rank", 1.0),
            everything=rows,
            fill=grade,
            padded=int(depth),
            name=f"{rows.name}_",
        )


_PADDED: dict[int, Rows] = {}


def padded_rows(depth: int) -> Rows:
    """The first ranks of every list, whether it has them or not."""
    if depth not in _PADDED:
        _PADDED[depth] = Rows(f"first_{depth}", f"first_{depth}", f"first_{depth}_sums")
    return _PADDED[depth]


def _named(formulas: Formulas, node: Node, name: str) -> Node:
    if not node.name and node.value is None:
        node.name = name
    return node


def _best_first(
    formulas: Formulas, rows: Rows, gain: Any = None, *, by_gain: bool = False
) -> tuple[Lists, Node]:
    """Judged documents, best first: by grade, or by what they are worth; and that."""
    grade = formulas.column(rows, "grade")
    worth = formulas.number(0.0)
    if gain is not None:
        worth = gain_node(gain, grade, formulas)
    key = _named(formulas, worth, "gain") if by_gain else grade
    rank = formulas.window(
        f"ROW_NUMBER() OVER ({ALL} ORDER BY {{}} DESC)",
        key,
        low=1.0,
        type=INTEGER,
        name="ideal_rank_by_gain" if by_gain else "ideal_rank",
    )
    if worth.low < 0:
        worth = formulas.higher(worth, formulas.number(0.0))
    return Lists(formulas, rows, rank, everything=rows), worth


class Tied:
    """Averaged ties: sums over all orders of documents of equal score, each with the same chance."""

    def __init__(
        self, formulas: Formulas, rows: Rows, rank: Node, start: Node, start_of_judged: Node, name: str = ""
    ) -> None:
        self.formulas = formulas
        self.rows = rows
        self.rank = rank
        # Where the documents of a score begin; the same among judged documents.
        self.start = start
        self.start_of_judged = start_of_judged
        self.name = name

    def sum(self, node: Node, name: str, k: int | Values | None) -> Values:
        places = Places(self.formulas, node, self.rows, self.rank)
        if k is not None:
            within: Any = Places(self.formulas, self.rank, self.rows, self.rank) <= (
                k if isinstance(k, Numbers) else float(k)
            )
            places = places * within
        return places.added_up(self.name + (name if isinstance(k, Numbers) else to_rank(name, k)))

    def _grade(self) -> Node:
        return self.formulas.column(self.rows, "grade")

    def _judged(self, node: Node) -> Node:
        """0 of an unjudged document."""
        if node.kind == "case":
            return node
        return self.formulas.case(self.formulas.condition("{} IS NOT NULL", self._grade()), node)

    def relevant(self, level: float) -> Node:
        name = by_level("relevant", level)
        if level == -INFINITY:
            return _named(self.formulas, self._judged(self.formulas.number(1.0)), name)
        return _named(
            self.formulas, self.formulas.compare(">=", self._grade(), self.formulas.number(level)), name
        )

    def gain(self, gain: Gain | Worth) -> Node:
        grade = self.formulas.column(self.rows, "grade")
        return _named(self.formulas, self._judged(gain_node(gain, grade, self.formulas)), "gain")

    def mean(self, node: Node) -> Node:
        """McSherry and Najork: every place of tied documents holds their mean."""
        bits = self.formulas.bits
        inner = "{}" if node.type == DOUBLE else f"CAST({{}} AS {bits})"
        template = f"AVG({inner}) OVER ({ALL}, {{}})"
        low = 0.0 if node.low >= 0 else -INFINITY
        return self.formulas.window(
            template, node, self.start, low=low, name=f"mean_{node.name}", undefined=node.undefined
        )

    def _of_tied(self, node: Node) -> Node:
        return self.formulas.window(
            f"SUM({{}}) OVER ({ALL}, {{}})",
            node,
            self.start,
            low=0.0,
            name=f"tied_{node.name}",
            type=node.type,
        )

    def _size(self) -> Node:
        return self.formulas.window(
            f"COUNT(*) OVER ({ALL}, {{}})", self.start, low=1.0, name="tie_size", type=INTEGER
        )

    def _above(self, node: Node) -> Node:
        """The sum over documents of a higher score."""
        template = f"SUM({{}}) OVER ({ALL} ORDER BY {{}}) - SUM({{}}) OVER ({ALL}, {{}})"
        return self.formulas.window(
            template, node, self.start, node, self.start, low=0.0, name=f"{node.name}_above", type=node.type
        )

    def precision(self, level: float) -> Node:
        """The precision at each rank, times whether its document is relevant."""
        f, hit = self.formulas, self.relevant(level)
        one = f.number(1.0)
        # On average, a relevant document at some place of tied ones has its share of their others before it.
        others = f.filled(f.divide(f.subtract(self._of_tied(hit), one), f.subtract(self._size(), one)), 0.0)
        before = f.multiply(f.subtract(self.rank, self.start), others)
        so_far = f.add(f.add(self._above(hit), one), before)
        return f.divide(f.multiply(self.mean(hit), so_far), self.rank)

    def first(self, level: float) -> Node:
        """The chance that the first relevant document of the list stands at this rank."""
        f, hit = self.formulas, self.relevant(level)
        tied, above, size = self._of_tied(hit), self._above(hit), self._size()
        place = f.subtract(self.rank, self.start)
        # The chance that none of the places above it holds a relevant one, drawn without replacement, as a logarithm.
        others = f.subtract(size, tied)
        none_here = f.formula(
            "CASE WHEN {} < {} THEN LN(({} - {}) / ({} - {})) ELSE 0 END",
            *(place, others, others, place, size, place),
            needs=(2, 2, 2, 3, 2, 3),
        )
        over = f"OVER ({ALL}, {{}} ORDER BY {{}} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
        logarithms = f"COALESCE(SUM({{}}) {over}, 0)"
        if f.underflows:
            logarithms = f"GREATEST({logarithms}, -300)"
        none_above = f.window(
            f"EXP({logarithms})", none_here, self.start, self.rank, low=0.0, name=f"no_{hit.name}_above"
        )
        chance = f.divide(f.multiply(none_above, tied), f.subtract(size, place), strict=True)
        possible = f.condition("{} = 0 AND {} <= {}", above, place, others)
        return f.case(possible, chance)


def lists(formulas: Formulas, *, averaged: bool, removed: bool) -> Lists:
    """The lists of a run, as measures ask them."""
    rank = formulas.column(FOUND, "rank", 1.0)
    tied = None
    if averaged:
        start = formulas.column(RANKED, "tie_start", 1.0)
        of_judged = formulas.column(FOUND, "tie_start", 1.0)
        tied = Tied(formulas, RANKED, formulas.column(RANKED, "rank", 1.0), start, of_judged)
    return Lists(formulas, FOUND, rank, removed=removed, tied=tied)
