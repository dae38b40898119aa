"""A gate decided: its files read and compared, or its votes counted, by its rules."""

from __future__ import annotations

from idealist.decision.verdict import Guard, with_guards
from idealist.errors import InputError
from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from idealist.cli.gate_file import Gate
    from idealist.comparison.result import Comparison
    from idealist.conventions import Conventions
    from idealist.decision.verdict import Verdict
    from idealist.evaluation import Evaluation
    from idealist.io import RunFile
    from idealist.measures import Measure
    from idealist.votes.result import GSB

SIDES, AGREEMENT = "sides", "agreement of raters"  # as gsb calls these guards
RUNS = ("baseline", "candidate")


class GateDecision(Frozen):
    """The verdict of a gate, the numbers it is on, what is noted beside it, and the evaluation of the runs, if it
    compares runs."""

    verdict: Verdict
    facts: Mapping[str, Any]
    notes: tuple[str, ...]
    evaluation: Evaluation | None = None


class GateMeasures(Frozen):
    """What the runs of a gate are measured by: the measure that decides, those that are guarded, the conventions."""

    goal: Measure
    guarded: tuple[Measure, ...]
    conventions: Conventions

    @property
    def all(self) -> tuple[Measure, ...]:
        return (self.goal, *(measure for measure in self.guarded if measure != self.goal))


def decide_gate(gate: Gate, threads: int | None) -> GateDecision:
    """What a gate decides."""
    return _compare(gate, threads) if gate.kind == "compare" else _gsb(gate)


def measure_baseline(gate: Gate, threads: int | None) -> Evaluation:
    """The baseline of a gate by itself, measured as beside a candidate."""
    from idealist.evaluation import evaluate

    measures = measures_of_gate(gate)
    runs = _runs(gate, RUNS[:1])
    return evaluate(runs, threads=threads, **_inputs(gate, measures, threads))


def measures_of_gate(gate: Gate) -> GateMeasures:
    """The measures of a gate under its conventions; those that cannot be watched are refused."""
    from idealist.conventions import parse_conventions
    from idealist.measures import parse, parse_all

    conventions = parse_conventions(gate.settings["conventions"])
    goal = parse(gate.settings["measure"], defaults=conventions.parameters)
    names = list(gate.guards["measures"])
    guarded = parse_all(names, defaults=conventions.parameters) if names else ()
    for measure in (goal, *guarded):
        if measure.aggregate != "mean" or measure.better == "neither":
            lacks = "mean over queries" if measure.aggregate != "mean" else "better and worse"
            raise InputError(
                f"{measure} has no {lacks}", source=gate.source, hint="name another measure, such as nDCG@10"
            )
    return GateMeasures(goal, tuple(guarded), conventions)


def _compare(gate: Gate, threads: int | None) -> GateDecision:
    from idealist.cli.sources import table_of
    from idealist.comparison.comparing import compare

    settings, guards = gate.settings, gate.guards
    margins = {name: margin for name, margin in guards["measures"].items() if margin is not None}
    if guards["segment_margin"] is not None:
        margins["segments"] = guards["segment_margin"]
    measures = measures_of_gate(gate)
    goal = measures.goal
    runs = _runs(gate, RUNS)
    baseline, candidate = runs
    comparison = compare(
        runs,
        baseline=baseline,
        segments=table_of(gate.path("segments"), _options(gate), "segments") if guards["segments"] else None,
        segment_by=guards["segment_by"] or None,
        seed=settings["seed"],
        confidence=settings["confidence"],
        rounds=settings["rounds"],
        threads=threads,
        **_inputs(gate, measures, threads),
        **({} if settings["tests"] is None else {"tests": settings["tests"]}),
    )
    verdict = comparison.verdict(
        goal,
        candidate,
        margin=settings["margin"],
        policy=settings["policy"],
        guards=["measures", "segments", "queries", *(["judged"] if guards["judged"] else [])],
        guard_margins=margins,
    )
    if guards["judged_floor"] is not None:
        verdict = with_guards(verdict, _judged(comparison, goal.depth, guards["judged_floor"]))
    contrast = comparison[candidate, goal]
    facts = {
        "measure": str(goal),
        "baseline": baseline,
        "candidate": candidate,
        "n": contrast.n,
        "baseline_value": contrast.baseline_value,
        "value": contrast.value,
    }
    if settings["tests"] is not None:
        facts["tests"] = {str(test): result.p_value for test, result in contrast.tests.items()}
    notes = (*comparison.evaluation.notes, *comparison.notes)
    return GateDecision(verdict, facts, notes, comparison.evaluation)


