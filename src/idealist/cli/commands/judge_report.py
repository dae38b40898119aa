"""idealist judge-report: a machine's judgments compared with those of people."""

from __future__ import annotations

from idealist.cli.files import refuse_existing, refuse_inputs, write_file
from idealist.cli.messages import say
from idealist.cli.options import (
    MEASURE,
    add_confidence,
    add_conventions,
    add_measure_defaults,
    add_measures,
    add_result,
    add_seed,
    add_threads,
    conventions_of,
    measures_of,
    write_view,
)
from idealist.cli.sources import (
    JUDGMENTS,
    RUNS,
    add_sources,
    expanded,
    named_files,
    read_judged,
    sources_of,
    table_of,
)
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "compare a machine's judgments with those of people"
EPILOG = """examples:
  idealist judge-report human.qrels machine.qrels
  idealist judge-report human.qrels machine.qrels bm25.run dense.run -m nDCG@10
  idealist judge-report human.qrels machine.qrels --documents documents.csv --by length
  idealist judge-report human.qrels machine.qrels --repeat again.qrels --figure confusion.svg
  idealist judge-report human.qrels machine.qrels --swapped votes.csv --format html"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("human", metavar="HUMAN", help=f"people's {JUDGMENTS}")
    parser.add_argument("machine", metavar="MACHINE", help=f"the machine's {JUDGMENTS}")
    parser.add_argument("runs", metavar="RUN", nargs="*", help=RUNS)
    add_measures(parser, [MEASURE])
    parser.add_argument(
        "--documents", metavar="FILE", help="a table with a row per document, for over-rating by its columns"
    )
    parser.add_argument(
        "--by",
        action="append",
        metavar="COLUMN",
        help="a column of the documents, such as length; may be repeated (default: all)",
    )
    parser.add_argument(
        "--repeat",
        metavar="FILE",
        help="a second set of judgments by the same machine, for its agreement with itself",
    )
    parser.add_argument(
        "--swapped",
        metavar="FILE",
        help="votes of the machine on lists shown both ways round, with a column `side`",
    )
    parser.add_argument("--figure", metavar="FILE", help="also draw the confusion matrix, as .png or .svg")
    parser.add_argument("--force", action="store_true", help="replace a file that exists already")
    add_confidence(parser)
    add_seed(parser)
    add_result(parser, force=False)
    add_sources(parser)
    add_threads(parser)
    add_measure_defaults(parser)
    add_conventions(parser)


def run(arguments: argparse.Namespace) -> int:
    from idealist.machine.judge_quality import report

    options = sources_of(arguments)
    if arguments.figure is not None:
        from idealist.show.figures import require_matplotlib
        from idealist.show.plots import require_figure_name

        require_matplotlib()
        require_figure_name(arguments.figure)
        refuse_existing(arguments.figure, arguments.force)
        refuse_inputs(arguments.figure, [arguments.human, arguments.machine, *arguments.runs])
    if arguments.measure and not arguments.runs:
        raise InputError("-m is for runs, and there are none", hint="name runs behind the judgments")
    result = report(
        read_judged(arguments.human, options),
        read_judged(arguments.machine, options),
        named_files(expanded(arguments.runs), options, judgments=arguments.human) if arguments.runs else None,
        measures_of(arguments.measure or [MEASURE], arguments) if arguments.runs else MEASURE,
        documents=table_of(arguments.documents, options, "items"),
        by=arguments.by or (),
        repeat=None if arguments.repeat is None else read_judged(arguments.repeat, options),
        swapped=table_of(arguments.swapped, options, "votes"),
        conventions=conventions_of(arguments),
        confidence=arguments.confidence,
        seed=arguments.seed,
    )
    from idealist.show.machine_tables import judge_view

    write_view(judge_view(result), arguments.format)
    if arguments.figure is not None:
        from idealist.show.plots import figure_bytes

        content = figure_bytes(result.plot(), arguments.figure, title="grades of people and of the machine")
        write_file(arguments.figure, content, force=arguments.force)
        say(f"{arguments.figure}: {len(content):,} bytes")
    return 0
