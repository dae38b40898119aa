"""idealist sql: measures as a query for a database."""

from __future__ import annotations

import sys

from idealist.backends.sql.dialects import DIALECTS
from idealist.cli.options import (
    add_conventions,
    add_measure_defaults,
    add_result_file,
    conventions_of,
    measures_of,
)
from idealist.cli.sources import ranked_columns, sources_of
from idealist.engines.sql.sql_query import query

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "print the SQL query that measures tables of a database"
EPILOG = """examples:
  idealist sql nDCG@10 --dialect postgres
  idealist sql nDCG@10 AP RR@10 --dialect spark --run shop.run_a --judgments shop.grades
  idealist sql P@5 --by-query --columns query=user_id,document=sku,run.score=s,grade=stars
  idealist sql nDCG@10 --run "'run.parquet'" --judgments "'qrels.parquet'" | duckdb"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "measures", metavar="MEASURE", nargs="+", help="a measure by its name, such as nDCG@10"
    )
    parser.add_argument(
        "--dialect", choices=tuple(DIALECTS), default="duckdb", help="the database (default: duckdb)"
    )
    parser.add_argument(
        "--by-query", action="store_true", help="the value of every judged query, instead of the mean"
    )
    add_result_file(parser)
    group = parser.add_argument_group("tables")
    group.add_argument(
        "--run",
        metavar="TABLE",
        default="run",
        help="the table of the run, or a query in brackets (default: run)",
    )
    group.add_argument(
        "--judgments",
        metavar="TABLE",
        default="judgments",
        help="the table of the judgments, or a query in brackets (default: judgments)",
    )
    group.add_argument(
        "--columns",
        metavar="OURS=THEIRS,…",
        help="names of your columns for query, document, score and grade, and for rank, the order of the rows for "
        "ties=input-order; run.query=uid says it of the run alone",
    )
    group.add_argument(
        "--no-checks",
        action="store_true",
        help="leave out the checks that make the query fail on rows without an id or a number, on documents that occur twice, "
        "and where the conventions say error",
    )
    add_measure_defaults(parser)
    add_conventions(parser)


def run(arguments: argparse.Namespace) -> int:
    sys.stdout.write(
        query(
            measures_of(arguments.measures, arguments),
            dialect=arguments.dialect,
            conventions=conventions_of(arguments),
            run=arguments.run,
            judgments=arguments.judgments,
            columns=ranked_columns(sources_of(arguments)),
            by_query=arguments.by_query,
            checks=not arguments.no_checks,
        )
    )
    return 0
