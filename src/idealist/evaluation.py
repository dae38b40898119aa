"""Runs and judgments in, one value per system, measure and query out."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from math import exp, log

from idealist.conventions import DEFAULT, Conventions
from idealist.data import Judgments, RichJudgments, Run, UnreadRun, match
from idealist.data.needs import NEEDS
from idealist.data.numbers import as_id, as_number
from idealist.errors import InputError, MissingDependency
from idealist.frozen import Frozen
from idealist.kernels import Values
from idealist.measures import Judged, parse, parse_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from idealist import kernels
    from idealist.data import Rankings
    from idealist.data.rankings import RunLike
    from idealist.measures import Measure


NAN = float("nan")
LEAST = 1e-5  # what a geometric mean takes for 0, as trec_eval does


class Value(Frozen):
    """What a measure gives a system on a query."""

    system: str
    query: str
    measure: Measure
    value: float


class Evaluation:
    """The values of every system, measure and query, and the conventions they were made under.

    Iterating gives one `Value` per system, query and measure. A query that the conventions leave out
    has no value: it is not iterated, `value` gives nan, and `n` does not count it.
    """

    def __init__(
        self,
        measures: tuple[Measure, ...],
        values: dict[tuple[str, Measure], Values],
        pooled: dict[tuple[str, Measure], float],
        names: kernels.Rankings,
        systems: tuple[str, ...],
        conventions: Conventions,
        weights: Values | None,
        notes: tuple[str, ...],
        judged: dict[int | None, dict[str, float]],
    ) -> None:
        self.measures = measures
        self.systems = systems
        self.conventions = conventions
        self.notes = notes
        # By cut-off of the measures (None: all ranks) and system, the mean share of judged documents there.
        self.judged = judged
        self._values = values
        self._pooled = pooled
        self._names = names
        self._weights = weights
        self._positions: dict[str, int] | None = None

    @property
    def queries(self) -> list[str]:
        """All judged queries, in bytewise order."""
        return self._names.queries()

    def value(self, measure: str | Measure, query: str | int, system: str | None = None) -> float:
        """One query's value; nan when the query is left out."""
        values = self._found(measure, system)
        if self._positions is None:
            self._positions = {name: at for at, name in enumerate(self.queries)}
        name = as_id(query, "a query's id")
        if name not in self._positions:
            raise InputError(f"query {name!r} is not judged", hint="`queries` lists those that are")
        return values[self._positions[name]]

    def by_query(self, measure: str | Measure, system: str | None = None) -> dict[str, float]:
        """The values of all queries that are not left out."""
        values = self._found(measure, system)
        return {q: v for q, v in zip(self.queries, values, strict=True) if v == v}

    def mean(self, measure: str | Measure, system: str | None = None) -> float:
        """The mean over queries, weighted if weights were given; nan over none."""
        return self._mean(self._found(measure, system))

    def _mean(self, values: Values) -> float:
        if self._weights is None:
            return values.sum() / values.count() if values.count() else NAN
        defined = values * 0.0 + 1.0
        total = (defined * self._weights).sum()
        return (values * self._weights).sum() / total if total else NAN

    def aggregate(self, measure: str | Measure, system: str | None = None) -> float:
        """One number over queries: the mean or, as the measure says, the sum of counts, the geometric mean,
        or what it makes of all queries together."""
        wanted = parse(measure)
        values = self._found(wanted, system)
        if wanted.aggregate == "sum":
            return values.sum()
        if wanted.aggregate == "pooled":
            return self._pooled[system or self.systems[0], wanted]
        if wanted.aggregate == "geometric":
            logs = Values([log(max(value, LEAST)) if value == value else NAN for value in values])
            mean = self._mean(logs)
            return exp(mean) if mean == mean else NAN
        return self._mean(values)

    def n(self, measure: str | Measure, system: str | None = None) -> int:
        """How many queries the mean is over."""
        return self._found(measure, system).count()

    def effective_n(self, measure: str | Measure, system: str | None = None) -> float:
        """How many queries of equal weight would tell as much: (Σw)²/Σw². Without weights, n."""
        counted = self.weights_of(measure, system)
        return sum(counted) ** 2 / sum(weight * weight for weight in counted) if any(counted) else 0.0

    def weights_of(self, measure: str | Measure, system: str | None = None) -> list[float]:
        """The weights of the queries that `by_query` gives, in its order; 1 each without weights."""
        values = self._found(measure, system)
        weights = [1.0] * len(values) if self._weights is None else self._weights
        return [weight for weight, value in zip(weights, values, strict=True) if value == value]

    def __iter__(self) -> Iterator[Value]:
        queries = self.queries
        for system in self.systems:
            columns = [(measure, self._values[system, measure]) for measure in self.measures]
            for at, query in enumerate(queries):
                for measure, values in columns:
                    if (value := values[at]) == value:
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
        """One record per cut-off and system: how much of what the measures look at was judged."""
        return [
            {"k": k, "system": system, "share": None if share != share else share}
            for k, shares in self.judged.items()
            for system, share in shares.items()
        ]

    def to_json(self, *, by_query: bool = True) -> str:
        """Conventions, judged shares, means and, if wanted, per-query values as one JSON object."""
        import json

        whole: dict[str, Any] = {
            "conventions": self.conventions.to_dict(),
            "judged": self.judged_shares(),
            "summary": self.summary(),
        }
        if by_query:
            whole["by_query"] = self.to_dict()
        return json.dumps(whole, allow_nan=False)

    def to_frame(self, library: str = "polars") -> Any:
        """A data frame with the columns system, query, measure and value, of polars, pandas or pyarrow."""
        if library not in ("polars", "pandas", "pyarrow"):
            raise InputError(f"no frames of {library!r}", hint="one of polars, pandas, pyarrow")
        from importlib import import_module

        try:
            module = import_module(library)
        except ImportError:
            raise MissingDependency(
                f"{library} is not installed", hint="pip install 'idealist[frames]'"
            ) from None
        rows = list(self)
        columns: dict[str, list[Any]] = {
            "system": [row.system for row in rows],
            "query": [row.query for row in rows],
            "measure": [str(row.measure) for row in rows],
            "value": [row.value for row in rows],
        }
        return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)

    def _found(self, measure: str | Measure, system: str | None) -> Values:
        wanted = parse(measure)
        if wanted not in self.measures:
            raise InputError(
                f"{wanted} was not evaluated", hint=f"there are {', '.join(map(str, self.measures))}"
            )
        if system is None:
            if len(self.systems) > 1:
                raise InputError("which system?", hint=f"one of {', '.join(self.systems)}")
            system = self.systems[0]
        if system not in self.systems:
            raise InputError(f"no system is called {system!r}", hint=f"there are {', '.join(self.systems)}")
        return self._values[system, wanted]

    def _shown(self, measure: Measure, system: str) -> str:
        value = self.aggregate(measure, system)
        return f"{value:.0f}" if measure.aggregate == "sum" else f"{value:.4f}"

    def __repr__(self) -> str:
        systems, measures = ", ".join(self.systems), ", ".join(map(str, self.measures))
        return f"<Evaluation: {systems}; {measures}; {count_queries(len(self.queries))}>"

    def __str__(self) -> str:
        lines = []
        for measure in self.measures:
            means = "  ".join(
                f"{system} {self._shown(measure, system)} (n={self.n(measure, system)})"
                for system in self.systems
            )
            lines.append(f"{measure}  {means}")
        return "\n".join([*lines, f"conventions: {self.conventions}"])


