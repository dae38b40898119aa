"""How `idealist plan pool` draws a sample of the pooled documents, and writes it."""

from __future__ import annotations

from idealist.base.wording import count_of, count_queries
from idealist.cli.files import deliver, refuse_existing, rows_text, write_file
from idealist.errors import InputError
from idealist.plan.document_samples import COLUMNS, JUDGED, sample_documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from idealist.plan.document_samples import SampledDocument


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
    size = f"{count_of(len(sample), 'document')} of {count_queries(len({row.query for row in sample}))}"
    about = f"{len(unjudged):,} of {size} to judge, seed {seed}"
    deliver(rows_text(COLUMNS, rows, kind), output, about, force=force)


def _row(document: SampledDocument) -> list[str | int | float]:
    return [document.query, document.document, document.stratum, document.probability, int(document.sampled)]
