"""idealist ab: whether the candidate of an A/B test is better, by a table of users."""

from __future__ import annotations

from idealist.cli.guards import guard_margins
from idealist.cli.options import (
    add_confidence,
    add_gate,
    add_margin,
    add_result,
    add_shares,
    shares_of,
    write_view,
)
from idealist.cli.sources import add_table_columns, sources_of, table_of
from idealist.cli.table_columns import stated_columns
from idealist.comparison.ab_tests import NAMES, ROWS, ab
from idealist.show.ab_tables import ab_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "decide whether the candidate of an A/B test is better, from a table of users"
EPILOG = """examples:
  idealist ab experiment.csv -m clicked --margin 1%
  idealist ab experiment.csv -m clicked -m latency_ms --guard latency_ms=2% --gate
  idealist ab experiment.csv -m orders --several-rows sum --columns group=arm,user=visitor
  idealist ab experiment.csv -m clicked --baseline control --candidate b --share control=0.9 --share b=0.1

The first metric decides, the others are guards, and so are shares of the groups that are not as planned. With --gate the
exit code is 0 to ship, 1 to block, 3 when undecided."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "log",
        metavar="LOG",
        help="a row for each user, or several, with the columns user, group and metrics: a table in any format, "
        "FILE::TABLE, or - for standard input",
    )
    parser.add_argument(
        "-m",
        "--metric",
        action="append",
        metavar="METRIC",
        help="a column of numbers, such as clicked or stars(better=higher,low=1,high=5); may be repeated, and the first "
        "decides (default: the only one there is)",
    )
    parser.add_argument(
        "--baseline", metavar="GROUP", help="the group of the system of today (default: control, old or a)"
    )
    parser.add_argument(
        "--candidate",
        metavar="GROUP",
        help="the group that is compared with it (default: the only other one)",
    )
    add_shares(
        parser,
        "GROUP",
        "the share of the users that a group was to have, for both groups (default: half each)",
    )
    parser.add_argument(
        "--several-rows",
        choices=ROWS,
        default=ROWS[0],
        help=f"what counts of a user with several rows, who is one number: their mean or their sum (default: {ROWS[0]})",
    )
    verdict = parser.add_argument_group("verdict")
    add_margin(verdict)
    verdict.add_argument(
        "--guard",
        action="append",
        metavar="METRIC=MARGIN",
        help="a metric that must be shown not to lose more than this, such as latency_ms=2%%; may be repeated",
    )
    add_confidence(verdict)
    add_gate(verdict)
    add_result(parser)
    add_table_columns(parser, " and ".join(NAMES), "group=arm")


def run(arguments: argparse.Namespace) -> int:
    options = sources_of(arguments).replace(columns=None)
    result = ab(
        table_of(arguments.log, options, "experiment", main=True),
        arguments.metric,
        baseline=arguments.baseline,
        candidate=arguments.candidate,
        shares=shares_of(arguments.share),
        several_rows=arguments.several_rows,
        margin=arguments.margin,
        guard_margins=guard_margins(arguments.guard, "latency_ms=2%"),
        confidence=arguments.confidence,
        columns=stated_columns(arguments.columns),
    )
    write_view(ab_view(result), arguments.format)
    return result.verdict.exit_code if arguments.gate else 0
