"""Models in which a place is looked at by chance, and clicked if it also attracts: PBM and UBM."""

from __future__ import annotations

from idealist.clicks.models import LEAST, MOST_STEPS, NEAR, ClickModel, smoothed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from numpy import ndarray

    from idealist.clicks.slates import Slates


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
