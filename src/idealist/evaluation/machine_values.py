"""Values by a machine's judgments, and its grades turned into the human grades to be expected."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.values import as_choice
from idealist.base.wording import count_of, count_queries, percent
from idealist.data.arguments import read_judged
from idealist.data.grouped import bytewise
from idealist.data.judgments import Judgments, RichJudgments
from idealist.errors import InputError
from idealist.statistics.mean_estimates import weighted_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.evaluation.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.statistics.prediction_powered import PoweredMean, PoweredTest

    Measured = Callable[[Judgments], Evaluation]


METHODS = ("isotonic", "table")
FOLDS = 5


class Calibration(Frozen):
    """The expected human grade by machine grade, learned without the queries of `queries`."""

    grades: Mapping[float, float]
    queries: tuple[str, ...] = ()

    def applied(self, machine: Judgments) -> Judgments:
        """The judgments with human grades; a machine grade that was not seen has that of the nearest seen one, and the
        lower of two."""
        known = sorted(self.grades)
        expected: dict[float, float] = {}
        by_query: dict[str, dict[str, float]] = {}
        for query, documents in machine.items():
            by_query[query] = {}
            for document, grade in documents.items():
                if grade not in expected:
                    nearest = min(known, key=lambda seen: (abs(seen - grade), seen))
                    expected[grade] = self.grades[nearest]
                by_query[query][document] = expected[grade]
        return Judgments(by_query, name=machine.name)


def calibrations(human: Judgments, machine: Judgments, method: str) -> list[Calibration]:
    """Five fits, each without every fifth of the queries that both judged; fewer where there are fewer queries."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for query, documents in human.items():
        if query in machine:
            machine_grades = machine[query]
            its = [(machine_grades[d], grade) for d, grade in documents.items() if d in machine_grades]
            if its:
                pairs[query] = its
    queries = sorted(pairs, key=bytewise)
    if len(queries) < 2:
        raise InputError(
            f"calibrating the machine's grades needs two queries that people judged too, and there {'is' if queries else 'are'} {len(queries)}",
            hint="leave --calibrate (calibrate=) out",
        )
    folds = [tuple(queries[at::FOLDS]) for at in range(min(FOLDS, len(queries)))]
    return [
        Calibration(
            fitted_grades([pair for query in queries if query not in fold for pair in pairs[query]], method),
            fold,
        )
        for fold in folds
    ]


def fitted_grades(pairs: Sequence[tuple[float, float]], method: str) -> dict[float, float]:
    """The mean human grade by machine grade, from pairs of both; "isotonic" makes it rise with the machine's.

    >>> pairs = [(0, 0), (1, 2), (1, 1), (2, 1), (2, 0)]
    >>> fitted_grades(pairs, "table")
    {0: 0.0, 1: 1.5, 2: 0.5}
    >>> fitted_grades(pairs, "isotonic")  # 1 and 2 pooled: (1.5·2 + 0.5·2)/4
    {0: 0.0, 1: 1.0, 2: 1.0}
    """
    as_choice(method, "calibrate", METHODS)
    sums: dict[float, tuple[float, int]] = {}
    for machine_grade, human_grade in pairs:
        total, count = sums.get(machine_grade, (0.0, 0))
        sums[machine_grade] = total + human_grade, count + 1
    known = sorted(sums)
    means = [sums[grade][0] / sums[grade][1] for grade in known]
    if method == "isotonic":
        from scipy.optimize import isotonic_regression

        means = isotonic_regression(means, weights=[sums[grade][1] for grade in known]).x.tolist()
    return dict(zip(known, map(float, means), strict=True))


