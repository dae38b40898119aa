"""Many systems by votes on pairs of them: strengths, which pairs differ, and groups that cannot be told apart."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Drawable
from idealist.base.values import as_count, as_share, as_within
from idealist.base.wording import count_of, count_queries, listed
from idealist.data.weight_reading import query_weights, weighting_note
from idealist.errors import InputError
from idealist.statistics.mean_estimates import Interval
from idealist.statistics.randomness import generator
from idealist.votes.davidson import RIDGE, Davidson, side_is_identified
from idealist.votes.pair_votes import LEFT, RIGHT, TIE, read_pair_votes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.types import GivenTable
    from idealist.votes.pair_votes import PairVotes


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


METHOD = "bootstrap over queries"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def rank_systems(
    votes: PairVotes | GivenTable,
    *,
    side: bool = True,
    weights: Any = None,
    weight_by: str | None = None,
    confidence: float = 0.95,
    rounds: int = 1000,
    ridge: float = RIDGE,
    seed: int = 0,
) -> SystemRanking:
    """Systems by votes on pairs of them: what read_pair_votes gives, or anything that it reads.

    Davidson's model (Bradley and Terry's with ties), with an advantage of the left side unless `side` is false. `weights`
    are those of queries, as `evaluate` takes them: every vote counts with the weight of its query, 1 in the mean over votes.
    Intervals are by a bootstrap of `rounds` over queries; those of differences hold for all pairs together (the
    largest |t| of all pairs), and systems share a group when none of its pairs differs.

    >>> votes = {"query": [1, 2, 3, 4], "left": list("xyxy"), "right": list("yxyx"), "winner": list("xxyx")}
    >>> found = rank_systems(votes, side=False, ridge=1e-6)  # x won 3 of 4
    >>> found.systems[0].system, round(found.systems[0].win_rate, 3)
    ('x', 0.75)
    """
    table = read_pair_votes(votes)
    as_share(confidence, "confidence")
    rounds = as_count(rounds, "rounds", 100, hint="1000 is usual")
    ridge = as_within(ridge, "the ridge", 0, 1, "(]", hint="such as 0.01")
    _require_connected(table)
    notes: list[str] = []
    weighting = query_weights(weights, weight_by, None)
    if weighting is None:
        data = _Counts(table, None)
    else:
        numbers = weighting.of(table.queries, "voted on")
        data = _Counts(table, numbers)
        notes.append(weighting_note(weighting.label, numbers))
    if side and not side_is_identified(data.cells, len(table.systems)):
        side = False
        notes.append(
            "every pair was shown in one order, so that a side effect cannot be separated from strengths"
        )
    model = Davidson(data.cells, len(table.systems), ties=data.has_ties, side=side, ridge=ridge)
    parameters = model.fit(data.total[None])
    drawn = None
    if len(table.queries) > 1:
        drawn = model.fit(data.resampled(rounds, seed), parameters[0])
    else:
        notes.append("all votes are on one query, so that there are no intervals")
    notes += _unbeaten(table)
    return _ranked(table, model, parameters[0], drawn, confidence, notes)


class _Counts:
    """Votes counted by pair and outcome, in all and by query."""

    def __init__(self, table: PairVotes, weights: Sequence[float] | None) -> None:
        import numpy as np
        from scipy.sparse import csr_matrix

        numbers: dict[tuple[int, int], int] = {}
        cell = [
            numbers.setdefault(pair, len(numbers)) for pair in zip(table.lefts, table.rights, strict=True)
        ]
        self.cells = list(numbers)
        column = 3 * np.asarray(cell) + np.asarray(table.outcomes)
        self._shape = len(self.cells), 3
        counted = np.ones(len(table)) if weights is None else np.asarray(weights)[table.query_numbers]
        self._by_query = csr_matrix(
            (counted / counted.mean(), (table.query_numbers, column)),
            shape=(len(table.queries), 3 * len(self.cells)),
        )
        self.total = np.asarray(self._by_query.sum(axis=0)).reshape(self._shape)
        self.has_ties = bool(self.total[:, TIE].sum())
        if not self.total[:, [LEFT, RIGHT]].sum():
            raise InputError(
                "every vote is a tie: nothing says which system is stronger", source=table.source
            )

    def resampled(self, rounds: int, seed: int) -> ndarray:
        import numpy as np

        random, n = generator(seed), self._by_query.shape[0]
        times = random.multinomial(n, np.full(n, 1 / n), rounds)
        counts: ndarray = np.asarray((self._by_query.T @ times.T).T, dtype=float)
        return counts.reshape(rounds, *self._shape)


def _ranked(
    table: PairVotes,
    model: Davidson,
    parameters: ndarray,
    drawn: ndarray | None,
    confidence: float,
    notes: Sequence[str],
) -> SystemRanking:
    import numpy as np
    from scipy.special import stdtrit

    beta, g, t = model.split(parameters)
    count = len(table.systems)
    order = sorted(range(count), key=lambda at: (-beta[at], table.systems[at]))
    firsts, seconds = np.triu_indices(count, 1)
    firsts, seconds = np.asarray(order)[firsts], np.asarray(order)[seconds]
    differences = beta[firsts] - beta[seconds]
    intervals: list[Interval | None] = [None] * count
    pair_intervals: list[Interval | None] = [None] * len(firsts)
    p_values: list[float | None] = [None] * len(firsts)
    side_interval = None
    if drawn is not None:
        drawn_beta, drawn_g, _ = model.split(drawn)
        queries = len(table.queries)
        # Resamples vary by (n − 1)/n of the variance of a mean.
        stretch = (queries / (queries - 1)) ** 0.5
        reach = stretch * float(stdtrit(queries - 1, (1 + confidence) / 2))

        def pointwise(value: float, draws: ndarray) -> Interval:
            error = reach * float(draws.std(ddof=1))
            return Interval(value - error, value + error, confidence, METHOD)

        intervals = [pointwise(float(beta[at]), drawn_beta[:, at]) for at in range(count)]
        spread = drawn_beta[:, firsts] - drawn_beta[:, seconds]
        errors = np.maximum(spread.std(axis=0, ddof=1), 1e-12)
        largest = np.abs((spread - spread.mean(axis=0)) / errors).max(axis=1)
        # Few queries: as much wider as Student's t is than the normal distribution.
        widening = reach / float(stdtrit(1e9, (1 + confidence) / 2))
        limit = widening * float(np.quantile(largest, confidence))
        for at, difference in enumerate(differences.tolist()):
            error = limit * float(errors[at])
            pair_intervals[at] = Interval(difference - error, difference + error, confidence, METHOD)
            as_far = int((widening * largest >= abs(difference) / errors[at]).sum())
            p_values[at] = (1 + as_far) / (1 + len(drawn))
        if model.side:
            logs = pointwise(float(g), drawn_g)
            side_interval = logs.replace(low=float(np.exp(logs.low)), high=float(np.exp(logs.high)))
    nu = float(np.exp(t))
    pairs = []
    for at, (first, second) in enumerate(zip(firsts.tolist(), seconds.tolist(), strict=True)):
        pairs.append(
            StrengthPair(
                table.systems[first],
                table.systems[second],
                float(differences[at]),
                pair_intervals[at],
                p_values[at],
                *_outcomes(float(differences[at]), nu),
            )
        )
    return SystemRanking(
        systems=_strengths(table, order, beta, intervals, pairs),
        pairs=tuple(pairs),
        side=float(np.exp(g)) if model.side else None,
        side_interval=side_interval,
        ties=nu,
        votes=len(table),
        queries=len(table.queries),
        confidence=confidence,
        notes=tuple(notes),
    )


def _outcomes(difference: float, nu: float) -> tuple[float, float, float]:
    """The probabilities that the stronger of two wins, of a tie, and that the other wins, sides apart."""
    from math import exp

    win, tie, lose = exp(difference / 2), nu, exp(-difference / 2)
    total = win + tie + lose
    return win / total, tie / total, lose / total


def _strengths(
    table: PairVotes,
    order: Sequence[int],
    beta: ndarray,
    intervals: Sequence[Interval | None],
    pairs: Sequence[StrengthPair],
) -> tuple[SystemStrength, ...]:
    better: dict[str, int] = dict.fromkeys(table.systems, 0)
    worse: dict[str, int] = dict.fromkeys(table.systems, 0)
    rates: dict[str, float] = dict.fromkeys(table.systems, 0.0)
    for pair in pairs:
        rates[pair.first] += pair.first_wins + pair.tie / 2
        rates[pair.second] += pair.second_wins + pair.tie / 2
        if pair.differs:
            worse[pair.first] += 1
            better[pair.second] += 1
    names = [table.systems[at] for at in order]
    groups = alike_groups(names, {(pair.first, pair.second) for pair in pairs if pair.differs})
    shown = [0] * len(table.systems)
    for at in (*table.lefts, *table.rights):
        shown[at] += 1
    return tuple(
        SystemStrength(
            name,
            float(beta[at]),
            intervals[at],
            rates[name] / (len(names) - 1),
            1 + better[name],
            len(names) - worse[name],
            " ".join(
                LETTERS[number] if number < len(LETTERS) else str(number + 1)
                for number, group in enumerate(groups)
                if name in group
            ),
            shown[at],
        )
        for at, name in zip(order, names, strict=True)
    )


def _require_connected(table: PairVotes) -> None:
    """Raises where no chain of votes leads from one system to another: their strengths could be anything."""
    groups = {at: {at} for at in range(len(table.systems))}
    for left, right in zip(table.lefts, table.rights, strict=True):
        if groups[left] is not groups[right]:
            joined = groups[left] | groups[right]
            for at in joined:
                groups[at] = joined
    if len(groups[0]) < len(table.systems):
        inside = [name for at, name in enumerate(table.systems) if at in groups[0]]
        outside = [name for at, name in enumerate(table.systems) if at not in groups[0]]
        raise InputError(
            f"no vote compares any of {listed(inside[:3])} with any of {listed(outside[:3])}",
            source=table.source,
            hint="rank each group by itself, or have a pair across them voted on",
        )


def _unbeaten(table: PairVotes) -> list[str]:
    """Notes on systems that won or lost every vote: their strengths are as far out as the ridge allows."""
    results: dict[int, set[int]] = {}
    for left, right, outcome in zip(table.lefts, table.rights, table.outcomes, strict=True):
        results.setdefault(left, set()).add({LEFT: 1, TIE: 0, RIGHT: -1}[outcome])
        results.setdefault(right, set()).add({LEFT: -1, TIE: 0, RIGHT: 1}[outcome])
    notes = []
    for sign, verb in ((1, "won"), (-1, "lost")):
        names = [table.systems[at] for at, seen in sorted(results.items()) if seen == {sign}]
        if names:
            notes.append(
                f"{listed(names)} {verb} every vote: how strong {'it is' if len(names) == 1 else 'they are'} "
                "is set by the ridge, not by votes"
            )
    return notes
