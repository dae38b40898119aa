"""The part of `idealist plan` that says which documents to judge next."""

from __future__ import annotations

from idealist.cli.options import add_conventions, add_format, add_threads, conventions_of, write_view
from idealist.cli.sources import (
    JUDGMENTS,
    RUNS,
    add_sources,
    expanded,
    named_files,
    put_judgments_first,
    read_judged,
    sources_of,
)
from idealist.data.values import as_count
from idealist.plan.next_judgments import next_documents, open_differences
from idealist.reporting.next_judgments import next_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from idealist.plan.next_judgments import OpenDocument

SUMMARY = "which documents to judge next: those that can move the difference between runs most"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "move: what a gain of 1 would add to the difference in DCG@k of the query; of more than two runs, for the\n"
        "two where that is most. Measure all queries when they are judged: compare JUDGMENTS RUN RUN"
    )
    parser.add_argument("judgments", metavar="JUDGMENTS", help=JUDGMENTS)
    parser.add_argument("runs", metavar="RUN", nargs="+", help=f"two or more {RUNS}")
    parser.add_argument("-k", type=int, default=10, help="how deep to look (default: 10)")
    parser.add_argument("-n", type=int, default=20, help="how many documents (default: 20)")
    parser.add_argument("--discount", default="log2", help="log2, none, rbp(0.8), … (default: log2)")
    add_format(parser)
    add_threads(parser)
    add_sources(parser)
    add_conventions(parser, ("ties",))


def run(arguments: argparse.Namespace) -> int:
    put_judgments_first(arguments)
    n = as_count(arguments.n, "the number of documents")
    files = named_files(expanded(arguments.runs), sources_of(arguments), judgments=arguments.judgments)
    judgments = read_judged(arguments.judgments, sources_of(arguments))
    how: dict[str, Any] = {
        "k": arguments.k,
        "discount": arguments.discount,
        "conventions": conventions_of(arguments),
    }
    documents = next_documents(files, judgments, **how)
    chosen = _by_query(documents[:n])
    differences = open_differences(files, judgments, **how)
    write_view(next_view(documents, chosen, differences, arguments.k), arguments.format)
    return 0


def _by_query(documents: list[OpenDocument]) -> list[OpenDocument]:
    """The documents of a query together, as one rater judges them; the query of the first document first."""
    place = {query: at for at, query in enumerate(dict.fromkeys(document.query for document in documents))}
    return sorted(documents, key=lambda document: place[document.query])
