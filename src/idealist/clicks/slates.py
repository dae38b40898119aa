"""Impressions as matrices, for the models of clicks: a row per list shown, a column per position."""

from __future__ import annotations

from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import ndarray

    from idealist.data.impressions import Impressions


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
