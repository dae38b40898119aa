"""The result of a comparison: every system compared with the baseline, every pair of systems, the risk, and a verdict."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Drawable, Result
from idealist.base.values import as_choice, as_within
from idealist.comparison.contrast import as_record
from idealist.comparison.contrasting import contrast_systems, contrasts_by_segment
from idealist.comparison.corrected_differences import correct_contrasts, remark_favour
from idealist.comparison.guard_checks import GuardRule, guards_of
from idealist.comparison.remarks import (
    needed_queries,
    remark_beside_others,
    remark_sign,
    remark_sparse,
    remark_unseen,
)
from idealist.comparison.unchanged import list_change
from idealist.comparison.verdict import decide, read_margin, remark_large
from idealist.data.segments import query_segments
from idealist.errors import InputError
from idealist.evaluation.corrected import system_and_measure
from idealist.statistics.mean_estimates import Interval
from idealist.statistics.multiple_comparisons import TUKEY, Pair, randomised_tukey, tukey_blocked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.comparison.comparing import Settings
    from idealist.comparison.contrast import Contrast
    from idealist.comparison.unchanged import ListChange
    from idealist.comparison.verdict import Verdict
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.statistics.multiple_comparisons import Tukey
    from idealist.statistics.paired_tests import Progress


ALPHA = 1.0  # a loss weighs twice as much as a gain


class Risk(Result, Frozen):
    """The risk measures of one system. URisk is the mean gain over the baseline with losses multiplied by 1 + α (Wang,
    Bennett and Collins-Thompson, SIGIR 2012), TRisk the same in standard errors (Dinçer, Macdonald and Ounis, SIGIR
    2014): with α = 0 it is Student's t. GeoRisk is √(mean · Φ(ZRisk/n)), where ZRisk adds up (value − expected)/√expected,
    negative ones multiplied by 1 + α, and the expected value is the share of the system and of the query in the sum of
    all systems that were compared (Dinçer, Macdonald and Ounis, SIGIR 2016). The higher, the less risky."""

    system: str
    urisk: float | None
    trisk: float | None
    georisk: float | None

    def _gist(self) -> str:
        return f"{self.system}; URisk {self.urisk}, TRisk {self.trisk}, GeoRisk {self.georisk}"


class Risks(Result, list[Risk]):
    """The risk measures of every system, the baseline first, whose URisk is 0."""

    def __init__(self, risks: Iterable[Risk], measure: Measure, baseline: str, alpha: float) -> None:
        super().__init__(risks)
        self.measure = measure
        self.baseline = baseline
        self.alpha = alpha

    def _gist(self) -> str:
        return f"{self.measure}, α = {self.alpha:g}; {', '.join(risk.system for risk in self)} against {self.baseline}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON; what is undefined is None."""
        return {
            "measure": str(self.measure),
            "baseline": self.baseline,
            "alpha": self.alpha,
            "risks": [{field: getattr(risk, field) for field in risk.fields} for risk in self],
        }


def risks_of(comparison: Comparison, measure: Measure, alpha: float) -> Risks:
    """The risk measures of all systems of a comparison."""
    alpha = as_within(alpha, "alpha", 0)
    systems = [comparison.baseline, *comparison.systems]
    # Queries with a value of every system; expected values need a measure that is 0 or more, and better when higher.
    by_system = [comparison.evaluation.by_query(measure, system) for system in systems]
    queries = [query for query in by_system[0] if all(query in values for values in by_system)]
    table = [[values[query] for values in by_system] for query in queries]
    geo = [None] * len(systems) if measure.better != "higher" else georisk(table, alpha)
    risks = [Risk(comparison.baseline, 0.0, None, geo[0])]
    for system, geo_value in zip(comparison.systems, geo[1:], strict=True):
        contrast = comparison[system, measure]
        scores = risk_scores(contrast.sign * contrast.paired.changes, alpha)
        risks.append(Risk(system, *mean_and_t(scores, contrast.paired.weights), geo_value))
    return Risks(risks, measure, comparison.baseline, alpha)


def risk_scores(gains: NDArray[Any], alpha: float) -> NDArray[Any]:
    """Gains, those below 0 multiplied by 1 + α.

    >>> import numpy as np
    >>> risk_scores(np.array([0.5, -0.25]), 1.0).tolist()
    [0.5, -0.5]
    """
    import numpy as np

    return np.where(gains < 0, (1 + alpha) * gains, gains)


def mean_and_t(scores: NDArray[Any], weights: Any) -> tuple[float, float | None]:
    """The mean, and the mean in standard errors; None where there is no spread."""
    from idealist.statistics.mean_estimates import estimate_mean, has_no_spread, weighted_mean

    estimate = estimate_mean(scores, weights)
    if estimate is None or has_no_spread(estimate):
        return weighted_mean(scores, weights), None
    return estimate.mean, estimate.mean / estimate.error


