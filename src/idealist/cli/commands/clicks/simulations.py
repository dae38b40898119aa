"""idealist clicks simulate: a log that users might have left."""

from __future__ import annotations

from idealist.base.wording import count_of
from idealist.cli.files import deliver, refuse_existing, refuse_inputs, rows_text
from idealist.cli.options import add_format, add_output, add_seed, add_threads
from idealist.cli.sources import (
    JUDGMENTS,
    RUN,
    add_sources,
    judgments_and_run,
)
from idealist.clicks.simulated_logs import BEHAVIOURS, LOOKS, TITLES, ClickBehaviour, simulated_columns
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "simulate a click log from a run, judgments and a behaviour of users"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("judgments", metavar="JUDGMENTS", help=JUDGMENTS)
    parser.add_argument("run", metavar="RUN", help=RUN)
    parser.add_argument("-n", type=int, default=1000, metavar="N", help="impressions (default: 1000)")
    parser.add_argument("-k", type=int, default=10, metavar="N", help="documents shown (default: 10)")
    add_behaviour(parser)
    parser.add_argument(
        "--exponent",
        type=float,
        metavar="X",
        help="shuffle the documents, each next one drawn in proportion to 1/rank^X (default: the run's own order)",
    )
    parser.add_argument(
        "--per-user", type=int, default=1, metavar="N", help="impressions of each user (default: 1)"
    )
    add_seed(parser)
    add_output(parser)
    add_format(parser, ("csv", "jsonl"))
    add_sources(parser)
    add_threads(parser)


def add_behaviour(parser: argparse.ArgumentParser) -> None:
    """How simulated users click."""
    group = parser.add_argument_group("how users click")
    group.add_argument(
        "--behaviour",
        choices=tuple(BEHAVIOURS),
        default="position",
        help="named behaviour of the users; the options below change parts of it (default: position)",
    )
    ends = "at grade 0 and at the highest grade, such as 0.05,0.9"
    group.add_argument(
        "--click", metavar="LOW,HIGH", help=f"probability of a click on a document that is looked at, {ends}"
    )
    group.add_argument("--stop", metavar="LOW,HIGH", help=f"probability of stopping after a click, {ends}")
    group.add_argument(
        "--looks", choices=LOOKS, help="what the probability of looking at a position depends on"
    )
    group.add_argument("--eta", type=float, help="how fast it falls: (1/position)^ETA or (1/distance)^ETA")
    group.add_argument(
        "--go-on", type=float, metavar="P", help="probability of going on to the next position"
    )


def behaviour_of(arguments: argparse.Namespace) -> ClickBehaviour:
    """The named behaviour, but for what is stated."""
    stated = {name: getattr(arguments, name) for name in ("looks", "eta", "go_on")}
    for name in ("click", "stop"):
        text = getattr(arguments, name)
        if text is not None:
            try:
                low, high = map(float, text.split(","))
            except ValueError:
                raise InputError(
                    f"--{name} is {text!r}, not two numbers", hint=f"--{name} 0.05,0.9"
                ) from None
            stated[name] = low, high
    return BEHAVIOURS[arguments.behaviour].replace(
        **{name: value for name, value in stated.items() if value is not None}
    )


def run(arguments: argparse.Namespace) -> int:
    refuse_existing(arguments.output, arguments.force)
    refuse_inputs(arguments.output, [arguments.judgments, arguments.run])
    columns = simulated_columns(
        *judgments_and_run(arguments),
        behaviour_of(arguments),
        impressions=arguments.n,
        k=arguments.k,
        exponent=arguments.exponent,
        per_user=arguments.per_user,
        seed=arguments.seed,
    )
    rows = list(zip(*columns.values(), strict=True))
    text = rows_text(TITLES, rows, arguments.format)
    deliver(
        text,
        arguments.output,
        f"{count_of(arguments.n, 'impression')}, {count_of(len(rows), 'row')}",
        force=arguments.force,
    )
    return 0
