"""What a model of clicks is: parameters fitted to lists that were shown, and the chances of clicks they give."""

from __future__ import annotations

from idealist.frozen import Frozen
from idealist.named import Registered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import ClassVar, Self

    from numpy import ndarray

    from idealist.clicks.slates import Slates

SMOOTHING = 1.0  # times that every pair is taken to have been shown besides, at the mean of all pairs
MOST_STEPS = 2000
NEAR = 1e-8  # the gain in log-likelihood per place that counts as none
LEAST = 1e-9


class ClickModel(Registered, Frozen, kind="click model"):
    """A fitted model of clicks: `attractions` are the chances that a document that is looked at is clicked, by pair
    of query and document; `steps` those of EM, `settled` whether it came to its end."""

    modules: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "idealist.clicks.examination_models": ("pbm", "ubm"),
        "idealist.clicks.chain_models": ("cascade", "dbn"),
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
