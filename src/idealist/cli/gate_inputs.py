"""What the files of a gate are read as: runs, judgments, tables of numbers, and what they are measured by."""

from __future__ import annotations

from idealist.errors import InputError, located
from idealist.projects.settings import CRITERION, SIDES, VOTES_DECIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.cli.gate_file import Gate
    from idealist.cli.sources import SourceOptions
    from idealist.conventions import Conventions
    from idealist.data import RunFile
    from idealist.data.query_numbers import QueryNumbers
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure


class GateInputs:
    """The inputs of a gate: its runs by the names of their systems, its numbers, which are read once, and the measures.

    With one of the sides, those of that side alone."""

    def __init__(self, gate: Gate, sides: Sequence[str] = SIDES) -> None:
        self.gate = gate
        self.numbers = _numbers(gate, sides)
        self.measures, self.conventions = measures_of_gate(gate, self.numbers)
        self.runs = _runs(gate, sides) if gate.names("judgments") else {}
        self.systems = tuple(self.runs) or tuple(gate.settings[side] for side in sides)

    def label(self, name: str) -> str:
        """A measure or column that the gate names, as results call it."""
        from idealist.measures.column import column_named

        columns = () if self.numbers is None else self.numbers.columns
        column = column_named(name, columns)
        return name if column is None else column.label

    def evaluation(self, threads: int | None) -> Evaluation:
        """The values of runs and numbers by what decides, first, and what is guarded."""
        from idealist.evaluation import evaluate
        from idealist.evaluation.joining import join_evaluations, with_criterion

        gate, settings = self.gate, self.gate.settings
        numbers = None
        if self.numbers is not None:
            names = self.systems
            if isinstance(
                settings["numbers"], dict
            ):  # a table of each side: the systems are those of the runs
                numbers = self.numbers.renamed(dict(zip(self.numbers.systems, names, strict=True)))
            else:
                numbers = self.numbers.of(names)
        result = evaluate(
            runs=self.runs or None,
            measures=self.measures,
            numbers=numbers,
            conventions=self.conventions,
            threads=threads,
            **self._beside(threads),
        )
        if settings[CRITERION] is not None:
            weights = {self.label(name): weight for name, weight in settings[CRITERION].items()}
            result = with_criterion(result, weights)
        decides = [] if settings["measure"] == VOTES_DECIDE else [settings["measure"]]
        watched = [*decides, *gate.guards["measures"]]
        chosen = tuple(dict.fromkeys(result.measure_of(self.label(name)) for name in watched))
        for measure in chosen:
            _refuse_unwatchable(measure, gate)
        return join_evaluations([result], measures=chosen)

    def _beside(self, threads: int | None) -> dict[str, Any]:
        """What runs are measured with besides, as `evaluate` takes it."""
        from idealist.cli.inputs import read_judgments_for
        from idealist.cli.sources import read_judged, table_of

        gate, settings, options = self.gate, self.gate.settings, options_of(self.gate)
        weights = None if settings["weights"] is None else table_of(gate.path("weights"), options, "weights")
        how = {"weights": weights, "weight_by": settings["weight_by"]}
        if not self.runs:
            return how
        machine = None
        if settings["machine"] is not None:
            machine = read_judged(gate.path("machine"), options, threads=threads)
        measures = [measure for measure in self.measures if not measure.given]
        judgments = read_judgments_for(
            gate.path("judgments"), measures, options, threads=threads, drawn=machine is not None
        )
        return {**how, "judgments": judgments, "machine": machine, "calibrate": settings["calibrate"]}


def options_of(gate: Gate) -> SourceOptions:
    """How the gate says that its files are read."""
    from idealist.cli.sources import SourceOptions

    query_sizes = None if gate.settings["query_sizes"] is None else gate.path("query_sizes")
    text = {name: gate.settings[name] for name in ("encoding", "decimal", "input_format")}
    return SourceOptions(query_sizes=query_sizes, columns=gate.columns_of("run"), **text)


def measures_of_gate(gate: Gate, numbers: QueryNumbers | None) -> tuple[tuple[Measure, ...], Conventions]:
    """The measures of a gate and the columns of its numbers, and its conventions; what cannot be watched is refused."""
    from idealist.conventions import parse_conventions
    from idealist.measures import parse_all
    from idealist.measures.column import measures_and_columns

    settings = gate.settings
    conventions = parse_conventions(settings["conventions"])
    names = [settings["measure"], *gate.guards["measures"], *(settings[CRITERION] or ())]
    names = [name for name in names if name not in (VOTES_DECIDE, CRITERION)]
    if not names:
        raise InputError(
            f"{'judgments' if gate.names('judgments') else 'numbers'} change nothing: no measure is named beside the votes",
            source=gate.source,
            hint='[guards] measures = ["nDCG@10"] names one that must not be worse',
        )
    try:
        if numbers is None:
            measures = parse_all(names, defaults=conventions.parameters)
        else:
            besides = gate.names("judgments")
            measures = measures_and_columns(
                names, numbers.columns, defaults=conventions.parameters, besides=besides, every=False
            )
    except InputError as error:
        raise located(error, gate.source) from None
    if numbers is not None and not any(measure.given for measure in measures):
        raise InputError(
            "numbers change nothing: no column of theirs is named",
            source=gate.source,
            hint=f"there are {', '.join(numbers.columns)}; guards.measures names those that must not be worse",
        )
    for measure in measures:
        if not measure.given:
            _refuse_unwatchable(measure, gate)
    return measures, conventions


def _refuse_unwatchable(measure: Measure, gate: Gate) -> None:
    if measure.aggregate == "mean" and measure.better != "neither":
        return
    lacks = "mean over queries" if measure.aggregate != "mean" else "better and worse"
    hint = "name another measure, such as nDCG@10"
    if measure.given:
        hint = f'write "{measure.label}(better=higher)" or "{measure.label}(better=lower)"'
    raise InputError(f"{measure} has no {lacks}", source=gate.source, hint=hint)


def _runs(gate: Gate, sides: Sequence[str]) -> dict[str, RunFile]:
    """The runs that a gate names, by the names of their systems."""
    from idealist.cli.sources import named_files

    runs = named_files(
        [gate.path(side) for side in sides],
        options_of(gate),
        judgments=gate.path("judgments"),
        systems=[gate.settings[f"{side}_system"] for side in sides],
    )
    for side, file in zip(sides, runs.values(), strict=True):
        _require_one(gate, side, file)
    return runs


def _numbers(gate: Gate, sides: Sequence[str]) -> QueryNumbers | None:
    """The tables of numbers that a gate names; those of each side under the side's name."""
    from idealist.data.query_numbers import read_numbers

    stated = gate.settings["numbers"]
    if stated is None:
        return None
    text = {name: gate.settings[name] for name in ("encoding", "decimal")}
    how = {**text, "columns": gate.columns_of("numbers")}
    if isinstance(stated, dict):
        return read_numbers({side: gate.relative(stated[side]) for side in sides}, **how)
    return read_numbers([gate.relative(path) for path in stated], **how)


def _require_one(gate: Gate, side: str, file: RunFile) -> None:
    """Raises if a file holds several systems and none is named."""
    from idealist.data.frames import listed_systems

    systems = file.by_system() or {}
    if len(systems) > 1:
        raise InputError(
            f"{side}: {len(systems)} systems are in {file.source}: {listed_systems(systems)}",
            source=gate.source,
            hint=f'name one: {side}_system = "{next(iter(systems))}"',
        )
