"""The base of measures: frozen objects that turn rankings into one number per query."""

from __future__ import annotations

from idealist import kernels
from idealist.base.frozen import Frozen, FrozenTable
from idealist.base.wording import count_of, count_queries
from idealist.conventions import DEFAULT, other_choices
from idealist.data import Rankings
from idealist.data.needs import GRADES
from idealist.errors import InputError
from idealist.measures.measure_parameters import parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, ClassVar, Self

    from idealist.conventions import Conventions
    from idealist.data.needs import Need
    from idealist.kernels import Values

# Parameters that are said even where they are as usual: what the measure is of, and the scale of grades.
ALWAYS_SAID = ("of", "max_grade")

_REGISTRY: dict[str, type[Measure]] = {}
# Measures by the text they were parsed from; empty again after a class joins the registry, which may change names.
_PARSED: dict[str, Measure] = {}


class Measure(Frozen):
    """The base of all measures, and of your own. A subclass with a `name` can be named in texts:

    - its fields are its parameters; those of the package are described in `parameters.PARAMETERS`;
    - `values` gives one number for every query, in their order, nan where the measure is undefined;
    - its docstring starts with what it is, and is what `idealist measures NAME` prints.

    >>> class Half(Measure):
    ...     \"\"\"Whether half of what was retrieved is relevant.\"\"\"
    ...     level: float = 1.0
    ...
    ...     def values(self, rankings):
    ...         return [2 * sum(grade >= self.level for grade in r.grades) >= r.retrieved for r in rankings]
    >>> Half()([1, 0, 0]), Half()([1, 0])
    (0.0, 1.0)
    """

    name: ClassVar[str]
    family: ClassVar[str]
    # Names in other tools, and the parameters each stands for. A text with {} is how the tool's number for that
    # parameter is written here: "set_F": {"beta": "√{}"}. A number behind the name, set_F_2, is then for it too.
    # A name may end in the mark before the number, "rbp.", or hold parameters that must be stated, "NumRet(rel)".
    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    # The parameter that stands behind the @.
    at: ClassVar[str] = "k"
    # What the values lie between, when no gain is negative.
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    # How queries are put together: "mean", "sum" for counts, "geometric" mean, or "pooled": what `pooled`
    # makes of all rankings together.
    aggregate: ClassVar[str] = "mean"
    # What the measure looks at.
    needs: ClassVar[Need] = GRADES
    # Whether a better document in the place of a worse one, or above it, never lowers the value.
    favours_better: ClassVar[bool] = True
    # Whether a better document above a worse one never makes the value worse, the documents being the same; None
    # where that follows from `favours_better`.
    favours_order: ClassVar[bool | None] = None
    # Whether `values` gives the mean over all orders of tied documents when rankings hold averaged ties.
    averages_ties: ClassVar[bool] = True
    # Which of two values is the better one: "higher", "lower", or "neither".
    better: ClassVar[str] = "higher"
    # The column of the table it needs, where that is always the same.
    column_needed: ClassVar[str] = ""
    # Whether it looks at the run itself, its scores or its documents by name, though what it needs does not say so.
    reads_run: ClassVar[bool] = False
    # Whether its numbers are given, not measured: a column of a table, of which rankings and judgments say nothing.
    given: ClassVar[bool] = False
    # What readers of the values should know, if anything; `evaluate` notes it.
    caution: ClassVar[str] = ""
    _stated: ClassVar[frozenset[str]]

    def range_with(self, lowest: float, highest: float) -> tuple[float, float]:
        """What the values lie between where the grades of the judgments do so: `bounds`, or up to the value of k documents of
        the highest grade where these have no end."""
        low, high = self.bounds
        depth, gain = getattr(self, "k", None), getattr(self, "gain", "linear")
        known = self.favours_better and self.better == "higher" and self.needs is GRADES and lowest >= 0
        if high < float("inf") or depth is None or not known or gain not in ("linear", "exp", "binary"):
            return self.bounds
        return low, float(self([highest] * depth))

    def __init_subclass__(
        cls, name: str | None = None, aliases: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        super().__init_subclass__()
        cls.family = cls.__module__.rpartition(".")[2]
        if isinstance(cls.needs, str):
            raise InputError(
                f"{cls.__name__} needs {cls.needs!r}, which is text, not a Need",
                hint="from idealist.data.needs import ITEMS, for example",
            )
        ours = _of_the_package(cls)
        if not ours and "values" in cls.__dict__ and "averages_ties" not in cls.__dict__:
            cls.averages_ties = (
                False  # it takes a formula that allows for them: a measure that has one says so
            )
        if name is None:
            if not hasattr(cls, "name"):
                cls.name = cls.__name__
            return
        if not ours and name in _REGISTRY and _of_the_package(_REGISTRY[name]):
            raise InputError(f"a measure of idealist is called {name!r}", hint="choose another name")
        cls.name = name
        cls.aliases = aliases or {}
        _REGISTRY[name] = cls
        _PARSED.clear()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Which parameters were stated; the others are open to what conventions say of them.
        self.__dict__["_stated"] = frozenset((*self.fields[: len(args)], *kwargs))

    def replace(self, **changes: Any) -> Self:
        other = super().replace(**changes)
        other.__dict__["_stated"] = self._stated.union(changes)
        return other

    def states(self, parameter_name: str) -> bool:
        """Whether a parameter was given, and is not the default because nothing was said of it."""
        return parameter_name in self._stated

    def with_unstated(self, parameters: Mapping[str, Any]) -> Measure:
        """The measure with these parameters in the place of its own that were not stated. So are the measures it
        holds. One that is for this measure alone has its name before it: "RBP.p".

        >>> from idealist import NDCG
        >>> NDCG(k=10).with_unstated({"gain": "exp"}), NDCG(gain="linear").with_unstated({"gain": "exp"})
        (NDCG(k=10, gain='exp'), NDCG())
        """
        if not parameters:
            return self
        changes = {
            field: value
            for field, value in unstated(type(self), parameters).items()
            if field not in self._stated
        }
        for field in self.fields:
            value = getattr(self, field)
            if isinstance(value, Measure):
                if (completed := value.with_unstated(parameters)) != value:
                    changes[field] = completed
            elif isinstance(value, FrozenTable) and any(isinstance(part, Measure) for part in value):
                changes[field] = {part.with_unstated(parameters): weight for part, weight in value.items()}
        return self.replace(**changes) if changes else self

    def _checked(self, field: str, value: Any) -> Any:
        default = getattr(type(self), field, None)
        if value is None and default is not None:
            raise InputError(f"{self.name} needs the parameter {field}", hint=f"by default it is {default}")
        return parameter(field).read(value)

    def values(self, rankings: Rankings) -> Values:
        """One number per query; nan where the measure is undefined. A list or an array will do."""
        raise InputError(
            f"{type(self).__name__} does not say how it is computed",
            hint="define values(self, rankings), which gives one number per query",
        )

    def pooled(self, rankings: Rankings) -> float:
        """One number over all queries, where that is not a mean of theirs."""
        raise TypeError(f"{type(self).__name__} is not pooled")

    def values_with_conventions(self, rankings: Rankings) -> Values:
        """The values under the rankings' conventions; nan marks a query that is left out."""
        values = self.measured(rankings)
        rankings.undefined[self] = len(values) - values.count()
        return self.completed(values, rankings.native, rankings.conventions)

    def measured(self, rankings: Rankings) -> Values:
        """The values, nan where the measure is undefined; an error where it is not for these rankings."""
        self._refuse(rankings)
        return self._named_values(rankings)

    def completed(self, values: Values, native: kernels.Rankings, conventions: Conventions) -> Values:
        """Values with the conventions for empty and missing queries applied."""
        if conventions.empty == "zero":
            values = values.filled(0.0)
        elif conventions.empty == "one":
            values = values.filled(1.0)
        elif conventions.empty == "skip":
            # Where grades are not what the measure looks at, what is undefined is left out.
            values = values.without(native.empty()) if self.needs.empty_by_grade else values
        elif (query := values.first_undefined()) is not None:
            raise InputError(
                f"{self} is undefined for query {native.name(query)!r}",
                hint=other_choices("empty"),
            )
        if conventions.missing == "skip":
            values = values.without(native.missing())
        return values

    def _named_values(self, rankings: Rankings) -> Values:
        """The values; whatever is wrong with the data, the measure it is wrong for is named."""
        try:
            values = self.values(rankings)
        except InputError as error:
            if error.source is not None or str(self) in error.message:
                raise
            raise InputError(f"{self}: {error.message}", hint=error.hint) from None
        if not kernels.are_values(values):
            values = self._of_numbers(values, len(rankings))
        if (query := values.first_infinite()) is not None:
            raise InputError(
                f"{self} is infinite for query {rankings.native.name(query)!r}",
                hint="use smaller numbers, or leave the query out",
            )
        return values

    def _of_numbers(self, numbers: Any, queries: int) -> Values:
        """What `values` gave as a list or an array."""
        hint = "values gives one number per query, in the order of the rankings, nan where it is undefined"
        try:
            given = [float(number) for number in numbers]
        except (TypeError, ValueError):
            raise InputError(f"{self}: values gave {numbers!r}, not a list of numbers", hint=hint) from None
        if len(given) != queries:
            raise InputError(
                f"{self}: values gave {count_of(len(given), 'number')} for {count_queries(queries)}",
                hint=hint,
            )
        return kernels.Values(given)

    def _refuse(self, rankings: Rankings) -> None:
        if self.needs.given_apart and self.needs not in rankings.tables:
            raise InputError(f"{self} needs {self.needs_in_words()}", hint=self.needs.instructions)
        ties = rankings.conventions.ties
        if ties in ("optimistic", "pessimistic") and not self.one_grade:
            raise InputError(
                f"{self} has no best and worst order of ties: a document has no single grade",
                hint="choose another rule for ties, such as ties=id-descending",
            )
        if (
            ties == "averaged"
            and not self.averages_ties
            and (query := self._first_tied(rankings)) is not None
        ):
            raise InputError(
                f"{self} has no closed form for averaged ties{query}",
                hint="choose another rule for ties, such as ties=id-descending",
            )
        if rankings.depth is not None and (self.depth is None or self.depth > rankings.depth):
            raise InputError(
                f"{self} looks below rank {rankings.depth}, where these rankings end",
                hint="make the rankings without depth",
            )

    def needs_in_words(self) -> str:
        """What it needs, and the column where that is always the same."""
        column = f" with a column {self.column_needed}" if self.column_needed else ""
        return f"{self.needs.description}{column}"

    def _first_tied(self, rankings: Rankings) -> str | None:
        """Where the measure meets documents of equal score, in words; None if nowhere."""
        if not self.needs.from_rankings:
            return ""  # it looks at more than the judged documents, of whose scores nothing is known here
        tied = kernels.tied(rankings.native)
        return f", and query {rankings.native.name(tied[0])!r} has some" if tied else None

    @property
    def one_grade(self) -> bool:
        """Whether the order of tied documents by grade is their order by worth."""
        return self.needs.from_rankings

    @property
    def depth(self) -> int | None:
        """The last rank the measure looks at, 0 if it looks at none; None if it may be any."""
        return getattr(self, "k", None)

    def __call__(
        self,
        grades: Sequence[Any],
        *others: Any,
        judged: Sequence[Any] | None = None,
        conventions: Conventions = DEFAULT,
    ) -> float:
        """The value of one list of grades in ranked order, None for an unjudged document.

        `judged` holds all judged grades, those of the list included, when more was judged than
        retrieved. Parameters of the conventions count where the measure states none.
        """
        if others:
            raise InputError(
                f"{self}(grades) takes one list: the grades of the documents in ranked order",
                hint=f"evaluate([grades], [scores], {str(self)!r}) takes grades and scores of documents in one order",
            )
        if self.needs.given_apart:
            raise InputError(
                f"{self} needs {self.needs.description}, not a list of grades", hint=self.needs.instructions
            )
        lists = Rankings.from_grades([grades], None if judged is None else [judged], conventions)
        return self.with_unstated(conventions.parameters).values_with_conventions(lists)[0]

    def __str__(self) -> str:
        """The text form, `nDCG(gain=exp)@10`, which `parse` reads back unless a parameter is a function."""
        stated = [
            f"{field}={parameter(field).text(value)}"
            for field in self.fields
            if field != self.at and self._is_written(field, value := getattr(self, field))
        ]
        inside = f"({','.join(stated)})" if stated else ""
        behind = getattr(self, self.at, None)
        return f"{self.name}{inside}" + ("" if behind is None else f"@{parameter(self.at).text(behind)}")

    def _is_written(self, field: str, value: Any) -> bool:
        """Whether the text form states a parameter."""
        always = field in ALWAYS_SAID and value is not None
        return always or bool(value != getattr(type(self), field))

    @property
    def label(self) -> str:
        """The label in tables."""
        return str(self)

    def __repr__(self) -> str:
        changed = (f for f in self.fields if getattr(self, f) != getattr(type(self), f, None))
        return f"{type(self).__name__}({', '.join(f'{f}={getattr(self, f)!r}' for f in changed)})"


def _of_the_package(cls: type[Measure]) -> bool:
    return cls.__module__.startswith("idealist.")


def unstated(cls: type[Measure], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What parameters by name say of a measure's fields; those with the measure's own name go before the others."""
    general = {field: parameters[field] for field in cls.fields if field in parameters}
    own_names = {field: f"{getattr(cls, 'name', '')}.{field}" for field in cls.fields}
    return general | {field: parameters[name] for field, name in own_names.items() if name in parameters}


def registered() -> dict[str, type[Measure]]:
    """The measures of the families that were imported so far, by name."""
    return _REGISTRY


def parsed_before() -> dict[str, Measure]:
    """Measures by text, for `parse`, which fills it."""
    return _PARSED
