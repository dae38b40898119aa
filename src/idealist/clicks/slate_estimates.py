"""What a run would be clicked, from a log of lists that another system showed: estimators of whole lists."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Drawable
from idealist.base.values import as_choice, as_count, as_share
from idealist.base.wording import count_of, percent, range_text, signed
from idealist.clicks.click_models import PositionModel, Slates
from idealist.clicks.impressions import read_impressions
from idealist.data import read_run
from idealist.data.run import as_run
from idealist.errors import InputError
from idealist.statistics.intervals import clustered_interval
from idealist.statistics.randomness import generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.clicks.impressions import Impressions
    from idealist.statistics.mean_estimates import Interval
    from idealist.types import GivenRun, GivenTable


class SlateEstimate(Frozen):
    """Clicks per impression that the run would get, by one estimator, with its interval. `effective` is the
    effective number of impressions, (Σw)²/Σw², `largest` the largest weight as a share of all (of the position where
    each is worst, for estimators that weigh positions), `weighed` the share of impressions whose first place has a weight
    above 0."""

    estimator: str
    about: str
    value: float
    interval: Interval | None
    effective: float
    largest: float
    weighed: float


class SlateEstimates(Drawable, Frozen):
    """A run by the clicks of a log, by several estimators, beside the clicks that the log itself has.

    `support` is the share of the run's places (query and position, by impressions) at which the log ever showed the
    run's document; `overlap` the share of impressions whose first document is the run's.
    """

    run: str
    estimates: tuple[SlateEstimate, ...]
    logged: float
    logged_interval: Interval | None
    k: int
    impressions: int
    users: int
    support: float
    overlap: float
    confidence: float
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    def __iter__(self) -> Iterator[SlateEstimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def __getitem__(self, estimator: str) -> SlateEstimate:
        names = [estimate.estimator for estimate in self.estimates]
        return self.estimates[names.index(as_choice(estimator, "the estimator", names))]

    def _gist(self) -> str:
        best = self.estimates[0]
        ends = "" if best.interval is None else f" ({range_text(best.interval)})"
        return f"{best.estimator} {signed(best.value)}{ends}; {count_of(self.impressions, 'impression')}"


# What is weighed by what, and the paper.
ESTIMATORS = {
    "ips": "the whole list (Horvitz and Thompson, 1952)",
    "snips": "the whole list, weights divided by their mean (Swaminathan and Joachims, NIPS 2015)",
    "iips": "each place by itself: item-position IPS (Li et al., KDD 2018)",
    "sniips": "each place by itself, weights divided by their mean",
    "rips": "each place with those above it: reward-interaction IPS (McInerney et al., KDD 2020)",
    "snrips": "each place with those above it, weights divided by their mean",
    "cascade-dr": "as rips, around what a position-based model expects (Kiyohara et al., WSDM 2022)",
}
OF_PLACES = ("iips", "sniips")
FEW, SMALL_SHARE, LARGE_WEIGHT = 100, 0.01, 0.05


def estimate_clicks(
    log: Impressions | GivenTable,
    run: GivenRun,
    *,
    k: int | None = None,
    estimators: Sequence[str] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> SlateEstimates:
    """Clicks per impression that a run would get, had it been shown in the place of the lists of a log: what
    read_impressions gives, or anything it reads. The run shows its first `k` documents (default: as many as the log
    has positions).

    The log's `propensity` is the probability that its system put a document where it is, given those above. For iips
    it is `position_propensity`, or, without that column, how often the log shows the document at this place of this
    query. Without propensities only iips and sniips are possible. `seed` deals the two halves of cascade-dr.

    >>> from idealist.clicks.simulated_logs import simulate_clicks
    >>> judged, run = {"q": {"b": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    >>> log = simulate_clicks(judged, run, "perfect", impressions=500, exponent=0)
    >>> estimate_clicks(log, {"q": {"b": 1.0}}, k=1)["snips"].value  # b is clicked whenever it is shown
    1.0
    """
    impressions = read_impressions(log)
    as_share(confidence, "confidence")
    k = impressions.longest if k is None else as_count(k, "k", most=impressions.longest)
    data = _Logged(impressions, run, k)
    chosen = _chosen(impressions, estimators)
    notes = list(data.notes)
    if estimators is None and len(chosen) < len(ESTIMATORS):
        notes.append("the log has no propensity: only estimators that weigh each place by itself are shown")
    if impressions.position_propensity is None and any(name in OF_PLACES for name in chosen):
        notes.append("iips: how often the log shows a document at a place stands for its probability")
    estimates = [data.estimate(name, confidence, seed) for name in chosen]
    logged = data.clicks.sum(axis=1)
    return SlateEstimates(
        run=data.name,
        estimates=tuple(estimates),
        logged=float(logged.mean()),
        logged_interval=data.interval(logged, confidence),
        k=k,
        impressions=len(impressions),
        users=len(impressions.users),
        support=data.support,
        overlap=float(data.match[:, 0].mean()),
        confidence=confidence,
        warnings=tuple(_warnings(estimates, data)),
        notes=tuple(notes),
    )


def _chosen(log: Impressions, estimators: Sequence[str] | None) -> list[str]:
    if estimators is None:
        return [name for name in ESTIMATORS if log.propensity is not None or name in OF_PLACES]
    chosen = [as_choice(name, "the estimator", ESTIMATORS) for name in estimators]
    for name in chosen:
        if log.propensity is None and name not in OF_PLACES:
            raise InputError(
                f"{name} needs the column propensity, and the log has none",
                source=log.source,
                hint="log the probability of each choice given those above it, or use iips",
            )
    return chosen


class _Logged:
    """A log beside the lists of a run: impressions × the first k places."""

    def __init__(self, log: Impressions, run: Any, k: int) -> None:
        import numpy as np

        target = as_run(read_run(run))
        self.name, self.log, self.k = target.name, log, k
        self.slates = Slates.of(log)
        self.clicks = self.slates.clicked[:, :k].astype(float)
        shared = [query for query in log.queries if query in target]
        if not shared:
            raise InputError(
                "the run has none of the log's queries",
                source=log.source,
                hint=f"the log has {', '.join(map(repr, log.queries[:3]))} …",
            )
        self.notes = []
        if len(shared) < len(log.queries):
            lacking = count_of(len(log.queries) - len(shared), "query")
            self.notes.append(f"the run lacks {lacking} of the log, and gets no clicks there")
        numbers = {pair: number for number, pair in enumerate(log.pairs)}
        target_pair = np.full((len(log.queries), k), -2)  # −2: no such document was ever shown for the query
        self._lengths = np.zeros(len(log.queries), dtype=int)
        for number, query in enumerate(log.queries):
            documents = target.ranking(query)[:k] if query in target else []
            self._lengths[number] = len(documents)
            for place, document in enumerate(documents):
                target_pair[number, place] = numbers.get((query, document), -2)
        self.target_pair = target_pair[log.query]
        pair = np.where(self.slates.shown, self.slates.pair, -1)[:, :k]
        self.match = pair == self.target_pair
        # Below the end of the run's list there is nothing to match.
        ended = np.arange(k) >= self._lengths[log.query][:, None]
        self.prefix = np.logical_and.accumulate(self.match | ended, axis=1)
        self.open = ~ended

    @property
    def support(self) -> float:
        """The share of the run's places at which the log ever showed the run's document."""
        import numpy as np

        queries = len(self.log.queries)
        ever = np.zeros((queries, self.k), dtype=bool)
        np.logical_or.at(ever, self.log.query, self.match)
        total = float(self.open.sum())
        return float(ever[self.log.query][self.open].sum()) / total if total else 0.0

    def _prefix_weights(self) -> ndarray:
        import numpy as np

        chances = self.log.matrix(self.log.propensity, empty=1.0)[:, : self.k]
        weights: ndarray = self.prefix / np.cumprod(np.where(self.open, chances, 1.0), axis=1)
        return weights

    def _place_weights(self) -> ndarray:
        import numpy as np

        if self.log.position_propensity is not None:
            chances = self.log.matrix(self.log.position_propensity, empty=1.0)[:, : self.k]
        else:
            cell = self.log.pair * self.log.longest + self.log.position - 1
            _, at, counts = np.unique(cell, return_inverse=True, return_counts=True)
            shown = np.bincount(self.log.query)[self.log.query][self.log.impression]
            chances = self.log.matrix(counts[at] / shown, empty=1.0)[:, : self.k]
        weights: ndarray = self.match * self.open / chances
        return weights

    def estimate(self, name: str, confidence: float, seed: int) -> SlateEstimate:
        import numpy as np

        if name in OF_PLACES:
            weights = self._place_weights()
        else:
            weights = self._prefix_weights()
            if name in ("ips", "snips"):
                weights = np.repeat(weights[:, -1:], self.k, axis=1)
        rewards = self.clicks * self.open
        expected = np.zeros(len(rewards))
        if name == "cascade-dr":
            predicted = self._predicted(seed)
            expected, rewards = predicted.sum(axis=1), rewards - predicted
        if name.startswith("sn"):
            means = weights.mean(axis=0)
            with np.errstate(invalid="ignore", divide="ignore"):
                rates = np.where(means > 0, (weights * rewards).mean(axis=0) / means, np.nan)
                rates[~self.open.any(axis=0)] = 0.0  # no list of the run is as long
                value = float(rates.sum())
                influence = np.where(means > 0, weights / means, 0.0) * (rewards - rates)
            parts = value + influence.sum(axis=1)
        else:
            parts = expected + (weights * rewards).sum(axis=1)
            value = float(parts.mean())
        effective, largest = _health(weights[:, self.open.any(axis=0)])
        return SlateEstimate(
            estimator=name,
            about=ESTIMATORS[name],
            value=value,
            interval=self.interval(parts, confidence) if value == value else None,
            effective=effective,
            largest=largest,
            weighed=float((weights[:, 0] > 0).mean()),
        )

    def _predicted(self, seed: int) -> ndarray:
        """Clicks that a position-based model expects of the run's documents, each by a model of the other half of
        the users."""
        import numpy as np

        half = generator(seed).random(len(self.log.users))[self.log.user] < 0.5
        expected = np.zeros(self.clicks.shape)
        for mask in (half, ~half):
            if not mask.any() or not self.slates.clicked[~mask].any():
                continue
            model = PositionModel.fit(self.slates.chosen(~mask))
            known = self.target_pair[mask]
            mean = float(model.attractions.mean())
            attractions = np.where(known >= 0, model.attractions[np.maximum(known, 0)], mean)
            expected[mask] = attractions * model.examinations[: self.k] * self.open[mask]
        return expected

    def interval(self, parts: ndarray, confidence: float) -> Interval | None:
        """The interval of a mean over impressions, users being the unit."""
        return clustered_interval(parts, self.log.user, len(self.log.users), confidence, "users")


def _health(weights: ndarray) -> tuple[float, float]:
    """The effective number of impressions, and the largest share of the weights, at the position where it is worst.

    >>> import numpy as np
    >>> _health(np.array([[1.0], [1.0], [2.0]]))  # (1 + 1 + 2)²/(1 + 1 + 4), 2/4
    (2.6666666666666665, 0.5)
    """
    import numpy as np

    total, squares = weights.sum(axis=0), (weights**2).sum(axis=0)
    weighed = squares > 0
    if not weighed.all():
        return 0.0, float("nan")
    return float((total**2 / squares).min()), float((weights.max(axis=0) / np.maximum(total, 1e-300)).max())


def _warnings(estimates: Sequence[SlateEstimate], data: _Logged) -> list[str]:
    warnings = []
    if data.support < 0.95:
        warnings.append(
            f"the log showed only {percent(data.support)} of the run's documents at their places: ips, iips and rips "
            "leave clicks on the others out, and those that divide by mean weights take them to be like the rest"
        )
    thin_estimators = [e.estimator for e in estimates if e.effective < max(FEW, SMALL_SHARE * len(data.log))]
    if thin_estimators:
        warnings.append(
            f"little overlap with the log: {', '.join(thin_estimators)} rest on fewer than "
            f"{max(FEW, int(SMALL_SHARE * len(data.log))):,} effective impressions; their intervals are not to be trusted"
        )
    heavy_estimators = [
        e.estimator for e in estimates if e.estimator not in thin_estimators and e.largest > LARGE_WEIGHT
    ]
    if heavy_estimators:
        warnings.append(
            f"a single impression has more than {percent(LARGE_WEIGHT)} of the weight: {', '.join(heavy_estimators)}"
        )
    return warnings
