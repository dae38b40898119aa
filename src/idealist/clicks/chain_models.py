"""Models in which users go down a list place by place: the cascade model and DBN."""

from __future__ import annotations

from idealist.clicks.models import LEAST, MOST_STEPS, NEAR, ClickModel, smoothed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from numpy import ndarray

    from idealist.clicks.slates import Slates


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
    from idealist.clicks.models import log_likelihood

    return log_likelihood(model.chances_given(slates), slates)


def _half(count: int) -> ndarray:
    import numpy as np

    return np.full(count, 0.5)


def _rates(slates: Slates) -> ndarray:
    """Clicks over shows, by pair."""
    return smoothed(slates.sum_by_pair(slates.clicked), slates.sum_by_pair(slates.shown))
