"""What a machine's judgments said, as a record for JSON and back; of several evaluations, joined; by other names of systems."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.evaluation.drawn_values import DrawnValues
from idealist.evaluation.machine_values import MachineValues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from idealist.evaluation.result import Evaluation
    from idealist.measures import Measure

    ByQuery = Mapping[tuple[str, Measure], Mapping[str, float]]
    Machine = MachineValues | DrawnValues

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
