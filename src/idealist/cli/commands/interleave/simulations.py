"""idealist interleave simulate: a log of interleaved lists that users might have left."""

from __future__ import annotations

from idealist.base.wording import count_of
from idealist.cli.commands.clicks.simulations import add_behaviour, behaviour_of
from idealist.cli.commands.interleave.lists import add_method, read_named
from idealist.cli.files import deliver, refuse_existing, refuse_inputs, rows_text
from idealist.cli.options import add_format, add_output, add_seed, add_threads
from idealist.cli.sources import JUDGMENTS, RUNS, add_sources, read_judged, sources_of
from idealist.clicks.interleaved_lists import simulated_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "simulate a log of interleaved lists from runs, judgments and a behaviour of users"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("judgments", metavar="JUDGMENTS", help=JUDGMENTS)
    parser.add_argument("runs", metavar="RUN", nargs="+", help=f"two or more {RUNS}")
    add_method(parser)
    parser.add_argument("-n", type=int, default=1000, metavar="N", help="impressions (default: 1000)")
    parser.add_argument(
        "--per-user", type=int, default=1, metavar="N", help="impressions of each user (default: 1)"
    )
    add_behaviour(parser)
    add_seed(parser)
    add_output(parser)
    add_format(parser, ("csv", "jsonl"))
    add_sources(parser)
    add_threads(parser)


def run(arguments: argparse.Namespace) -> int:
    refuse_existing(arguments.output, arguments.force)
    refuse_inputs(arguments.output, [arguments.judgments, *arguments.runs])
    columns = simulated_columns(
        read_judged(arguments.judgments, sources_of(arguments)),
        read_named(arguments.runs, sources_of(arguments)),
        behaviour_of(arguments),
        arguments.method,
        impressions=arguments.n,
        k=arguments.k,
        per_user=arguments.per_user,
        seed=arguments.seed,
    )
    rows = list(zip(*columns.values(), strict=True))
    text = rows_text(tuple(columns), rows, arguments.format)
    about = f"{count_of(arguments.n, 'impression')}, {count_of(len(rows), 'row')}"
    deliver(text, arguments.output, about, force=arguments.force)
    return 0
