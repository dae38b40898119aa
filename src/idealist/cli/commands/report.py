"""idealist report: one HTML file with tables, figures and the verdict."""

from __future__ import annotations

import os

from idealist.cli.comparisons import (
    add_comparison,
    add_reading,
    add_tests,
    add_verdict,
    runs_to_compare,
    settings_of_tests,
    verdict_settings,
)
from idealist.cli.files import refuse_existing, refuse_inputs, refuse_unwritable
from idealist.cli.messages import say
from idealist.cli.options import add_output
from idealist.cli.progress import Progress
from idealist.cli.sources import expanded, sources_of, table_of
from idealist.data.needs import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "write tables, figures and the verdict as one HTML file"
EPILOG = """examples:
  idealist report robust.qrels bm25.run dense.run --baseline bm25.run -o report.html
  idealist report robust.qrels bm25.run -m nDCG@10 -m AP -o report.html
  idealist report robust.qrels old.run new.run --segments users.csv --segment-by country --guard AP=1% -o report.html
  idealist report robust.qrels a.run b.run c.run --tests wilcoxon,t --all-pairs --votes votes.csv -o report.html
  idealist report --evaluations old.json new.json -o report.html

The options are those of `idealist compare`. The same inputs give the same file, to the byte."""


def configure(parser: argparse.ArgumentParser) -> None:
    from idealist.show.reporting import MEASURES, TITLE

    add_comparison(parser, MEASURES)
    add_output(parser, "the HTML file to write", required=True)
    parser.add_argument("--votes", metavar="FILE", help="also show this table of good, same and bad votes")
    parser.add_argument("--title", default=TITLE, help=f"title of the page (default: {TITLE})")
    parser.add_argument(
        "--date", metavar="TEXT", default="", help="a date to print on the page (default: none)"
    )
    add_tests(parser)
    add_verdict(parser, "2 %% of the baseline's mean, and 2 %% of the votes")
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    from idealist.show.figures import require_matplotlib
    from idealist.show.report_page import InputFiles
    from idealist.show.reporting import MEASURES, report

    require_matplotlib()
    refuse_unwritable(arguments.output)
    refuse_existing(arguments.output, arguments.force)
    paths = _input_paths(arguments)
    refuse_inputs(arguments.output, [path for _, path in paths])
    files = InputFiles(paths)
    inputs = runs_to_compare(arguments, MEASURES, command="report", alone=True)
    page = report(
        **inputs.measured,
        baseline=inputs.baseline,
        segments=inputs.segments,
        region=arguments.rope,
        all_pairs=arguments.all_pairs,
        more_tests=arguments.more_tests,
        votes=table_of(arguments.votes, sources_of(arguments), "votes"),
        title=arguments.title,
        date=arguments.date,
        inputs=files,
        progress=Progress("randomising"),
        **settings_of_tests(arguments),
        **verdict_settings(arguments),
    )
    page.write(arguments.output, force=arguments.force)
    say(f"{arguments.output}: {os.path.getsize(arguments.output):,} bytes")
    return 0


def _input_paths(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    """Every file that the options name, with its role."""
    paths = [] if arguments.judgments is None else [("judgments", arguments.judgments)]
    paths += [("run", path) for path in expanded(arguments.runs)]
    paths += [("evaluation", path) for path in arguments.evaluations or ()]
    paths += [("numbers", path) for path in expanded(arguments.numbers or ())]
    roles = ("votes", "weights", "machine", "segments", *(need.name for need in TABLES))
    return paths + [(role, path) for role in roles if (path := getattr(arguments, role))]
