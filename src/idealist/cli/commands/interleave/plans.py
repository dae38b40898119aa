"""idealist interleave plan: how many impressions show a preference."""

from __future__ import annotations

from idealist.cli.commands.clicks.simulations import add_behaviour, behaviour_of
from idealist.cli.commands.interleave.lists import add_method, read_named
from idealist.cli.options import add_result, add_seed, add_threads, write_view
from idealist.cli.sources import add_sources, read_judged, sources_of, table_of
from idealist.clicks.impression_plan import needed_impressions, pilot_impressions, simulate_needed_impressions
from idealist.clicks.impressions import read_impressions
from idealist.errors import InputError
from idealist.show.click_tables import impression_plans_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.clicks.impression_plan import ImpressionPlan

SUMMARY = "compute how many impressions are needed to show a preference"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--preference", type=float, metavar="X", help="the preference to detect, from −1 to 1"
    )
    known = parser.add_mutually_exclusive_group(required=True)
    known.add_argument("--ties", type=float, metavar="SHARE", help="share of impressions without a winner")
    known.add_argument(
        "--pilot",
        metavar="LOG",
        help="estimate preference and ties from this log of interleaved lists instead",
    )
    known.add_argument(
        "--simulate",
        nargs="+",
        metavar="FILE",
        help="JUDGMENTS RUN RUN…: estimate preference and ties from simulated users of these runs instead",
    )
    parser.add_argument(
        "--per-user", type=float, default=1, metavar="M", help="impressions of a user (default: 1)"
    )
    parser.add_argument(
        "--icc", type=float, default=0.0, help="how alike the impressions of a user are, 0 to 1 (default: 0)"
    )
    parser.add_argument("--power", type=float, default=0.8, help="probability of detecting it (default: 0.8)")
    parser.add_argument(
        "--alpha", type=float, default=0.05, help="probability of a false alarm (default: 0.05)"
    )
    simulated = parser.add_argument_group("with --simulate")
    simulated.add_argument(
        "-n", type=int, default=2000, metavar="N", help="simulated impressions (default: 2000)"
    )
    add_method(parser)
    add_behaviour(parser)
    add_seed(parser)
    add_result(parser)
    add_sources(parser)
    add_threads(parser)


def run(arguments: argparse.Namespace) -> int:
    plans: tuple[ImpressionPlan, ...]
    risks = {"power": arguments.power, "alpha": arguments.alpha}
    if arguments.ties is not None:
        if arguments.preference is None:
            raise InputError("--ties goes with --preference", hint="--preference 0.02 --ties 0.6")
        clusters = {"per_user": arguments.per_user, "icc": arguments.icc}
        plans = (needed_impressions(arguments.preference, arguments.ties, **clusters, **risks),)
    elif arguments.pilot is not None:
        log = read_impressions(table_of(arguments.pilot, sources_of(arguments), "clicks", main=True))
        plans = pilot_impressions(log, preference=arguments.preference, **risks)
    else:
        if arguments.preference is not None:
            raise InputError(
                "--preference goes with --ties or --pilot", hint="simulated users have their own"
            )
        judgments, *paths = arguments.simulate
        plans = simulate_needed_impressions(
            read_judged(judgments, sources_of(arguments)),
            read_named(paths, sources_of(arguments)) if paths else {},
            behaviour_of(arguments),
            arguments.method,
            impressions=arguments.n,
            k=arguments.k,
            seed=arguments.seed,
            **risks,
        )
    write_view(impression_plans_view(plans), arguments.format)
    return 0
