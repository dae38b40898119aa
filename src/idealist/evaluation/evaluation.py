"""The result of an evaluation: one value per system, measure and query, or the means alone."""

from __future__ import annotations

from copy import copy

from idealist.base.frozen import Frozen, FrozenTable, kept
from idealist.base.results import Drawable
from idealist.base.values import as_id
from idealist.base.wording import count_queries
from idealist.data.collection import frame_of
from idealist.errors import InputError, UnknownMeasure
from idealist.evaluation.aggregates import aggregated, bounds_of_ties, differences, weighted_mean
from idealist.kernels import Values
from idealist.measures import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, NoReturn, Self

    from idealist import kernels
    from idealist.conventions import Conventions
    from idealist.data import Rankings
    from idealist.data.provenance import Sources
    from idealist.evaluation.aggregates import TieBounds, TiedQueries
    from idealist.evaluation.corrected import CorrectedMeans
    from idealist.evaluation.drawn_values import DrawnValues
    from idealist.evaluation.evaluation_records import RunSnapshot
    from idealist.evaluation.machine_values import MachineValues
    from idealist.measures import Measure

    Key = tuple[str, Measure]


class Value(Frozen):
    """The value of a measure for a system on a query."""

    system: str
    query: str
    measure: Measure
    value: float


class QueryNames:
    """The judged queries, in bytewise order, where there are no rankings to ask."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)

    def queries(self) -> list[str]:
        return list(self._names)

    def name(self, query: int) -> str:
        return self._names[query]


class Evaluation(Drawable):
    """The values of every system, measure and query, and the conventions they were computed under.

    Iterating gives one `Value` per system, query and measure. A query that the conventions leave out
    has no value: it is not iterated, `value` gives nan, and `n` does not count it.
    """

    def __init__(
        self,
        *,
        measures: tuple[Measure, ...],
        values: dict[tuple[str, Measure], Values],
        pooled: dict[tuple[str, Measure], float],
        names: kernels.Rankings | QueryNames,
        systems: tuple[str, ...],
        conventions: Conventions,
        weights: Values | None = None,
        notes: tuple[str, ...] = (),
        judged: Mapping[int | None, Mapping[str, float]],
        tied: dict[str, TiedQueries] | None = None,
        missing: Mapping[str, tuple[str, ...]] | None = None,
        provenance: Sources | None = None,
        weighted_by: str = "",
        whole_ids: bool = False,
        machine: MachineValues | DrawnValues | None = None,
        runs: Mapping[str, RunSnapshot] | None = None,
        grades: tuple[float, float] | None = None,
    ) -> None:
        self.measures = measures
        self.systems = systems
        self.conventions = conventions
        self.notes = notes
        # By cut-off of the measures (None: all ranks) and system, the mean share of judged documents there.
        self.judged: Mapping[int | None, Mapping[str, float]] = FrozenTable(
            {k: FrozenTable(shares) for k, shares in judged.items()}
        )
        # By system, the judged queries that its run lacks.
        self.missing: Mapping[str, tuple[str, ...]] = FrozenTable(missing or {})
        # Of the judgments and of each system's run, as far as it is known.
        self.provenance = provenance
        # What the weights of queries are, in words, such as "column traffic of queries.csv"; empty without any.
        self.weighted_by = weighted_by
        # The judged queries were given as whole numbers, not as text: frames have them so.
        self.whole_ids = whole_ids
        # What the judgments of a machine say of the same runs, where there are any.
        self.machine = machine
        # By system, its run, which can be read again in the process that measured it.
        self.runs: Mapping[str, RunSnapshot] = FrozenTable(runs or {})
        # The lowest and the highest grade of the judgments, where they are known.
        self.grades = grades
        self._values = values
        self._known = frozenset(measures)
        self._columns = tuple(measure for measure in measures if measure.given)
        self._pooled = pooled
        self._names = names
        self._weights = weights
        self._positions: dict[str, int] | None = None
        self._tied = tied or {}

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: values, names and bounds of ties, without rankings and runs."""
        for system in self.systems:
            for measure in self.measures:
                self._tied_values(measure, system)
        return {**self.__dict__, "_names": QueryNames(self.queries), "_positions": None}

    def replaced(self, **attributes: Any) -> Self:
        """A copy with other values of these attributes."""
        other = copy(self)
        other.__dict__.update(
            {name: value if name.startswith("_") else kept(value) for name, value in attributes.items()}
        )
        return other

    def __eq__(self, other: object) -> bool:
        """Equal in all that was measured, to the last bit; whatever files it came from."""
        if type(self) is not type(other) or not isinstance(other, Evaluation):
            return NotImplemented
        return self._measured() == other._measured()

    def __hash__(self) -> int:
        return hash((type(self), self.systems, self.measures, self.conventions))

    def _measured(self) -> tuple[object, ...]:
        from idealist.evaluation.corrected import machine_record

        return (
            *(self.systems, self.measures, self.conventions, self.notes, self.queries, self.missing),
            *(self.weighted_by, self.whole_ids, str(self.judged), str(self._pooled)),
            None if self._weights is None else bytes(memoryview(self._weights)),
            {key: bytes(memoryview(values)) for key, values in self._values.items()},
            None if self.machine is None else str(machine_record(self.machine)),
        )

    @property
    def queries(self) -> list[str]:
        """All judged queries, in bytewise order."""
        return self._names.queries()

    @property
    def weighted(self) -> bool:
        """Whether queries have weights in the means."""
        return self._weights is not None

    @property
    def weights(self) -> Values | None:
        """The weights of `queries`, if they have any."""
        return self._weights

    @property
    def pooled(self) -> dict[tuple[str, Measure], float]:
        """The values of measures of all queries together, by system and measure."""
        return dict(self._pooled)

    @property
    def tied_queries(self) -> dict[str, TiedQueries]:
        """By system, the queries whose tied documents could be ranked otherwise, where that is known."""
        return dict(self._tied)

    def measure_of(self, measure: str | Measure) -> Measure:
        """The measure that a text or an object means under these conventions, or the column of numbers."""
        if isinstance(measure, str):
            for column in self._columns:
                if measure in (column.label, str(column)):
                    return column
        try:
            parsed_measure = parse(measure, defaults=self.conventions.parameters)
        except UnknownMeasure:  # somebody's own, of a class without a name in texts
            own = next((known for known in self.measures if str(known) == measure), None)
            if own is None:
                raise
            return own
        # One that was read from a file does not know any more what was stated.
        as_given = (
            not isinstance(measure, str) and parsed_measure not in self._known and measure in self._known
        )
        return parse(measure) if as_given else parsed_measure

    def value(self, measure: str | Measure, query: str | int, system: str | None = None) -> float:
        """One query's value; nan when the query is left out."""
        values = self._values_of(measure, system)
        if self._positions is None:
            self._positions = {name: position for position, name in enumerate(self.queries)}
        name = as_id(query, "a query's id")
        if name not in self._positions:
            raise InputError(f"query {name!r} is not judged", hint="`queries` lists the judged queries")
        return values[self._positions[name]]

    def by_query(self, measure: str | Measure, system: str | None = None) -> dict[str, float]:
        """The values of all queries that are not left out."""
        values = self._values_of(measure, system)
        return {q: v for q, v in zip(self.queries, values, strict=True) if v == v}

    def mean(self, measure: str | Measure, system: str | None = None) -> float:
        """The mean over queries, weighted if weights were given; nan over none. An error for measures that have
        another number in its place, which `aggregate` gives."""
        parsed_measure = self.measure_of(measure)
        values = self._values_of(parsed_measure, system)
        if parsed_measure.aggregate != "mean":
            aggregates = {"sum": "the sum over queries", "geometric": "the geometric mean over queries"}
            raise InputError(
                f"{parsed_measure} has no mean over queries: its value is "
                f"{aggregates.get(parsed_measure.aggregate, 'that of all queries together')}",
                hint=f"aggregate({str(parsed_measure)!r}) gives it, and by_query({str(parsed_measure)!r}) the values of queries",
            )
        return weighted_mean(values, self._weights)

    def __getitem__(self, key: tuple[str, str | Measure]) -> float:
        """The aggregate of a system and a measure: `evaluation["dense", "nDCG@10"]`."""
        from idealist.evaluation.corrected import system_and_measure

        system, measure = system_and_measure(key, "an evaluation", "evaluation", self.systems, self.measures)
        return self.aggregate(measure, system)

    def aggregate(self, measure: str | Measure, system: str | None = None) -> float:
        """One number over queries: the mean or, as the measure says, the sum of counts, the geometric mean,
        or what it makes of all queries together."""
        parsed_measure = self.measure_of(measure)
        values = self._values_of(parsed_measure, system)
        if parsed_measure.aggregate == "pooled":
            return self._pooled[system or self.systems[0], parsed_measure]
        return aggregated(parsed_measure, values, self._weights)

    def corrected(self, confidence: float = 0.95) -> CorrectedMeans:
        """The means that human and machine judgments give together, with intervals, where `machine` was given."""
        from idealist.evaluation.corrected import corrected_means

        return corrected_means(self, confidence)

    def bounded(self, measure: str | Measure, system: str | None = None) -> bool:
        """Whether the order of tied documents by grade bounds the measure, so that `ties` is defined."""
        parsed_measure = self._measured_as(measure)
        return self._tied_values(parsed_measure, self._named(system)) is not None

    def ties(self, measure: str | Measure, system: str | None = None) -> TieBounds:
        """How many values could change with the order of tied documents, by how much, and the mean under the
        worst and the best order. It is the same under every rule for ties.

        >>> from idealist import evaluate
        >>> evaluate({"q": {"b": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "RR").ties("RR")
        TieBounds(queries=1, largest=0.5, pessimistic=0.5, optimistic=1.0)
        """
        parsed_measure = self.measure_of(measure)
        values = self._values_of(parsed_measure, system)
        return bounds_of_ties(parsed_measure, values, self._weights, *self._bounds(parsed_measure, system))

    def ties_by_query(
        self, measure: str | Measure, system: str | None = None
    ) -> dict[str, tuple[float, float]]:
        """Every query's value under the worst and the best order of tied documents."""
        values = self.by_query(measure, system)
        queries, worst, best = self._bounds(self.measure_of(measure), system)
        bounds = {query: (value, value) for query, value in values.items()}
        for at, low, high in zip(queries, worst, best, strict=True):
            if low == low:
                bounds[self._names.name(at)] = low, high
        return bounds

    def tied(self, system: str | None = None) -> int:
        """For how many queries the order of tied documents could change the value of some measure."""
        changes: Values | None = None
        for measure in self.measures:
            bounds = self._tied_values(measure, self._named(system))
            if bounds is not None:
                gaps = differences(*bounds[1:])
                changes = gaps if changes is None else changes.maximum(gaps)
        return 0 if changes is None else int((changes > 0.0).sum())

    def tie_bounds(self) -> list[dict[str, Any]]:
        """One record per system and measure that has bounds: the fields of its TieBounds."""
        from idealist.evaluation.evaluation_records import tie_records

        return tie_records(self)

    def _bounds(self, measure: Measure, system: str | None) -> tuple[list[int], Values, Values]:
        bounds = self._tied_values(measure, self._named(system))
        if bounds is None:
            raise InputError(
                f"{measure} has no best and worst order of ties",
                hint="`bounded` says whether a measure has them",
            )
        return bounds

    def _tied_values(self, measure: Measure, system: str) -> tuple[list[int], Values, Values] | None:
        """The queries with ties, and their values under the worst and the best order."""
        tied = self._tied.get(system)
        bounds = tied and tied.bounds(measure)
        return (tied.queries, *bounds) if tied and bounds else None

    def n(self, measure: str | Measure, system: str | None = None) -> int:
        """How many queries the mean is over."""
        return self._values_of(measure, system).count()

    def effective_n(self, measure: str | Measure, system: str | None = None) -> float:
        """The effective sample size of weighted queries: (Σw)²/Σw². Without weights, n."""
        from idealist.data.query_weights import effective_size

        return effective_size(self.weights_of(measure, system))

    def weights_of(self, measure: str | Measure, system: str | None = None) -> list[float]:
        """The weights of the queries that `by_query` gives, in its order; 1 each without weights."""
        values = self._values_of(measure, system)
        weights = [1.0] * len(values) if self._weights is None else self._weights
        return [weight for weight, value in zip(weights, values, strict=True) if value == value]

    def __iter__(self) -> Iterator[Value]:
        queries = self.queries
        for system in self.systems:
            columns = [(measure, self._values[system, measure]) for measure in self.measures]
            for position, query in enumerate(queries):
                for measure, values in columns:
                    if (value := values[position]) == value:
                        yield Value(system, query, measure, value)

    def __len__(self) -> int:
        return sum(values.count() for values in self._values.values())

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """{system: {measure: {query: value}}}."""
        return {
            system: {str(measure): self.by_query(measure, system) for measure in self.measures}
            for system in self.systems
        }

    def summary(self) -> list[dict[str, Any]]:
        """One record per system and measure: system, measure, n, and the value (None over no query) under the
        name of what it is: mean, sum, geometric or pooled."""
        return [
            {
                "system": system,
                "measure": str(measure),
                measure.aggregate: None if (value := self.aggregate(measure, system)) != value else value,
                "n": self.n(measure, system),
            }
            for system in self.systems
            for measure in self.measures
        ]

    def judged_shares(self) -> list[dict[str, Any]]:
        """One record per cut-off and system: the share of judged documents."""
        return [
            {"k": k, "system": system, "share": None if share != share else share}
            for k, shares in self.judged.items()
            for system, share in shares.items()
        ]

    def to_json(self, *, by_query: bool = True) -> str:
        """Conventions, provenance, judged shares, bounds of ties, notes and means as one JSON object. With
        per-query values it is all that `read_evaluation` needs to have the evaluation again."""
        import json

        from idealist.evaluation.evaluation_records import record_of

        return json.dumps(record_of(self, by_query=by_query), allow_nan=False)

    def to_frame(self, library: str = "polars") -> Any:
        """A data frame with the columns system, query, measure and value, of polars, pandas or pyarrow. Queries are
        text, or whole numbers where the judgments were given with such (not where they were read from text)."""
        from idealist.evaluation.evaluation_records import frame_columns

        return frame_of(frame_columns(self), library)

    def _values_of(self, measure: str | Measure, system: str | None) -> Values:
        parsed_measure = self._measured_as(measure)
        return self._values[self._named(system), parsed_measure]

    def _measured_as(self, measure: str | Measure) -> Measure:
        parsed_measure = self.measure_of(measure)
        if (self.systems[0], parsed_measure) not in self._values:
            raise InputError(
                f"{parsed_measure} was not evaluated",
                hint=f"name one of: {', '.join(map(str, self.measures))}",
            )
        return parsed_measure

    def _named(self, system: str | None) -> str:
        if system is None:
            if len(self.systems) > 1:
                raise InputError(
                    f"several systems were measured; name one of: {', '.join(self.systems)}",
                    hint=f"system={self.systems[0]!r}",
                )
            return self.systems[0]
        if system not in self.systems:
            raise InputError(
                f"no system is called {system!r}", hint=f"name one of: {', '.join(self.systems)}"
            )
        return system

    def _gist(self) -> str:
        systems, measures = ", ".join(self.systems), ", ".join(map(str, self.measures))
        return f"{systems}; {measures}; {count_queries(len(self.queries))}"


