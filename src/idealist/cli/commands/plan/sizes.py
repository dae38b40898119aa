"""The parts of `idealist plan` that say how many queries or judgments are needed, or what a number of them shows."""

from __future__ import annotations

from idealist.base.values import as_within
from idealist.base.wording import count_of
from idealist.cli.inputs import add_weights, refuse_weights
from idealist.cli.messages import say_note
from idealist.cli.options import (
    MEASURE,
    add_conventions,
    add_result,
    add_threads,
    conventions_of,
    option_named,
    write_view,
)
from idealist.cli.sources import add_sources, named_files, read_judged, sources_of, table_of
from idealist.data.run import runs_by_name
from idealist.errors import InputError
from idealist.evaluation import evaluate
from idealist.plan.pilots import pilot_pair
from idealist.show.plan_tables import (
    detectable_difference_view,
    detectable_gsb_view,
    judgments_plan,
    queries_plan,
)
from idealist.statistics.power import FAILURE, detectable_difference
from idealist.statistics.unseen import BEST_THIRD, BY_STUDENT, CAUTIOUS, INTERVALS
from idealist.votes.vote_plan import VotePilot, detectable_gsb, pilot_votes

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from idealist.plan.pilots import PairPilot
    from idealist.show.view import View

POWERS = (0.5, 0.8, 0.9, 0.95)


