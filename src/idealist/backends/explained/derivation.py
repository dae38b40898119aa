"""How a measure's value came about, from what its own `values` did with the numbers of one query."""

from __future__ import annotations

from itertools import chain

from idealist import kernels
from idealist.backends.explained.document_parts import (
    Added,
    Documents,
    best_first,
    is_count,
    reaching,
    shown_number,
)
from idealist.backends.explained.number_names import Names
from idealist.backends.explained.traced_numbers import Lists, Number, Places, Values
from idealist.base.frozen import Frozen
from idealist.data import Rankings
from idealist.measures.measure import registered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from idealist.backends.explained.traced_numbers import Listing
    from idealist.measures import Measure

NOTHING_RELEVANT = "nothing is relevant"
NO_GAIN = "nothing judged has a gain"
COUNTED = ("hits", "hits_within", "retrieved")
# What changes a number only where it is undefined or out of bounds.
FILTERS = ("filled", "where_positive", "without", "joined", "minimum", "maximum")
ON_TABLE = ("ranks", "grades")  # columns that every table has
# Sums whose documents are shown among the steps.
SHOWN = ("any_hit", "discounted_gains", "hits", "hits_within", "precision_sum", "reciprocal_rank")


class Term(Frozen):
    """A number with its name."""

    name: str
    value: float


class IdealList(Frozen):
    """The list a ranking is compared with: its grades, what each adds, and what the sum is called."""

    grades: Sequence[float]
    contributions: Sequence[float]
    running_title: str
    retrieved_only: bool = False


class Account(Frozen):
    """How the value of a query came about.

    Where it is a sum over documents, `contributions` are what each of them adds to `total`, which is divided by
    `divisor`; elsewhere there are `steps`, the numbers that the measure computes on the way. `columns` are the numbers
    of the documents, by title; `title` is that of the contributions, and `running_title` that of their sum so far, if it says
    more. `undefined` says why there is no value, if so.
    """

    columns: Mapping[str, Sequence[float]]
    contributions: Sequence[float] | None = None
    title: str = ""
    running_title: str = ""
    total: Term | None = None
    divisor: Term | None = None
    ideal: IdealList | None = None
    undefined: str = ""
    steps: tuple[Term, ...] = ()


def accounted(
    measure: Measure, rankings: Rankings, listing: Listing, shown: int
) -> tuple[kernels.Values, Account]:
    """What a measure gives for the one query of rankings, and how it came about; `listing` is the ranking written out, of which
    so many documents are shown."""
    names = Names(measure)
    lists = Lists(rankings.native, lambda: listing)
    traced = Rankings(lists, rankings.conventions, threads=rankings.threads)  # type: ignore[arg-type]
    with names.noted():
        value = measure.measured(traced)
    reader = _Reader(measure, names, Documents(names, lists, shown))
    return (value.native, reader.account(value)) if isinstance(value, Values) else (value, reader.noted())


