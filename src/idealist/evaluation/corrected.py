"""Means that a few human judgments and many of a machine give together, and their records for JSON."""

from __future__ import annotations

from idealist.base.results import Drawable
from idealist.base.wording import count_of
from idealist.errors import InputError
from idealist.evaluation.drawn_values import DrawnValues
from idealist.evaluation.machine_values import MachineValues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, ItemsView, Iterator, Mapping, Sequence, ValuesView
    from typing import Any

    from idealist.evaluation.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.statistics.prediction_powered import PoweredMean

    ByQuery = Mapping[tuple[str, Measure], Mapping[str, float]]
    Machine = MachineValues | DrawnValues


def system_and_measure(
    key: Any, result: str, name: str, systems: Sequence[str], measures: Sequence[Measure]
) -> tuple[Any, Any]:
    """The two parts of a key; anything else is an error that shows a key of this result. `name` is what the hint
    calls the result.

    >>> system_and_measure(("AP", "a"), "an evaluation", "evaluation", ["a"], ["AP"])
    Traceback (most recent call last):
    idealist.errors.InputError: an evaluation is indexed by a system and a measure, in this order, not by ('AP', 'a')
    hint: evaluation['a', 'AP']
    """
    texts = list(map(str, measures))
    is_pair = isinstance(key, tuple) and len(key) == 2
    if is_pair and not (key[0] not in systems and key[1] in systems and str(key[0]) in texts):
        return key[0], key[1]
    example = [part for part in (key if is_pair else (key,)) if part in systems]
    measure = next((text for text in texts if text == str(key[0] if is_pair else key)), texts[0])
    raise InputError(
        f"{result} is indexed by a system and a measure, in this order, not by {key!r}",
        hint=f"{name}[{(example or list(systems))[0]!r}, {measure!r}]",
    )


class CorrectedMeans(Drawable):
    """The corrected mean of every system and measure, by these: `corrected["dense", "nDCG@10"].interval`. Each is what
    `Contrast.corrected` is of a difference: a PoweredMean."""

    def __init__(
        self, evaluation: Evaluation, means: dict[tuple[str, Measure], PoweredMean], confidence: float
    ) -> None:
        self.confidence = confidence
        self.evaluation = evaluation
        self._means = means

    def __getitem__(self, key: tuple[str, str | Measure]) -> PoweredMean:
        system, measure = system_and_measure(
            key, "a corrected result", "corrected", self.evaluation.systems, self.evaluation.measures
        )
        found = self._means.get((system, self.evaluation.measure_of(measure)))
        if found is None:
            raise InputError(
                f"there is no corrected mean of {measure} for {system!r}",
                hint=f"those there are: {', '.join(f'{s} {m}' for s, m in self._means)}",
            )
        return found

    def __iter__(self) -> Iterator[tuple[str, Measure]]:
        return iter(self._means)

    def items(self) -> ItemsView[tuple[str, Measure], PoweredMean]:
        return self._means.items()

    def values(self) -> ValuesView[PoweredMean]:
        return self._means.values()

    def __len__(self) -> int:
        return len(self._means)

    def to_dict(self) -> list[dict[str, Any]]:
        """For JSON: a record per system and measure."""
        return [
            {"system": system, "measure": str(measure), **mean.to_dict()}
            for (system, measure), mean in self.items()
        ]

    def _gist(self) -> str:
        return count_of(len(self), "corrected mean")


def corrected_means(evaluation: Evaluation, confidence: float) -> CorrectedMeans:
    """The corrected means of an evaluation that was made with a machine's judgments."""
    if evaluation.machine is None:
        raise InputError(
            "the evaluation was made without a machine's judgments",
            hint="evaluate(human, run, measures, machine=…) has corrected means",
        )
    means = {}
    for measure in evaluation.measures:
        if measure.aggregate != "mean" or measure.given:
            continue
        for system in evaluation.systems:
            estimate = evaluation.machine.estimate(evaluation, measure, (system,), confidence)
            if estimate is not None:
                means[system, measure] = estimate
    return CorrectedMeans(evaluation, means, confidence)