def evaluate(
    run: RunLike | Sequence[RunLike] | Mapping[str, RunLike],
    judgments: Judgments | RichJudgments | Mapping[Any, Mapping[Any, Any]],
    measures: str | Measure | Iterable[str | Measure],
    *,
    conventions: Conventions = DEFAULT,
    weights: Mapping[Any, Any] | None = None,
    threads: int | None = None,
    profiles: Any = None,
    items: Any = None,
    clicks: Any = None,
) -> Evaluation:
    """Measures one run, or several, against the judgments.

    `run` is a Run, a dict of dicts, a sequence of these, or a mapping from names to them; what it holds
    for queries without judgments is not looked at. `weights` gives every judged query its weight in the
    mean. Some measures need more: judgments by subtopic (GroupedJudgments), a table of user `profiles`, of
    `items`, or of `clicks`, each as an object, a file or a frame.

    >>> result = evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, ["nDCG@10", "RR"])
    >>> result.mean("RR")
    0.5
    """
    wanted = parse_all(measures)
    tables = _tables(profiles=profiles, items=items, clicks=clicks)
    notes = [f"{measure}: {measure.caution}" for measure in wanted if measure.caution]
    if isinstance(judgments, RichJudgments):
        tables[judgments.need] = judgments
        notes += _refuse_or_note(judgments, wanted)
        judgments = judgments.plain()
    elif not isinstance(judgments, Judgments):
        judgments = Judgments(judgments)
    if "profiles" in tables:
        tables["profiles"].refuse_strangers(list(judgments))
    rankings: dict[str, Rankings] = {}
    again = any(measure.needs not in ("grades", "profiles") for measure in wanted)
    for name, one in named_runs(run).items():
        if again and isinstance(one, UnreadRun):
            one = one.read()  # it is looked at more than once, and a pipe could not be
        rankings[name] = found = match(one, judgments, conventions, threads=threads)
        found.tables = tables
        notes += _notes(name, found)
    values = {(name, measure): measure.settled(one) for name, one in rankings.items() for measure in wanted}
    pooled = {
        (name, measure): measure.pooled(one)
        for name, one in rankings.items()
        for measure in wanted
        if measure.aggregate == "pooled"
    }
    if weights is None and "profiles" in tables:
        weights = tables["profiles"].weights(list(judgments))
        notes += ["means are weighted by the profiles' column weight"] if weights else []
    weighted = None if weights is None else _weights(weights, judgments)
    names = next(iter(rankings.values())).native
    judged = _judged(wanted, rankings)
    return Evaluation(
        wanted, values, pooled, names, tuple(rankings), conventions, weighted, tuple(notes), judged
    )