def expected_shares(
    rows: Sequence[tuple[float, float, float]], method: str
) -> dict[float, dict[float, float]]:
    """By machine grade, the share of every human grade to be expected, from rows of machine grade, human grade and weight;
    "isotonic" makes the share of every grade or higher rise with the machine's.

    >>> expected_shares([(0, 0, 1.0), (1, 0, 1.0), (1, 2, 3.0)], "table")
    {0: {0: 1.0, 2: 0.0}, 1: {0: 0.25, 2: 0.75}}
    """
    as_choice(method, "calibrate", METHODS)
    totals: dict[float, float] = {}
    for machine_grade, _, weight in rows:
        totals[machine_grade] = totals.get(machine_grade, 0.0) + weight
    known, grades = sorted(totals), sorted({human_grade for _, human_grade, _ in rows})
    reaching: list[list[float]] = []
    for grade in grades:
        sums = dict.fromkeys(known, 0.0)
        for machine_grade, human_grade, weight in rows:
            sums[machine_grade] += weight * (human_grade >= grade)
        shares = [sums[label] / totals[label] for label in known]
        if method == "isotonic":
            from scipy.optimize import isotonic_regression

            weights = [totals[label] for label in known]
            shares = isotonic_regression(shares, weights=weights).x.tolist()
        reaching.append(shares)
    reaching.append([0.0] * len(known))
    return {
        label: {grade: reaching[row][at] - reaching[row + 1][at] for row, grade in enumerate(grades)}
        for at, label in enumerate(known)
    }


FULLY = 0.9  # of the documents that the machine judged: who judged fewer has not judged a query in full


class Sides(Frozen):
    """Values by people and by the machine of the same queries, and those by the machine of others, as `powered_mean` takes
    them. A query that people alone judged has the machine's mean: it is not corrected."""

    human: NDArray[Any]
    machine: NDArray[Any]
    unlabelled: NDArray[Any]
    weights: list[float] | None
    unlabelled_weights: list[float] | None
    bounds: tuple[float, float] | None

    def __neg__(self) -> Sides:
        """Those of the values times −1."""
        bounds = None if self.bounds is None else (-self.bounds[1], -self.bounds[0])
        return Sides(
            -self.human, -self.machine, -self.unlabelled, self.weights, self.unlabelled_weights, bounds
        )

    def estimate(self, confidence: float, unseen: tuple[float, float] | None = None) -> PoweredMean:
        from idealist.statistics.prediction_powered import powered_mean

        return powered_mean(**self._given, unseen=unseen, confidence=confidence)

    def test(self, unseen: tuple[float, float] | None, more: int = 0) -> PoweredTest | None:
        """The test behind the estimate, with the λ of so many more queries that people judge."""
        from idealist.statistics.prediction_powered import powered_test

        found = powered_test(**self._given, unseen=unseen, more=more)
        return None if found is None else found[0]

    @property
    def _given(self) -> dict[str, Any]:
        return {field: getattr(self, field) for field in self.fields}


class MachineValues:
    """The values of every system and measure by the machine's judgments, for the queries that it judged.

    `calibrate` is how its grades were turned into human ones first. `notes` say what to know of them.
    """

    def __init__(
        self,
        values: Mapping[tuple[str, Measure], Mapping[str, float]],
        *,
        weights: Mapping[str, float] | None,
        calibrate: str | None,
        notes: tuple[str, ...],
    ) -> None:
        self.values = values
        self.weights = weights
        self.calibrate = calibrate
        self.notes = notes

    def estimate(
        self,
        evaluation: Evaluation,
        measure: Measure,
        systems: tuple[str, ...],
        confidence: float,
        queries: Container[str] | None = None,
    ) -> PoweredMean | None:
        """The mean of one system, or the mean difference of the second of two systems less the first, of all queries or
        of those that are named; None where no query has both a human and a machine value."""
        sides = self.sides(evaluation, measure, systems, queries)
        return None if sides is None else sides.estimate(confidence)

    def sides(
        self,
        evaluation: Evaluation,
        measure: Measure,
        systems: tuple[str, ...],
        queries: Container[str] | None = None,
    ) -> Sides | None:
        """The values that such an estimate is made of."""
        import numpy as np

        human = _combined([evaluation.by_query(measure, system) for system in systems])
        machine = _combined([self.values[system, measure] for system in systems])
        if queries is not None:
            human = {query: value for query, value in human.items() if query in queries}
        judged = set(evaluation.queries)
        others = [query for query in machine if query not in judged and (queries is None or query in queries)]
        unlabelled = np.array([machine[query] for query in others])
        weights = other_weights = None
        if self.weights is not None:
            by_query = dict(
                zip(
                    evaluation.by_query(measure, systems[0]),
                    evaluation.weights_of(measure, systems[0]),
                    strict=True,
                )
            )
            weights = [by_query[query] for query in human]
            other_weights = [self.weights[query] for query in others]
        if not any(query in machine for query in human) or (weights is not None and not sum(weights) > 0):
            return None
        mean = weighted_mean(unlabelled, other_weights)
        low, high = measure.bounds
        bounds = (low, high) if len(systems) == 1 else (low - high, high - low)
        return Sides(
            human=np.array(list(human.values())),
            machine=np.array([machine.get(query, mean) for query in human]),
            unlabelled=unlabelled,
            weights=weights,
            unlabelled_weights=other_weights,
            bounds=bounds if high - low < float("inf") else None,
        )


