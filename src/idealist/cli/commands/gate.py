"""idealist gate: may a change ship, by the rules of a file kept in its repository?"""

from __future__ import annotations

import json
import sys

from idealist.cli.gate_file import GUARDS, KEYS, read_gate
from idealist.cli.options import add_format, add_threads, write_view
from idealist.decision.verdict import Guard, with_guards
from idealist.errors import InputError, visible
from idealist.reporting.verdicts import gate_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from typing import Any

    from idealist.cli.gate_file import Gate
    from idealist.comparison.result import Comparison
    from idealist.decision.verdict import Verdict
    from idealist.io import RunFile
    from idealist.measures import Measure
    from idealist.votes.result import GSB

SUMMARY = "decide whether a change may ship, by a file of rules (for CI)"
EXAMPLES = """examples:
  idealist gate gate.toml
  idealist gate gate.toml --format markdown >> comment.md

a gate.toml:
  kind = "compare"
  judgments = "shop.qrels"
  baseline = "a.run"
  candidate = "b.run"
  measure = "nDCG@10"
  margin = "2%"

  [guards]
  measures = ["RR", "R@10"]"""
SIDES, AGREEMENT = "sides", "agreement of raters"  # as gsb calls these guards


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _manual()
    parser.add_argument("gate", metavar="GATE", help="a TOML file; paths in it are relative to its folder")
    add_format(parser)
    add_threads(parser)


def run(arguments: argparse.Namespace) -> int:
    gate = read_gate(arguments.gate)
    if gate.kind == "compare":
        verdict, facts, notes = _compare(gate, arguments.threads)
    else:
        verdict, facts, notes = _gsb(gate)
    if arguments.format != "markdown":
        for note in notes:
            print(f"note: {visible(note)}", file=sys.stderr)
    write_view(gate_view(verdict, gate.kind, facts, notes, gate.source), arguments.format)
    return verdict.exit_code


def _compare(gate: Gate, threads: int | None) -> tuple[Verdict, dict[str, Any], list[str]]:
    from idealist.cli.inputs import read_judgments_for
    from idealist.cli.sources import SourceOptions, named_files, read_judged, table_of
    from idealist.comparison.comparing import compare
    from idealist.conventions import parse_conventions
    from idealist.io import read_profiles
    from idealist.measures import parse, parse_all

    settings, guards = gate.settings, gate.guards
    conventions = parse_conventions(settings["conventions"])
    goal = parse(settings["measure"], defaults=conventions.parameters)
    margins = {name: margin for name, margin in guards["measures"].items() if margin is not None}
    if guards["segment_margin"] is not None:
        margins["segments"] = guards["segment_margin"]
    watched = (
        parse_all(list(guards["measures"]), defaults=conventions.parameters) if guards["measures"] else ()
    )
    _refuse_unfit(gate, [goal, *watched])
    query_sizes = None if settings["query_sizes"] is None else gate.path("query_sizes")
    options = SourceOptions(query_sizes=query_sizes, **_text(gate))
    judged = gate.path("judgments")
    sides = ("baseline", "candidate")
    runs = named_files(
        [gate.path(side) for side in sides],
        options,
        judgments=judged,
        systems=[settings[f"{side}_system"] for side in sides],
    )
    baseline, candidate = runs
    for side, file in zip(sides, runs.values(), strict=True):
        _require_one(gate, side, file)
    segments = None
    if guards["segments"]:
        segments = read_profiles(table_of(gate.path("segments"), options, "segments")).column(
            guards["segment_by"]
        )
    machine = None
    if settings["machine"] is not None:
        machine = read_judged(gate.path("machine"), options, threads=threads)
    measures = (goal, *(measure for measure in watched if measure != goal))
    comparison = compare(
        runs,
        read_judgments_for(judged, measures, options, threads=threads, drawn=machine is not None),
        measures,
        baseline=baseline,
        segments=segments,
        conventions=conventions,
        weights=None if settings["weights"] is None else table_of(gate.path("weights"), options, "weights"),
        weight_by=settings["weight_by"],
        machine=machine,
        calibrate=settings["calibrate"],
        seed=settings["seed"],
        confidence=settings["confidence"],
        permutations=settings["permutations"],
        threads=threads,
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
    return verdict, facts, [*comparison.evaluation.notes, *comparison.notes]


def _text(gate: Gate) -> dict[str, Any]:
    """How the gate says that its files are read."""
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


def _gsb(gate: Gate) -> tuple[Verdict, dict[str, Any], list[str]]:
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
    return verdict, facts, list(result.notes)


def _refuse_unfit(gate: Gate, measures: list[Measure]) -> None:
    """A rule that could not be watched would pass unseen."""
    for measure in measures:
        if measure.aggregate != "mean" or measure.better == "neither":
            lacks = "mean over queries" if measure.aggregate != "mean" else "better and worse"
            raise InputError(
                f"{measure} has no {lacks}", source=gate.source, hint="name another measure, such as nDCG@10"
            )


def _judged(comparison: Comparison, k: int | None, floor: float) -> list[Guard]:
    """Whether enough of both runs is judged, down to where the measure looks."""
    shares = comparison.evaluation.judged.get(k, {})
    low = [system for system, share in shares.items() if not share >= floor]
    where = "judged" if k is None else f"judged@{k}"
    texts = ", ".join(f"{system} {share:.4f}" for system, share in shares.items())
    message = f"{where} {texts or 'is not known'}, at least {floor:g} is asked for"
    return [Guard("enough judged", bool(shares) and not low, message)]


def _unanswered(result: GSB, floor: float | None, sides: bool | None) -> Iterable[Guard]:
    """Guards that were asked for, but that the votes cannot answer: they do not pass."""
    if floor is not None and result.agreement is None:
        yield Guard(AGREEMENT, False, "no item has votes of two raters")
    if sides and result.side_bias is None:
        yield Guard(SIDES, False, "the votes do not say where the candidate was shown")


def _manual() -> str:
    """Every key of a gate file, from the tables that it is checked by."""
    lines = [EXAMPLES, "", "exit code: 0 ship, 1 block, 3 undecided, 2 what could not be read", ""]
    for kind in KEYS:
        lines.append(f'kind = "{kind}":')
        for prefix, keys in (("", KEYS[kind]), ("guards.", GUARDS[kind])):
            for name, key in keys.items():
                if key.read is None or name == "kind":
                    continue
                default = "" if key.default in (None, {}) else f" (default: {json.dumps(key.default)})"
                needed = ", required" if key.required else default
                lines.append(f"  {prefix + name:<24} {key.about}: {key.kind}{needed}")
        lines.append("")
    return "\n".join(lines)
