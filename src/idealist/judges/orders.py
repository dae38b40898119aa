"""What a machine's judgments do to systems: their order, and whom they favour."""

from __future__ import annotations

from idealist.frozen import Frozen
from idealist.statistics.interval import Interval
from idealist.statistics.intervals import mean_interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from idealist.evaluation import Evaluation
    from idealist.judges.clusters import QueryBootstrap
    from idealist.measures import Measure


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
