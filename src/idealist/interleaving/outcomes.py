"""Who is preferred in each impression: clicks credited to the systems of interleaved lists."""

from __future__ import annotations

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import ndarray

    from idealist.data.impressions import Impressions

SAME = 1e-9  # credits that differ by less are sums of the same numbers


def credited_systems(log: Impressions) -> list[str]:
    """The systems that clicks are credited to."""
    systems = list(log.ranks or log.credits)
    if len(systems) < 2:
        there = (
            f"the log names {systems[0]!r} alone"
            if systems
            else "the log does not say whose documents they are"
        )
        raise InputError(
            f"two or more systems are compared: {there}",
            source=log.source,
            hint="log the columns credit:NAME or rank:NAME of the interleaved lists, or a column `system`",
        )
    if log.ranks and len(systems) > 2:
        raise InputError(
            f"ranks of {len(systems)} systems: balanced interleaving is of two",
            source=log.source,
            hint="name two",
        )
    return systems


def compared_systems(log: Impressions, baseline: str | None) -> tuple[str, list[str]]:
    """The baseline, which is the first system unless another is named, and the systems that are compared with it."""
    systems = credited_systems(log)
    first = systems[0] if baseline is None else baseline
    if first not in systems:
        raise InputError(
            f"the baseline {first!r} is not in the log", hint=f"name one of: {', '.join(systems)}"
        )
    return first, [system for system in systems if system != first]


def credit_table(log: Impressions) -> dict[str, ndarray]:
    """By system, the credit of every impression."""
    import numpy as np

    if log.ranks:
        return _balanced(log)
    return {
        name: np.bincount(log.impression, credit * log.clicked, len(log))
        for name, credit in log.credits.items()
    }


def _balanced(log: Impressions) -> dict[str, ndarray]:
    """Clicks on the first documents of each system, down to the rank at which either has the lowest clicked one.

    That is how far users read of both lists to see what they clicked. Joachims, KDD 2002.
    """
    import numpy as np

    best = np.minimum.reduce(list(log.ranks.values()))
    # Rows stand by position, so that the last clicked one of an impression is the lowest.
    depth = np.zeros(len(log))
    clicked = np.nonzero(log.clicked)[0]
    depth[log.impression[clicked]] = best[clicked]
    return {
        name: np.bincount(log.impression, log.clicked & (rank <= depth[log.impression]), len(log))
        for name, rank in log.ranks.items()
    }


def preferences(log: Impressions, credits: dict[str, ndarray], system: str, baseline: str) -> ndarray:
    """By impression, how much more of a click the system is credited with than the baseline: the mean over its clicks,
    between −1 and 1, and 0 without a click.

    Users who click at random, by position or until they have enough, whatever is shown, leave its mean at 0 with
    every method that credits clicks fairly at each position. That is not so of who has more credit, which is all
    that balanced interleaving says: +1, −1 or 0.
    """
    import numpy as np

    difference = credits[system] - credits[baseline]
    if log.ranks:
        return winners(difference)
    clicks = np.bincount(log.impression, log.clicked, len(log))
    means: ndarray = difference / np.maximum(clicks, 1)
    worst = int(np.abs(means).argmax())
    if abs(means[worst]) > 1 + SAME:
        raise InputError(
            f"impression {log.names[worst]!r} credits {system!r} and {baseline!r} with clicks that differ by "
            f"{abs(means[worst]):.4g}, and may by 1 at most",
            source=log.source,
            hint="credit:NAME is the share of a click that a system is given, such as 0, 0.5 or 1",
        )
    clipped: ndarray = np.clip(means, -1.0, 1.0)
    return clipped


def credit_at_stake(log: Impressions, system: str, baseline: str) -> float:
    """How much credit a click moves on average, one way or the other, over the documents shown that move any: 1 for
    team draft; 0 where no document does."""
    import numpy as np

    moved = np.abs(log.credits[system] - log.credits[baseline])
    moving = moved[moved > SAME]
    return float(moving.mean()) if len(moving) else 0.0


def winners(difference: ndarray) -> ndarray:
    """+1 where the difference in credit is above 0, −1 where it is below, 0 where there is none."""
    import numpy as np

    signs: ndarray = np.where(np.abs(difference) < SAME, 0, np.sign(difference)).astype(int)
    return signs
