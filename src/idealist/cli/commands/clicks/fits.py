"""idealist clicks fit: a model of clicks, its propensities, and how well it predicts."""

from __future__ import annotations

from idealist.base.wording import count_of
from idealist.cli.files import refuse_existing, refuse_inputs, rows_text, write_file
from idealist.cli.impression_logs import LOG, add_log_columns, read_log
from idealist.cli.messages import say
from idealist.cli.options import add_confidence, add_format, add_output, add_seed, write_view
from idealist.clicks import ClickModel
from idealist.clicks.click_fitting import TITLES, fit_clicks, weighed_columns
from idealist.errors import InputError
from idealist.show.click_tables import click_fit_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "fit a model of clicks: propensities of positions, perplexity of held-out clicks"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("log", metavar="LOG", help=LOG)
    parser.add_argument(
        "--model",
        metavar="NAME",
        default="pbm",
        help="; ".join(f"{name}: {model.about}" for name, model in ClickModel.all().items())
        + " (default: pbm)",
    )
    parser.add_argument(
        "--holdout",
        type=float,
        default=0.2,
        metavar="SHARE",
        help="share of the impressions to hold out and predict (default: 0.2)",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=0,
        metavar="N",
        help="rounds of a bootstrap over users, for intervals of propensities (default: 0, no intervals)",
    )
    add_confidence(parser)
    add_seed(parser)
    add_output(parser, "write the propensities as a table: position, propensity (default: none is written)")
    parser.add_argument(
        "--weighed",
        metavar="CLICKS",
        help="write the clicks with their propensities, for `idealist evaluate --clicks CLICKS -m IPS-DCG`",
    )
    add_format(parser)
    add_log_columns(parser)


def run(arguments: argparse.Namespace) -> int:
    for path in (arguments.output, arguments.weighed):
        refuse_existing(path, arguments.force)
        refuse_inputs(path, [arguments.log])
    if arguments.output is not None and arguments.output == arguments.weighed:
        raise InputError("-o and --weighed name the same file", hint="they are two tables: name two files")
    log = read_log(arguments.log, arguments)
    fit = fit_clicks(
        log,
        arguments.model,
        holdout=arguments.holdout,
        rounds=arguments.rounds,
        confidence=arguments.confidence,
        seed=arguments.seed,
    )
    if arguments.output is not None:
        text = rows_text(("position", "propensity"), [list(row) for row in fit.propensities.items()], "csv")
        write_file(arguments.output, text, force=arguments.force)
        say(f"{arguments.output}: {count_of(len(fit.positions), 'position')}")
    if arguments.weighed is not None:
        columns = weighed_columns(log, fit.propensities)
        rows = list(zip(*columns.values(), strict=True))
        write_file(arguments.weighed, rows_text(TITLES, rows, "csv"), force=arguments.force)
        say(f"{arguments.weighed}: {count_of(len(rows), 'row')}")
    write_view(click_fit_view(fit), arguments.format)
    return 0
