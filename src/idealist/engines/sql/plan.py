"""A plan of a query: the columns that the measures ask for, stage by stage, each once."""

from __future__ import annotations

from idealist.engines.sql.gains import discount_sql, gain_name, gain_sql
from idealist.engines.sql.names import name_part, number
from idealist.measures.gains import number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.conventions import Conventions
    from idealist.engines.sql.dialects import Dialect
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain

# Windows: the documents of one query; those that share a score; from the first rank down to this one.
LIST = "PARTITION BY query"
TIE = "PARTITION BY query, tie_start"
DOWN = f"{LIST} ORDER BY rank ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"


class Plan:
    """Columns by name, for each stage of the query that has any.

    | stage | a row is | columns |
    |---|---|---|
    | ideals | a judged document | gains, and ranks by gain |
    | totals | a judged query | sums over its judged documents |
    | graded | a retrieved document | gains, and whether it is relevant: 1 or 0 |
    | along | a retrieved document | what depends on others of the list; with averaged ties, means over the tied ones |
    | first | a retrieved document | with averaged ties, the chance that it is the first relevant one |
    | found | a query of the run | sums over its retrieved documents |

    A method that gives a column enters it, with those that it is made of, and returns its name.
    """

    def __init__(self, conventions: Conventions, dialect: Dialect) -> None:
        self.conventions = conventions
        self.dialect = dialect
        self.averaged = conventions.ties == "averaged"
        self.ideals: dict[str, str] = {}
        self.totals: dict[str, str] = {}
        self.graded: dict[str, str] = {}
        self.along: dict[str, str] = {}
        self.first: dict[str, str] = {}
        self.found: dict[str, str] = {}
        # Totals that rows of the ranking are compared with.
        self.totals_at_ranks: dict[str, str] = {}
        # The gain tables, whose grades are checked, and whether 2^grade is asked for.
        self.gains: dict[str, Gain] = {}

    def as_double(self, expression: str) -> str:
        return f"CAST({expression} AS {self.dialect.double})"

    def _enter(self, stage: dict[str, str], name: str, expression: str) -> str:
        """The name of an expression in a stage: the one asked for, with a number where another expression has it."""
        numbered, count = name, 1
        while stage.get(numbered, expression) != expression:
            count += 1
            numbered = f"{name}_{count}"
        stage[numbered] = expression
        return numbered

    # What each retrieved document is worth.

    def gain(self, gain: Gain) -> str:
        """The gain of a retrieved document; with averaged ties the mean gain of those that share its score."""
        name = self._raw_gain(gain)
        if not self.averaged:
            return name
        # McSherry and Najork: every place of tied documents holds their mean gain.
        return self._enter(self.along, f"mean_{name}", f"AVG({name}) OVER ({TIE})")

    def _raw_gain(self, gain: Gain, stage: dict[str, str] | None = None) -> str:
        name = gain_name(gain)
        names = [known for known, other in self.gains.items() if other == gain]
        if names:
            name = names[0]
        elif name in self.gains:
            name = f"{name}_{len(self.gains) + 1}"
        self.gains[name] = gain
        expression = self.as_double(gain_sql(gain, self.conventions.negative == "keep"))
        return self._enter(self.graded if stage is None else stage, name, expression)

    def relevant(self, level: float) -> str:
        """Whether a retrieved document is relevant; with averaged ties the share of relevant ones that have its score."""
        name = self._raw_relevant(level)
        return self._enter(self.along, f"mean_{name}", f"AVG({name}) OVER ({TIE})") if self.averaged else name

    def _raw_relevant(self, level: float) -> str:
        return self._enter(self.graded, _by_level("relevant", level), self.as_double(_reaches(level)))

    def relevant_so_far(self, level: float) -> str:
        """How many relevant documents stand down to this rank; there is no mean over tied ones."""
        name = self._raw_relevant(level)
        return self._enter(self.along, f"{name}_so_far", f"SUM({name}) OVER ({DOWN})")

    def precision(self, level: float) -> str:
        """The precision at each rank, times whether its document is relevant."""
        if not self.averaged:
            return f"{self.relevant(level)} * {self.relevant_so_far(level)} / rank"
        tied, above = self._tied_relevant(level), self._relevant_above(level)
        # On average, a relevant document at some place of tied ones has its share of their others before it.
        share = f"COALESCE(({tied} - 1) / NULLIF({self._tie_size()} - 1, 0), 0)"
        return f"{self.relevant(level)} * ({above} + 1 + (rank - tie_start) * {share}) / rank"

    def first_relevant(self, level: float) -> str:
        """Whether, or with which chance, the first relevant document of the list stands at this rank."""
        name = _by_level("first_relevant", level)
        if not self.averaged:
            relevant, so_far = self.relevant(level), self.relevant_so_far(level)
            return f"CASE WHEN {so_far} = 1 THEN {relevant} ELSE 0 END"
        tied, above, size = self._tied_relevant(level), self._relevant_above(level), self._tie_size()
        place = "(rank - tie_start)"
        # The chance that none of the places above it holds a relevant one, drawn without replacement, as a logarithm.
        none_here = f"CASE WHEN {place} < {size} - {tied} THEN LN(({size} - {tied} - {place}) / ({size} - {place})) ELSE 0 END"
        none_above = (
            f"EXP(COALESCE(SUM({none_here}) OVER "
            f"({TIE} ORDER BY rank ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))"
        )
        return self._enter(
            self.first,
            name,
            f"CASE WHEN {above} = 0 AND {place} <= {size} - {tied} THEN {none_above} * {tied} / ({size} - {place}) "
            "ELSE 0 END",
        )

    def _tie_size(self) -> str:
        return self._enter(self.along, "tie_size", self.as_double(f"COUNT(*) OVER ({TIE})"))

    def _tied_relevant(self, level: float) -> str:
        name = self._raw_relevant(level)
        return self._enter(self.along, f"tied_{name}", f"SUM({name}) OVER ({TIE})")

    def _relevant_above(self, level: float) -> str:
        """How many relevant documents have a higher score."""
        name = self._raw_relevant(level)
        above = f"SUM({name}) OVER ({LIST} ORDER BY tie_start) - SUM({name}) OVER ({TIE})"
        return self._enter(self.along, f"{name}_above", above)

    def judged_not_relevant_above(self, level: float) -> str:
        """How many documents judged not relevant stand above this rank."""
        name = self._raw_relevant(level)
        judged = _reaches(min(0.0, level))
        return self._enter(
            self.along,
            f"judged_not_{name}_above",
            f"SUM({judged} - {name}) OVER ({DOWN}) - ({judged} - {name})",
        )

    # Sums over the retrieved documents of a query.

    def sum_to(self, k: int | None, expression: str, name: str) -> str:
        """The sum over the first k ranks."""
        within = expression if k is None else f"CASE WHEN rank <= {k} THEN {expression} ELSE 0 END"
        return self._enter(self.found, _at(name, k), f"SUM({within})")

    def dcg(self, gain: Gain, discount: Discount, k: int | None, name: str = "dcg") -> str:
        discounted = _product(self.gain(gain), discount_sql(discount, "rank", k, self.dialect))
        return self.sum_to(k, discounted, name)

    def hits(self, level: float, k: int | None) -> str:
        return self.sum_to(k, self.relevant(level), _by_level("hits", level))

    def judged_to(self, level: float, k: int | None) -> str:
        """How many retrieved documents have a grade of at least `level`, or any grade if that is −∞."""
        return self.sum_to(k, self.relevant(level), _by_level("judged", level))

    def retrieved(self, k: int | None = None) -> str:
        """How many documents were retrieved, counting no more than k."""
        counted = "grade" if self.conventions.unjudged == "removed" else "*"
        name = self._enter(self.found, "retrieved", self.as_double(f"COUNT({counted})"))
        return name if k is None else f"LEAST({name}, {k})"

    # Sums over the judged documents of a query.

    def total_relevant(self, level: float) -> str:
        name = _by_level("all_relevant", level)
        return self._enter(self.totals, name, self.as_double(f"SUM({_reaches(level)})"))

    def total_at_ranks(self, name: str) -> str:
        """A total, for each row of the ranking to be compared with."""
        self.totals_at_ranks[name] = self.totals[name]
        return name

    def ideal_dcg(
        self, gain: Gain, discount: Discount, k: int | None, ideal: str, name: str = "ideal_dcg"
    ) -> str:
        """The same sum over the best order of the judged documents, or of those that were retrieved."""
        retrieved = ideal == "retrieved"
        stage = self.graded if retrieved else self.ideals
        gains = self._raw_gain(gain, stage)
        order = self._enter(
            self.along if retrieved else self.ideals,
            f"ideal_rank_by_{gains}" if not retrieved else f"retrieved_ideal_rank_by_{gains}",
            self.as_double(
                f"ROW_NUMBER() OVER ({LIST} ORDER BY "
                f"{gains if retrieved else gain_sql(gain, self.conventions.negative == 'keep')} DESC)"
            ),
        )
        within = "" if k is None else f" AND {order} <= {k}"
        discounted = _product(gains, discount_sql(discount, order, k, self.dialect))
        return self._enter(
            self.found if retrieved else self.totals,
            _at(f"retrieved_{name}" if retrieved else name, k),
            f"SUM(CASE WHEN {gains} > 0{within} THEN {discounted} ELSE 0 END)",
        )


def _reaches(level: float) -> str:
    reached = "grade IS NOT NULL" if level == float("-inf") else f"grade >= {number(level)}"
    return f"CASE WHEN {reached} THEN 1 ELSE 0 END"


def _by_level(name: str, level: float) -> str:
    """The name for level 1 as it is; those of other levels say theirs."""
    if level == float("-inf"):
        return f"{name}_from_any_grade"
    return name if level == 1 else f"{name}_from_{name_part(number_text(level))}"


def _at(name: str, k: int | None) -> str:
    return name if k is None else f"{name}_at_{k}"


def _product(gain: str, discount: str) -> str:
    return gain if discount == "1" else f"{gain} * {discount}"
