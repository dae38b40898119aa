"""Intervals of agreement, where most votes are same, by seeded simulation: they cover, or are marked."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from idealist.votes.agreement_of_raters import Coefficient, rater_agreement
from idealist.votes.vote_table import read_votes

SAME = (0.5, 0.8, 0.9, 0.95, 0.97)
# How often a rater is right, and what the other answers are: any of the other two, or by how often each is right.
RATERS = ((0.95, "other"), (0.85, "other"), (0.6, "other"), (1 / 3, "other"), (0.7, "habit"), (0.1, "habit"))


class World:
    """Items whose right answer is known, and raters who give it with some probability."""

    def __init__(self, raters: int, same: float, right: float, kind: str) -> None:
        self.raters = raters
        self.shares = np.array([0.4 * (1 - same), same, 0.6 * (1 - same)])
        wrong = (1 - np.eye(3)) / 2 if kind == "other" else np.tile(self.shares, (3, 1))
        self.answers = right * np.eye(3) + (1 - right) * wrong

    @property
    def truth(self) -> dict[str, float]:
        """The coefficients of infinitely many items."""
        raw = float((self.shares[:, None] * self.answers**2).sum())
        given = self.shares @ self.answers
        chance, ac1_chance = float((given**2).sum()), float((given * (1 - given)).sum()) / 2
        kappa = (raw - chance) / (1 - chance)
        ac1 = (raw - ac1_chance) / (1 - ac1_chance)
        return {"raw": raw, "alpha": kappa, "ac1": ac1, "fleiss": kappa, "cohen": kappa}

    def votes(self, rng: np.random.Generator, items: int, together: int) -> dict[str, Any]:
        """`together` items a query, half of them with the same right answer."""
        answer = rng.choice(3, p=self.shares, size=items)
        query = np.arange(items) // together
        answer = np.where(rng.random(items) < 0.5 * (together > 1), answer[query * together], answer)
        drawn = rng.random((items, self.raters, 1)) > np.cumsum(self.answers, axis=1)[answer][:, None, :2]
        return {
            "query": np.repeat(query, self.raters).tolist(),
            "document": np.repeat(np.arange(items), self.raters).tolist(),
            "rater": np.tile(np.arange(self.raters), items).tolist(),
            "vote": (drawn.sum(axis=2) - 1).ravel().tolist(),
        }


def coefficients(table: dict[str, Any]) -> dict[str, Coefficient]:
    found = rater_agreement(read_votes(table))
    assert found is not None
    named = {name: getattr(found, name) for name in ("raw", "alpha", "ac1", "fleiss")}
    return {**named, "cohen": found.pairs[0].kappa}


def inside(found: Coefficient, truth: float) -> bool:
    return found.interval is not None and found.interval.low <= truth <= found.interval.high


@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "together"), [(10, 1), (20, 1), (35, 1), (50, 1), (200, 1), (40, 4), (200, 4)]
)
def test_what_is_not_marked_covers(items: int, together: int) -> None:
    rng = np.random.default_rng(items + together)
    hits: dict[str, list[bool]] = {}
    shown = 0
    for raters, same, (right, kind) in product((2, 3, 5), SAME, RATERS):
        world = World(raters, same, right, kind)
        for _ in range(5):
            for name, found in coefficients(world.votes(rng, items, together)).items():
                shown += 1
                if found.reliable:
                    hits.setdefault(name, []).append(inside(found, world.truth[name]))
    for name, covered in hits.items():
        assert np.mean(covered) >= 0.93 - 0.02, (name, np.mean(covered), len(covered))
    # Marking everything would be no answer.
    assert sum(map(len, hits.values())) / shown > {10: 0.15, 20: 0.3, 40: 0.3}.get(items, 0.5)


def test_few_disagreements_are_marked() -> None:
    """One split item in twenty: nothing is known about how often raters differ; two more, and a little is."""
    few = {"query": np.repeat(range(20), 2).tolist(), "rater": ["x", "y"] * 20, "vote": [0] * 39 + [1]}
    assert not any(found.reliable for found in coefficients({**few, "document": few["query"]}).values())
    split = [0, 0] * 14 + [0, 1] * 3 + [1, 1] * 2 + [-1, -1]
    found = coefficients({**few, "document": few["query"], "vote": split})
    assert all(one.reliable for one in found.values())
    found = coefficients({**few, "document": few["query"], "vote": [*split[:-2], 0, 0]})
    # Two items on which raters agree that they are not same do not tell how far they agree beyond chance.
    assert {name: one.reliable for name, one in found.items()} == {
        "raw": True,
        "alpha": False,
        "ac1": True,
        "fleiss": False,
        "cohen": False,
    }


def test_the_jackknife_of_a_share_is_its_textbook_error() -> None:
    """Raw agreement of 12 of 20 items: p ± t·√(p(1 − p)/(n − 1)); u² is 12 times (8/20)² and 8 times (12/20)²."""
    from scipy.stats import t

    table = {
        "query": np.repeat(range(20), 2).tolist(),
        "document": [0] * 40,
        "rater": ["x", "y"] * 20,
        "vote": [1, 1] * 12 + [0, 1] * 8,
    }
    found = coefficients(table)["raw"]
    freedom = (12 * 0.4**2 + 8 * 0.6**2) ** 2 / (12 * 0.4**4 + 8 * 0.6**4) - 1
    assert found.interval is not None
    assert found.interval.high == pytest.approx(0.6 + t.ppf(0.975, freedom) * (0.24 / 19) ** 0.5)
