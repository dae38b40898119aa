"""Interleaved lists of runs: what to show, the credits to log with it, and logs that users might have left."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.values import as_count
from idealist.base.wording import count_of, count_queries
from idealist.clicks.impressions import CREDIT, RANK, Impressions
from idealist.clicks.interleaving_methods import Interleaving
from idealist.clicks.simulated_logs import judged_lists, parse_behaviour
from idealist.data.arguments import runs_in_memory
from idealist.data.columns import Columns
from idealist.errors import InputError
from idealist.statistics.randomness import generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.clicks.interleaving_methods import InterleavedList
    from idealist.clicks.simulated_logs import ClickBehaviour
    from idealist.data import Run
    from idealist.types import GivenJudgments, GivenRuns


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


def simulate_interleaving(
    judgments: GivenJudgments,
    runs: GivenRuns,
    behaviour: str | ClickBehaviour = "navigational",
    method: str | Interleaving = "team-draft",
    *,
    impressions: int = 1000,
    k: int = 10,
    per_user: int = 1,
    seed: int = 0,
) -> Impressions:
    """A log of interleaved lists of runs: each is of a random query that is judged and in all runs, and is clicked by a
    behaviour. `runs` and `method` are those of interleave, the rest is that of simulate_clicks.

    >>> runs = {"x": {"q": ["a", "b"]}, "y": {"q": ["b", "a"]}}
    >>> simulate_interleaving({"q": {"b": 1}}, runs, "perfect", impressions=20, k=2)
    <Impressions: 20 impressions of 1 query, 20 clicks>
    """
    columns = simulated_columns(
        judgments, runs, behaviour, method, impressions=impressions, k=k, per_user=per_user, seed=seed
    )
    return Impressions(Columns(columns))


def simulated_columns(
    judgments: Any,
    runs: Any,
    behaviour: str | ClickBehaviour,
    method: str | Interleaving,
    *,
    impressions: int,
    k: int,
    per_user: int,
    seed: int,
) -> dict[str, list[Any]]:
    """The log that simulate_interleaving makes of the same arguments, as columns, for files."""
    import numpy as np

    users, chosen = parse_behaviour(behaviour), Interleaving.parse(method)
    impressions, k = as_count(impressions, "impressions"), as_count(k, "k")
    per_user = as_count(per_user, "impressions per user")
    named = compared_runs(runs)
    lists, grades, highest = judged_lists(judgments, named)
    queries, random = list(grades), generator(seed)
    drawers: dict[str, Any] = {}
    shown: list[tuple[str, str, InterleavedList]] = []
    for number in range(impressions):
        query = queries[int(random.integers(len(queries)))]
        if query not in drawers:
            drawers[query] = chosen.prepare({name: lists[name][query] for name in named}, k)
        shown.append((f"i{number + 1}", query, drawers[query](random)))
    width = max(len(entry.documents) for _, _, entry in shown)
    worth, present = np.zeros((impressions, width)), np.zeros((impressions, width), dtype=bool)
    for row, (_, query, entry) in enumerate(shown):
        size = len(entry.documents)
        worth[row, :size] = [grades[query].get(document, 0.0) for document in entry.documents]
        present[row, :size] = True
    clicked = users.clicks(worth, random, highest=highest, shown=present)
    columns = list_columns(shown)
    names = columns.pop("list")
    sizes = present.sum(axis=1)
    of_user = [f"u{row // per_user + 1}" for row in range(impressions) for _ in range(int(sizes[row]))]
    return {"impression": names, "user": of_user, **columns, "click": clicked[present].astype(int).tolist()}
