"""The part of `idealist plan` that pools the documents of runs, all or a sample."""

from __future__ import annotations

import json

from idealist.base.wording import count_of, count_queries
from idealist.cli.commands.plan import pool_samples
from idealist.cli.commands.plan.output import add_drawn
from idealist.cli.files import deliver, refuse_existing, refuse_inputs, rows_text
from idealist.cli.inputs import stated_queries
from idealist.cli.options import add_conventions, add_threads, conventions_of
from idealist.cli.sources import RUNS, add_sources, expanded, named_files, read_judged, sources_of
from idealist.errors import InputError
from idealist.plan.document_samples import pool_documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

SUMMARY = "the documents to judge: the first k of every run, or a sample of them"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "The documents of a query stand in an order made from the seed, so that raters cannot guess ranks. With --strata, all "
        "pooled documents are written with stratum, probability and whether they were drawn (sampled 1 or 0); when "
        "these are judged, `idealist plan grade` makes the judgments that infNDCG and xinfAP read."
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help=RUNS)
    parser.add_argument(
        "-k",
        type=int,
        help="depth of the pool: how many documents of every run (--strata has its own depths)",
    )
    pool_samples.add_strata(parser)
    parser.add_argument(
        "--judged",
        metavar="JUDGMENTS",
        help="leave out documents that are judged here; with --strata, they are stratum 0",
    )
    parser.add_argument(
        "--queries", metavar="FILE", help="pool only the queries of this table, such as a sample"
    )
    add_drawn(parser, ("csv", "trec", "jsonl"))
    add_threads(parser)
    add_sources(parser, features=True)
    add_conventions(parser, ("ties",))


def run(arguments: argparse.Namespace) -> int:
    refuse_existing(arguments.output, arguments.force)
    queries = stated_queries(arguments)
    for output in (arguments.output, arguments.to_judge):
        refuse_inputs(output, [*expanded(arguments.runs), arguments.judged, arguments.queries])
    runs = named_files(expanded(arguments.runs), sources_of(arguments), judgments=arguments.judged)
    how: dict[str, Any] = {
        "judged": None if arguments.judged is None else read_judged(arguments.judged, sources_of(arguments)),
        "queries": queries,
        "conventions": conventions_of(arguments),
    }
    if arguments.strata is not None:
        strata = pool_samples.read_strata_option(arguments.strata, arguments.k)
        pool_samples.write_sample(
            runs,
            strata,
            seed=arguments.seed,
            kind=arguments.format,
            output=arguments.output,
            to_judge=arguments.to_judge,
            force=arguments.force,
            **how,
        )
        return 0
    if arguments.k is None:
        raise InputError("the depth of the pool is not stated", hint="state -k, or --strata for a sample")
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
    size = f"{count_of(len(pairs), 'document')} of {count_queries(len(pools))}"
    about = f"{size} to judge, seed {arguments.seed}"
    deliver(text, arguments.output, about, force=arguments.force)
    return 0
