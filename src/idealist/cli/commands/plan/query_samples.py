"""The part of `idealist plan` that draws a sample of queries."""

from __future__ import annotations

from idealist.cli.commands.plan.output import add_drawn
from idealist.cli.files import deliver, refuse_existing, refuse_inputs, rows_text
from idealist.cli.sources import add_sources, sources_of, table_of
from idealist.data.query_weights import SAMPLING_PROBABILITY, SAMPLING_WEIGHT
from idealist.plan.query_sampling import sample_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "draw queries from a table, at random, by traffic or by stratum"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "The sample has the rows of the table and two columns more: sampling_probability, and sampling_weight, which "
        "a query has in a mean that stands for all traffic (for all queries without --by). Commands that weigh "
        "queries (evaluate, compare, gsb) use sampling_weight by default; another column that is named "
        "instead is divided by sampling_probability."
    )
    parser.add_argument("queries", metavar="QUERIES", help="a table in any format with a row per query")
    parser.add_argument("-n", type=int, required=True, help="how many queries to draw")
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        help="draw queries with probabilities proportional to this column; traffic also finds count, weight and frequency",
    )
    parser.add_argument(
        "--stratify",
        metavar="COLUMN",
        help="draw from every value of this column, in proportion to its share",
    )
    add_drawn(parser, ("csv", "jsonl"))
    add_sources(parser)


def run(arguments: argparse.Namespace) -> int:
    from idealist.data import read_table

    refuse_existing(arguments.output, arguments.force)
    refuse_inputs(arguments.output, [arguments.queries])
    table = read_table(table_of(arguments.queries, sources_of(arguments), "queries", main=True))
    drawn = sample_queries(
        table, arguments.n, by=arguments.by, stratify=arguments.stratify, seed=arguments.seed
    )
    from idealist.data.column_names import QUERY

    names = table.ids(table.named(*QUERY))
    row_of = {name: row for row, name in enumerate(names)}
    titles = [*table.names, SAMPLING_PROBABILITY, SAMPLING_WEIGHT]
    for title in titles[-2:]:
        if title in table:
            raise table.wrong(f"there is a column {title!r} already", hint="rename it: a sample writes one")
    rows = [
        [*(column[row_of[query.query]] for column in table.columns.values()), query.probability, query.weight]
        for query in drawn
    ]
    about = f"{len(drawn):,} of {len(names):,} queries, seed {arguments.seed}"
    deliver(rows_text(titles, rows, arguments.format), arguments.output, about, force=arguments.force)
    return 0