def configure_queries(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--effect", type=float, required=True, help="the difference in the mean to detect")
    known = parser.add_mutually_exclusive_group(required=True)
    known.add_argument("--sd", type=float, help="the standard deviation of the differences per query")
    known.add_argument(
        "--pilot",
        nargs="+",
        metavar="FILE",
        help="estimate --sd from two runs instead: JUDGMENTS RUN RUN, or JUDGMENTS and one table of two systems",
    )
    _add_pair(parser)
    _add_risks(parser)


def configure_judgments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--gsb", type=float, required=True, help="the GSB to detect: 0.02 is 2 %%")
    known = parser.add_mutually_exclusive_group(required=True)
    known.add_argument("--same", type=float, help='the share of votes that say "same"')
    known.add_argument(
        "--pilot", metavar="VOTES", help="estimate --same, --per-query and --icc from these votes instead"
    )
    _add_clusters(parser)
    _add_risks(parser)
    add_sources(parser)


def configure_detectable(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-n", "--n", type=int, required=True, help="how many queries, or judgments, there are"
    )
    known = parser.add_mutually_exclusive_group(required=True)
    known.add_argument("--sd", type=float, help="queries: the standard deviation of the differences")
    known.add_argument("--same", type=float, help='judgments: the share of votes that say "same"')
    known.add_argument(
        "--pilot",
        nargs="+",
        metavar="FILE",
        help="estimate these from files instead: JUDGMENTS RUN RUN, or JUDGMENTS and one table of two systems, for queries; VOTES for judgments",
    )
    _add_pair(parser)
    _add_clusters(parser)
    _add_risks(parser)


def _add_pair(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", "--measure", default=MEASURE, help=f"measure of the pilot (default: {MEASURE})")
    parser.add_argument(
        "--interval",
        choices=INTERVALS,
        default=BEST_THIRD,
        help="the interval that will decide, as in compare (default: best-third)",
    )
    parser.add_argument(
        "--failure",
        type=float,
        metavar="COST",
        help="what an unseen failure would cost, for best-third: the mean of the best third of the baseline's values "
        "(default: that of the pilot, or 1)",
    )
    add_threads(parser)
    add_weights(parser)
    add_sources(parser)
    add_conventions(parser, ())


def _add_clusters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--per-query", type=float, metavar="M", help="judgments per query (default: 1)")
    parser.add_argument("--icc", type=float, help="how alike the votes of a query are, 0 to 1 (default: 0)")


def _add_risks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--power", type=float, default=0.8, help="probability of detecting it (default: 0.8)")
    parser.add_argument(
        "--alpha", type=float, default=0.05, help="probability of a false alarm (default: 0.05)"
    )
    add_result(parser)


def run_queries(arguments: argparse.Namespace) -> int:
    sd, pilot = _spread(arguments)
    risks = {"power": arguments.power, "alpha": arguments.alpha}
    view = queries_plan(sd, effect=arguments.effect, pilot=pilot, **risks, **_failing(arguments, pilot))
    write_view(view, arguments.format)
    return 0


def run_judgments(arguments: argparse.Namespace) -> int:
    known, pilot = _votes(arguments)
    risks = {"power": arguments.power, "alpha": arguments.alpha}
    write_view(judgments_plan(known, gsb=arguments.gsb, pilot=pilot, **risks), arguments.format)
    return 0


def run_detectable(arguments: argparse.Namespace) -> int:
    if arguments.sd is not None or (arguments.pilot and len(arguments.pilot) in (2, 3)):
        _refuse(arguments, "judgments", per_query=None, icc=None)
        view = _detect_difference(arguments, *_spread(arguments))
    elif arguments.same is not None or len(arguments.pilot) == 1:
        _refuse(arguments, "queries", interval=BEST_THIRD, failure=None, weights=None, weight_by=None)
        view = _detect_gsb(arguments, *_votes(arguments))
    else:
        raise InputError(
            f"--pilot names {len(arguments.pilot)} files",
            hint="JUDGMENTS RUN RUN for queries, VOTES for judgments",
        )
    write_view(view, arguments.format)
    return 0


def _spread(arguments: argparse.Namespace) -> tuple[float, PairPilot | None]:
    """The standard deviation of the differences: as given, or that of the pilot."""
    if arguments.pilot is None:
        refuse_weights(arguments, "a pilot of runs")
        return arguments.sd, None
    judgments, *paths = arguments.pilot
    conventions = conventions_of(arguments)
    runs = runs_by_name(named_files(paths, sources_of(arguments), judgments=judgments)) if paths else {}
    if len(runs) != 2:
        raise InputError(
            f"--pilot names {count_of(len(runs), 'run')}, not two",
            hint="JUDGMENTS RUN RUN, or JUDGMENTS and one table whose column `system` names two",
        )
    judged = read_judged(judgments, sources_of(arguments))
    result = evaluate(
        judged,
        runs,
        arguments.measure,
        conventions=conventions,
        weights=table_of(arguments.weights, sources_of(arguments), "weights"),
        weight_by=arguments.weight_by,
        threads=arguments.threads,
    )
    for note in result.notes:
        say_note(note)
    pilot = pilot_pair(result, arguments.measure)
    return pilot.sd, pilot


def _failing(arguments: argparse.Namespace, pilot: PairPilot | None) -> dict[str, Any]:
    """What an unseen failure costs by the interval that will decide, and what a perfect query is worth: as given, or by
    the pilot."""
    stated, name = arguments.failure, arguments.interval
    if name != BEST_THIRD and stated is not None:
        raise InputError(f"--failure changes nothing with --interval {name}", hint="leave out one of the two")
    best = FAILURE if pilot is None else pilot.best
    if name == BY_STUDENT or best is None:
        return {"failure": None}
    if stated is not None:
        return {"failure": as_within(stated, "--failure", 0, ends="(]"), "best": best}
    return {"failure": best if name == CAUTIOUS or pilot is None else pilot.failure, "best": best}


def _votes(arguments: argparse.Namespace) -> tuple[dict[str, float], VotePilot | None]:
    """The share of "same", judgments per query and ICC: as given, or those of the pilot."""
    stated = {"per_query": arguments.per_query, "icc": arguments.icc}
    if arguments.pilot is None:
        if arguments.icc and (arguments.per_query is None or arguments.per_query == 1):
            raise InputError("--icc changes nothing with one judgment per query", hint="add --per-query")
        known = {"same": arguments.same, "per_query": 1.0, "icc": 0.0}
        pilot = None
    else:
        from idealist.votes.vote_table import read_votes

        path = arguments.pilot if isinstance(arguments.pilot, str) else arguments.pilot[0]
        pilot = pilot_votes(read_votes(table_of(path, sources_of(arguments), "votes", main=True)))
        known = {"same": pilot.same, "per_query": pilot.per_query, "icc": pilot.icc}
    return known | {name: value for name, value in stated.items() if value is not None}, pilot


def _detect_difference(arguments: argparse.Namespace, sd: float, pilot: PairPilot | None) -> View:
    n, alpha, failing = arguments.n, arguments.alpha, _failing(arguments, pilot)
    by_power = {
        power: detectable_difference(sd, n, power=power, alpha=alpha, **failing)
        for power in _powers(arguments)
    }
    return detectable_difference_view(
        by_power, n=n, sd=sd, failure=failing["failure"], power=arguments.power, alpha=alpha, pilot=pilot
    )


def _detect_gsb(arguments: argparse.Namespace, known: dict[str, float], pilot: VotePilot | None) -> View:
    n, alpha = arguments.n, arguments.alpha
    by_power = {power: detectable_gsb(n, power=power, alpha=alpha, **known) for power in _powers(arguments)}
    return detectable_gsb_view(by_power, n=n, known=known, power=arguments.power, alpha=alpha, pilot=pilot)


def _refuse(arguments: argparse.Namespace, unit: str, **defaults: object) -> None:
    for name, default in defaults.items():
        if getattr(arguments, name) != default:
            option = option_named(name)
            raise InputError(f"{option} is for a number of {unit}", hint=f"leave {option} out")


def _powers(arguments: argparse.Namespace) -> list[float]:
    return sorted({arguments.power, *(power for power in POWERS if power > arguments.alpha)})
