"""The part of `idealist plan` that says which documents to judge next."""

from __future__ import annotations

from idealist.base.values import as_count
from idealist.cli.files import refuse_existing, refuse_inputs, write_file
from idealist.cli.options import (
    add_conventions,
    add_format,
    add_output,
    add_seed,
    add_threads,
    conventions_of,
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
)
from idealist.errors import InputError
from idealist.plan.open_documents import grouped_by_query, next_documents, open_differences
from idealist.show.plan_tables import next_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

SUMMARY = "which documents to judge next: those that can move the difference between runs most"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "The column move is what a gain of 1 would add to the difference in DCG@k of the query; of more than two runs, for the "
        "two where that is most. When the documents are judged, measure all queries: `idealist compare JUDGMENTS RUN RUN`."
    )
    parser.add_argument("judgments", metavar="JUDGMENTS", help=JUDGMENTS)
    parser.add_argument("runs", metavar="RUN", nargs="+", help=f"two or more {RUNS}")
    parser.add_argument(
        "-k", type=int, default=10, help="look at the first K documents of every run (default: 10)"
    )
    parser.add_argument("-n", type=int, default=20, help="how many documents (default: 20)")
    parser.add_argument("--discount", default="log2", help="log2, none, rbp(0.8), … (default: log2)")
    group = parser.add_argument_group(
        "a budget of judgments, drawn by a machine's labels (docs/machine-judges.md)"
    )
    group.add_argument(
        "--machine",
        metavar="FILE",
        help="judgments by a machine: documents are drawn by its grades and by their effect, with known probabilities",
    )
    group.add_argument("--budget", type=int, metavar="N", help="how many documents people can judge")
    group.add_argument(
        "--below",
        action="store_true",
        help="draw from documents below rank k too, as nDCG and R need, which look at all relevant documents",
    )
    add_seed(group)
    add_output(group, "the table of drawn documents to write, for people to fill in the grades")
    add_format(parser)
    add_threads(parser)
    add_sources(parser)
    add_conventions(parser, ("ties",))


def run(arguments: argparse.Namespace) -> int:
    if arguments.machine is not None or arguments.budget is not None:
        return _draw(arguments)
    for option in ("output", "below"):
        if getattr(arguments, option):
            raise InputError(
                f"--{option} is for a budget of judgments", hint="add --machine FILE and --budget N"
            )
    n = as_count(arguments.n, "the number of documents")
    files = named_files(expanded(arguments.runs), sources_of(arguments), judgments=arguments.judgments)
    judgments = read_judged(arguments.judgments, sources_of(arguments))
    how: dict[str, Any] = {
        "k": arguments.k,
        "discount": arguments.discount,
        "conventions": conventions_of(arguments),
    }
    documents = next_documents(judgments, files, **how)
    chosen = grouped_by_query(documents[:n])
    differences = open_differences(judgments, files, **how)
    write_view(next_view(documents, chosen, differences, arguments.k), arguments.format)
    return 0


def _draw(arguments: argparse.Namespace) -> int:
    """Spends a budget: draws documents, and writes them with their probabilities."""
    from idealist.plan.judgment_draws import draw_judgments
    from idealist.show.plan_tables import draw_rows, draw_view

    if arguments.machine is None or arguments.budget is None:
        raise InputError("--machine and --budget go together", hint="--machine machine.qrels --budget 200")
    runs, options = expanded(arguments.runs), sources_of(arguments)
    refuse_existing(arguments.output, arguments.force)
    refuse_inputs(arguments.output, [arguments.judgments, *runs, arguments.machine])
    draw = draw_judgments(
        named_files(runs, options, judgments=arguments.judgments),
        read_judged(arguments.machine, options),
        arguments.budget,
        judged=read_judged(arguments.judgments, options),
        k=arguments.k,
        discount=arguments.discount,
        below=arguments.below,
        seed=arguments.seed,
        conventions=conventions_of(arguments),
    )
    if arguments.output is not None:
        write_file(arguments.output, draw_rows(draw).to_csv(), force=arguments.force)
    write_view(draw_view(draw), arguments.format)
    return 0