DIFFERENT = "the evaluations have different machine judgments: corrected values are left out"


def machine_record(machine: Machine) -> dict[str, Any]:
    """All of it, for JSON."""
    if isinstance(machine, DrawnValues):
        return {
            "design": "documents",
            "human": _by_system(machine.human),
            "machine": _by_system(machine.machine),
            "labels": machine.labels,
            "queries": machine.queries,
        }
    return {
        "design": "queries",
        "values": _by_system(machine.values),
        "weights": None if machine.weights is None else dict(machine.weights),
        "calibrate": machine.calibrate,
        "notes": list(machine.notes),
    }


def machine_of_record(record: dict[str, Any], systems: Sequence[str], measures: Sequence[Measure]) -> Machine:
    """The machine's values back from a record."""

    def of(side: str) -> dict[tuple[str, Measure], dict[str, float]]:
        return {
            (system, measure): {
                str(query): float(value) for query, value in record[side][system][str(measure)].items()
            }
            for system in systems
            for measure in measures
        }

    if record["design"] == "documents":
        return DrawnValues(of("human"), of("machine"), int(record["labels"]), int(record["queries"]))
    if record["design"] != "queries":
        raise InputError(f"the machine's judgments have an unknown design, {record['design']!r}")
    weights = record["weights"]
    return MachineValues(
        of("values"),
        weights=None if weights is None else {str(query): float(w) for query, w in weights.items()},
        calibrate=record["calibrate"],
        notes=tuple(map(str, record["notes"])),
    )


def join_machines(
    evaluations: Sequence[Evaluation], measures: Sequence[Measure]
) -> tuple[Machine | None, list[str]]:
    """The machine's values of all systems, where every evaluation has them by the same judgments; otherwise none, and a
    note."""
    machines = [evaluation.machine for evaluation in evaluations]
    of_queries = [machine for machine in machines if isinstance(machine, MachineValues)]
    of_documents = [machine for machine in machines if isinstance(machine, DrawnValues)]
    if len(of_queries) == len(machines) and len({_basis(machine) for machine in of_queries}) == 1:
        values = _merged([machine.values for machine in of_queries], measures)
        first = of_queries[0]
        return MachineValues(values, weights=first.weights, calibrate=first.calibrate, notes=first.notes), []
    if len(of_documents) == len(machines) and len({(m.labels, m.queries) for m in of_documents}) == 1:
        human, machine = (
            _merged([getattr(drawn, side) for drawn in of_documents], measures)
            for side in ("human", "machine")
        )
        return DrawnValues(human, machine, of_documents[0].labels, of_documents[0].queries), []
    return None, [DIFFERENT]


def rename_machine(machine: Machine, new: Callable[[str], str]) -> Machine:
    """The same with other names of systems."""

    def renamed(values: ByQuery) -> dict[tuple[str, Measure], Mapping[str, float]]:
        return {(new(system), measure): its for (system, measure), its in values.items()}

    if isinstance(machine, DrawnValues):
        return DrawnValues(renamed(machine.human), renamed(machine.machine), machine.labels, machine.queries)
    return MachineValues(
        renamed(machine.values), weights=machine.weights, calibrate=machine.calibrate, notes=machine.notes
    )


def _basis(machine: MachineValues) -> tuple[Any, ...]:
    """What the same judgments have in common: the queries, their weights, and how grades were calibrated."""
    queries = frozenset(query for its in machine.values.values() for query in its)
    weights = None if machine.weights is None else frozenset(machine.weights.items())
    return queries, weights, machine.calibrate


def _merged(
    parts: Sequence[ByQuery], measures: Sequence[Measure]
) -> dict[tuple[str, Measure], Mapping[str, float]]:
    return {key: its for part in parts for key, its in part.items() if key[1] in measures}


def _by_system(values: ByQuery) -> dict[str, dict[str, dict[str, float]]]:
    by_system: dict[str, dict[str, dict[str, float]]] = {}
    for (system, measure), its in values.items():
        by_system.setdefault(system, {})[str(measure)] = dict(its)
    return by_system
