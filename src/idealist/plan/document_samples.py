"""Pools of documents that runs rank first, stratified samples of them, and the uncertainty that comes from sampling."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, fsum, sqrt

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.values import as_count, as_seed, as_within
from idealist.base.wording import count_of
from idealist.conventions import DEFAULT
from idealist.data.arguments import named_runs, read_plain, runs_in_memory
from idealist.data.collection import whole_number_columns
from idealist.data.column_names import DOCUMENT, QUERY
from idealist.data.grouped import bytewise
from idealist.data.needs import STRATA
from idealist.data.sampled import SampledJudgments
from idealist.errors import InputError
from idealist.evaluation import evaluate
from idealist.measures import parse
from idealist.statistics.mean_estimates import estimate_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data import Run
    from idealist.data.columns import Columns
    from idealist.measures import Measure
    from idealist.types import GivenJudgments, GivenRuns

    Values = dict[str, dict[str, float]]  # by system and query
    Documents = dict[str, tuple[str, float | None]]


def pool_documents(
    runs: GivenRuns,
    k: int,
    *,
    judged: GivenJudgments | None = None,
    queries: Iterable[str] | None = None,
    seed: int = 0,
    conventions: Conventions = DEFAULT,
) -> dict[str, list[str]]:
    """The documents to judge: the first k of every run, by query, less those judged already.

    They stand in an order that says nothing about the systems: by a hash of seed, query and document. Only
    `queries` if they are given; queries with nothing to judge are left out.

    >>> pool_documents([{"q": {"x": 2.0, "y": 1.0}}, {"q": {"z": 2.0, "x": 1.0}}], 1, judged={"q": {"x": 0}})
    {'q': ['z']}
    """
    k = as_count(k, "k")
    systems = runs_in_memory(runs)
    grades_by_query = {} if judged is None else judged_grades(judged)
    pools = {}
    for query in chosen_queries(systems, queries):
        unjudged = set(best_ranks(systems, query, k, conventions)) - set(grades_by_query.get(query, ()))
        if unjudged:
            pools[query] = sorted(unjudged, key=lambda document: place_in_order(seed, query, document))
    return pools


def judged_grades(judgments: Any) -> dict[str, dict[str, float]]:
    """The grade of every judged document, of whatever `evaluate` takes; one that a sample left out is not judged."""
    if isinstance(judgments, SampledJudgments):
        return {
            query: {document: grade for document, (_, grade) in entries.items() if grade is not None}
            for query, entries in judgments.items()
        }
    return read_plain(judgments).to_dict()


def queries_of(runs: Iterable[Run]) -> list[str]:
    return sorted({query for run in runs for query in run}, key=bytewise)


def chosen_queries(runs: dict[str, Run], queries: Iterable[str] | None) -> list[str]:
    """All queries of the runs, or those of `queries`, which must be in a run."""
    known_queries = queries_of(runs.values())
    if queries is None:
        return known_queries
    requested = set(queries)
    for query in sorted(requested - set(known_queries), key=bytewise):
        raise InputError(f"query {query!r} is in none of the runs", hint="leave it out")
    return [query for query in known_queries if query in requested]


def first_documents(run: Run, query: str, k: int, conventions: Conventions) -> list[str]:
    return run.ranking(query, conventions)[:k] if query in run else []


def best_ranks(runs: dict[str, Run], query: str, k: int, conventions: Conventions) -> dict[str, int]:
    """The documents among the first k of a run, each with the best rank that a run gives it."""
    best: dict[str, int] = {}
    for run in runs.values():
        for rank, document in enumerate(first_documents(run, query, k, conventions), 1):
            best[document] = min(rank, best.get(document, rank))
    return best


def place_in_order(seed: int, query: str, document: str) -> bytes:
    """A hash to sort by: an order that says nothing about the systems, and the same on every machine."""
    from hashlib import blake2b

    return blake2b(bytewise(f"{as_seed(seed)}\0{query}\0{document}"), digest_size=16).digest()


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


class SamplingError(Frozen):
    """A mean over queries, or its difference from a baseline's, estimated from a sample of documents.

    `error` is the standard error that drawing other documents gives it, for these very queries; `share` is
    its part of the variance that Student's interval is made of, which has the choice of queries in it too; None
    where there are too few queries. Judging every document would take away this share and no more.
    """

    system: str
    value: float
    error: float
    share: float | None


class SamplingErrors(Result, list[SamplingError]):
    """The errors of several runs."""

    def _gist(self) -> str:
        return count_of(len(self), "run")


def sampling_errors(
    judgments: SampledJudgments,
    runs: GivenRuns,
    measure: str | Measure,
    *,
    baseline: str | None = None,
    conventions: Conventions = DEFAULT,
) -> SamplingErrors:
    """The error of each run's mean from sampling documents, or of its difference from the baseline's mean.

    By a jackknife within query and stratum: each drawn document is left out in turn, and of a stratum with n of
    N drawn, (1 − n/N)·(n − 1)/n·Σ(xᵢ − x̄)² is added to the variance. Strata that are judged whole, or have one
    document drawn, add nothing. It takes as many evaluations as the most that were drawn of each stratum.
    It is no error of bias: these estimators are off by about as much on small samples.

    >>> sample = SampledJudgments({"q": {"a": ("1", 1), "b": ("2", 1), "c": ("2", 0), "d": ("2", None)}})
    >>> run = {"q": {"c": 4.0, "b": 3.0, "a": 2.0, "d": 1.0}}
    >>> (one,) = sampling_errors(sample, run, "xinfAP")
    >>> round(one.error, 4)  # 1/3 without b, 3/4 without c: √(1/3 · 1/2 · 2·(5/24)²)
    0.1203
    """
    parsed_measure = parse(measure)
    if parsed_measure.needs != STRATA or not isinstance(judgments, SampledJudgments):
        raise InputError(
            f"{parsed_measure} of {type(judgments).__name__} has no sampling error",
            hint="give a measure such as infNDCG@10 and SampledJudgments (read_strata, grade_sample)",
        )
    runs_by_name = named_runs(runs)
    if baseline is not None and baseline not in runs_by_name:
        raise InputError(
            f"the baseline {baseline!r} is not among the runs", hint=f"name one of: {', '.join(runs_by_name)}"
        )

    def values(queries: dict[str, Documents]) -> Values:
        result = evaluate(SampledJudgments(queries), runs_by_name, parsed_measure, conventions=conventions)
        by_run = {name: result.by_query(parsed_measure, name) for name in runs_by_name}
        if baseline is None:
            return by_run
        baseline_values = by_run.pop(baseline)
        return {
            name: {q: x - baseline_values[q] for q, x in its.items() if q in baseline_values}
            for name, its in by_run.items()
        }

    sampled_judgments = dict(judgments.items())
    full_values = values(sampled_judgments)
    variances: dict[str, list[float]] = {name: [] for name in full_values}
    for stratum in sorted({stratum for its in sampled_judgments.values() for stratum, _ in its.values()}):
        replicates: dict[str, dict[str, list[float]]] = {name: {} for name in full_values}
        factors, deletions = _deletions(sampled_judgments, stratum)
        for queries in deletions:
            for name, by_query in values(queries).items():
                for query, value in by_query.items():
                    replicates[name].setdefault(query, []).append(value)
        for name, by_query_values in replicates.items():
            variances[name] += [factors[query] * _spread(its) for query, its in by_query_values.items()]
    return SamplingErrors(
        _sampling_error(name, list(its.values()), variances[name]) for name, its in full_values.items()
    )


def _deletions(
    sampled_judgments: dict[str, Documents], stratum: str
) -> tuple[dict[str, float], Iterator[dict[str, Documents]]]:
    """(1 − n/N)·(n − 1)/n of every query where the stratum is a sample; and judgments without the first drawn
    document of each of these queries, without the second, and so on."""
    drawn, factors = {}, {}
    for query, documents in sampled_judgments.items():
        members = [
            document for document, (document_stratum, _) in documents.items() if document_stratum == stratum
        ]
        judged = [document for document in members if documents[document][1] is not None]
        n = len(judged)
        if 2 <= n < len(members):
            drawn[query] = judged
            factors[query] = (1 - n / len(members)) * (n - 1) / n

    def parts() -> Iterator[dict[str, Documents]]:
        for position in range(max(map(len, drawn.values()), default=0)):
            yield {
                query: {**sampled_judgments[query], judged[position]: (stratum, None)}
                for query, judged in drawn.items()
                if position < len(judged)
            }

    return factors, parts()


def _spread(values: list[float]) -> float:
    mean = fsum(values) / len(values)
    return fsum((value - mean) ** 2 for value in values)


def _sampling_error(name: str, values: list[float], variances: list[float]) -> SamplingError:
    error = sqrt(fsum(variances)) / len(values)
    estimate = estimate_mean(values)
    share = (error / estimate.error) ** 2 if estimate is not None and estimate.error > 0 else None
    return SamplingError(name, fsum(values) / len(values), error, share)
