"""idealist interleave analyse: which run users prefer, by a log of interleaved lists."""

from __future__ import annotations

from idealist.cli.commands.interleave.lists import read_named
from idealist.cli.comparisons import add_baseline
from idealist.cli.impression_logs import LOG, add_log_columns, read_log
from idealist.cli.options import (
    MEASURE,
    add_confidence,
    add_gate,
    add_margin,
    add_result,
    write_view,
)
from idealist.cli.sources import read_judged, sources_of
from idealist.clicks.interleaving import analyse_interleaving
from idealist.errors import InputError
from idealist.show.click_tables import interleaving_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.comparison import Comparison

SUMMARY = "decide which run users prefer, from a log of impressions and clicks"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("log", metavar="LOG", help=LOG)
    add_baseline(parser)
    how = parser.add_argument_group("statistics")
    add_confidence(how)
    how.add_argument(
        "--per-user",
        type=int,
        metavar="N",
        help="a user enters the sequential test with the first N impressions (default: when the next user's begin)",
    )
    how.add_argument(
        "--offline",
        nargs="+",
        metavar="FILE",
        help="JUDGMENTS RUN RUN…: also compare the systems by a measure, and print how much data each way needs to tell them apart",
    )
    how.add_argument("-m", "--measure", help=f"the measure of --offline (default: {MEASURE})")
    verdict = parser.add_argument_group("verdict")
    add_margin(verdict, "2 %% of the credit that a click decides, 0.02 for team-draft")
    verdict.add_argument(
        "--sequential",
        action="store_true",
        help="a verdict that stays valid when it is looked at again and again while the log grows",
    )
    add_gate(verdict)
    add_result(parser)
    add_log_columns(parser)


def run(arguments: argparse.Namespace) -> int:
    log = read_log(arguments.log, arguments)
    result = analyse_interleaving(
        log,
        baseline=arguments.baseline,
        margin=arguments.margin,
        confidence=arguments.confidence,
        sequential=arguments.sequential,
        per_user=arguments.per_user,
        offline=_offline(arguments, list(log.ranks or log.credits)),
    )
    write_view(interleaving_view(result), arguments.format)
    if not arguments.gate:
        return 0
    if len(result.preferences) > 1:
        raise InputError("--gate is for two systems", hint="the log compares more: leave it out")
    return result.verdict.exit_code


def _offline(arguments: argparse.Namespace, systems: list[str]) -> Comparison | None:
    if arguments.offline is None:
        if arguments.measure is not None:
            raise InputError(
                "--measure goes with --offline", hint="leave it out, or give --offline JUDGMENTS RUN RUN"
            )
        return None
    from idealist.comparison import compare

    judgments, *paths = arguments.offline
    # These options are of the log, not of runs and judgments.
    options = sources_of(arguments).replace(columns=None, input_format=None)
    runs = read_named(paths, options)
    missing = [name for name in systems if name not in runs]
    if missing:
        raise InputError(
            f"--offline has no run {missing[0]!r}, which the log has",
            hint=f"it has {', '.join(runs) or 'none'}; a run has the name of its file",
        )
    return compare(
        read_judged(judgments, options),
        {name: runs[name] for name in systems},
        [arguments.measure or MEASURE],
        baseline=arguments.baseline or systems[0],
        confidence=arguments.confidence,
    )
