"""Logs of interleaved lists that users might have left, for tests and planning."""

from __future__ import annotations

from idealist.clicks.behaviours import parse_behaviour
from idealist.clicks.simulation import judged_lists
from idealist.data.columns import Columns
from idealist.data.impressions import Impressions
from idealist.data.values import as_count
from idealist.interleaving.drawing import compared_runs, list_columns
from idealist.interleaving.methods import Interleaving
from idealist.statistics.randomness import generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.clicks.behaviours import ClickBehaviour
    from idealist.interleaving.methods import InterleavedList
    from idealist.types import GivenJudgments, GivenRuns


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
