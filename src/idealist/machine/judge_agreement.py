"""How far a machine's grades agree with people's, and what they do to the order of systems."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.values import as_share
from idealist.statistics.intervals import mean_interval
from idealist.statistics.mean_estimates import Interval
from idealist.statistics.randomness import generator
from idealist.votes.agreement_of_raters import cohen_kappa, gwet_ac1, krippendorff_alpha, raw_agreement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

    from idealist.evaluation import Evaluation
    from idealist.measures import Measure


ROUNDS = 2000
FEWEST = 5  # queries: with fewer, what is drawn again hardly varies
CLUSTERED = "bootstrap over queries"


class QueryBootstrap:
    """Statistics of sums over documents, and their percentile intervals when whole queries are drawn again.

    `queries` has the number of the query of every document, from 0. The same draws serve every statistic.

    >>> import numpy as np
    >>> bootstrap = QueryBootstrap(np.repeat(np.arange(10), 5))
    >>> bootstrap.interval(np.ones((50, 1)), lambda sums: sums[..., 0] / 50).low
    1.0
    """

    def __init__(
        self, queries: NDArray[Any], *, rounds: int = ROUNDS, confidence: float = 0.95, seed: int = 0
    ) -> None:
        self.count = int(queries.max()) + 1 if len(queries) else 0
        self.confidence = as_share(confidence, "confidence")
        self._queries = queries
        self._draws: NDArray[Any] | None = None
        self._rounds, self._seed = rounds, seed

    @property
    def draws(self) -> NDArray[Any]:
        """How often each query is drawn, in every round."""
        if self._draws is None:
            even = [1 / self.count] * self.count
            self._draws = generator(self._seed).multinomial(self.count, even, self._rounds).astype(float)
        return self._draws

    def by_query(self, features: NDArray[Any]) -> NDArray[Any]:
        """The sums of every query's documents."""
        import numpy as np

        sums = np.zeros((self.count, features.shape[1]))
        np.add.at(sums, self._queries, features)
        return sums

    def interval(self, features: NDArray[Any], statistic: Callable[[NDArray[Any]], Any]) -> Interval | None:
        """The interval of a statistic of the sums of features over documents, which must take a stack of sums; None
        with few queries, or where it is undefined in most rounds."""
        return None if self.count < FEWEST else self.of_sums(self.by_query(features), statistic)

    def of_sums(self, sums: NDArray[Any], statistic: Callable[[NDArray[Any]], Any]) -> Interval | None:
        """The same, from sums by query."""
        import numpy as np

        if self.count < FEWEST:
            return None
        values = np.asarray(statistic(self.draws @ sums), dtype=float)
        values = values[~np.isnan(values)]
        if 2 * len(values) < self._rounds:
            return None
        low, high = np.quantile(values, [(1 - self.confidence) / 2, (1 + self.confidence) / 2])
        return Interval(float(low), float(high), self.confidence, CLUSTERED)


class JudgeCoefficient(Frozen):
    """A coefficient of agreement, nan where it is undefined, and its interval by a bootstrap over queries."""

    name: str
    value: float
    interval: Interval | None


class OverRating(Frozen):
    """Documents of one kind (a human grade, a value of a column): how many, both mean grades, how much higher the machine
    grades them, and the shares that it grades higher and lower than people."""

    kind: str
    n: int
    human: float
    machine: float
    over: float
    interval: Interval | None
    higher: float
    lower: float


def weighted_kappa(confusions: Any) -> Any:
    """Agreement beyond chance where a miss counts by the square of how many grades it is off: 1 − Σw·p/Σw·e.

    Undefined when both always give the same one grade. Cohen, 1968.

    >>> round(float(weighted_kappa([[2, 1, 0], [0, 2, 1], [0, 0, 2]])), 4)  # 1 − 2/(82/8)
    0.8049
    """
    import numpy as np

    table = np.asarray(confusions, dtype=float)
    size = table.shape[-1]
    weights = (np.arange(size)[:, None] - np.arange(size)[None, :]) ** 2
    total = table.sum(axis=(-2, -1))
    chance = table.sum(axis=-1)[..., :, None] * table.sum(axis=-2)[..., None, :]
    expected = (weights * chance).sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        missed = (weights * table).sum(axis=(-2, -1)) * total / expected
    return np.where(expected == 0, np.nan, 1 - missed)


def judge_coefficients(
    human: NDArray[Any], machine: NDArray[Any], levels: int, bootstrap: QueryBootstrap
) -> tuple[JudgeCoefficient, ...]:
    """Raw agreement, κ, weighted κ, α and AC1 of two judges, whose answers are numbers from 0 to `levels` − 1."""
    import numpy as np

    cells = np.eye(levels * levels)[human * levels + machine]
    sums = bootstrap.by_query(cells)
    if levels < 2:
        return (JudgeCoefficient("raw", 1.0, bootstrap.of_sums(sums, lambda s: np.ones(s.shape[:-1]))),)
    statistics = {
        "raw": raw_agreement,
        "Cohen κ": cohen_kappa,
        "weighted κ": weighted_kappa,
        "α ordinal": lambda table: krippendorff_alpha(table + np.swapaxes(table, -1, -2), ordinal=True),
        "AC1": lambda table: gwet_ac1(raw_agreement(table), _shares(table)),
    }

    def tabled(statistic: Any) -> Any:
        return lambda s: statistic(s.reshape(*s.shape[:-1], levels, levels))

    total = sums.sum(axis=0)
    return tuple(
        JudgeCoefficient(name, float(tabled(statistic)(total)), bootstrap.of_sums(sums, tabled(statistic)))
        for name, statistic in statistics.items()
    )