class _Reader:
    """Reads an account out of a number and all that it was computed of."""

    def __init__(self, measure: Measure, names: Names, documents: Documents) -> None:
        self.measure = measure
        self.names = names
        self.documents = documents

    def noted(self) -> Account:
        """Of a measure whose values are numbers of its own: what its variables held."""
        numbers = list(self.names.noted_numbers.values())
        steps = {step.name: step for step in self._steps(numbers)}
        for name, values in self.names.noted_values.items():
            steps.setdefault(name, Term(name, values[0]))
        return Account(self._columns(numbers), steps=tuple(steps.values()))

    def account(self, value: Values) -> Account:
        final = _unfiltered(value)
        total, divisor = final, None
        if final.operation in ("/", "share_of") and isinstance(final.operands[0], Values):
            total, divisor = final.operands
        undefined = self._why_undefined(value) if value[0] != value[0] else ""
        total = _unfiltered(total)
        if total.operation == "ideal_gains":
            return self._of_ideal(total).replace(undefined=undefined)
        added = self.documents.added(total)
        if (added is None or added.ideal) and divisor is not None:
            total, divisor = final, None
            added = self.documents.added(total)
        if added is None or added.ideal:
            numbers = list(_origins(value))
            return Account(self._columns(numbers), steps=self._steps(numbers), undefined=undefined)
        return self._sum(total, divisor, added, total is final).replace(undefined=undefined)

    # Sums over documents.

    def _sum(self, total: Values, divisor: Any, added: Added, is_value: bool) -> Account:
        leaves = list(_leaves(total))
        name = self.names.of(total) or "total"
        if is_value and total.operation not in COUNTED:
            name = self.measure.name
        contributions: Sequence[float] = added.numbers
        columns, title, running = self._table(total, leaves, name)
        if is_count(total):
            contributions = [int(number) if number == int(number) else number for number in contributions]
        return Account(
            columns,
            contributions,
            title,
            running,
            Term(name, shown_number(total)),
            None if divisor is None else self._divisor(divisor),
            self._ideal(total, divisor, name),
        )

    def _divisor(self, divisor: Any) -> Term:
        return Term(self.names.of(divisor, grouped=True) or "divisor", shown_number(divisor))

    def _table(
        self, total: Values, leaves: list[Values], name: str
    ) -> tuple[dict[str, Sequence[float]], str, str]:
        """The columns, and the titles of the contributions and of their sum."""
        if all(leaf.operation in COUNTED for leaf in leaves) and name != self.measure.name:
            return {}, name, f"{name} so far"
        columns: dict[str, Sequence[float]] = {}
        for leaf in leaves:
            columns |= self._leaf_columns(leaf)
        leaf = leaves[0]
        if total is not leaf:
            return columns, "contribution", name
        if leaf.operation == "discounted_gains":
            if not columns:
                return {}, "gain", name
            weight = self.names.table(leaf.operands[2], "discount")
            return columns, "gain×discount" if weight == "discount" else "contribution", name
        if leaf.operation == "any_hit":
            return columns, "first relevant", ""
        if leaf.operation == "reciprocal_rank":
            return columns, "contribution", ""
        if leaf.operation == "sum" and (title := self._only_column(leaf)):
            return {}, title, name
        return columns, "contribution", name

    def _only_column(self, leaf: Values) -> str:
        """What is added, where that has a name."""
        places = leaf.operands[0]
        named = places.name or places.operation == "gains"
        return self.names.of(places) if named else ""

    def _leaf_columns(self, leaf: Values) -> dict[str, Sequence[float]]:
        documents, operation = self.documents, leaf.operation
        if operation == "sum":
            return self._columns(_factors(leaf.operands[0]), factors=True)
        lists: Lists = leaf.operands[0]
        columns: dict[str, Sequence[float]] = {}
        if operation == "discounted_gains":
            # Without discounts the gains are what is added, unless tied documents stand on both sides of the cut-off.
            tied = len(lists.listing.tie_groups) < len(lists.listing.grades)
            if tied or set(leaf.operands[2]) - {1.0}:
                weight = self.names.table(leaf.operands[2], "discount")
                columns = {"gain": documents.worth(leaf), weight: documents.weights(leaf)}
        elif operation == "precision_sum":
            so_far, precision = documents.precisions(leaf)
            columns = {"relevant so far": so_far, "precision": precision}
        elif operation in ("reciprocal_rank", "any_hit"):
            columns = {"relevant": reaching(lists.listing, leaf.operands[1])}
            if operation == "reciprocal_rank":
                columns["1/rank"] = documents.over_ranks(leaf)
        else:
            columns = {self.names.of(leaf): documents.counted(leaf)}
        return {title: self._in_rows(lists, title, cells) for title, cells in columns.items()}

    def _in_rows(self, lists: Lists, title: str, cells: Sequence[float]) -> list[float]:
        shown = self.documents.in_rows(lists, cells)
        # Gains are shown as grades are: without decimals where they have none.
        return [int(cell) if cell == int(cell) else cell for cell in shown] if title == "gain" else shown

    # The ideal list.

    def _ideal(self, total: Values, divisor: Any, name: str) -> IdealList | None:
        if divisor is None:
            return self._ideal_beside(total, name) if total.operation == "discounted_gains" else None
        if not isinstance(divisor, Values):
            return None
        ideal = _unfiltered(divisor)
        if ideal.operation == "ideal_gains":
            return self._best(ideal, self.names.of(divisor))
        added = self.documents.added(ideal)
        if added is None or not added.ideal or _shape(ideal) != _shape(total):
            return None  # it is no sum like the ranking's
        grades = next(_leaves(ideal)).operands[0].lists.listing.grades
        last = getattr(self.measure, "k", None)
        return IdealList(grades[:last], added.numbers[:last], self.names.of(divisor))

    def _best(self, ideal: Values, title: str) -> IdealList:
        retrieved_only = ideal.operands[4]
        best = best_first(ideal, retrieved_only)
        return IdealList(best.grades, best.added, title, retrieved_only)

    def _ideal_beside(self, total: Values, name: str) -> IdealList:
        """What the best list adds up to, of a sum of gains that is not divided by it."""
        lists, gain, discounts, k, threads = total.operands
        title = f"I{name}" if f"I{name}" in registered() else f"ideal {name}"
        return self._best(lists.ideal_gains(gain, discounts, k, False, threads), title)

    def _of_ideal(self, ideal: Values) -> Account:
        """Of a measure that is the sum of the ideal list: the ranking's, and the ideal list's, which is the value."""
        lists, gain, discounts, k, _, threads = ideal.operands
        total = lists.discounted_gains(gain, discounts, k, threads)
        name = self.names.of(ideal)
        total.name = name.removeprefix("ideal ") if name.startswith("ideal ") else name[1:]
        added = self.documents.added(total)
        assert added is not None, "a sum of gains is one"
        account = self._sum(total, None, added, is_value=False)
        return account.replace(total=Term(name, shown_number(ideal)), ideal=self._best(ideal, name))

    # Steps.

    def _columns(self, numbers: Sequence[Number], factors: bool = False) -> dict[str, Sequence[float]]:
        columns: dict[str, Sequence[float]] = {}
        for number in numbers:
            if isinstance(number, Places) and not number.lists.ideal:
                over_rank = factors and number.operation == "ranks"
                if over_rank:
                    columns["1/rank"] = [1 / rank for rank in self.documents.column(number)]
                elif (number.name or number.operation == "gains") and number.operation not in ON_TABLE:
                    columns.setdefault(self.names.of(number), self.documents.column(number))
            elif isinstance(number, Values) and number.operation in SHOWN and not number.operands[0].ideal:
                columns = self._leaf_columns(number) | columns
        return columns

    def _steps(self, numbers: Sequence[Number]) -> tuple[Term, ...]:
        steps: dict[str, float] = {}
        for number in numbers:
            if isinstance(number, Values) and _is_step(number):
                steps.setdefault(self.names.of(number), shown_number(number))
        return tuple(Term(name, value) for name, value in steps.items() if name)

    # What is undefined.

    def _why_undefined(self, value: Values) -> str:
        divisions = ("/", "share_of")
        for number in reversed(list(_origins(value))):
            if number.operation in (*divisions, "where_positive") and isinstance(number, Values):
                condition = number.operands[1]
                if isinstance(condition, Values) and not condition[0] > 0:
                    return self._nothing(condition)
        return "its formula has no value here"

    def _nothing(self, number: Values) -> str:
        """What it means that a number is 0."""
        origins = list(_origins(number))
        if any(origin.operation == "relevant" for origin in origins):
            return NOTHING_RELEVANT
        if any(origin.operation == "ideal_gains" for origin in origins):
            return NO_GAIN
        if any(isinstance(origin, Places) and origin.lists.ideal for origin in origins):
            return NO_GAIN
        return f"{self.names.of(number)} is {number[0]:g}"


