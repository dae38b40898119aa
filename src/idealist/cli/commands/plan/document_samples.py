"""The part of `idealist plan` that puts grades into a sample of pooled documents; and how `pool` writes one."""

from __future__ import annotations

from idealist.cli.files import deliver, refuse_existing, rows_text, write_file
from idealist.cli.messages import say_note
from idealist.cli.options import add_output
from idealist.cli.sources import JUDGMENTS, add_sources, expanded, read_judged, sources_of, table_of
from idealist.errors import InputError
from idealist.plan.document_sampling import COLUMNS, JUDGED, grade_sample, sample_documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from typing import Any

    from idealist.plan.document_sampling import SampledDocument

SUMMARY = "judgments of a sample, for xinfAP and infNDCG, from what `plan pool --strata` wrote and grades"


def add_strata(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--strata",
        metavar="DEPTH:SHARE,…",
        help="judge a sample: 20:1,50:0.5,100:0.2 is every document whose best rank is 20 or less, 50 %% of those "
        "down to 50 and 20 %% of those down to 100, of each query; two of a stratum at least",
    )
    parser.add_argument(
        "--to-judge", metavar="FILE", help="with --strata: write the drawn documents there, for raters"
    )


def read_strata_option(text: str, k: int | None) -> dict[int, float]:
    """The depths and shares that --strata states; -k, if it is stated too, is the deepest."""
    strata: dict[int, float] = {}
    for part in text.split(","):
        depth, colon, share = part.partition(":")
        try:
            rank, number = int(depth), float(share)
        except ValueError:
            colon = ""
        if not colon:
            raise InputError(f"--strata: {part!r} is not DEPTH:SHARE", hint="for example 20:1,50:0.5,100:0.2")
        if rank in strata:
            raise InputError(f"--strata: {rank} appears twice", hint="one share for every depth")
        strata[rank] = number
    if k is not None and k != max(strata):
        raise InputError(
            f"-k is {k}, and the strata end at {max(strata)}",
            hint="leave -k out: the deepest stratum says it",
        )
    return strata


def write_sample(
    runs: Any,
    strata: dict[int, float],
    *,
    seed: int,
    kind: str,
    output: str | None,
    to_judge: str | None,
    force: bool,
    **how: Any,
) -> None:
    """Draws the sample and writes it; `how` is as for `sample_documents`."""
    if kind == "trec":
        raise InputError("TREC text cannot carry a sample's strata", hint="choose --format csv or jsonl")
    refuse_existing(to_judge, force)
    sample = sample_documents(runs, strata, seed=seed, **how)
    rows = [_row(document) for document in sample]
    unjudged = [
        (document.query, document.document)
        for document in sample
        if document.sampled and document.stratum != JUDGED
    ]
    if to_judge is not None:
        write_file(to_judge, rows_text(["query", "document"], unjudged, "csv"), force=force)
    about = (
        f"{len(unjudged):,} of {len(sample):,} documents of "
        f"{len({document.query for document in sample}):,} queries to judge, seed {seed}"
    )
    deliver(rows_text(COLUMNS, rows, kind), output, about, force=force)


def _row(document: SampledDocument) -> list[str | int | float]:
    return [document.query, document.document, document.stratum, document.probability, int(document.sampled)]


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
    from idealist.io import read_table
    from idealist.io.strata import strata_text

    refuse_existing(arguments.output, arguments.force)
    grades = _united((path, read_judged(path, sources_of(arguments))) for path in expanded(arguments.grades))
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
        say_note(f"{unused:,} grades are of documents that were not drawn; left out")
    about = (
        f"{len(drawn):,} judged documents of {len(entries):,} queries stand for "
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
