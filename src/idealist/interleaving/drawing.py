"""Interleaved lists of runs: what to show, and the credit information to log with it."""

from __future__ import annotations

from idealist.data.impressions import CREDIT, RANK
from idealist.data.values import as_count
from idealist.errors import InputError
from idealist.evaluation.inputs import runs_in_memory
from idealist.frozen import Frozen
from idealist.interleaving.methods import Interleaving
from idealist.results import Result
from idealist.statistics.randomness import generator
from idealist.wording import count_of, count_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.data import Run
    from idealist.interleaving.methods import InterleavedList


class InterleavedLists(Result, Frozen):
    """Lists to show, by query; `method` is how they were made, `systems` whose they are."""

    method: str
    systems: tuple[str, ...]
    lists: tuple[tuple[str, InterleavedList], ...]

    def __len__(self) -> int:
        return len(self.lists)

    @property
    def columns(self) -> dict[str, list[Any]]:
        """A row for every document: list, query, position, document, and what to log for the analysis."""
        return list_columns([(f"l{at}", query, entry) for at, (query, entry) in enumerate(self.lists, 1)])

    def _gist(self) -> str:
        queries = count_queries(len({query for query, _ in self.lists}))
        return f"{self.method} of {', '.join(self.systems)}; {count_of(len(self), 'list')} of {queries}"


def interleave(
    runs: Any,
    method: str | Interleaving = "team-draft",
    *,
    k: int = 10,
    lists: int = 1,
    seed: int = 0,
) -> InterleavedLists:
    """Interleaved lists of two or more runs, for the queries that all of them have: `lists` for each, of `k`
    documents. `runs` are several runs, in any form that `evaluate` takes; `method` is team-draft, balanced,
    probabilistic or optimised, or such an object.

    Show a list, and log with every document what its columns hold besides; `analyse_interleaving` reads that. To
    draw lists while serving, use the method itself: `TeamDraft().prepare({"a": …, "b": …}, k)(random)`.

    >>> found = interleave({"x": {"q": ["a", "b"]}, "y": {"q": ["b", "c"]}}, k=2)
    >>> found
    <InterleavedLists: team-draft of x, y; 1 list of 1 query>
    """
    chosen = Interleaving.parse(method)
    k, lists = as_count(k, "k"), as_count(lists, "the number of lists")
    named = compared_runs(runs)
    queries = shared_queries(named)
    random = generator(seed)
    drawn = []
    for query in queries:
        draw = chosen.prepare({name: run.ranking(query) for name, run in named.items()}, k)
        drawn += [(query, draw(random)) for _ in range(lists)]
    return InterleavedLists(chosen.name, tuple(named), tuple(drawn))


def compared_runs(runs: Any) -> dict[str, Run]:
    """Two runs or more, in memory, by name."""
    named = runs_in_memory(runs)
    if len(named) < 2:
        raise InputError(
            f"two or more runs are interleaved, not {len(named)}",
            hint="give another, as interleave({'a': …, 'b': …})",
        )
    return named


def shared_queries(runs: Mapping[str, Run]) -> Sequence[str]:
    """The queries that all runs have."""
    first, *others = runs.values()
    queries = [query for query in first if all(query in run for run in others)]
    if not queries:
        raise InputError("the runs share no query", hint="interleaving needs the same queries in all runs")
    return queries


def list_columns(lists: Sequence[tuple[str, str, InterleavedList]]) -> dict[str, list[Any]]:
    """Named lists with their queries, a row for every document."""
    columns: dict[str, list[Any]] = {"list": [], "query": [], "position": [], "document": []}
    for name, query, entry in lists:
        size = len(entry.documents)
        columns["list"] += [name] * size
        columns["query"] += [query] * size
        columns["position"] += range(1, size + 1)
        columns["document"] += entry.documents
        for begin, by_system in ((CREDIT, entry.credits), (RANK, entry.ranks)):
            for system, values in by_system.items():
                columns.setdefault(f"{begin}{system}", []).extend(values)
    return columns
