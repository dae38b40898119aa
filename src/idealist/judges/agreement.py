"""How far a machine's grades agree with people's: the table of both, coefficients, and over-rating."""

from __future__ import annotations

from idealist.frozen import Frozen
from idealist.votes.rater_coefficients import cohen_kappa, gwet_ac1, krippendorff_alpha, raw_agreement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from idealist.judges.clusters import QueryBootstrap
    from idealist.statistics.interval import Interval


class JudgeCoefficient(Frozen):
    """A coefficient of agreement, nan where it is undefined, and its interval by a bootstrap over queries."""

    name: str
    value: float
    interval: Interval | None


class OverRating(Frozen):
    """Documents of one kind (a human grade, a value of a column): how many, both mean grades, how much higher the machine
    grades them, and the shares that it grades higher and lower than people."""

    kind: str
    n: int
    human: float
    machine: float
    over: float
    interval: Interval | None
    higher: float
    lower: float


def weighted_kappa(confusions: Any) -> Any:
    """Agreement beyond chance where a miss counts by the square of how many grades it is off: 1 − Σw·p/Σw·e.

    Undefined when both always give the same one grade. Cohen, 1968.

    >>> round(float(weighted_kappa([[2, 1, 0], [0, 2, 1], [0, 0, 2]])), 4)  # 1 − 2/(82/8)
    0.8049
    """
    import numpy as np

    table = np.asarray(confusions, dtype=float)
    size = table.shape[-1]
    weights = (np.arange(size)[:, None] - np.arange(size)[None, :]) ** 2
    total = table.sum(axis=(-2, -1))
    chance = table.sum(axis=-1)[..., :, None] * table.sum(axis=-2)[..., None, :]
    expected = (weights * chance).sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        missed = (weights * table).sum(axis=(-2, -1)) * total / expected
    return np.where(expected == 0, np.nan, 1 - missed)


def judge_coefficients(
    human: NDArray[Any], machine: NDArray[Any], levels: int, bootstrap: QueryBootstrap
) -> tuple[JudgeCoefficient, ...]:
    """Raw agreement, κ, weighted κ, α and AC1 of two judges, whose answers are numbers from 0 to `levels` − 1."""
    import numpy as np

    cells = np.eye(levels * levels)[human * levels + machine]
    sums = bootstrap.by_query(cells)
    if levels < 2:
        return (JudgeCoefficient("raw", 1.0, bootstrap.of_sums(sums, lambda s: np.ones(s.shape[:-1]))),)
    statistics = {
        "raw": raw_agreement,
        "Cohen κ": cohen_kappa,
        "weighted κ": weighted_kappa,
        "α ordinal": lambda table: krippendorff_alpha(table + np.swapaxes(table, -1, -2), ordinal=True),
        "AC1": lambda table: gwet_ac1(raw_agreement(table), _shares(table)),
    }

    def tabled(statistic: Any) -> Any:
        return lambda s: statistic(s.reshape(*s.shape[:-1], levels, levels))

    total = sums.sum(axis=0)
    return tuple(
        JudgeCoefficient(name, float(tabled(statistic)(total)), bootstrap.of_sums(sums, tabled(statistic)))
        for name, statistic in statistics.items()
    )


def over_ratings(
    kinds: NDArray[Any],
    names: list[str],
    human: NDArray[Any],
    machine: NDArray[Any],
    bootstrap: QueryBootstrap,
) -> tuple[OverRating, ...]:
    """Over-rating of the documents of every kind; `kinds` has the number of each document's."""
    import numpy as np

    ratings = []
    for number, name in enumerate(names):
        member = kinds == number
        n = int(member.sum())
        if not n:
            continue
        gap = (machine - human)[member]
        features = np.stack([member, np.where(member, machine - human, 0.0)], axis=1).astype(float)

        def mean_gap(sums: NDArray[Any]) -> Any:
            with np.errstate(divide="ignore", invalid="ignore"):
                return sums[..., 1] / sums[..., 0]

        ratings.append(
            OverRating(
                name,
                n,
                float(human[member].mean()),
                float(machine[member].mean()),
                float(gap.mean()),
                bootstrap.interval(features, mean_gap),
                float((gap > 0).mean()),
                float((gap < 0).mean()),
            )
        )
    return tuple(ratings)


def _shares(table: Any) -> Any:
    """How often each grade is given, by both judges together."""
    import numpy as np

    both = table.sum(axis=-1) + table.sum(axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return both / both.sum(axis=-1, keepdims=True)
