"""Models of raters, fitted by EM: Dawid and Skene's, and one of a single coin per rater. Numbers only."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import ndarray

MODELS = {
    "dawid-skene": "a table of confusions for each rater",
    "one-coin": "one chance to be right for each rater; all wrong answers are alike",
}
MOST_STEPS = 1000
NEAR = 1e-7  # the gain in log-likelihood per label that counts as none
LEAST = 1e-12  # a chance that is not quite 0, so that its logarithm exists


class LabelFit(Frozen):
    """Fitted parameters: shares of the classes, confusions (rater × true class × label given), and the probability
    of each class for each item."""

    shares: ndarray
    confusions: ndarray
    beliefs: ndarray
    log_likelihood: float
    steps: int


class LabelModel:
    """Labels by number of item, rater and class, and how they are explained: an item has one true class, and given
    that, raters label it independently, each with habits of her own.

    EM from the shares of labels of each item (majority voting); `smoothing` labels are added to every cell of a
    rater's table, or to the right and the wrong ones of her coin. Dawid and Skene, Applied Statistics 1979.

    >>> model = LabelModel([0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, [0, 0, 1, 1, 1, 1], items=2, raters=3, classes=2)
    >>> fit = model.fit("one-coin", smoothing=0.0)
    >>> fit.confusions[:, 0, 0].round(3).tolist()  # raters 0 and 1 are right twice, rater 2 once
    [1.0, 1.0, 0.5]
    """

    def __init__(
        self, item: list[int], rater: list[int], label: list[int], *, items: int, raters: int, classes: int
    ) -> None:
        import numpy as np

        self.item, self.rater, self.label = np.asarray(item), np.asarray(rater), np.asarray(label)
        self.items, self.raters, self.classes = items, raters, classes
        counts = np.bincount(self.item * classes + self.label, minlength=items * classes)
        self.counts = counts.reshape(items, classes).astype(float)
        self._cell = self.rater * classes + self.label

    @property
    def majority(self) -> ndarray:
        """The shares of an item's labels."""
        shares: ndarray = self.counts / self.counts.sum(axis=1, keepdims=True)
        return shares

    def fit(
        self,
        model: str,
        *,
        smoothing: float,
        times: ndarray | None = None,
        start: ndarray | None = None,
        near: float = NEAR,
    ) -> LabelFit:
        """The model at its (penalised) largest likelihood; an item counts `times` as often."""
        import numpy as np

        times = np.ones(self.items) if times is None else times
        beliefs = self.majority if start is None else start
        before = -np.inf
        enough = near * float((times[self.item]).sum())
        for step in range(1, MOST_STEPS + 1):
            shares, confusions = self._parameters(model, beliefs, times, smoothing)
            beliefs, log_likelihood = self._beliefs(shares, confusions, times)
            if abs(log_likelihood - before) <= enough:
                return LabelFit(shares, confusions, beliefs, log_likelihood, step)
            before = log_likelihood
        raise InputError(
            f"the model of raters does not settle in {MOST_STEPS} steps",
            hint="the one-coin model, or a larger smoothing, does",
        )

    def _parameters(
        self, model: str, beliefs: ndarray, times: ndarray, smoothing: float
    ) -> tuple[ndarray, ndarray]:
        import numpy as np

        shares = times @ beliefs
        shares = shares / shares.sum()
        weighed = (beliefs * times[:, None])[self.item]
        if model == "one-coin":
            right = np.bincount(self.rater, weighed[np.arange(len(self.label)), self.label], self.raters)
            total = np.bincount(self.rater, times[self.item], self.raters)
            with np.errstate(invalid="ignore"):
                skill = (right + smoothing) / (total + 2 * smoothing)
            skill = np.where(np.isnan(skill), 1 / self.classes, skill)  # a rater that was not drawn
            wrong = (1 - skill) / max(1, self.classes - 1)
            confusions = np.repeat(np.repeat(wrong[:, None, None], self.classes, 1), self.classes, 2)
            diagonal = np.arange(self.classes)
            confusions[:, diagonal, diagonal] = skill[:, None]
            return shares, confusions
        cells = self.raters * self.classes
        table: ndarray = np.stack(
            [np.bincount(self._cell, weighed[:, true], cells) for true in range(self.classes)], axis=1
        ).reshape(self.raters, self.classes, self.classes)
        table = table.transpose(0, 2, 1) + smoothing  # true class, then label
        total = table.sum(axis=2, keepdims=True)
        confusions = np.where(total > 0, table / np.where(total > 0, total, 1), 1 / self.classes)
        return shares, confusions

    def _beliefs(self, shares: ndarray, confusions: ndarray, times: ndarray) -> tuple[ndarray, float]:
        import numpy as np

        logs = np.log(np.maximum(confusions, LEAST))[self.rater, :, self.label]
        scores = np.stack(
            [np.bincount(self.item, logs[:, true], self.items) for true in range(self.classes)], axis=1
        ) + np.log(np.maximum(shares, LEAST))
        top = scores.max(axis=1, keepdims=True)
        likelihoods = np.exp(scores - top)
        sums = likelihoods.sum(axis=1, keepdims=True)
        log_likelihood = float((times * (np.log(sums) + top)[:, 0]).sum())
        return likelihoods / sums, log_likelihood