def _options(gate: Gate) -> Any:
    """How the gate says that its files are read."""
    from idealist.cli.sources import SourceOptions

    query_sizes = None if gate.settings["query_sizes"] is None else gate.path("query_sizes")
    return SourceOptions(query_sizes=query_sizes, **_text(gate))


def _runs(gate: Gate, sides: tuple[str, ...]) -> dict[str, RunFile]:
    """The runs that a gate names, by the names of their systems."""
    from idealist.cli.sources import named_files

    runs = named_files(
        [gate.path(side) for side in sides],
        _options(gate),
        judgments=gate.path("judgments"),
        systems=[gate.settings[f"{side}_system"] for side in sides],
    )
    for side, file in zip(sides, runs.values(), strict=True):
        _require_one(gate, side, file)
    return runs


def _inputs(gate: Gate, measures: GateMeasures, threads: int | None) -> dict[str, Any]:
    """Whatever runs are measured with, as `evaluate` and `compare` take it."""
    from idealist.cli.inputs import read_judgments_for
    from idealist.cli.sources import read_judged, table_of

    settings, options = gate.settings, _options(gate)
    machine = None
    if settings["machine"] is not None:
        machine = read_judged(gate.path("machine"), options, threads=threads)
    weights = None
    if settings["weights"] is not None:
        weights = table_of(gate.path("weights"), options, "weights")
    return {
        "judgments": read_judgments_for(
            gate.path("judgments"), measures.all, options, threads=threads, drawn=machine is not None
        ),
        "measures": measures.all,
        "conventions": measures.conventions,
        "weights": weights,
        "weight_by": settings["weight_by"],
        "machine": machine,
        "calibrate": settings["calibrate"],
    }


def _text(gate: Gate) -> dict[str, Any]:
    """What the gate says of columns, encodings and decimal signs."""
    return {name: gate.settings[name] for name in ("columns", "encoding", "decimal")}


def _require_one(gate: Gate, side: str, file: RunFile) -> None:
    """Raises if a file holds several systems and none is named."""
    from idealist.data.frame_systems import listed_systems

    systems = file.by_system() or {}
    if len(systems) > 1:
        raise InputError(
            f"{side}: {len(systems)} systems are in {file.source}: {listed_systems(systems)}",
            source=gate.source,
            hint=f'name one: {side}_system = "{next(iter(systems))}"',
        )


def _gsb(gate: Gate) -> GateDecision:
    from idealist.cli.sources import SourceOptions, table_of
    from idealist.io import read_votes
    from idealist.votes.settings import GUARDS as VOTE_GUARDS
    from idealist.votes.voting import gsb

    settings, guards = gate.settings, gate.guards
    votes = read_votes(
        table_of(gate.path("votes"), SourceOptions(**_text(gate)), "votes", main=True),
        columns=settings["columns"],
        words=settings["words"],
        candidate=settings["candidate"],
    )
    floor = guards["agreement_floor"]
    result = gsb(
        votes,
        fold=settings["fold"],
        confidence=settings["confidence"],
        margin=settings["margin"],
        policy=settings["policy"],
        seed=settings["seed"],
        guards=[guard for guard in VOTE_GUARDS if guard != SIDES or guards["side_bias"] is not False],
        **({} if floor is None else {"agreement_floor": floor}),
    )
    verdict = with_guards(result.verdict, _unanswered(result, floor, guards["side_bias"]))
    facts = {"good": result.good, "same": result.same, "bad": result.bad, "n": result.n}
    return GateDecision(verdict, facts, tuple(result.notes))


def _judged(comparison: Comparison, k: int | None, floor: float) -> list[Guard]:
    """Whether enough of both runs is judged, down to where the measure looks."""
    shares = comparison.evaluation.judged.get(k, {})
    low = [system for system, share in shares.items() if not share >= floor]
    where = "judged" if k is None else f"judged@{k}"
    texts = ", ".join(f"{system} {share:.4f}" for system, share in shares.items())
    message = f"{where} {texts or 'is not known'}, at least {floor:g} is needed"
    return [Guard("enough judged", bool(shares) and not low, message)]


def _unanswered(result: GSB, floor: float | None, sides: bool | None) -> Iterable[Guard]:
    """Guards that were asked for, but that the votes cannot answer: they do not pass."""
    if floor is not None and result.agreement is None:
        yield Guard(AGREEMENT, False, "no item has votes of two raters")
    if sides and result.side_bias is None:
        yield Guard(SIDES, False, "the votes do not say where the candidate was shown")
