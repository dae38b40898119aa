"""Models of clicks: chances that a place is looked at and its document attracts, fitted by EM to lists that were shown."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.named import Registered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import ClassVar, Self

    from numpy import ndarray

    from idealist.clicks.impressions import Impressions


class Slates(Frozen):
    """Lists × positions: the number of the pair of query and document, whether it was clicked, whether anything was
    shown there; and how often each list counts. `pairs` is the number of pairs."""

    pair: ndarray
    clicked: ndarray
    shown: ndarray
    times: ndarray
    pairs: int

    @classmethod
    def of(cls, log: Impressions) -> Slates:
        import numpy as np

        pair = log.matrix(log.pair, empty=-1)
        return cls(
            pair=np.maximum(pair, 0),
            clicked=log.matrix(log.clicked, empty=False),
            shown=pair >= 0,
            times=np.ones(len(log)),
            pairs=len(log.pairs),
        )

    def __len__(self) -> int:
        return len(self.pair)

    @property
    def positions(self) -> int:
        return int(self.pair.shape[1])

    def chosen(self, mask: ndarray) -> Slates:
        """The lists of a mask."""
        return Slates(self.pair[mask], self.clicked[mask], self.shown[mask], self.times[mask], self.pairs)

    def counting(self, times: ndarray) -> Slates:
        """The same lists, each as often as `times` says; those that count nothing are left out."""
        drawn = times > 0
        return Slates(
            self.pair[drawn], self.clicked[drawn], self.shown[drawn], times[drawn].astype(float), self.pairs
        )

    @property
    def last_click(self) -> ndarray:
        """The position of the last click above each place; 0 without one."""
        import numpy as np

        ranks = np.arange(1, self.positions + 1)
        clicked_at = np.where(self.clicked, ranks, 0)
        before = np.zeros_like(clicked_at)
        before[:, 1:] = np.maximum.accumulate(clicked_at, axis=1)[:, :-1]
        return before

    def sum_by_pair(self, values: ndarray) -> ndarray:
        """The sums over all places, by pair of query and document."""
        import numpy as np

        weighed = (values * self.times[:, None])[self.shown]
        return np.bincount(self.pair[self.shown], weighed, self.pairs)


SMOOTHING = 1.0  # times that every pair is taken to have been shown besides, at the mean of all pairs
MOST_STEPS = 2000
NEAR = 1e-8  # the gain in log-likelihood per place that counts as none
LEAST = 1e-9


class ClickModel(Registered, Frozen, kind="click model"):
    """A fitted model of clicks: `attractions` are the chances that a document that is looked at is clicked, by pair
    of query and document; `steps` those of EM, `settled` whether it came to its end."""

    modules: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "idealist.clicks.click_models": ("pbm", "ubm", "cascade", "dbn"),
    }
    about: ClassVar[str]

    attractions: ndarray
    steps: int
    settled: bool

    @classmethod
    def fit(cls, slates: Slates, start: Self | None = None) -> Self:
        """The parameters with the largest likelihood, attractions smoothed towards their mean."""
        raise NotImplementedError

    def chances(self, slates: Slates) -> ndarray:
        """The chance of a click on every place before anything was clicked."""
        raise NotImplementedError

    def chances_given(self, slates: Slates) -> ndarray:
        """The chance of a click on every place, given the clicks above it."""
        raise NotImplementedError

    def looks(self, slates: Slates) -> ndarray:
        """The chance that every place is looked at, before anything was clicked."""
        raise NotImplementedError

    @property
    def further(self) -> dict[str, float]:
        """Parameters that are one number for all."""
        return {}


def smoothed(clicks: ndarray, looks: ndarray) -> ndarray:
    """Clicks over looks by pair, with SMOOTHING further looks at the share of all pairs.

    >>> import numpy as np
    >>> smoothed(np.array([1.0, 0.0]), np.array([1.0, 1.0])).tolist()  # (1 + 1/2)/2, (0 + 1/2)/2
    [0.75, 0.25]
    """
    import numpy as np

    mean = clicks.sum() / max(float(looks.sum()), LEAST)
    shares: ndarray = np.clip((clicks + SMOOTHING * mean) / (looks + SMOOTHING), LEAST, 1 - LEAST)
    return shares


def log_likelihood(chances: ndarray, slates: Slates) -> float:
    """The logarithm of the probability of all clicks, from their chances given those above."""
    import numpy as np

    chances = np.clip(chances, LEAST, 1 - LEAST)
    logs = np.where(slates.clicked, np.log(chances), np.log(1 - chances))
    return float((logs * slates.shown * slates.times[:, None]).sum())


class PositionModel(ClickModel, name="pbm"):
    """The position-based model (PBM): P(click) = θ(position) · α(query, document).

    EM over whether a place was looked at. α and θ are known up to a factor, so that propensities are θ over that of
    position 1. Richardson, Dominowska and Ragno, WWW 2007; Chuklin, Markov and de Rijke, Click Models 2015.
    """

    about = "a place is looked at by its position alone"

    examinations: ndarray

    @classmethod
    def fit(cls, slates: Slates, start: Self | None = None) -> Self:
        return cls(*_fit(slates, _positions(slates), slates.positions, start))

    def chances(self, slates: Slates) -> ndarray:
        chances: ndarray = self.looks(slates) * self.attractions[slates.pair]
        return chances

    chances_given = chances

    def looks(self, slates: Slates) -> ndarray:
        looks: ndarray = self.examinations[_positions(slates)]
        return looks


class BrowsingModel(ClickModel, name="ubm"):
    """The user browsing model (UBM): P(click) = θ(position, position of the last click) · α(query, document).

    EM as in the position-based model. Dupret and Piwowarski, SIGIR 2008.
    """

    about = "a place is looked at by its position and that of the last click above it"

    examinations: ndarray  # by (position − 1) · positions + position of the last click

    @classmethod
    def fit(cls, slates: Slates, start: Self | None = None) -> Self:
        width = slates.positions
        return cls(*_fit(slates, _positions(slates) * width + slates.last_click, width * width, start))

    def chances_given(self, slates: Slates) -> ndarray:
        width = slates.positions
        looks = self.examinations[_positions(slates) * width + slates.last_click]
        chances: ndarray = looks * self.attractions[slates.pair]
        return chances

    def chances(self, slates: Slates) -> ndarray:
        return self._walk(slates)[0]

    def looks(self, slates: Slates) -> ndarray:
        return self._walk(slates)[1]

    def _walk(self, slates: Slates) -> tuple[ndarray, ndarray]:
        """Chances of clicks and looks, summed over where the last click may have been."""
        import numpy as np

        width, attractions = slates.positions, self.attractions[slates.pair]
        last = np.zeros((len(slates), width + 1))
        last[:, 0] = 1
        chances, looks = np.zeros_like(attractions), np.zeros_like(attractions)
        for place in range(width):
            examined = self.examinations[place * width + np.arange(place + 1)]
            shown = slates.shown[:, place]
            looks[:, place] = last[:, : place + 1] @ examined * shown
            by_last = last[:, : place + 1] * examined * (attractions[:, place] * shown)[:, None]
            chances[:, place] = by_last.sum(axis=1)
            last[:, : place + 1] -= by_last
            last[:, place + 1] = chances[:, place]
        return chances, looks


def _positions(slates: Slates) -> ndarray:
    import numpy as np

    return np.broadcast_to(np.arange(slates.positions), slates.pair.shape)


def _fit(
    slates: Slates, kinds: ndarray, count: int, start: PositionModel | BrowsingModel | None
) -> tuple[ndarray, int, bool, ndarray]:
    """EM for P(click) = θ(kind) · α(pair), over the distinct pairs and kinds."""
    import numpy as np

    flat = (slates.pair * count + kinds)[slates.shown]
    cells, cell = np.unique(flat, return_inverse=True)
    weights = np.broadcast_to(slates.times[:, None], slates.shown.shape)[slates.shown]
    shows = np.bincount(cell, weights, len(cells))
    clicks = np.bincount(cell, weights * slates.clicked[slates.shown], len(cells))
    pair, kind = cells // count, cells % count
    kind_shows = np.bincount(kind, shows, count)
    if start is None:
        attractions = np.full(slates.pairs, 0.5)
        examinations = np.full(count, 0.5)
    else:
        attractions, examinations = start.attractions, start.examinations
    before, enough = -np.inf, NEAR * float(shows.sum())
    for step in range(1, MOST_STEPS + 1):
        a, e = attractions[pair], examinations[kind]
        chance = np.clip(a * e, LEAST, 1 - LEAST)
        value = float((clicks * np.log(chance) + (shows - clicks) * np.log(1 - chance)).sum())
        if abs(value - before) <= enough:
            return attractions, step, True, examinations
        before = value
        # Of a place without a click: that it attracts though nobody looked, and that somebody looked in vain.
        unseen, in_vain = a * (1 - e) / (1 - chance), e * (1 - a) / (1 - chance)
        idle = shows - clicks
        attractions = smoothed(
            np.bincount(pair, clicks + idle * unseen, slates.pairs), np.bincount(pair, shows, slates.pairs)
        )
        looked = np.bincount(kind, clicks + idle * in_vain, count)
        examinations = np.clip(looked / np.maximum(kind_shows, LEAST), LEAST, 1 - LEAST)
        examinations = np.where(kind_shows > 0, examinations, 0.5)
    return attractions, MOST_STEPS, False, examinations


class CascadeModel(ClickModel, name="cascade"):
    """The cascade model: users go down the list, and stop at the first click.

    α is clicks over shows at or above the first click, which needs no EM. A further click has no chance. Craswell,
    Zoeter, Taylor and Ramsey, WSDM 2008.
    """

    about = "users go down the list and stop at the first click"

    @classmethod
    def fit(cls, slates: Slates, start: Self | None = None) -> Self:
        looked = slates.shown & (slates.last_click == 0)
        clicks = slates.sum_by_pair(slates.clicked & looked)
        return cls(smoothed(clicks, slates.sum_by_pair(looked)), 1, True)

    def chances_given(self, slates: Slates) -> ndarray:
        chances: ndarray = self.attractions[slates.pair] * (slates.last_click == 0)
        return chances

    def chances(self, slates: Slates) -> ndarray:
        chances: ndarray = self.looks(slates) * self.attractions[slates.pair]
        return chances

    def looks(self, slates: Slates) -> ndarray:
        import numpy as np

        passed = np.where(slates.shown, 1 - self.attractions[slates.pair], 1.0)
        looks: ndarray = np.ones_like(passed)
        looks[:, 1:] = np.cumprod(passed, axis=1)[:, :-1]
        return looks


class DynamicModel(ClickModel, name="dbn"):
    """The dynamic Bayesian network (DBN): users go down the list, click what attracts (α), may be satisfied by what
    they clicked (σ) and stop, and otherwise go on with probability γ.

    EM over where a list was left. Chapelle and Zhang, WWW 2009.
    """

    about = "users go down the list, are satisfied by a click or not, and go on with one probability"

    satisfactions: ndarray
    continuation: float

    @property
    def further(self) -> dict[str, float]:
        return {"continuation": self.continuation}

    @classmethod
    def fit(cls, slates: Slates, start: Self | None = None) -> Self:
        model = start or cls(_rates(slates), 0, False, _half(slates.pairs), 0.9)
        before, enough = -float("inf"), NEAR * float((slates.shown * slates.times[:, None]).sum())
        for step in range(1, MOST_STEPS + 1):
            value, model = model._improved(slates)
            if abs(value - before) <= enough:
                return model.replace(steps=step, settled=True)
            before = value
        return model.replace(steps=MOST_STEPS, settled=False)

    def chances(self, slates: Slates) -> ndarray:
        chances: ndarray = self.looks(slates) * self.attractions[slates.pair]
        return chances

    def looks(self, slates: Slates) -> ndarray:
        import numpy as np

        satisfied = self.attractions[slates.pair] * self.satisfactions[slates.pair]
        passed = np.where(slates.shown, (1 - satisfied) * self.continuation, 1.0)
        looks: ndarray = np.ones_like(passed)
        looks[:, 1:] = np.cumprod(passed, axis=1)[:, :-1]
        return looks

    def chances_given(self, slates: Slates) -> ndarray:
        import numpy as np

        attractions, satisfactions = self.attractions[slates.pair], self.satisfactions[slates.pair]
        looks = np.ones(len(slates))
        chances: ndarray = np.zeros(attractions.shape)
        for place in range(slates.positions):
            a, shown = attractions[:, place], slates.shown[:, place]
            chances[:, place] = looks * a * shown
            after_click = (1 - satisfactions[:, place]) * self.continuation
            after_none = looks * (1 - a) / np.maximum(1 - looks * a, LEAST) * self.continuation
            gone_on = np.where(slates.clicked[:, place], after_click, after_none)
            looks = np.where(shown, gone_on, looks)
        return chances

    def _improved(self, slates: Slates) -> tuple[float, Self]:
        """The log-likelihood, and the parameters after a step of EM."""
        import numpy as np

        a, s = self.attractions[slates.pair], self.satisfactions[slates.pair]
        gamma, lists, width = self.continuation, len(slates), slates.positions
        shown, clicked = slates.shown, slates.clicked
        # The chance that nothing is clicked from a place on, given that it is looked at.
        quiet = np.ones((lists, width + 1))
        for place in range(width - 1, -1, -1):
            on = (1 - a[:, place]) * (1 - gamma + gamma * quiet[:, place + 1])
            quiet[:, place] = np.where(shown[:, place], on, quiet[:, place + 1])
        last_place = np.where(clicked.any(axis=1), width - 1 - clicked[:, ::-1].argmax(axis=1), -1)
        looks, satisfied = np.zeros((lists, width + 1)), np.zeros((lists, width))
        chances_to_go, gone = np.zeros((lists, width)), np.zeros((lists, width))
        looked = np.ones(lists)
        for place in range(width):
            looks[:, place] = looked
            here = shown[:, place]
            below = gamma * quiet[:, place + 1]
            stay = 1 - gamma + below
            at_last = clicked[:, place] & (last_place == place)
            total = s[:, place] + (1 - s[:, place]) * stay
            is_satisfied = np.where(at_last, s[:, place] / np.maximum(total, LEAST), 0.0)
            next_look = np.where(
                at_last,
                (1 - is_satisfied) * below / np.maximum(stay, LEAST),
                np.where(last_place > place, 1.0, looked * below / np.maximum(stay, LEAST)),
            )
            satisfied[:, place] = is_satisfied
            if place < width - 1:
                more = here & shown[:, place + 1 :].any(axis=1)
                chances_to_go[:, place] = np.where(more, looked - np.where(at_last, is_satisfied, 0.0), 0.0)
                gone[:, place] = np.where(more, next_look, 0.0)
            looked = np.where(here, next_look, looked)
        times = slates.times[:, None]
        value = _log_likelihood(self, slates)
        weight = float((chances_to_go * times).sum())
        clicks = slates.sum_by_pair(clicked)
        return value, type(self)(
            smoothed(clicks, slates.sum_by_pair(looks[:, :width])),
            self.steps,
            False,
            smoothed(slates.sum_by_pair(satisfied), clicks),
            min(1 - LEAST, float((gone * times).sum()) / weight) if weight else gamma,
        )


def _log_likelihood(model: DynamicModel, slates: Slates) -> float:

    return log_likelihood(model.chances_given(slates), slates)


def _half(count: int) -> ndarray:
    import numpy as np

    return np.full(count, 0.5)


def _rates(slates: Slates) -> ndarray:
    """Clicks over shows, by pair."""
    return smoothed(slates.sum_by_pair(slates.clicked), slates.sum_by_pair(slates.shown))
