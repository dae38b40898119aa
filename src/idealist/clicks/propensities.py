"""Clicks of a log with the propensities of their positions: what IPS-DCG and SNIPS-DCG are measured with."""

from __future__ import annotations

from idealist.data.clicks import ClickLog
from idealist.data.columns import Columns
from idealist.data.values import as_within
from idealist.errors import InputError
from idealist.io.impressions import read_impressions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.data.impressions import Impressions
    from idealist.types import GivenTable

TITLES = ("query", "document", "position", "clicks", "propensity")


def weigh_clicks(log: Impressions | GivenTable, propensities: Mapping[int, float]) -> ClickLog:
    """The clicks of a log by query, document and position, each row with the propensity of its position: for
    `evaluate(…, clicks=…)`. Propensities are those of a fit, or any by position, above 0; those above 1, that of
    position 1, count as 1.

    >>> log = {"impression": [1, 1], "query": ["q", "q"], "document": ["a", "b"], "position": [1, 2], "click": [0, 1]}
    >>> list(weigh_clicks(log, {1: 1.0, 2: 0.5}).rows("q"))
    [('a', 1, 0.0, 1.0), ('b', 2, 1.0, 0.5)]
    """
    return ClickLog(Columns(weighed_columns(log, propensities)))


def weighed_columns(log: Any, propensities: Mapping[int, float]) -> dict[str, list[Any]]:
    """The clicks that weigh_clicks gives for the same arguments, as columns, for files."""
    impressions = read_impressions(log)
    for position, chance in propensities.items():
        as_within(chance, f"the propensity of position {position}", 0, ends="(]")
    clicks: dict[tuple[int, int], int] = {}
    rows = zip(
        impressions.pair.tolist(), impressions.position.tolist(), impressions.clicked.tolist(), strict=True
    )
    for pair, position, clicked in rows:
        clicks[pair, position] = clicks.get((pair, position), 0) + clicked
    columns: dict[str, list[Any]] = {title: [] for title in TITLES}
    for (pair, position), count in sorted(clicks.items()):
        if position not in propensities:
            raise InputError(
                f"position {position} of the log has no propensity",
                source=impressions.source,
                hint="fit the model to a log that has it",
            )
        cells = (*impressions.pairs[pair], position, count, min(1.0, propensities[position]))
        for title, cell in zip(TITLES, cells, strict=True):
            columns[title].append(cell)
    return columns
