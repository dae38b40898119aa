"""idealist fetch-run: the lists that a search engine gives for a file of queries."""

from __future__ import annotations

import os

from idealist.cli.files import refuse_existing, refuse_inputs, refuse_unwritable
from idealist.cli.messages import say
from idealist.cli.options import add_format, add_requests, add_seed, write_view
from idealist.cli.sources import sources_of, texts_of
from idealist.cli.templates import template_text
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "fetch a run from a search engine"
EPILOG = """examples:
  idealist fetch-run queries.tsv bm25.run --engine elasticsearch --url http://localhost:9200 --index shop
  idealist fetch-run queries.tsv new.run --engine opensearch --url https://search.example.org --index shop --template new.json
  idealist fetch-run queries.tsv solr.run --engine solr --url http://localhost:8983/solr --index shop -k 1000
  idealist fetch-run queries.tsv vespa.run --engine vespa --url http://localhost:8080 --index product --rate 600
  idealist compare shop.qrels bm25.run new.run

A template is the JSON of a request, with "{query}" where the text of a query goes, and if needed "{id}" (of the
query), "{depth}" and "{id_field}". --show-template prints the one that is used otherwise.

Every list is kept in RUN.partial as soon as it is there: the same command goes on where it was stopped. The run is
written when all lists are there. Lists that an engine says are incomplete (a timeout, a shard that failed) are asked
for again. The environment variable SEARCH_AUTHORIZATION (or --key-variable) holds the header Authorization, such as
"ApiKey …" or "Basic …", and is written nowhere."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "queries",
        metavar="QUERIES",
        help="TSV of id and text, a table with the columns id and text, or ir_datasets:ID",
    )
    parser.add_argument(
        "run_file", metavar="RUN", nargs="?", help="the file to write, in the format of its ending"
    )
    parser.add_argument(
        "--engine", required=True, metavar="NAME", help="elasticsearch, opensearch, solr or vespa"
    )
    parser.add_argument(
        "--url", required=True, help="address of the server, for example http://localhost:9200"
    )
    parser.add_argument("--index", default="", metavar="NAME", help="the index, collection, core or schema")
    parser.add_argument("-k", type=int, default=100, help="how many documents for each query (default: 100)")
    parser.add_argument("--template", metavar="FILE", help="the body of requests, as JSON")
    parser.add_argument(
        "--show-template", action="store_true", help="print the body of requests, and send nothing"
    )
    parser.add_argument(
        "--path", default="", help="path of requests, behind the address (default: that of the engine)"
    )
    parser.add_argument(
        "--id-field", default="", metavar="FIELD", help="the field of documents that holds their id"
    )
    parser.add_argument("--name", metavar="TAG", help="name of the run (default: the name of the index)")
    parser.add_argument(
        "--scores",
        default="engine",
        metavar="RULE",
        help="engine: its scores; rank: −1, −2 …, which keep its order where scores are equal or missing (default: engine)",
    )
    parser.add_argument(
        "--key-variable",
        default="SEARCH_AUTHORIZATION",
        metavar="NAME",
        help="the environment variable that holds the header Authorization (default: SEARCH_AUTHORIZATION)",
    )
    add_requests(parser, 30.0)
    parser.add_argument("--force", action="store_true", help="replace RUN if it exists already")
    add_seed(parser)
    add_format(parser)
    _add_queries(parser)


def _add_queries(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the format of QUERIES (detected from the content, compressed or not)")
    group.add_argument(
        "--columns",
        metavar="OURS=THEIRS,…",
        help="names of your columns for query and text, such as query=nr,text=utterance",
    )
    group.add_argument(
        "--input-format", metavar="FORMAT", help="tsv, csv, … (default: detected from the content)"
    )
    group.add_argument(
        "--encoding", metavar="NAME", help="encoding of text, such as cp1252 or gbk (default: UTF-8)"
    )


def run(arguments: argparse.Namespace) -> int:
    from idealist.cli.progress import Progress
    from idealist.data.writing import destination_of, write_run
    from idealist.integrations.search_engines.fetching import SearchEngine, fetch_run
    from idealist.show.views import view

    engine = SearchEngine(
        arguments.engine,
        arguments.url,
        arguments.index,
        arguments.k,
        "" if arguments.template is None else template_text(arguments.template),
        arguments.path,
        arguments.id_field,
        arguments.key_variable,
        arguments.timeout,
    )
    if arguments.show_template:
        import json

        print(
            json.dumps(json.loads(engine.template or engine.dialect.template), indent=2, ensure_ascii=False)
        )
        return 0
    if arguments.run_file is None:
        raise InputError(
            "there is no file to write the run to", hint="name it after the queries: … queries.tsv bm25.run"
        )
    target = arguments.run_file
    refuse_existing(target, arguments.force)
    refuse_inputs(target, [arguments.queries, arguments.template])
    refuse_unwritable(target)
    destination_of(target, "run")
    journal = f"{target}.partial"
    bar = Progress("fetching", "queries")
    try:
        fetched = fetch_run(
            texts_of(arguments.queries, sources_of(arguments), "queries", main=True),
            engine,
            name=arguments.name,
            scores=arguments.scores,
            journal=journal,
            concurrency=arguments.concurrency,
            rate=arguments.rate,
            retries=arguments.retries,
            seed=arguments.seed,
            progress=bar,
        )
    finally:
        bar.wipe()
    try:
        write_run(fetched.run, target, force=arguments.force)
    except InputError as error:
        again = f"the lists are kept in {journal}: renamed to OTHER.partial, nothing is asked again for a run OTHER"
        raise InputError(error.message, hint=f"{error.hint}; {again}" if error.hint else again) from None
    os.unlink(journal)
    write_view(view(fetched), arguments.format)
    say(f"{target}: written")
    return 0
