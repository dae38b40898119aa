"""The result of votes on pairs of systems: strengths, pairs, and groups that cannot be told apart."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.results import Drawable
from idealist.wording import count_of, count_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.statistics.interval import Interval


class SystemStrength(Frozen):
    """A system: the logarithm of its strength (0 is the mean of all) with its own interval, its expected share of
    wins against the others, ties as halves, the ranks that pairs leave open, and the groups it belongs to."""

    system: str
    strength: float
    interval: Interval | None
    win_rate: float
    best_rank: int
    worst_rank: int
    groups: str
    votes: int


class StrengthPair(Frozen):
    """Two systems: how much stronger the first is, in logarithms, with an interval that holds for all pairs together,
    the adjusted p-value, and the probabilities that the first wins, that they tie, and that the second wins."""

    first: str
    second: str
    difference: float
    interval: Interval | None
    p_value: float | None
    first_wins: float
    tie: float
    second_wins: float

    @property
    def differs(self) -> bool:
        return self.interval is not None and 0.0 not in self.interval


class SystemRanking(Drawable, Frozen):
    """Systems by strength, the strongest first. `side` is γ, by which the strength of whatever is shown left is
    multiplied (None where it was not asked for or cannot be told), `ties` is Davidson's ν (0 without ties)."""

    systems: tuple[SystemStrength, ...]
    pairs: tuple[StrengthPair, ...]
    side: float | None
    side_interval: Interval | None
    ties: float
    votes: int
    queries: int
    confidence: float
    notes: tuple[str, ...]

    def __getitem__(self, system: str) -> SystemStrength:
        for entry in self.systems:
            if entry.system == system:
                return entry
        names = ", ".join(entry.system for entry in self.systems)
        raise InputError(f"no system is called {system!r}", hint=f"name one of: {names}")

    def _gist(self) -> str:
        order = " > ".join(entry.system for entry in self.systems[:4])
        more = " > …" if len(self.systems) > 4 else ""
        return f"{order}{more}; {count_of(self.votes, 'vote')}, {count_queries(self.queries)}"


def alike_groups(names: Sequence[str], different: set[tuple[str, str]]) -> list[tuple[str, ...]]:
    """The largest sets of systems of which no two differ, by the first system of each.

    >>> alike_groups(["x", "y", "z"], {("x", "z")})
    [('x', 'y'), ('y', 'z')]
    """
    groups: list[set[str]] = [set(names)]
    for first, second in sorted(different):
        split: list[set[str]] = []
        for group in groups:
            if first in group and second in group:
                split += [group - {first}, group - {second}]
            else:
                split.append(group)
        groups = [
            group
            for at, group in enumerate(split)
            if not any(
                group < other or (group == other and at > before) for before, other in enumerate(split)
            )
        ]
    place = {name: at for at, name in enumerate(names)}
    ordered = (tuple(sorted(group, key=place.__getitem__)) for group in groups)
    return sorted(ordered, key=lambda group: [place[name] for name in group])