def _judged(measures: Sequence[Measure], rankings: dict[str, Rankings]) -> dict[int | None, dict[str, float]]:
    """How much of what the measures of grades look at was judged; lower shares mean less certain values."""
    depths = dict.fromkeys(
        measure.depth
        for measure in measures
        if measure.needs in ("grades", "profiles") and measure.aggregate != "sum" and measure.depth != 0
    )
    shares: dict[int | None, dict[str, float]] = {}
    for k in depths:
        values = {name: Judged(k=k).settled(one) for name, one in rankings.items()}
        shares[k] = {name: one.sum() / one.count() if one.count() else NAN for name, one in values.items()}
    return shares


def _tables(**given: Any) -> dict[str, Any]:
    """The tables that were given, read if they are files or frames."""
    readers = import_module("idealist.io") if any(one is not None for one in given.values()) else None
    return {need: getattr(readers, f"read_{need}")(one) for need, one in given.items() if one is not None}


def _refuse_or_note(judgments: RichJudgments, measures: Sequence[Measure]) -> list[str]:
    plain = [measure for measure in measures if measure.needs in ("grades", "profiles")]
    if not plain:
        return []
    if judgments.note is None:
        raise InputError(
            f"{plain[0]} needs one grade per document, and these are {NEEDS[judgments.need][0]}",
            hint="give judgments with lines of `query iteration document grade`",
        )
    return [judgments.note]


def named_runs(run: Any) -> dict[str, RunLike]:
    """Every run by name, no name twice."""
    if isinstance(run, (Run, UnreadRun)):
        return {run.name: run}
    if isinstance(run, Mapping):
        return dict(run) if _holds_runs(run) else {"run": run}
    if isinstance(run, (str, bytes)) or not hasattr(run, "__iter__"):
        raise InputError(
            f"a run is a Run or a dict of dicts, not {run!r}", hint="read_run reads one from a file"
        )
    named: dict[str, RunLike] = {}
    for position, one in enumerate(run, 1):
        name = one.name if isinstance(one, (Run, UnreadRun)) else f"run {position}"
        if name in named:
            raise InputError(
                f"two runs are called {name!r}", hint="give them as a mapping from names to runs"
            )
        named[name] = one
    if not named:
        raise InputError("there is no run to evaluate")
    return named


def _holds_runs(mapping: Mapping[Any, Any]) -> bool:
    """Whether a mapping is from names to runs, and not itself a run."""
    for value in mapping.values():
        if isinstance(value, (Run, UnreadRun)):
            return True
        if isinstance(value, Mapping) and value:
            return isinstance(next(iter(value.values())), Mapping)
    return False


def _notes(name: str, rankings: Rankings) -> list[str]:
    notes = []
    missing = len(rankings.native.missing())
    if missing:
        counted = "skipped" if rankings.conventions.missing == "skip" else "counted as empty rankings"
        notes.append(f"{name}: {count_queries(missing)} judged but not in the run, {counted}")
    strangers = rankings.run_queries - (len(rankings) - missing)
    if strangers > 0:
        notes.append(f"{name}: {count_queries(strangers)} in the run but not judged, not measured")
    return notes


def count_queries(count: int) -> str:
    return f"{count:,} {'query' if count == 1 else 'queries'}"


def _weights(weights: Mapping[Any, Any], judgments: Judgments) -> Values:
    numbers = []
    if not isinstance(weights, Mapping):
        raise InputError(f"weights are a mapping from queries to numbers, not {weights!r}")
    named = {as_id(query, "a weight: a query's id"): weight for query, weight in weights.items()}
    for query in judgments:
        if query not in named:
            raise InputError(f"query {query!r} has no weight", hint="give every judged query one")
        weight = as_number(named[query], f"the weight of query {query!r}", finite=True)
        if weight < 0:
            raise InputError(f"the weight of query {query!r} is negative: {weight:g}")
        numbers.append(weight)
    if not 0 < sum(numbers) < float("inf"):
        raise InputError(f"the weights add up to {sum(numbers):g}", hint="it must be above 0, and finite")
    return Values(numbers)