class Summary:
    """By system and measure: the value over all queries, how many it is over, and what ties could change. One
    measure's values are there at a time."""

    def __init__(self, weights: Values | None, tied: dict[str, TiedQueries]) -> None:
        self.weights = weights
        self.tied = tied
        self.aggregates: dict[Key, float] = {}
        self.counts: dict[Key, int] = {}
        self.ties: dict[Key, TieBounds] = {}
        self.changing: dict[str, int] = {}  # by system, how many queries ties could change

    def take(self, system: str, rankings: Rankings, measures: Iterable[Measure]) -> None:
        tied = self.tied[system]
        changes: Values | None = None
        for measure in measures:
            values = measure.values_with_conventions(rankings)
            self.aggregates[system, measure] = aggregated(measure, values, self.weights)
            self.counts[system, measure] = values.count()
            if (bounds := tied.measured(measure)) is None:
                continue
            self.ties[system, measure] = bounds_of_ties(measure, values, self.weights, tied.queries, *bounds)
            gaps = differences(*bounds)
            changes = gaps if changes is None else changes.maximum(gaps)
        self.changing[system] = 0 if changes is None else int((changes > 0.0).sum())


class SummaryEvaluation(Evaluation):
    """An evaluation that has what tables print, and refuses what takes every query's value."""

    def __init__(self, *, summary: Summary, **facts: Any) -> None:
        super().__init__(values={}, **facts)
        self._summary = summary

    def aggregate(self, measure: str | Measure, system: str | None = None) -> float:
        key = self._key(measure, system)
        return self._pooled[key] if key in self._pooled else self._summary.aggregates[key]

    def n(self, measure: str | Measure, system: str | None = None) -> int:
        return self._summary.counts[self._key(measure, system)]

    def bounded(self, measure: str | Measure, system: str | None = None) -> bool:
        return self._key(measure, system) in self._summary.ties

    def ties(self, measure: str | Measure, system: str | None = None) -> TieBounds:
        return self._summary.ties[self._key(measure, system)]

    def tied(self, system: str | None = None) -> int:
        return self._summary.changing[self._named(system)]

    def _key(self, measure: str | Measure, system: str | None) -> Key:
        return self._named(system), self._measured_as(measure)

    def _measured_as(self, measure: str | Measure) -> Measure:
        return self.measure_of(measure)

    def _values_of(self, measure: str | Measure, system: str | None) -> NoReturn:
        raise InputError("this evaluation has no values of queries", hint="--by-query keeps them")
