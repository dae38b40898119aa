"""How often votes find one of two equal systems better, of one vote a query: exactly, by the sum over all outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, partial

import numpy as np
from scipy.stats import binom

from idealist.statistics.inversion import BoundedMean
from idealist.statistics.paired_shares import tango_p
from simulations.grids import Grid, Rates, Row

VOTES = (4, 8, 15, 25, 100)
DECIDED = ("10%", "30%", "50%", "70%", "100%")
TANGO = ", Tango"  # of a column: by the interval that was used before
LEAST = 1e-9  # outcomes that are less probable add nothing


@cache
def decides(good: int, same: int, bad: int, tango: bool) -> bool:
    if tango:
        return tango_p(good, bad) < 0.05
    return BoundedMean(np.repeat([1.0, 0.0, -1.0], [good, same, bad]), -1.0, 1.0).p_value() < 0.05


def found(votes: int, column: str, _: int) -> float:
    """In percent; nothing is drawn, so the number of samples changes nothing."""
    share, tango = float(column.removesuffix(TANGO)[:-1]) / 100, column.endswith(TANGO)
    wrong = 0.0
    for number in range(votes + 1):
        chance = binom.pmf(number, votes, share)
        if chance < LEAST:
            continue
        won = [good for good in range(number + 1) if decides(good, votes - number, number - good, tango)]
        wrong += chance * float(binom.pmf(won, number, 0.5).sum())
    return 100 * wrong


def rows() -> Iterable[Row]:
    columns = (*DECIDED, *(f"{share}{TANGO}" for share in DECIDED))
    for votes in VOTES:
        yield Row(str(votes), columns, partial(found, votes))


def allowed(key: str, column: str) -> tuple[float, float] | None:
    return None if column.endswith(TANGO) else (0.0, 5.0)


def tables(rates: Rates) -> Mapping[str, str]:
    lines = ["| votes | 10 % decided | 30 % | 50 % | 70 % | 100 % |", "|---" * (1 + len(DECIDED)) + "|"]
    for votes in VOTES:
        cells = rates[str(votes)]
        shown = (f"{cells[share]:.1f} ({cells[f'{share}{TANGO}']:.1f})" for share in DECIDED)
        lines.append(f"| {votes} | " + " | ".join(shown) + " |")
    return {"equal-votes": "\n".join(lines)}


GRID = Grid(
    "equal_votes",
    "How often equal systems are found better or worse by one vote a query, in percent, nominally 5: exact.",
    1_000_000,
    rows,
    allowed,
    (("15", "70%"), ("25", "100%")),
    tables,
)
