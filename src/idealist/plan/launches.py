"""The chance that a launch decision ships: the rule itself, on queries drawn again and again from those of a pilot."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.values import as_count, as_finite
from idealist.base.wording import count_queries
from idealist.comparison.comparing import compare_evaluations
from idealist.comparison.guard_rules import unharmed
from idealist.comparison.segmentation import known_shares, with_shares
from idealist.data.segments import segment_of
from idealist.errors import InputError
from idealist.evaluation.evaluation import Evaluation, QueryNames
from idealist.kernels import Values
from idealist.statistics.randomness import generator
from idealist.statistics.unseen import BEST_THIRD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.random import Generator
    from numpy.typing import NDArray

    from idealist.measures import Measure
    from idealist.votes.gsb_result import GSB

SAMPLES = 200
LEAST = 10  # queries of a pilot: fewer say too little of what others are like
FAR = 60  # steps of a bisection, to the last bit


class LaunchRule(Frozen):
    """The rule of a launch decision: margin, policy, interval and confidence of what decides; by the name of a measure the
    margins of guards; whether large losses are watched; whether votes decide, or are a guard with a margin; and the shares
    of the traffic that segments have, with the segment of every query of the pilot."""

    margin: float | str | None = None
    policy: str = "interval"
    interval: str = BEST_THIRD
    confidence: float = 0.95
    guard_margins: Mapping[str, float | str] = {}
    losses: bool = True
    votes_decide: bool = False
    votes_margin: float | str | None = None
    shares: Mapping[str, float] | None = None
    segments: Mapping[str, str] | None = None


class LaunchPower(Frozen):
    """The chance to ship with n queries (and that many items with votes), where systems differ by `changes` alone."""

    n: int
    votes: int | None
    changes: Mapping[str, float]
    chance: float
    samples: int


def launch_power(
    pilot: Evaluation | None,
    rule: LaunchRule,
    *,
    n: int,
    votes: GSB | None = None,
    vote_items: int | None = None,
    changes: Mapping[str, float] | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
) -> LaunchPower:
    """The share of samples in which the rule ships.

    `pilot` has two systems, the baseline first, and the measures of the decision, the one that decides first (unless votes
    do). A sample is n of its queries, drawn with replacement, with the two systems exchanged in half of them, all measures
    together: so they are equal in truth, and measures go together as they do in the pilot. Queries keep their weights and,
    where the rule has shares of segments, segments as many of the queries as they have in the pilot. `changes` are what is true
    instead, above 0 for the better, by measure, and "votes" for GSB. Votes are drawn by their shares of good, same and bad,
    as many as there would be if votes of a query were independent.
    """
    n, samples = as_count(n, "n"), as_count(samples, "samples")
    true = {name: as_finite(change, f"the change of {name}") for name, change in (changes or {}).items()}
    rng = generator(seed)
    chance = 1.0
    if pilot is not None:
        pairs = _Pairs(pilot, true, rule)
        if not rule.votes_decide:
            pairs.require_change()
        shipped = sum(_ships(*pairs.drawn(n, rng), rule) for _ in range(samples))
        chance *= shipped / samples
    items = None
    if votes is not None:
        items = as_count(votes.n if vote_items is None else vote_items, "votes")
        chance *= _votes_pass(votes, items, rule, true.get("votes", 0.0), samples, rng)
    return LaunchPower(n, items, true, chance, samples)


class _Pairs:
    """The values of both systems on the queries of a pilot, queries × 2 for each measure."""

    def __init__(self, pilot: Evaluation, changes: Mapping[str, float], rule: LaunchRule) -> None:
        import numpy as np

        if len(pilot.systems) != 2:
            raise InputError(
                f"a pilot has two systems, not {len(pilot.systems)}",
                hint="name the baseline and the candidate",
            )
        unknown = [name for name in changes if name != "votes" and name not in map(str, pilot.measures)]
        if unknown:
            raise InputError(
                f"{unknown[0]} is not in the decision",
                hint=f"name one of: {', '.join(map(str, pilot.measures))}",
            )
        self.pilot = pilot
        self.changes = {measure: changes.get(str(measure), 0.0) for measure in pilot.measures}
        queries = pilot.queries
        if len(queries) < LEAST:
            raise InputError(
                f"the pilot has {count_queries(len(queries))}, and {LEAST} are needed",
                hint="judge some more first",
            )
        self.values: dict[Measure, NDArray[Any]] = {}
        for measure in pilot.measures:
            columns = [pilot.by_query(measure, system) for system in pilot.systems]
            table = [[column.get(query, np.nan) for column in columns] for query in queries]
            self.values[measure] = np.array(table, dtype=float)
        self.weights = None if pilot.weights is None else np.array(list(pilot.weights))
        self.shares, self.segments = rule.shares, rule.segments
        # The weights of queries in means of the pilot: their own, or those that give every segment its share.
        self.counts = self.weights
        self.rows_of: dict[str, NDArray[Any]] = {}
        if (known := known_shares(rule.shares, rule.segments, pilot)) is not None:
            self.counts = np.array(list(with_shares(pilot, known).weights or ()))
            names = np.array([segment_of(query, known.segments) for query in queries])
            self.rows_of = {name: np.flatnonzero(names == name) for name in known.shares}

    def _drawn_rows(self, n: int, rng: Generator) -> NDArray[Any]:
        """The rows of n queries; where segments have shares, each segment has as many as in the pilot, and one at least."""
        import numpy as np

        size = len(self.pilot.queries)
        if not self.rows_of:
            return rng.integers(size, size=n)
        if n < len(self.rows_of):
            raise InputError(
                f"{count_queries(n)} cannot be of {len(self.rows_of)} segments", hint="plan for more queries"
            )
        ends = np.cumsum([len(rows) for rows in self.rows_of.values()]) / size * n
        numbers = np.diff(np.rint(ends).astype(int), prepend=0)
        while numbers.min() == 0:
            numbers[numbers.argmin()] += 1
            numbers[numbers.argmax()] -= 1
        parts = zip(self.rows_of.values(), numbers, strict=True)
        return np.concatenate([rng.choice(rows, number) for rows, number in parts])

    def require_change(self) -> None:
        """Raises where what decides is the same in both systems on every query: nothing says then how they would differ."""
        import numpy as np

        measure = self.pilot.measures[0]
        before, after = self.values[measure].T
        if not np.nansum(np.abs(after - before)) > 0:
            raise InputError(
                f"{measure} is the same in both systems on every query of the pilot",
                hint="plan with two systems that differ, such as the last two that were compared",
            )

    def drawn(self, n: int, rng: Generator) -> tuple[Evaluation, dict[str, str] | None]:
        """A sample of n queries on which the systems are equal in truth, but for the changes, and their segments, where
        these have shares."""
        import numpy as np

        rows = self._drawn_rows(n, rng)
        turned = rng.random(n) < 0.5
        baseline, candidate = self.pilot.systems
        values: dict[tuple[str, Measure], Values] = {}
        for measure, table in self.values.items():
            pairs = table[rows]
            pairs[turned] = pairs[turned][:, ::-1]
            sign = -1.0 if measure.better == "lower" else 1.0
            counts = np.ones(n) if self.counts is None else self.counts[rows]
            after = _shifted(pairs[:, 1], sign * self.changes[measure], measure.bounds, counts)
            values[baseline, measure] = Values(np.ascontiguousarray(pairs[:, 0]).tolist())
            values[candidate, measure] = Values(after.tolist())
        names = [f"{at:09}" for at in range(n)]
        sample = Evaluation(
            measures=self.pilot.measures,
            values=values,
            pooled={},
            names=QueryNames(names),
            systems=self.pilot.systems,
            conventions=self.pilot.conventions,
            weights=None if self.weights is None else Values(self.weights[rows].tolist()),
            weighted_by=self.pilot.weighted_by,
            judged={},
        )
        if not self.rows_of or self.segments is None:
            return sample, None
        queries = self.pilot.queries
        return sample, {name: self.segments[queries[row]] for name, row in zip(names, rows, strict=True)}


def _shifted(
    values: NDArray[Any], change: float, bounds: tuple[float, float], counts: NDArray[Any]
) -> NDArray[Any]:
    """The values moved so that their mean, in which they count as `counts` says, changes by this much, none beyond the
    bounds."""
    import numpy as np

    if not change:
        return values
    low, high = bounds
    goal, known = abs(change), ~np.isnan(values)
    least, most = 0.0, high - low if high - low < np.inf else 100 * goal
    for _ in range(FAR):
        step = (least + most) / 2
        moved = np.clip(values + np.sign(change) * step, low, high)
        if abs(float((moved - values)[known] @ counts[known])) < goal * counts[known].sum():
            least = step
        else:
            most = step
    shifted: NDArray[Any] = np.clip(values + np.sign(change) * most, low, high)
    return shifted


def _ships(sample: Evaluation, segments: Mapping[str, str] | None, rule: LaunchRule) -> bool:
    """Whether the rule ships this sample, or its guards pass where votes decide."""
    baseline, candidate = sample.systems
    compared = compare_evaluations(
        sample,
        baseline=baseline,
        segments=segments,
        shares=None if segments is None else rule.shares,
        confidence=rule.confidence,
        interval=rule.interval,
    )
    margins = {str(sample.measure_of(name)): margin for name, margin in rule.guard_margins.items()}
    if rule.votes_decide:
        contrasts = {str(measure): compared[candidate, measure] for measure in compared.measures}
        return not any(guard.stops for guard in unharmed("measures", contrasts, margins))
    verdict = compared.verdict(
        compared.measures[0],
        candidate,
        margin=rule.margin,
        policy=rule.policy,
        guards=["measures", *(["losses"] if rule.losses else [])],
        guard_margins=margins,
    )
    return verdict.outcome == "ship"


def _votes_pass(
    votes: GSB, items: int, rule: LaunchRule, change: float, samples: int, rng: Generator
) -> float:
    """The share of samples of votes that ship, or pass as a guard."""
    from idealist.votes.voting import gsb, votes_guard

    decided = (votes.good + votes.bad) / votes.n
    better = decided / 2 + change / 2
    if not 0 <= better <= decided:
        raise InputError(
            f"GSB cannot be {change:g} where {decided:.3f} of the votes decide",
            hint="plan for a smaller gain",
        )
    effective = max(1, round(items / _clustering(votes)))
    passed = 0
    for good, bad, same in rng.multinomial(effective, [better, decided - better, 1 - decided], size=samples):
        result = gsb(
            good=int(good),
            bad=int(bad),
            same=int(same),
            margin=rule.margin if rule.votes_decide else rule.votes_margin,
            policy=rule.policy,
            confidence=rule.confidence,
            rounds=1,
        )
        if rule.votes_decide:
            passed += result.verdict.outcome == "ship"
        else:
            passed += votes_guard(result, stated=rule.votes_margin is not None).passed
    return passed / samples


def _clustering(votes: GSB) -> float:
    """How many times the variance of GSB is that of independent votes; 1 at least."""
    from idealist.statistics.power import normal_quantile

    if votes.interval is None or not votes.n:
        return 1.0
    half = (votes.interval.high - votes.interval.low) / 2
    error = half / normal_quantile((1 + votes.interval.confidence) / 2)
    alone = ((votes.good + votes.bad) / votes.n - votes.value**2) / votes.n
    return max(1.0, error * error / alone) if alone > 0 else 1.0