def over_ratings(
    kinds: NDArray[Any],
    names: list[str],
    human: NDArray[Any],
    machine: NDArray[Any],
    bootstrap: QueryBootstrap,
) -> tuple[OverRating, ...]:
    """Over-rating of the documents of every kind; `kinds` has the number of each document's."""
    import numpy as np

    ratings = []
    for number, name in enumerate(names):
        member = kinds == number
        n = int(member.sum())
        if not n:
            continue
        gap = (machine - human)[member]
        features = np.stack([member, np.where(member, machine - human, 0.0)], axis=1).astype(float)

        def mean_gap(sums: NDArray[Any]) -> Any:
            with np.errstate(divide="ignore", invalid="ignore"):
                return sums[..., 1] / sums[..., 0]

        ratings.append(
            OverRating(
                name,
                n,
                float(human[member].mean()),
                float(machine[member].mean()),
                float(gap.mean()),
                bootstrap.interval(features, mean_gap),
                float((gap > 0).mean()),
                float((gap < 0).mean()),
            )
        )
    return tuple(ratings)


def _shares(table: Any) -> Any:
    """How often each grade is given, by both judges together."""
    import numpy as np

    both = table.sum(axis=-1) + table.sum(axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return both / both.sum(axis=-1, keepdims=True)


class SystemBias(Frozen):
    """A system's mean by people and by the machine, over the queries that both judged, how much higher the machine's is,
    and `favour`: how much more the machine lifts it than it lifts the other systems."""

    system: str
    human: float
    machine: float
    bias: float
    interval: Interval | None
    favour: float | None
    favour_interval: Interval | None


class SystemOrder(Frozen):
    """Systems by one measure: the bias of each, and how alike people and the machine order them. `tau` and `tau_ap` are
    None for one system."""

    measure: Measure
    queries: int
    systems: tuple[SystemBias, ...]
    tau: float | None
    tau_interval: Interval | None
    tau_ap: float | None
    tau_ap_interval: Interval | None

    @property
    def favoured(self) -> tuple[SystemBias, ...]:
        """The systems that the machine lifts more, or less, than the others, by intervals that leave out 0."""
        return tuple(s for s in self.systems if s.favour_interval is not None and 0 not in s.favour_interval)


def system_order(
    human: Evaluation, machine: Evaluation, measure: Measure, bootstrap: type[QueryBootstrap], **how: Any
) -> SystemOrder | None:
    """Biases and orders of the systems; None where no query has a value by both."""
    import numpy as np

    systems = human.systems
    by_people = [human.by_query(measure, system) for system in systems]
    by_machine = [machine.by_query(measure, system) for system in systems]
    queries = [q for q in human.queries if all(q in values for values in (*by_people, *by_machine))]
    if not queries:
        return None
    h, f = (np.array([[values[q] for q in queries] for values in side]) for side in (by_people, by_machine))
    biases = tuple(
        _bias(system, h[at], f[at], np.delete(f - h, at, axis=0), how["confidence"])
        for at, system in enumerate(systems)
    )
    if len(systems) < 2:
        return SystemOrder(measure, len(queries), biases, None, None, None, None)
    means = h.mean(axis=1), f.mean(axis=1)
    both = np.concatenate([h, f]).T  # queries × both means of every system
    draws = bootstrap(np.arange(len(queries)), **how)

    def of(correlation: Any) -> Any:
        size = len(systems)
        return lambda sums: np.array([correlation(row[:size], row[size:]) for row in np.atleast_2d(sums)])

    return SystemOrder(
        measure,
        len(queries),
        biases,
        kendall_tau(*means),
        draws.of_sums(both, of(kendall_tau)),
        tau_ap(*means),
        draws.of_sums(both, of(tau_ap)),
    )


def kendall_tau(truth: Any, other: Any) -> float:
    """Kendall's τ-b of two lists of values: of all pairs, how many more are ordered alike than not; ties count in neither.
    nan where one of the lists has the same value throughout. Kendall, 1938.

    >>> kendall_tau([1, 2, 3], [1, 3, 2])  # two pairs alike, one not
    0.3333333333333333
    """
    import numpy as np

    a, b = (np.sign(np.subtract.outer(x, x)) for x in (np.asarray(truth), np.asarray(other)))
    size = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum() / size) if size else float("nan")


def tau_ap(truth: Any, other: Any) -> float:
    """τ of average precision: from the top of the other's order, how many above each system are rightly above it, so that
    the best systems count most; 2/(n − 1)·Σ C(i)/(i − 1) − 1. Yilmaz, Aslam and Robertson, SIGIR 2008. Ties of the
    other's values stand in the order of the list, ties of the truth count half.

    >>> tau_ap([3, 2, 1], [2, 3, 1])  # at rank 2 none of one is right, at rank 3 two of two
    0.0
    """
    import numpy as np

    x = np.asarray(truth, dtype=float)[np.argsort(-np.asarray(other, dtype=float), kind="stable")]
    n = len(x)
    right = [((x[:i] > x[i]).sum() + 0.5 * (x[:i] == x[i]).sum()) / i for i in range(1, n)]
    return float(2 / (n - 1) * sum(right) - 1)


def _bias(
    system: str, human: NDArray[Any], machine: NDArray[Any], other_gaps: NDArray[Any], confidence: float
) -> SystemBias:
    gaps = machine - human
    favour = favour_interval = None
    if len(other_gaps):
        beyond = gaps - other_gaps.mean(axis=0)
        favour, favour_interval = float(beyond.mean()), mean_interval(beyond.tolist(), confidence=confidence)
    return SystemBias(
        system,
        float(human.mean()),
        float(machine.mean()),
        float(gaps.mean()),
        mean_interval(gaps.tolist(), confidence=confidence),
        favour,
        favour_interval,
    )
