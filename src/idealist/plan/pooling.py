"""Pools: the documents that several runs rank first; queries, grades and ranks for those who draw from them."""

from __future__ import annotations

from idealist.conventions import DEFAULT
from idealist.data.grouped import bytewise
from idealist.data.sampled import SampledJudgments
from idealist.data.values import as_count, as_seed
from idealist.errors import InputError
from idealist.evaluation.inputs import read_plain, runs_in_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data import Run
    from idealist.types import GivenJudgments, GivenRuns


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
