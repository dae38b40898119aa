"""A model of clicks fitted to a log: propensities, how well held-out clicks are predicted, what to doubt."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Drawable
from idealist.base.values import as_count, as_share, as_within
from idealist.base.wording import count_of, count_queries, percent
from idealist.clicks.click_models import LEAST, ClickModel, Slates, log_likelihood
from idealist.clicks.impressions import read_impressions
from idealist.data.click_logs import ClickLog
from idealist.data.columns import Columns
from idealist.errors import InputError
from idealist.statistics.mean_estimates import Interval
from idealist.statistics.randomness import generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy import ndarray

    from idealist.clicks.impressions import Impressions
    from idealist.types import GivenTable


class PositionFit(Frozen):
    """A position: its propensity (the chance that it is looked at, over that of position 1) with its interval, how
    often something was shown there and clicked, and the perplexity of held-out clicks, beside that of a constant
    click rate."""

    position: int
    propensity: float
    interval: Interval | None
    shown: int
    click_rate: float
    perplexity: float | None
    baseline: float | None


class ClickFit(Drawable, Frozen):
    """A model of clicks fitted to a log. `perplexity` is that of the held-out clicks (1 is perfect), `baseline` that
    of a constant click rate at each position, `log_likelihood` the mean per place given the clicks above it."""

    model: ClickModel
    positions: tuple[PositionFit, ...]
    perplexity: float | None
    baseline: float | None
    log_likelihood: float | None
    held_out: int
    pairs: tuple[tuple[str, str], ...]
    impressions: int
    queries: int
    clicks: int
    confidence: float
    notes: tuple[str, ...]

    @property
    def propensities(self) -> dict[int, float]:
        """By position, the chance that it is looked at, over that of position 1."""
        return {entry.position: entry.propensity for entry in self.positions}

    def attraction(self, query: str, document: str) -> float:
        """The chance of a click on the document where it is surely looked at (in the position-based model: at
        position 1)."""
        try:
            number = self.pairs.index((query, document))
        except ValueError:
            raise InputError(
                f"the log never shows document {document!r} for query {query!r}",
                hint="only documents that were shown have an attraction",
            ) from None
        return float(self.model.attractions[number]) * self._scale

    def attractions(self) -> dict[str, dict[str, float]]:
        """All attractions, by query and document: what a run or judgments are made of."""
        by_query: dict[str, dict[str, float]] = {}
        for (query, document), value in zip(self.pairs, self.model.attractions.tolist(), strict=True):
            by_query.setdefault(query, {})[document] = value * self._scale
        return by_query

    @property
    def _scale(self) -> float:
        """Attractions and looks are known up to a factor where no position is surely looked at."""
        examinations = getattr(self.model, "examinations", None)
        return 1.0 if examinations is None else float(examinations[0])

    def _gist(self) -> str:
        impressions = count_of(self.impressions, "impression")
        return f"{self.model.name}; {impressions}, {count_queries(self.queries)}"


METHOD = "bootstrap over users"
FEW_CLICKS = 100
FEW_SHARED = 20  # pairs of query and document that two positions share, below which little ties them together


def fit_clicks(
    log: Impressions | GivenTable,
    model: str = "pbm",
    *,
    holdout: float = 0.2,
    rounds: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> ClickFit:
    """A model of clicks fitted by EM to a log of impressions: what read_impressions gives, or anything it reads.

    `model` is pbm, ubm, cascade or dbn. A share `holdout` of the impressions, drawn at random, is first predicted by
    a model that did not see them, for the perplexity; the parameters are then those of the whole log. `rounds` of a
    bootstrap over users give intervals of the propensities (0: none).

    >>> from idealist.clicks.simulated_logs import simulate_clicks
    >>> log = simulate_clicks({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, "position", impressions=2000, exponent=1)
    >>> fit_clicks(log)
    <ClickFit: pbm; 2,000 impressions, 1 query>
    """
    impressions = read_impressions(log)
    cls = ClickModel.named(model)
    as_within(holdout, "the held-out share", 0, 0.9, hint="such as 0.2, or 0 for none")
    rounds = as_count(rounds, "rounds", 0)
    as_share(confidence, "confidence")
    clicks = int(impressions.clicked.sum())
    if not clicks:
        raise InputError(
            "the log has no clicks", source=impressions.source, hint="nothing can be learned from it"
        )
    slates = Slates.of(impressions)
    fitted = cls.fit(slates)
    held_out = _held_out(cls, slates, holdout, seed)
    propensities = propensities_of(fitted, slates)
    intervals = _intervals(fitted, impressions, slates, rounds, confidence, seed, propensities)
    shown = (slates.shown * slates.times[:, None]).sum(axis=0)
    rates = (slates.clicked * slates.times[:, None]).sum(axis=0) / _at_least(shown)
    return ClickFit(
        model=fitted,
        positions=tuple(
            PositionFit(
                position=at + 1,
                propensity=float(propensities[at]),
                interval=intervals[at],
                shown=int(shown[at]),
                click_rate=float(rates[at]),
                perplexity=held_out["by_position"][at],
                baseline=held_out["baseline_by_position"][at],
            )
            for at in range(slates.positions)
            if shown[at]
        ),
        perplexity=held_out["perplexity"],
        baseline=held_out["baseline"],
        log_likelihood=held_out["log_likelihood"],
        held_out=held_out["lists"],
        pairs=tuple(impressions.pairs),
        impressions=len(impressions),
        queries=len(impressions.queries),
        clicks=clicks,
        confidence=confidence,
        notes=tuple(_doubts(slates, fitted, propensities, held_out)),
    )


def propensities_of(model: ClickModel, slates: Slates) -> ndarray:
    """The mean chance that a position is looked at, over that of position 1; nan where nothing was shown."""
    import numpy as np

    counted = slates.shown * slates.times[:, None]
    total = counted.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        looks = (model.looks(slates) * counted).sum(axis=0) / total
        relative: ndarray = looks / looks[0]
    return relative


def perplexities(chances: ndarray, slates: Slates) -> tuple[float, list[float]]:
    """2 to the mean surprise in bits over all places, and by position: 1 is perfect, 2 is a fair coin.

    >>> import numpy as np
    >>> slates = Slates(np.zeros((2, 1), int), np.array([[True], [False]]), np.ones((2, 1), bool), np.ones(2), 1)
    >>> perplexities(np.full((2, 1), 0.5), slates)
    (2.0, [2.0])
    """
    import numpy as np

    chances = np.clip(chances, LEAST, 1 - LEAST)
    bits = -np.where(slates.clicked, np.log2(chances), np.log2(1 - chances)) * slates.shown
    shown = slates.shown.sum(axis=0)
    by_position = [
        float(2 ** (bits[:, at].sum() / shown[at])) if shown[at] else float("nan") for at in range(len(shown))
    ]
    return float(2 ** (bits.sum() / shown.sum())), by_position


def _at_least(counts: ndarray) -> ndarray:
    import numpy as np

    positive: ndarray = np.maximum(counts, LEAST)
    return positive


def _held_out(cls: type[ClickModel], slates: Slates, holdout: float, seed: int) -> dict[str, Any]:
    """How well impressions are predicted that the model did not see, beside the click rate of each position."""
    import numpy as np

    nothing = [None] * slates.positions
    empty = {
        "perplexity": None,
        "baseline": None,
        "log_likelihood": None,
        "lists": 0,
        "unseen": 0.0,
        "by_position": nothing,
        "baseline_by_position": nothing,
    }
    if not holdout:
        return empty
    mask = generator(seed).random(len(slates)) < holdout
    if not mask.any() or mask.all() or not slates.clicked[~mask].any():
        return empty
    seen, unseen = slates.chosen(~mask), slates.chosen(mask)
    model = cls.fit(seen)
    shown = seen.shown.sum(axis=0)
    rates = (seen.clicked.sum(axis=0) + 0.5) / (shown + 1)
    perplexity, by_position = perplexities(model.chances(unseen), unseen)
    baseline, baseline_by_position = perplexities(np.broadcast_to(rates, unseen.pair.shape), unseen)
    known = np.zeros(slates.pairs, dtype=bool)
    known[seen.pair[seen.shown]] = True
    value = log_likelihood(model.chances_given(unseen), unseen) / int(unseen.shown.sum())
    return {
        "perplexity": perplexity,
        "baseline": baseline,
        "log_likelihood": value,
        "lists": len(unseen),
        "unseen": float((~known[unseen.pair[unseen.shown]]).mean()),
        "by_position": by_position,
        "baseline_by_position": baseline_by_position,
    }


def _intervals(
    fitted: ClickModel,
    log: Impressions,
    slates: Slates,
    rounds: int,
    confidence: float,
    seed: int,
    propensities: ndarray,
) -> list[Interval | None]:
    import numpy as np
    from scipy.special import ndtri

    users = len(log.users)
    if rounds < 20 or users < 2:
        return [None] * slates.positions
    random, drawn = generator(seed), []
    for _ in range(rounds):
        times = random.multinomial(users, np.full(users, 1 / users))[log.user]
        again = slates.counting(times)
        drawn.append(np.log(propensities_of(type(fitted).fit(again, fitted), again)))
    errors = np.nanstd(np.asarray(drawn), axis=0, ddof=1) * float(ndtri((1 + confidence) / 2))
    intervals: list[Interval | None] = []
    for value, error in zip(propensities.tolist(), errors.tolist(), strict=True):
        ends = value * float(np.exp(-error)), value * float(np.exp(error))
        intervals.append(Interval(*ends, confidence, METHOD) if error == error else None)
    return intervals


def _doubts(slates: Slates, model: ClickModel, propensities: ndarray, held_out: dict[str, Any]) -> list[str]:
    """Reasons to doubt the propensities."""
    import numpy as np

    notes = []
    clicks = int(slates.clicked.sum())
    if clicks < FEW_CLICKS:
        notes.append(f"{count_of(clicks, 'click')} say little of so many parameters")
    if not model.settled:
        notes.append(f"EM had not settled after {model.steps:,} steps: take the values as rough")
    if model.name in ("pbm", "ubm"):
        notes += _untied(slates)
    known = propensities[~np.isnan(propensities)]
    if len(known) > 1 and known.max() > 1.1:
        at = int(np.nanargmax(propensities)) + 1
        notes.append(
            f"position {at} is looked at more than position 1: are positions logged as they were shown?"
        )
    if held_out["perplexity"] is not None and held_out["perplexity"] >= held_out["baseline"]:
        notes.append(
            "held-out clicks are predicted no better than by the click rate of each position: more impressions, "
            "or another model"
        )
    if held_out["unseen"] > 0.2:
        notes.append(
            f"{percent(held_out['unseen'])} of the held-out places are of a query and document never seen before"
        )
    return notes


def _untied(slates: Slates) -> list[str]:
    """Whether what was shown at several positions ties all of them together: position and attraction of a document
    that stood at one place alone cannot be told apart."""
    import numpy as np

    width = slates.positions
    rows, columns = np.nonzero(slates.shown)
    seen = np.unique(slates.pair[rows, columns] * width + columns)
    pair, place = seen // width, seen % width
    times_seen = np.bincount(pair, minlength=slates.pairs)
    alone = float((times_seen[times_seen > 0] == 1).mean())
    if alone == 1.0:
        return [
            "no document was shown at two positions: positions and documents cannot be told apart, and the "
            "propensities mean nothing; show some lists in another order"
        ]
    table = np.zeros((slates.pairs, width))
    table[pair, place] = 1
    shared = table.T @ table
    reached, ahead = {0}, [0]
    while ahead:
        at = ahead.pop()
        for other in np.nonzero(shared[at] >= FEW_SHARED)[0].tolist():
            if other not in reached:
                reached.add(other)
                ahead.append(other)
    cut_off = [at + 1 for at in range(width) if at not in reached and table[:, at].any()]
    notes = []
    if cut_off:
        places = ", ".join(map(str, cut_off[:5])) + (" …" if len(cut_off) > 5 else "")
        notes.append(
            f"fewer than {FEW_SHARED} documents tie position {places} to position 1: its propensity is a guess"
        )
    if alone > 0.5:
        notes.append(f"{percent(alone)} of the documents were shown at one position alone")
    return notes


TITLES = ("query", "document", "position", "clicks", "propensity")


def weigh_clicks(log: Impressions | GivenTable, propensities: Mapping[int, float]) -> ClickLog:
    """The clicks of a log by query, document and position, each row with the propensity of its position: for
    `evaluate(…, clicks=…)`. Propensities are those of a fit, or any by position, above 0; those above 1, that of
    position 1, count as 1.

    >>> log = {"impression": [1, 1], "query": ["q", "q"], "document": ["a", "b"], "position": [1, 2], "click": [0, 1]}
    >>> list(weigh_clicks(log, {1: 1.0, 2: 0.5}).rows("q"))
    [('a', 1, 0.0, 1.0), ('b', 2, 1.0, 0.5)]
    """
    return ClickLog(Columns(weighed_columns(log, propensities)))


def weighed_columns(log: Any, propensities: Mapping[int, float]) -> dict[str, list[Any]]:
    """The clicks that weigh_clicks gives for the same arguments, as columns, for files."""
    impressions = read_impressions(log)
    for position, chance in propensities.items():
        as_within(chance, f"the propensity of position {position}", 0, ends="(]")
    clicks: dict[tuple[int, int], int] = {}
    rows = zip(
        impressions.pair.tolist(), impressions.position.tolist(), impressions.clicked.tolist(), strict=True
    )
    for pair, position, clicked in rows:
        clicks[pair, position] = clicks.get((pair, position), 0) + clicked
    columns: dict[str, list[Any]] = {title: [] for title in TITLES}
    for (pair, position), count in sorted(clicks.items()):
        if position not in propensities:
            raise InputError(
                f"position {position} of the log has no propensity",
                source=impressions.source,
                hint="fit the model to a log that has it",
            )
        cells = (*impressions.pairs[pair], position, count, min(1.0, propensities[position]))
        for title, cell in zip(TITLES, cells, strict=True):
            columns[title].append(cell)
    return columns
