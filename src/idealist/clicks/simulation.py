"""Logs of clicks that users might have left, from a run, judgments and a behaviour."""

from __future__ import annotations

from idealist.clicks.behaviours import parse_behaviour
from idealist.data.columns import Columns
from idealist.data.impressions import Impressions
from idealist.data.run import as_run
from idealist.data.values import as_count, as_within
from idealist.errors import InputError
from idealist.io import read_judgments, read_run
from idealist.statistics.randomness import generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy import ndarray
    from numpy.random import Generator

    from idealist.clicks.behaviours import ClickBehaviour
    from idealist.types import GivenJudgments, GivenRun

TITLES = ("impression", "user", "query", "position", "document", "click", "propensity")


def simulate_clicks(
    judgments: GivenJudgments,
    run: GivenRun,
    behaviour: str | ClickBehaviour = "position",
    *,
    impressions: int = 1000,
    k: int = 10,
    exponent: float | None = None,
    per_user: int = 1,
    seed: int = 0,
) -> Impressions:
    """A log of impressions: each is a random query of the run that is judged, its first k documents, and clicks by
    a behaviour (a ClickBehaviour, or one of BEHAVIOURS by name). Documents without a grade have grade 0.

    With an `exponent` the first k documents are shuffled: the next one is drawn among those left in proportion to
    1/rank^exponent, and the log says with which probability (`propensity`). 0 is any order, large is the run's own.
    Every `per_user` impressions are of one user.

    >>> log = simulate_clicks({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, "perfect", impressions=3)
    >>> log, log.clicked.tolist()
    (<Impressions: 3 impressions of 1 query, 3 clicks>, [True, False, True, False, True, False])
    """
    return Impressions(
        Columns(
            simulated_columns(
                judgments,
                run,
                behaviour,
                impressions=impressions,
                k=k,
                exponent=exponent,
                per_user=per_user,
                seed=seed,
            )
        )
    )


def simulated_columns(
    judgments: Any,
    run: Any,
    behaviour: str | ClickBehaviour,
    *,
    impressions: int,
    k: int,
    exponent: float | None,
    per_user: int,
    seed: int,
) -> dict[str, list[Any]]:
    """The log that simulate_clicks makes of the same arguments, as columns, for files."""
    import numpy as np

    users = parse_behaviour(behaviour)
    impressions, k = as_count(impressions, "impressions"), as_count(k, "k")
    per_user = as_count(per_user, "impressions per user")
    if exponent is not None:
        as_within(exponent, "the exponent", 0, hint="0: any order; 3: near the run's own")
    lists, grades, highest = judged_lists(judgments, {"run": run})
    random = generator(seed)
    queries = list(grades)
    chosen = random.integers(0, len(queries), impressions)
    columns: dict[str, list[Any]] = {title: [] for title in TITLES}
    rows: list[tuple[int, list[Any]]] = []
    for number, query in enumerate(queries):
        (mine,) = np.nonzero(chosen == number)
        if not len(mine):
            continue
        documents = lists["run"][query][:k]
        order, chances = shuffled(len(documents), len(mine), exponent, random)
        worth = np.asarray([grades[query].get(document, 0.0) for document in documents])
        clicked = users.clicks(worth[order], random, highest=highest)
        for at, impression in enumerate(mine.tolist()):
            entries = [
                (place + 1, documents[order[at, place]], int(clicked[at, place]), float(chances[at, place]))
                for place in range(len(documents))
            ]
            rows.append((impression, [query, entries]))
    for impression, (query, entries) in sorted(rows, key=lambda row: row[0]):
        for position, document, click, chance in entries:
            user = f"u{impression // per_user + 1}"
            cells = (f"i{impression + 1}", user, query, position, document, click, chance)
            for title, cell in zip(TITLES, cells, strict=True):
                columns[title].append(cell)
    return columns


def shuffled(length: int, times: int, exponent: float | None, random: Generator) -> tuple[ndarray, ndarray]:
    """Orders of the first documents, and the probability of each choice given those before; the run's own order
    without an exponent."""
    import numpy as np

    if exponent is None:
        return np.tile(np.arange(length), (times, 1)), np.ones((times, length))
    weights = np.arange(1, length + 1, dtype=float) ** -exponent
    keys = np.log(weights) + random.gumbel(size=(times, length))
    order = np.argsort(-keys, axis=1)
    drawn = weights[order]
    left = drawn[:, ::-1].cumsum(axis=1)[:, ::-1]
    return order, np.minimum(drawn / left, 1.0)


def judged_lists(
    judgments: Any, runs: Mapping[str, Any]
) -> tuple[dict[str, dict[str, list[str]]], dict[str, Mapping[str, float]], float]:
    """Ranked documents by run and query, the grades of the queries that are judged and in every run, and the
    highest grade."""
    judged = read_judgments(judgments)
    read = {name: as_run(read_run(run)) for name, run in runs.items()}
    queries: Sequence[str] = [query for query in judged if all(query in run for run in read.values())]
    if not queries:
        raise InputError(
            "no judged query is in every run" if len(read) > 1 else "no judged query is in the run",
            hint="users can click only what is shown, and go by grades",
        )
    grades: dict[str, Mapping[str, float]] = {query: dict(judged[query]) for query in queries}
    highest = max((grade for by_document in grades.values() for grade in by_document.values()), default=0.0)
    if not highest > 0:
        raise InputError("no document has a grade above 0", hint="nothing would attract a click")
    lists = {name: {query: run.ranking(query) for query in queries} for name, run in read.items()}
    return lists, grades, float(highest)
