"""Who won each impression: clicks credited to the systems of interleaved lists."""

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


def preferences(credits: dict[str, ndarray], system: str, baseline: str) -> ndarray:
    """+1 where the system has more credit, −1 where it has less, 0 where both have the same."""
    import numpy as np

    difference = credits[system] - credits[baseline]
    signs: ndarray = np.where(np.abs(difference) < SAME, 0, np.sign(difference)).astype(int)
    return signs
