"""Stratified samples of pooled documents: which to judge, with what probability, and their judgments."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from idealist.conventions import DEFAULT
from idealist.data.collection import whole_number_columns
from idealist.data.column_names import DOCUMENT, QUERY
from idealist.data.sampled import SampledJudgments
from idealist.data.values import as_count, as_within
from idealist.errors import InputError
from idealist.evaluation.inputs import runs_in_memory
from idealist.frozen import Frozen
from idealist.plan.pooling import (
    best_ranks,
    chosen_queries,
    judged_grades,
    place_in_order,
)
from idealist.results import Result
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data.columns import Columns
    from idealist.types import GivenJudgments, GivenRuns

FEWEST = 2  # of a stratum, where it has so many: one document alone shows no spread
JUDGED = "0"  # the stratum of documents that were judged before
COLUMNS = ("query", "document", "stratum", "probability", "sampled")


class SampledDocument(Frozen):
    """A pooled document: its stratum, its probability of being drawn, and whether it was drawn."""

    query: str
    document: str
    stratum: str
    probability: float
    sampled: bool


class SampledDocuments(Result, list[SampledDocument]):
    """Pooled documents, drawn or not."""

    def _gist(self) -> str:
        return count_of(len(self), "document")


def sample_documents(
    runs: GivenRuns,
    strata: Mapping[int, float],
    *,
    judged: GivenJudgments | None = None,
    queries: Iterable[str] | None = None,
    seed: int = 0,
    conventions: Conventions = DEFAULT,
) -> SampledDocuments:
    """Pools the runs and draws some documents of every query and stratum, without replacement.

    `strata` gives the share to judge by depth: with {20: 1, 50: 0.5, 100: 0.2}, all documents whose best rank in
    a run is at most 20 (stratum "1"), half of those down to 50 ("2") and 20 % of those down to 100 ("3"). Of N
    documents ⌈share·N⌉ are drawn, at least two where there are two, by a hash of seed, query and document: the
    same whatever the order of runs. The probability is number drawn / N. Documents in `judged` are a stratum of
    their own, "0", which is all judged. All pooled documents are returned, by query in hash order.

    >>> run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    >>> [(one.document, one.stratum) for one in sample_documents(run, {1: 1, 4: 0.5}) if one.sampled]
    [('d', '2'), ('a', '1'), ('c', '2')]
    """
    shares = read_strata_shares(strata)
    systems = runs_in_memory(runs)
    judged_documents = {} if judged is None else judged_grades(judged)
    drawn = []
    for query in chosen_queries(systems, queries):
        members: dict[str, list[str]] = {}
        for document, rank in best_ranks(systems, query, shares[-1][0], conventions).items():
            number = next(number for number, (depth, _) in enumerate(shares, 1) if rank <= depth)
            stratum = JUDGED if document in judged_documents.get(query, ()) else str(number)
            members.setdefault(stratum, []).append(document)
        places = {
            document: place_in_order(seed, query, document)
            for stratum_documents in members.values()
            for document in stratum_documents
        }
        query_sample = []
        for stratum, documents in members.items():
            share = 1.0 if stratum == JUDGED else shares[int(stratum) - 1][1]
            size = _sample_size(share, len(documents))
            # Not by the same hash as the order: the drawn ones would all stand first.
            order = sorted(documents, key=lambda document: place_in_order(seed, f"draw\0{query}", document))
            for number, document in enumerate(order):
                sampled = SampledDocument(query, document, stratum, size / len(documents), number < size)
                query_sample.append(sampled)
        drawn += sorted(query_sample, key=lambda sampled: places[sampled.document])
    sample = SampledDocuments(drawn)
    sample.whole_number_columns = whole_number_columns(*systems.values())
    return sample


def grade_sample(
    sample: Iterable[SampledDocument] | Columns, grades: Any, *, ungraded: float | None = None
) -> SampledJudgments:
    """A sample's judgments, for xinfAP and infNDCG, from the grades of the documents that were drawn.

    `sample` is what `sample_documents` gave, or the table that `idealist plan pool --strata` wrote. Each drawn
    document must have a grade, or gets the grade `ungraded` if that is given; grades of others are left out, as
    nobody knows how they were chosen. A negative grade counts as 0: in a sample, negative says "not drawn".

    >>> sample = sample_documents({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {1: 1, 3: 0.5}, seed=1)
    >>> grade_sample(sample, {"q": {"a": 2, "b": 0, "c": 1}})["q"]
    {'b': ('2', 0.0), 'c': ('2', 1.0), 'a': ('1', 2.0)}
    """
    grades_by_query = judged_grades(grades)
    if ungraded is not None:
        as_within(ungraded, "the grade of ungraded documents", 0)
    queries: dict[str, dict[str, tuple[str, float | None]]] = {}
    missing = []
    for row in _rows(sample):
        documents = queries.setdefault(row.query, {})
        if row.document in documents:
            raise InputError(
                f"query {row.query!r}: document {row.document!r} is in the sample twice",
                hint="keep one of the two rows",
            )
        grade = grades_by_query.get(row.query, {}).get(row.document, ungraded) if row.sampled else None
        if row.sampled and grade is None:
            missing.append(row)
        documents[row.document] = (row.stratum, None if grade is None else max(grade, 0.0))
    if missing:
        example = missing[0]
        raise InputError(
            f"{len(missing):,} documents of the sample have no grade, such as query {example.query!r}, "
            f"document {example.document!r}",
            hint="judge all that were drawn, or give the grade of those without one (ungraded)",
        )
    if not queries:
        raise InputError(
            "the sample is empty", hint="sample_documents draws one from the pool of several runs"
        )
    return SampledJudgments(queries)


def read_strata_shares(strata: Any) -> list[tuple[int, float]]:
    """Depths and shares, from the top down."""
    if not isinstance(strata, Mapping) or not strata:
        raise InputError(
            f"strata must be a mapping from depths to shares, not {strata!r}",
            hint="such as {10: 1, 100: 0.1}",
        )
    shares: dict[int, float] = {}
    for depth, share in strata.items():
        rank = as_count(depth, "the depth of a stratum")
        shares[rank] = as_within(
            share, f"the share of the stratum down to {rank}", 0, 1, "(]", hint="0.1 draws 10 %"
        )
    return sorted(shares.items())


def _sample_size(share: float, size: int) -> int:
    exact = ceil(share * size - 1e-9)  # 0.3 · 10 is 3, whatever the last bit says
    return min(size, max(exact, FEWEST))


def _rows(sample: Any) -> Iterable[SampledDocument]:
    if not hasattr(sample, "columns"):
        return sample  # type: ignore[no-any-return]
    table: Columns = sample
    queries, documents = table.ids(table.named(*QUERY)), table.ids(table.named(*DOCUMENT))
    strata, probabilities = table.texts(table.named("stratum")), table.numbers(table.named("probability"))
    sampled = table.numbers(table.named("sampled"))
    return [
        SampledDocument(*row[:4], bool(row[4]))
        for row in zip(queries, documents, strata, probabilities, sampled, strict=True)
    ]
