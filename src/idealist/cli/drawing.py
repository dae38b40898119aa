"""The parts of `idealist plan` that say what to judge: documents next, samples of queries, pools of documents."""

from __future__ import annotations

import json

from idealist.cli import document_samples, next_judgments
from idealist.cli.files import deliver, refuse_existing, refuse_inputs, rows_text
from idealist.cli.options import add_conventions, add_seed, conventions_of
from idealist.cli.sources import RUNS, add_sources, expanded, named_files, read_judged, table_of
from idealist.data.weights import SAMPLING_PROBABILITY, SAMPLING_WEIGHT
from idealist.errors import InputError
from idealist.plan.pooling import pool_documents
from idealist.plan.query_sampling import sample_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any


def _configure_sample(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "the sample has the rows of the table and two columns more: sampling_probability, and sampling_weight, which"
        "\na query has in a mean that stands for all traffic (for all queries without --by). Commands that weigh"
        "\nqueries (evaluate, compare, gsb) take sampling_weight by themselves where it is there; another column"
        "\nthat is named in its place is divided by sampling_probability"
    )
    parser.add_argument("queries", metavar="QUERIES", help="CSV, TSV, JSONL or Parquet with a row per query")
    parser.add_argument("-n", type=int, required=True, help="how many queries to draw")
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        help="as probable as this column is large; traffic stands for count, weight and frequency too",
    )
    parser.add_argument("--stratify", metavar="COLUMN", help="from every value of this column its part")
    _add_file(parser, ("csv", "jsonl"))


def _configure_pool(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "the documents of a query stand in an order made from the seed, which tells raters nothing. With --strata, all\n"
        "pooled documents are written with stratum, probability and whether they were drawn (sampled 1 or 0); when\n"
        "these are judged, `idealist plan grade` makes the judgments that infNDCG and xinfAP read"
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help=RUNS)
    parser.add_argument("-k", type=int, help="how many of every run (with --strata, those say it)")
    document_samples.add_strata(parser)
    parser.add_argument(
        "--judged",
        metavar="JUDGMENTS",
        help="leave out what is judged here; with --strata, it is a stratum of its own, 0",
    )
    parser.add_argument("--queries", metavar="FILE", help="only the queries of this table, such as a sample")
    _add_file(parser, ("csv", "trec", "jsonl"))
    add_sources(parser, features=True)
    add_conventions(parser, ("ties",))


def _add_file(parser: argparse.ArgumentParser, kinds: tuple[str, ...]) -> None:
    add_seed(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="write there, not to standard output")
    parser.add_argument("--force", action="store_true", help="replace a file that is there already")
    parser.add_argument("--format", choices=kinds, default="csv", help="default: csv")


def _sample(arguments: argparse.Namespace) -> int:
    from idealist.io import read_table

    refuse_existing(arguments.output, arguments.force)
    table = read_table(table_of(arguments.queries, arguments))
    drawn = sample_queries(
        table, arguments.n, by=arguments.by, stratify=arguments.stratify, seed=arguments.seed
    )
    from idealist.data.columns import QUERY

    names = table.ids(table.named(*QUERY))
    row_of = {name: row for row, name in enumerate(names)}
    titles = [*table.names, SAMPLING_PROBABILITY, SAMPLING_WEIGHT]
    for title in titles[-2:]:
        if title in table:
            raise table.wrong(f"there is a column {title!r} already", hint="rename it: a sample writes one")
    rows = [
        [*(column[row_of[one.query]] for column in table.columns.values()), one.probability, one.weight]
        for one in drawn
    ]
    about = f"{len(drawn):,} of {len(names):,} queries, seed {arguments.seed}"
    deliver(rows_text(titles, rows, arguments.format), arguments.output, about, force=arguments.force)
    return 0


def _pool(arguments: argparse.Namespace) -> int:
    refuse_existing(arguments.output, arguments.force)
    queries = None
    if arguments.queries is not None:
        from idealist.data.columns import QUERY
        from idealist.io import read_table

        table = read_table(table_of(arguments.queries, arguments))
        queries = table.ids(table.named(*QUERY))
    for output in (arguments.output, arguments.to_judge):
        refuse_inputs(output, [*expanded(arguments.runs), arguments.judged])
    runs = named_files(expanded(arguments.runs), arguments, judgments=arguments.judged)
    how: dict[str, Any] = {
        "judged": None if arguments.judged is None else read_judged(arguments.judged, arguments),
        "queries": queries,
        "conventions": conventions_of(arguments),
    }
    if arguments.strata is not None:
        return document_samples.write_sample(arguments, runs, **how)
    if arguments.k is None:
        raise InputError("how deep is the pool to be?", hint="state -k, or --strata for a sample")
    if arguments.to_judge is not None:
        raise InputError("--to-judge is for a sample", hint="state --strata, or -o for the whole pool")
    pools = pool_documents(runs, arguments.k, seed=arguments.seed, **how)
    pairs = [(query, document) for query, documents in pools.items() for document in documents]
    if arguments.format == "csv":
        text = rows_text(["query", "document"], pairs, "csv")
    elif arguments.format == "trec":
        text = "".join(f"{query} {document}\n" for query, document in pairs)
    else:
        text = "".join(
            json.dumps({"query": query, "documents": documents}, ensure_ascii=False) + "\n"
            for query, documents in pools.items()
        )
    about = f"{len(pairs):,} documents of {len(pools):,} queries to judge, seed {arguments.seed}"
    deliver(text, arguments.output, about, force=arguments.force)
    return 0


PARTS = (
    ("next", next_judgments.SUMMARY, next_judgments.configure),
    ("sample", "draw queries from a table, at random, by traffic or by stratum", _configure_sample),
    ("pool", "the documents to judge: the first k of every run, or a sample of them", _configure_pool),
    ("grade", document_samples.GRADE_SUMMARY, document_samples.configure_grade),
)
RUN = {"next": next_judgments.run, "sample": _sample, "pool": _pool, "grade": document_samples.grade}
