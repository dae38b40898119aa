"""idealist plan decision: the chance that the decision of a gate file ships."""

from __future__ import annotations

from idealist.base.wording import listed
from idealist.cli.messages import say_note
from idealist.cli.options import add_result, add_seed, add_threads, write_view
from idealist.errors import InputError
from idealist.projects.settings import VOTES_DECIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.cli.gate_file import Gate
    from idealist.evaluation import Evaluation
    from idealist.plan.launches import LaunchRule
    from idealist.votes.gsb_result import GSB

SUMMARY = "the chance that a gate file ships, with its guards, margins and votes"
SIZES = (50, 100, 200, 400)
SAMPLES = 100


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "gate", metavar="GATE", help="the file of rules; its runs, numbers and votes are the pilot"
    )
    parser.add_argument(
        "-n",
        "--n",
        type=int,
        nargs="+",
        default=list(SIZES),
        metavar="N",
        help=f"numbers of queries (default: {' '.join(map(str, SIZES))})",
    )
    parser.add_argument(
        "--gain",
        type=float,
        metavar="X",
        help="also the chance where what decides is better by this much, and all else is equal",
    )
    parser.add_argument(
        "--vote-items", type=int, metavar="N", help="items with votes (default: as many as the pilot has)"
    )
    parser.add_argument(
        "--samples",
        type=int,
        default=SAMPLES,
        metavar="N",
        help=f"samples for each number (default: {SAMPLES})",
    )
    add_seed(parser)
    add_threads(parser)
    add_result(parser)


def run(arguments: argparse.Namespace) -> int:
    from idealist.cli.gate_file import read_gate
    from idealist.cli.progress import Progress
    from idealist.plan.launches import launch_power
    from idealist.show.plan_tables import launch_view

    gate = read_gate(arguments.gate)
    pilot, votes, rule = _pilot(gate, arguments.threads)
    if votes is None and arguments.vote_items is not None:
        raise InputError("--vote-items changes nothing: the gate names no votes", hint="leave it out")
    decides = VOTES_DECIDE if rule.votes_decide or pilot is None else str(pilot.measures[0])
    scenarios = [{}, *([] if arguments.gain is None else [{decides: arguments.gain}])]
    progress, powers = Progress("drawing samples"), []
    for n in arguments.n:
        for changes in scenarios:
            powers.append(
                launch_power(
                    pilot,
                    rule,
                    n=n,
                    votes=votes,
                    vote_items=arguments.vote_items,
                    changes=changes,
                    samples=arguments.samples,
                    seed=arguments.seed,
                )
            )
            progress(len(powers), len(arguments.n) * len(scenarios))
    if unsimulated := _not_simulated(gate):
        say_note(f"guards of {listed(unsimulated)} are not simulated: they can only lower the chance")
    write_view(launch_view(powers, decides, arguments.seed), arguments.format)
    return 0


def _not_simulated(gate: Gate) -> list[str]:
    """The guards of a gate that samples of values cannot answer."""
    guards, runs = gate.guards, gate.names("judgments")
    judged = runs and (guards["judged"] or guards["judged_floor"] is not None)
    return [*(["segments"] if gate.settings["segments"] else []), *(["judged documents"] if judged else [])]


def _pilot(gate: Gate, threads: int | None) -> tuple[Evaluation | None, GSB | None, LaunchRule]:
    """What the files of a gate say of both systems, and its rule."""
    from idealist.cli.gate_inputs import GateInputs, options_of
    from idealist.cli.gate_running import counted_votes
    from idealist.cli.sources import table_of
    from idealist.data.segments import query_segments
    from idealist.plan.launches import LaunchRule

    settings, guards = gate.settings, gate.guards
    pilot, margins = None, {}
    if gate.names("judgments") or gate.names("numbers"):
        inputs = GateInputs(gate)
        pilot = inputs.evaluation(threads)
        margins = {
            inputs.label(name): margin for name, margin in guards["measures"].items() if margin is not None
        }
    segments = None
    if settings["shares"] is not None:
        table = table_of(gate.path("segments"), options_of(gate), "segments")
        segments = query_segments(table, settings["segment_by"])
    rule = LaunchRule(
        margin=settings["margin"],
        policy=settings["policy"],
        interval=settings["interval"],
        confidence=settings["confidence"],
        guard_margins=margins,
        losses=guards["losses"],
        votes_decide=settings["measure"] == VOTES_DECIDE,
        votes_margin=guards["votes"],
        shares=settings["shares"],
        segments=segments,
    )
    return pilot, counted_votes(gate) if gate.names("votes") else None, rule
