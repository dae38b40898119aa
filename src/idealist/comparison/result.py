"""What comparing gives: every system against the baseline, every pair of systems, and a verdict."""

from __future__ import annotations

from idealist.comparison.contrast import as_record
from idealist.comparison.guards import equally_judged, same_queries
from idealist.comparison.intervals import Interval
from idealist.comparison.several import Pair, randomised_tukey, tukey_blocked
from idealist.comparison.verdict import Guard, decide, needed_to_decide
from idealist.data.numbers import as_number
from idealist.errors import InputError
from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.comparison.contrast import Contrast
    from idealist.comparison.several import Tukey
    from idealist.comparison.significance import Progress
    from idealist.comparison.verdict import Verdict
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure

# What turns "ship" into "undecided": another measure or a segment significantly worse, documents that were judged
# for one system more than for the other, or queries of the baseline that the system lacks.
GUARDS = ("measures", "segments", "judged", "queries")


class Settings(Frozen):
    """How the tests were made."""

    seed: int
    permutations: int
    confidence: float
    region: float

    @property
    def level(self) -> float:
        """What p-values are held against."""
        return round(1 - self.confidence, 12)


class Comparison:
    """Every system against the baseline, on every measure: `comparison["dense", "nDCG@10"]` is a Contrast.

    Iterating gives the contrasts over all queries, measure by measure; `segments` those of segments.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        baseline: str,
        measures: tuple[Measure, ...],
        contrasts: tuple[Contrast, ...],
        notes: tuple[str, ...],
        settings: Settings,
        by: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.evaluation = evaluation
        self.baseline = baseline
        self.systems = tuple(system for system in evaluation.systems if system != baseline)
        self.measures = measures
        self.contrasts = tuple(one for one in contrasts if one.segment is None)
        self.notes = notes
        self.settings = settings
        self.family = sum(one.p_in_family is not None for one in contrasts)  # how many tests are adjusted for
        self._by = by
        self._in_segments = tuple(one for one in contrasts if one.segment is not None)
        self._found = {(one.system, one.measure): one for one in self.contrasts}
        self._progress = progress
        self._pairs: dict[Measure, tuple[Pair, ...]] | None = None

    def __getitem__(self, key: tuple[str, str | Measure]) -> Contrast:
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError(f"{key!r} is not a system and a measure", hint="comparison['b', 'nDCG@10']")
        system, measure = key
        return self._found[self._system(system), self._measure(measure)]

    def __iter__(self) -> Iterator[Contrast]:
        return iter(self.contrasts)

    def __len__(self) -> int:
        return len(self.contrasts)

    @property
    def segmented(self) -> bool:
        """Whether segments were given."""
        return self._by is not None

    def segments(self, by: Mapping[Any, Any] | None = None) -> dict[str, tuple[Contrast, ...]]:
        """The contrasts of every segment, those that were given to `compare` or those of another mapping from
        queries to names. p-values are adjusted for the segments, too."""
        if by is not None:
            from idealist.comparison.comparing import compare_evaluations

            settings = as_record(self.settings)
            return compare_evaluations(
                self.evaluation, baseline=self.baseline, segments=by, **settings
            ).segments()
        if self._by is None:
            raise InputError("which segments?", hint="a mapping from every query to a name")
        names = dict.fromkeys(one.segment or "" for one in self._in_segments)
        return {name: tuple(one for one in self._in_segments if one.segment == name) for name in names}

    def pairs(self, measure: str | Measure | None = None) -> tuple[Pair, ...]:
        """Every pair of systems, the baseline among them, over the queries that all have: Tukey's test blocked
        by query, and its randomised twin. Adjusted for the pairs, not for several measures."""
        if self._pairs is None:
            self._pairs = self._all_pairs()
        return self._pairs[self._measure(measure)]

    def pair_records(self) -> list[dict[str, Any]]:
        """Every pair on every measure, for JSON."""
        return [
            {"measure": str(measure), **as_record(pair), "interval": as_record(pair.interval)}
            for measure in self.measures
            for pair in self.pairs(measure)
        ]

    def _all_pairs(self) -> dict[Measure, tuple[Pair, ...]]:
        import numpy as np

        systems, settings = self.evaluation.systems, self.settings
        tables = [self._table(measure) for measure in self.measures]
        weighted = self.evaluation.weighted
        randomised = randomised_tukey(
            [table * weights for table, weights in tables],
            permutations=settings.permutations,
            seed=settings.seed,
            progress=self._progress,
        )
        found: dict[Measure, tuple[Pair, ...]] = {}
        for measure, (table, weights), p_randomised in zip(self.measures, tables, randomised, strict=True):
            kept = ~np.isnan(table).any(axis=1)
            values, weights = table[kept], weights[kept]
            if len(values) == 0:
                raise InputError(f"{measure}: no query has a value for every system")
            means = (values * weights).sum(axis=0) / weights.sum()
            exact = None
            if not weighted and len(values) > 1:
                exact = tukey_blocked(values, confidence=settings.confidence)
            found[measure] = tuple(
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
        return found

    def _table(self, measure: Measure) -> tuple[NDArray[Any], NDArray[Any]]:
        """Queries × systems, nan where there is no value, and a column of weights."""
        import numpy as np

        systems, queries = self.evaluation.systems, self.evaluation.queries
        place = {query: at for at, query in enumerate(queries)}
        table, weights = np.full((len(queries), len(systems)), np.nan), np.zeros((len(queries), 1))
        for column, system in enumerate(systems):
            values = self.evaluation.by_query(measure, system)
            rows = [place[query] for query in values]
            table[rows, column] = list(values.values())
            weights[rows, 0] = self.evaluation.weights_of(measure, system)
        return table, weights

    def verdict(
        self,
        measure: str | Measure | None = None,
        system: str | None = None,
        *,
        margin: float = 0.02,
        policy: str = "interval",
        guards: Sequence[str] = GUARDS,
    ) -> Verdict:
        """May the system take the baseline's place, by this measure (the first, unless another is named)?

        By the interval of the difference and a margin; of what is said in GUARDS, `guards` are watched.
        """
        wanted = self._measure(measure)
        if wanted.better == "neither":
            raise InputError(f"no value of {wanted} is better than another", hint="decide by another measure")
        contrast = self._found[self._system(system), wanted]
        unknown = [guard for guard in guards if guard not in GUARDS]
        if unknown:
            raise InputError(f"no guard {unknown[0]!r}", hint=f"the guards are {', '.join(GUARDS)}")
        value, interval = contrast.gain, contrast.gain_interval
        width = wanted.bounds[1] - wanted.bounds[0]
        if as_number(margin, "the margin", finite=True) >= width:
            raise InputError(
                f"a margin of {margin:g}: {wanted} cannot differ by more than {width:g}", hint="2 % is 0.02"
            )
        remarks = [f"a lower {wanted} is better: the difference is turned"] if contrast.sign < 0 else []
        remarks += [_sign_remark(contrast, margin)] if policy == "sign" else []
        return decide(
            value,
            interval,
            margin=margin,
            policy=policy,
            guards=self._guards(contrast, guards),
            needed=needed_to_decide(value, interval, contrast.n, margin),
            unit="queries",
            remark="; ".join(filter(None, remarks)),
        )

    def verdicts(self, measure: str | Measure | None = None, **settings: Any) -> dict[str, Verdict]:
        """The verdict on every system."""
        return {system: self.verdict(measure, system, **settings) for system in self.systems}

    def _guards(self, goal: Contrast, watched: Sequence[str]) -> list[Guard]:
        level = self.settings.level
        found = []
        others = [one for one in self.contrasts if one.system == goal.system and one.measure != goal.measure]
        others = [one for one in others if one.measure.better != "neither"]
        if "measures" in watched and others:
            worse = [one for one in others if one.worse(level)]
            shown = ", ".join(f"{one.measure.label} {one.difference:+.4f}" for one in worse)
            names = ", ".join(one.measure.label for one in others)
            found.append(
                Guard("other measures", not worse, f"significantly worse: {shown}" if worse else names)
            )
        parts = [one for one in self._in_segments if (one.system, one.measure) == (goal.system, goal.measure)]
        if "segments" in watched and parts:
            worse = [one for one in parts if one.worse(level)]
            shown = ", ".join(f"{one.segment} {one.difference:+.4f}" for one in worse)
            names = ", ".join(one.segment or "" for one in parts)
            found.append(Guard("segments", not worse, f"significantly worse: {shown}" if worse else names))
        if "judged" in watched:
            found += equally_judged(self.evaluation, goal.measure, self.baseline, goal.system)
        if "queries" in watched:
            found += same_queries(self.evaluation, self.baseline, goal.system)
        return found

    def _measure(self, measure: str | Measure | None) -> Measure:
        if measure is None:
            return self.measures[0]
        wanted = self.evaluation.measure_of(measure)
        if wanted not in self.measures:
            raise InputError(
                f"{wanted} was not compared", hint=f"there are {', '.join(map(str, self.measures))}"
            )
        return wanted

    def _system(self, system: str | None) -> str:
        if system is None:
            if len(self.systems) > 1:
                raise InputError("which system?", hint=f"one of {', '.join(self.systems)}")
            return self.systems[0]
        if system == self.baseline:
            raise InputError(f"{system!r} is the baseline", hint=f"one of {', '.join(self.systems)}")
        if system not in self.systems:
            raise InputError(f"no system is called {system!r}", hint=f"there are {', '.join(self.systems)}")
        return system

    def to_dict(self, *, bootstrap: bool = True) -> dict[str, Any]:
        """All contrasts, those of segments too, and how they were made; without `bootstrap`, quickly."""
        parts = [one.to_dict(bootstrap=bootstrap) for one in self._in_segments]
        return {
            "baseline": self.baseline,
            "systems": list(self.systems),
            "measures": [str(measure) for measure in self.measures],
            "settings": as_record(self.settings),
            "family": self.family,
            "contrasts": [one.to_dict(bootstrap=bootstrap) for one in self.contrasts],
            **({"segments": parts} if self.segmented else {}),
            "judged": self.evaluation.judged_shares(),
            "conventions": self.evaluation.conventions.to_dict(),
            "notes": list(self.notes),
        }

    def to_json(self, *, bootstrap: bool = True) -> str:
        import json

        return json.dumps(self.to_dict(bootstrap=bootstrap), allow_nan=False)

    def __repr__(self) -> str:
        systems, measures = ", ".join(self.systems), ", ".join(map(str, self.measures))
        return f"<Comparison: {systems} against {self.baseline}; {measures}>"

    def __str__(self) -> str:
        lines = [f"against {self.baseline}:"]
        for one in self.contrasts:
            sure = "" if one.interval is None else f" [{one.interval.low:+.4f}, {one.interval.high:+.4f}]"
            p = "" if one.p_value is None else f", p {one.p_value:.2g}"
            lines.append(
                f"{one.measure.label}  {one.system}  {one.value:.4f}  {one.difference:+.4f}{sure}{p}, "
                f"{one.wins} better, {one.ties} the same, {one.losses} worse"
            )
        notes = [f"note: {note}" for note in self.notes]
        return "\n".join([*lines, *notes, f"conventions: {self.evaluation.conventions}"])


def _around(difference: float, tukey: Tukey | None, confidence: float) -> Interval | None:
    return None if tukey is None else Interval(difference - tukey.reach, difference + tukey.reach, confidence)


def _sign_remark(contrast: Contrast, margin: float) -> str:
    """How often the sign alone errs with so many queries."""
    if not contrast.detectable:
        return ""
    from scipy.special import ndtr

    from idealist.comparison.contrast import REACH

    passes = float(ndtr(-margin * REACH / contrast.detectable))
    return (
        f"by the sign alone, with {contrast.n:,} queries, a system as good as the baseline is blocked 50 % of "
        f"the time, and one that is worse by {margin:g} passes {100 * passes:.0f} %"
    )
