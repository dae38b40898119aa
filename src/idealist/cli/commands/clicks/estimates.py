"""idealist clicks estimate: what a run would be clicked, from a log of other lists."""

from __future__ import annotations

from idealist.cli.impression_logs import LOG, add_log_columns, read_log
from idealist.cli.options import add_confidence, add_result, add_seed, write_view
from idealist.cli.sources import RUN, named_files
from idealist.clicks.slate_estimates import ESTIMATORS, estimate_clicks
from idealist.show.click_tables import slate_estimates_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "estimate the clicks of a run, from a log of lists that another system showed"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("log", metavar="LOG", help=LOG)
    parser.add_argument("run", metavar="RUN", help=RUN)
    parser.add_argument(
        "-k", type=int, metavar="N", help="documents shown (default: as many as the log has positions)"
    )
    parser.add_argument(
        "--estimator",
        action="append",
        choices=tuple(ESTIMATORS),
        help="may be repeated (default: all that the log allows): "
        + "; ".join(f"{name} weighs {about}" for name, about in ESTIMATORS.items()),
    )
    add_confidence(parser)
    add_seed(parser)
    add_result(parser)
    add_log_columns(parser)


def run(arguments: argparse.Namespace) -> int:
    (file,) = named_files([arguments.run]).values()
    result = estimate_clicks(
        read_log(arguments.log, arguments),
        file.read(),
        k=arguments.k,
        estimators=arguments.estimator,
        confidence=arguments.confidence,
        seed=arguments.seed,
    )
    write_view(slate_estimates_view(result), arguments.format)
    return 0