def read_machine(source: Any, columns: Mapping[str, str] | None = None) -> Judgments:
    """The machine's judgments: one grade a document."""
    judgments = read_judged(source, columns=columns)
    if isinstance(judgments, RichJudgments):
        raise InputError(
            f"the machine's judgments must have one grade a document, not be {type(judgments).__name__}",
            hint="give a qrels file, a table with query, document and grade, or a dict of dicts",
        )
    return judgments


def machine_values(
    measured: Measured, human: Judgments, machine: Judgments, *, calibrate: str | None = None
) -> MachineValues:
    """The values of runs by the machine's judgments; `measured` measures the runs with any judgments.

    With `calibrate`, the grades are first turned into expected human ones, cross-fitted: those of a query that people
    judged by what was learned from other queries, those of all others by each of the fits, whose values are averaged.
    """
    notes = _compared(human, machine)
    if calibrate is None:
        evaluation = measured(machine)
        values = {
            (system, measure): evaluation.by_query(measure, system)
            for system in evaluation.systems
            for measure in evaluation.measures
        }
        return MachineValues(values, weights=_weights(evaluation), calibrate=None, notes=tuple(notes))
    fits = calibrations(human, machine, calibrate)
    evaluations = [measured(fit.applied(machine)) for fit in fits]
    fold_of = {query: at for at, fit in enumerate(fits) for query in fit.queries}
    first = evaluations[0]
    values = {}
    for system in first.systems:
        for measure in first.measures:
            by_fit = [evaluation.by_query(measure, system) for evaluation in evaluations]
            values[system, measure] = {
                query: by_fit[fold_of[query]][query]
                if query in fold_of
                else sum(its[query] for its in by_fit) / len(by_fit)
                for query in by_fit[0]
                if all(query in its for its in by_fit)
            }
    return MachineValues(values, weights=_weights(first), calibrate=calibrate, notes=tuple(notes))


def _weights(evaluation: Evaluation) -> dict[str, float] | None:
    weights = evaluation.weights
    return None if weights is None else dict(zip(evaluation.queries, weights, strict=True))


def _combined(by_system: list[Mapping[str, float]]) -> Mapping[str, float]:
    """The values of one system; of two, the differences of the second less the first."""
    if len(by_system) == 1:
        return by_system[0]
    before, after = by_system
    return {query: after[query] - value for query, value in before.items() if query in after}


def _compared(human: Judgments, machine: Judgments) -> list[str]:
    """Notes on how human and machine judgments overlap; raises where they do not."""
    human_grades, machine_grades = human.to_dict(), machine.to_dict()
    shared = [query for query in human_grades if query in machine_grades]
    pairs = sum(len(human_grades[query].keys() & machine_grades[query].keys()) for query in shared)
    if not pairs:
        example = next(iter(human_grades), "")
        other = next(iter(machine_grades), "")
        raise InputError(
            "human and machine judgments have no pair of query and document in common "
            f"(people judged query {example!r}, the machine {other!r})",
            hint="the machine must judge the queries that people judged, under the same ids, and others besides",
        )
    notes = []
    only_human = len(human_grades) - len(shared)
    if only_human:
        notes.append(
            f"{count_queries(only_human)} that people judged have no machine judgment: they count in the human values "
            "alone"
        )
    if len(machine_grades) == len(shared):
        notes.append(
            "people judged every query that the machine judged: its judgments add nothing to values by people"
        )
    documents = sum(len(machine_grades[query]) for query in shared)
    if pairs < FULLY * documents:
        notes.append(
            f"in {count_queries(len(shared))} that both judged, people judged {percent(pairs / documents)} of the machine's "
            f"{count_of(documents, 'document')}: the others count as unjudged in the human values"
        )
    return notes
