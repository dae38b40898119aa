"""The part of `idealist plan` that puts grades into a sample of pooled documents."""

from __future__ import annotations

from idealist.base.wording import count_of, count_queries
from idealist.cli.files import deliver, refuse_existing, refuse_inputs
from idealist.cli.messages import say_note
from idealist.cli.options import add_output
from idealist.cli.sources import JUDGMENTS, add_sources, expanded, read_judged, sources_of, table_of
from idealist.errors import InputError
from idealist.plan.document_samples import grade_sample

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from typing import Any

SUMMARY = "judgments of a sample, for xinfAP and infNDCG, from what `plan pool --strata` wrote and grades"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "The result has lines of `query 0 document stratum grade`, with grade -1 where a document was not drawn. "
        "`idealist evaluate SAMPLE RUN -m infNDCG@10 -m xinfAP` measures by it."
    )
    parser.add_argument("pool", metavar="POOL", help="the table that `idealist plan pool --strata` wrote")
    parser.add_argument("grades", metavar="GRADES", nargs="+", help=JUDGMENTS)
    parser.add_argument(
        "--ungraded",
        type=float,
        metavar="GRADE",
        help="the grade of drawn documents without one, such as 0 where files list only relevant documents "
        "(default: they are an error)",
    )
    add_output(parser)
    add_sources(parser)


def run(arguments: argparse.Namespace) -> int:
    from idealist.data import read_table
    from idealist.data.judgment_tables import strata_text

    paths = expanded(arguments.grades)
    refuse_existing(arguments.output, arguments.force)
    refuse_inputs(arguments.output, [arguments.pool, *paths])
    grades = _united((path, read_judged(path, sources_of(arguments))) for path in paths)
    sampled = grade_sample(
        read_table(table_of(arguments.pool, sources_of(arguments), "pool")),
        grades,
        ungraded=arguments.ungraded,
    )
    text = strata_text(sampled)
    entries = dict(sampled.items())
    drawn = {
        (query, document)
        for query, documents in entries.items()
        for document, (_, grade) in documents.items()
        if grade is not None
    }
    unused = sum((query, document) not in drawn for query, its in grades.items() for document in its)
    if unused:
        say_note(f"left out: {count_of(unused, 'grade')} of documents that were not drawn")
    about = (
        f"{count_of(len(drawn), 'judged document')} of {count_queries(len(entries))}, a sample of "
        f"{sum(map(len, entries.values())):,}"
    )
    deliver(text, arguments.output, about, force=arguments.force)
    return 0


def _united(files: Iterable[tuple[str, Any]]) -> dict[str, dict[str, float]]:
    """The grades of several files; two of one document must be the same."""
    grades: dict[str, dict[str, float]] = {}
    for path, judgments in files:
        for query, documents in judgments.items():
            known = grades.setdefault(query, {})
            for document, grade in documents.items():
                if known.setdefault(document, grade) != grade:
                    raise InputError(
                        f"query {query!r}, document {document!r} has grade {grade:g}, and {known[document]:g} in a "
                        "file before",
                        source=path,
                        hint="keep one of the two",
                    )
    return grades