def _is_step(number: Values) -> bool:
    return (
        bool(number.name) or isinstance(number.operands[0], Lists) or number.operation in ("sum", "highest")
    )


def _unfiltered(number: Values) -> Values:
    """The number before what does not change it where it is defined."""
    while number.operation in FILTERS and isinstance(number.operands[0], Values):
        before = number.operands[0]
        if number[0] == number[0] and before[0] == before[0] and number[0] != before[0]:
            break
        number = before
    return number


def _leaves(number: Any) -> Iterator[Values]:
    """The sums over lists that a number is made of."""
    if not isinstance(number, Values):
        return
    if number.operation == "sum" or isinstance(number.operands[0], Lists):
        if number.operation not in ("relevant", "ideal_gains"):
            yield number
        return
    yield from chain.from_iterable(map(_leaves, number.operands))


def _origins(number: Any, seen: set[int] | None = None) -> Iterator[Number]:
    """All numbers that a number is made of, each once, behind what it is itself made of; it comes last."""
    seen = set() if seen is None else seen
    if not isinstance(number, Number) or id(number) in seen:
        return
    seen.add(id(number))
    nothing = number.operation == "*" and 0.0 in [side for side in number.operands if isinstance(side, float)]
    if not nothing:
        for operand in number.operands:
            yield from _origins(operand, seen)
    yield number


def _shape(number: Any) -> Any:
    """A formula, whatever it is computed of."""
    if not isinstance(number, Number):
        return number if isinstance(number, (int, float)) else None
    return number.operation, tuple(map(_shape, number.operands))


def _factors(places: Places) -> list[Number]:
    """What a number of every place is made of: the gains that are in no number with a name, the numbers that have one, and ranks
    that it is divided by."""
    bare = list(_bare(places))
    named = [
        origin for origin in _origins(places) if origin.name and not isinstance(origin.operands[0], Lists)
    ]
    return [
        *(part for part in bare if part.operation == "gains"),
        *named,
        *(part for part in bare if part.operation == "ranks"),
    ]


def _bare(places: Any) -> Iterator[Places]:
    """The core's gains, and its ranks below a line, that stand in the formula of a number itself."""
    if not isinstance(places, Places):
        return
    if places.operation == "gains":
        yield places
    elif not places.name:
        above, below = (*places.operands, None)[:2]
        yield from _bare(above)
        if places.operation == "/" and isinstance(below, Places) and below.operation == "ranks":
            yield below
        else:
            yield from _bare(below)