def georisk(table: Any, alpha: float) -> list[float | None]:
    """GeoRisk of every system (column) over queries (rows); None where a value is below 0 or there is nothing.

    >>> [round(value, 4) for value in georisk([[0.5, 0.5], [0.25, 0.25]], 1.0)]  # √(0.375 · Φ(0))
    [0.433, 0.433]
    """
    import numpy as np
    from scipy.special import ndtr

    x = np.asarray(table, dtype=float)
    if not x.size or x.min() < 0:
        return [None] * (x.shape[1] if x.ndim == 2 else len(table))
    total = float(x.sum())
    if not total:
        return [0.0] * x.shape[1]
    expected = np.outer(x.sum(axis=1), x.sum(axis=0)) / total
    z = np.divide(x - expected, np.sqrt(expected), out=np.zeros_like(x), where=expected > 0)
    z_risk = risk_scores(z, alpha).sum(axis=0)
    values: list[float | None] = np.sqrt(x.mean(axis=0) * ndtr(z_risk / len(x))).tolist()
    return values


# What can turn "ship" into "undecided": another measure or a segment that is worse, documents judged for one system
# more than for the other, queries of the baseline that the system lacks, or too many that lose most of their value.
GUARDS = ("measures", "segments", "judged", "queries", "losses")


class Comparison(Drawable):
    """Every system compared with the baseline on every measure: `comparison["dense", "nDCG@10"]` is a Contrast.

    Iterating gives the contrasts over all queries, measure by measure; `segments` those of segments.
    """

    def __init__(
        self,
        *,
        evaluation: Evaluation,
        baseline: str,
        measures: tuple[Measure, ...],
        contrasts: tuple[Contrast, ...],
        notes: tuple[str, ...],
        settings: Settings,
        by: Mapping[str, str] | None = None,
        margin: float | str | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.evaluation = evaluation
        self.baseline = baseline
        self.systems = tuple(system for system in evaluation.systems if system != baseline)
        self.measures = measures
        self.contrasts = tuple(contrast for contrast in contrasts if contrast.segment is None)
        self.notes = notes
        self.settings = settings
        self.margin = margin
        self.family = sum(
            contrast.p_value is not None for contrast in contrasts
        )  # how many tests are adjusted for
        self._by = by
        self._in_segments = tuple(contrast for contrast in contrasts if contrast.segment is not None)
        self._contrasts = {(contrast.system, contrast.measure): contrast for contrast in self.contrasts}
        self._progress = progress
        self._list_changes: dict[str, ListChange] = {}
        self._pairs: dict[Measure, tuple[Pair, ...]] | None = None
        self._tukey_pairs: dict[Measure, tuple[Pair, ...]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_progress": None}  # a callback is for this process

    def __eq__(self, other: object) -> bool:
        """Equal in what was compared, and how."""
        if not isinstance(other, Comparison):
            return NotImplemented
        return self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash((self.evaluation, self.baseline, self.settings))

    def _compared(self) -> tuple[object, ...]:
        return self.evaluation, self.baseline, self.measures, self.settings, self.notes, self._by, self.margin

    def __getitem__(self, key: tuple[str, str | Measure]) -> Contrast:
        system, measure = system_and_measure(key, "a comparison", "comparison", self.systems, self.measures)
        return self._contrasts[self._system(system), self._measure(measure)]

    def __iter__(self) -> Iterator[Contrast]:
        return iter(self.contrasts)

    def __len__(self) -> int:
        return len(self.contrasts)

    @property
    def segmented(self) -> bool:
        """Whether segments were given."""
        return self._by is not None

    def segments(self, by: Any = None, *, segment_by: str | None = None) -> dict[str, tuple[Contrast, ...]]:
        """The contrasts of every segment, those that were given to `compare` or, with `by` and `segment_by`, others that it
        would take. p-values are adjusted for the segments, too."""
        names = query_segments(by, segment_by)
        if names is not None:
            settings = self.settings
            contrasts, _ = contrast_systems(
                self.evaluation, self.measures, self.baseline, settings, names, None
            )
            contrasts, _ = correct_contrasts(self.evaluation, contrasts, settings.confidence, names)
            return contrasts_by_segment(contrasts)
        if self._by is None:
            raise InputError(
                "the comparison was made without segments",
                hint="give the segment of every query, such as {'q1': 'new users'}",
            )
        return contrasts_by_segment(self._in_segments)

    def pairs(self, measure: str | Measure | None = None, *, randomised: bool = True) -> tuple[Pair, ...]:
        """Every pair of systems, the baseline among them, over the queries that all have: Tukey's test blocked
        by query, and its randomised form. Adjusted for the pairs, not for several measures. Without `randomised`,
        which takes its time with thousands of queries, that form is left out where there is Tukey's test (no weights)."""
        if randomised or self.evaluation.weighted:
            if self._pairs is None:
                self._pairs = self._all_pairs()
            return self._pairs[self._measure(measure)]
        if self._tukey_pairs is None:
            self._tukey_pairs = self._all_pairs(randomised=False) if self._pairs is None else self._pairs
        return self._tukey_pairs[self._measure(measure)]

    def pair_records(self) -> list[dict[str, Any]]:
        """Every pair on every measure, for JSON."""
        return [
            {"measure": str(measure), **as_record(pair), "interval": as_record(pair.interval)}
            for measure in self.measures
            for pair in self.pairs(measure)
        ]

    def risks(self, measure: str | Measure | None = None, *, alpha: float = ALPHA) -> Risks:
        """URisk, TRisk and GeoRisk of every system by a measure (the first, unless another is named); a loss weighs 1 + α
        times as much as a gain."""
        return risks_of(self, self._measure(measure), alpha)

    def _all_pairs(self, *, randomised: bool = True) -> dict[Measure, tuple[Pair, ...]]:
        import numpy as np

        systems, settings = self.evaluation.systems, self.settings
        tables = [self._table(measure) for measure in self.measures]
        weighted = self.evaluation.weighted
        index_pairs = [(i, j) for i in range(len(systems)) for j in range(i + 1, len(systems))]
        randomised_p: list[dict[tuple[int, int], float | None]] = [dict.fromkeys(index_pairs) for _ in tables]
        if randomised:
            p_by_measure = randomised_tukey(
                [table * weights for table, weights in tables],
                rounds=settings.rounds,
                seed=settings.seed,
                progress=self._progress,
            )
            randomised_p = [dict(p_values) for p_values in p_by_measure]
        pairs_by_measure: dict[Measure, tuple[Pair, ...]] = {}
        for measure, (table, weights), p_randomised in zip(self.measures, tables, randomised_p, strict=True):
            complete = ~np.isnan(table).any(axis=1)
            values, weights = table[complete], weights[complete]
            if len(values) == 0:
                raise InputError(f"{measure}: no query has a value for every system")
            means = (values * weights).sum(axis=0) / weights.sum()
            exact = None
            if not weighted and len(values) > 1:
                exact = tukey_blocked(values, confidence=settings.confidence)
            pairs_by_measure[measure] = tuple(
                Pair(
                    systems[i],
                    systems[j],
                    len(values),
                    difference := float(means[j] - means[i]),
                    _around(difference, exact, settings.confidence),
                    None if exact is None else exact.p_values[i, j],
                    p if len(values) > 1 else None,
                )
                for (i, j), p in p_randomised.items()
            )
        return pairs_by_measure

    def _table(self, measure: Measure) -> tuple[NDArray[Any], NDArray[Any]]:
        """Queries × systems, nan where there is no value, and a column of weights."""
        import numpy as np

        systems, queries = self.evaluation.systems, self.evaluation.queries
        row_of = {query: row for row, query in enumerate(queries)}
        table, weights = np.full((len(queries), len(systems)), np.nan), np.zeros((len(queries), 1))
        for column, system in enumerate(systems):
            values = self.evaluation.by_query(measure, system)
            rows = [row_of[query] for query in values]
            table[rows, column] = list(values.values())
            weights[rows, 0] = self.evaluation.weights_of(measure, system)
        return table, weights

    def verdict(
        self,
        measure: str | Measure | None = None,
        system: str | None = None,
        *,
        margin: float | str | None = None,
        policy: str = "interval",
        guards: Sequence[str] = GUARDS,
        guard_margins: Mapping[str, float | str] | None = None,
        unjudged_rate: float | None = None,
    ) -> Verdict:
        """Whether the system may replace the baseline, by this measure (the first, unless another is named).

        By the interval of the difference and a margin: a number, or a share of the baseline's mean such as "2%" (by default,
        the one that `compare` was given). Without one it is 2 % of the baseline's mean, and a significant loss never ships. Where several systems were
        compared, "better" holds beside all of them, by Holm's method; margins and guards look at each by itself. `guards`
        are those of GUARDS that are checked. A measure or a segment fails its guard when it is significantly worse by
        itself; where `guard_margins` gives it a margin (by its name, or "measures" or "segments" for all), when it
        is not shown to be worse by no more than that. `unjudged_rate` is how often unjudged documents above the cut-off are
        taken to be relevant when asking whether they would turn the verdict (default: as often as judged ones are there).
        """
        goal = self._measure(measure)
        if goal.better == "neither":
            raise InputError(f"no value of {goal} is better than another", hint="decide by another measure")
        contrast = self._contrasts[self._system(system), goal]
        for guard in guards:
            as_choice(guard, "a guard", GUARDS)
        if unjudged_rate is not None:
            as_within(unjudged_rate, "the rate of relevant documents among unjudged ones", 0, 1)
        width = contrast.range[1] - contrast.range[0]
        chosen = read_margin(
            self.margin if margin is None else margin, baseline=contrast.baseline_value, limit=width
        )
        remarks = [
            f"a lower {goal} is better: the difference is turned" if contrast.sign < 0 else "",
            remark_large(chosen, contrast.baseline_value) if chosen.stated else "",
            remark_sign(contrast, chosen.size) if policy == "sign" else "",
            remark_unseen(contrast) if policy == "interval" else "",
            remark_favour(contrast) if contrast.correction is not None else "",
        ]
        lists = self.list_change(contrast.system)
        unchanged = lists.reason(goal)
        remarks = [] if unchanged else [*remarks, "" if goal.given and lists.numbers_differ else lists.remark]
        rule = GuardRule(guards, guard_margins or {}, chosen, policy, unjudged_rate)
        checked = guards_of(self, contrast, self._in_segments, rule)
        gain, interval, method = contrast.decisive
        by_people = contrast.correction is None
        return decide(
            gain,
            interval,
            margin=chosen,
            policy=policy,
            guards=checked,
            needed=needed_queries(self.evaluation, contrast, chosen.size),
            remark="; ".join(filter(None, remarks)),
            method=method,
            beside_others=remark_beside_others(contrast, self._other_candidates(contrast)),
            sparse=remark_sparse(contrast, chosen) if by_people else "",
            unchanged=unchanged,
        )

    def _other_candidates(self, contrast: Contrast) -> list[Contrast]:
        """The other systems on the same measure."""
        others = (system for system in self.systems if system != contrast.system)
        return [self._contrasts[system, contrast.measure] for system in others]

    def verdicts(self, measure: str | Measure | None = None, **settings: Any) -> dict[str, Verdict]:
        """The verdict on every system."""
        return {system: self.verdict(measure, system, **settings) for system in self.systems}

    def list_change(self, system: str) -> ListChange:
        """Whether the lists of a system are the baseline's, looked at once."""
        if system not in self._list_changes:
            contrasts = [contrast for contrast in self.contrasts if contrast.system == system]
            self._list_changes[system] = list_change(self.evaluation, contrasts)
        return self._list_changes[system]

    def _measure(self, measure: str | Measure | None) -> Measure:
        if measure is None:
            return self.measures[0]
        parsed_measure = self.evaluation.measure_of(measure)
        if parsed_measure not in self.measures:
            raise InputError(
                f"{parsed_measure} was not compared",
                hint=f"name one of: {', '.join(map(str, self.measures))}",
            )
        return parsed_measure

    def _system(self, system: str | None) -> str:
        if system is None:
            if len(self.systems) > 1:
                raise InputError(f"several systems were compared; name one of: {', '.join(self.systems)}")
            return self.systems[0]
        if system == self.baseline:
            raise InputError(
                f"{system!r} is the baseline; it is not compared with itself",
                hint=f"name one of: {', '.join(self.systems)}",
            )
        if system not in self.systems:
            raise InputError(
                f"no system is called {system!r}", hint=f"name one of: {', '.join(self.systems)}"
            )
        return system

    def to_dict(self, *, bootstrap: bool = True) -> dict[str, Any]:
        """All contrasts, those of segments too, and the settings behind them; quick without `bootstrap`."""
        segment_records = [contrast.to_dict(bootstrap=bootstrap) for contrast in self._in_segments]
        return {
            "baseline": self.baseline,
            "systems": list(self.systems),
            "measures": [str(measure) for measure in self.measures],
            "settings": self.settings.to_dict(),
            "family": self.family,
            "contrasts": [contrast.to_dict(bootstrap=bootstrap) for contrast in self.contrasts],
            **({"segments": segment_records} if self.segmented else {}),
            "judged": self.evaluation.judged_shares(),
            "conventions": self.evaluation.conventions.to_dict(),
            "notes": list(self.notes),
        }

    def to_json(self, *, bootstrap: bool = True) -> str:
        import json

        return json.dumps(self.to_dict(bootstrap=bootstrap), allow_nan=False)

    def _gist(self) -> str:
        systems, measures = ", ".join(self.systems), ", ".join(map(str, self.measures))
        return f"{systems} against {self.baseline}; {measures}"


def _around(difference: float, tukey: Tukey | None, confidence: float) -> Interval | None:
    if tukey is None:
        return None
    return Interval(difference - tukey.reach, difference + tukey.reach, confidence, TUKEY)
