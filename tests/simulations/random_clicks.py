"""How often interleaving prefers one of two systems by clicks that know no relevance: methods × lists × users, by the
preference that decides, and by the impressions that each won, which would not do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from idealist.clicks import ClickBehaviour, Interleaving, Optimised, Probabilistic, TeamDraft
from idealist.statistics.inversion import BoundedMean
from idealist.statistics.randomness import generator
from simulations.grids import Grid, Rates, Row, standard_error

K, IMPRESSIONS = 10, 300
DOCUMENTS = [f"d{at}" for at in range(12)]
SHUFFLED = [f"d{at}" for at in np.random.default_rng(5).permutation(20)]
METHODS: dict[str, Interleaving] = {
    method.name: method for method in (TeamDraft(), Probabilistic(), Optimised())
}
LISTS = {
    "same": (DOCUMENTS, DOCUMENTS),
    "shifted": (DOCUMENTS, [*DOCUMENTS[1:], "other"]),
    "inserted": (DOCUMENTS, ["other", *DOCUMENTS[:-1]]),
    "reversed": (DOCUMENTS, DOCUMENTS[::-1]),
    "random": (SHUFFLED[:12], SHUFFLED[8:]),
    "shorter": (DOCUMENTS[:3], DOCUMENTS),
}
USERS = {
    "random": ClickBehaviour(click=(0.5, 0.5)),
    "position": ClickBehaviour(click=(0.6, 0.6), looks="position"),
    "cascade": ClickBehaviour(click=(0.3, 0.3), stop=(1.0, 1.0)),
}
WON = ", won"  # of a column: by impressions won


@cache
def drawn_lists(method: str, lists: str, logs: int) -> tuple[Any, Any]:
    """The credit of b less that of a, by list and place, and the places that there are."""
    a, b = LISTS[lists]
    draw, random = METHODS[method].prepare({"a": a, "b": b}, K), generator(list(LISTS).index(lists))
    gains, there = np.zeros((logs * IMPRESSIONS, K)), np.zeros((logs * IMPRESSIONS, K), dtype=bool)
    for row in range(len(gains)):
        credits = draw(random).credits
        gains[row, : len(credits["a"])] = np.subtract(credits["b"], credits["a"])
        there[row, : len(credits["a"])] = True
    return gains, there


def preferred(method: str, lists: str, column: str, logs: int) -> float:
    """The share of logs in which a or b is preferred, in percent."""
    users, won = column.removesuffix(WON), column.endswith(WON)
    gains, there = drawn_lists(method, lists, logs)
    clicked = USERS[users].clicks(np.zeros(gains.shape), np.random.default_rng(7), highest=1.0, shown=there)
    credit = (clicked * gains).sum(axis=1)
    values = np.sign(np.round(credit, 9)) if won else credit / np.maximum(clicked.sum(axis=1), 1)
    found = sum(BoundedMean(log, -1.0, 1.0).p_value() < 0.05 for log in values.reshape(logs, IMPRESSIONS))
    return 100 * found / logs


def rows() -> Iterable[Row]:
    columns = (*USERS, *(f"{users}{WON}" for users in USERS))
    for method in METHODS:
        for lists in LISTS:
            yield Row(f"{method}; {lists}", columns, partial(preferred, method, lists))


def allowed(key: str, column: str) -> tuple[float, float] | None:
    """5.5 % and two standard errors; what impressions won say is only shown."""
    return None if column.endswith(WON) else (0.0, 5.5 + 2 * standard_error(5.5, GRID.samples))


def tables(rates: Rates) -> Mapping[str, str]:
    return {"random-clicks": _table(rates, ""), "random-clicks-won": _table(rates, WON)}


def _table(rates: Rates, ending: str) -> str:
    """A row for each kind of lists, a column for each method, a number for each kind of users."""
    lines = ["| lists | " + " | ".join(METHODS) + " |", "|---" * (1 + len(METHODS)) + "|"]
    for lists in LISTS:
        cells = (
            " / ".join(f"{rates[f'{method}; {lists}'][f'{users}{ending}']:.1f}" for users in USERS)
            for method in METHODS
        )
        lines.append(f"| {lists} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


GRID = Grid(
    "random_clicks",
    "Logs of 300 impressions in which a system is preferred by clicks that know no relevance, in percent, nominally 5; "
    "by the preference, and by the impressions won.",
    1000,
    rows,
    allowed,
    (
        ("team-draft; shorter", "position"),
        ("probabilistic; shorter", "position"),
        ("optimised; inserted", "random"),
        ("optimised; shifted", "cascade"),
    ),
    tables,
)
