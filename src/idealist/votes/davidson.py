"""Davidson's model of votes on pairs: Bradley and Terry's with ties, and with an advantage of the left side."""

from __future__ import annotations

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import ndarray

RIDGE = 0.01  # of the squared parameters, halved: a thousandth of what ten votes say
MOST_STEPS = 100
NEAR = 1e-10  # the gain in log-likelihood that counts as none
AT_ONCE = 50  # refits whose numbers are held at once


class Davidson:
    """The likelihood of votes on pairs, as a multinomial logit.

    With β the logarithms of strengths, g = log γ and t = log ν, the left system wins with a probability that is
    proportional to exp(β_left + g), the right one to exp(β_right), and a tie to exp(t + (β_left + g + β_right)/2):
    P(A beats B) = p_A/(p_A + p_B + ν√(p_A p_B)), the left p multiplied by γ. Davidson, JASA 1970.

    `cells` are the pairs (left, right) that were shown, as numbers of systems; counts have a row (left won, tie,
    right won) for each. The largest penalised likelihood is found by Newton's method; the penalty is
    ridge/2 · Σ parameter².

    >>> import numpy as np
    >>> model = Davidson([(0, 1)], 2, ties=True, side=False, ridge=1e-9)
    >>> beta, g, t = model.split(model.fit(np.array([[[6.0, 2.0, 2.0]]]))[0])
    >>> round(float(np.exp(beta[0] - beta[1])), 4), round(float(np.exp(t)), 4)  # 6/2, and 2/√(6·2)
    (3.0, 0.5774)
    """

    def __init__(
        self,
        cells: Sequence[tuple[int, int]],
        systems: int,
        *,
        ties: bool,
        side: bool,
        ridge: float = RIDGE,
    ) -> None:
        import numpy as np

        self.systems, self.ties, self.side, self.ridge = systems, ties, side, ridge
        size = systems + side + ties
        self._features = np.zeros((len(cells), 3, size))
        for row, (left, right) in enumerate(cells):
            self._features[row, 0, left] = 1
            self._features[row, 2, right] = 1
            self._features[row, 1, [left, right]] = 0.5
            if side:
                self._features[row, :2, systems] = 1.0, 0.5
            if ties:
                self._features[row, 1, -1] = 1
        # Where no vote is a tie, none is possible.
        self._possible = np.array([0.0, 0.0 if ties else -np.inf, 0.0])
        self._size = size

    def split(self, parameters: ndarray) -> tuple[ndarray, ndarray, ndarray]:
        """Log-strengths about a mean of 0, log γ (0 without a side effect) and log ν (−∞ without ties)."""
        import numpy as np

        beta = parameters[..., : self.systems]
        beta = beta - beta.mean(axis=-1, keepdims=True)
        nothing = np.zeros(parameters.shape[:-1])
        g = parameters[..., self.systems] if self.side else nothing
        t = parameters[..., -1] if self.ties else nothing - np.inf
        return beta, g, t

    def fit(self, counts: ndarray, start: ndarray | None = None) -> ndarray:
        """The parameters for every table of counts: tables × cells × 3 to tables × parameters."""
        import numpy as np

        first = np.zeros(self._size) if start is None else start
        parts = [
            self._newton(counts[begin : begin + AT_ONCE], first) for begin in range(0, len(counts), AT_ONCE)
        ]
        return np.concatenate(parts)

    def chances(self, parameters: ndarray) -> ndarray:
        """The probability of each outcome of every cell."""
        import numpy as np

        scores = np.einsum("cok,tk->tco", self._features, parameters) + self._possible
        scores -= scores.max(axis=-1, keepdims=True)
        chances = np.exp(scores)
        shares: ndarray = chances / chances.sum(axis=-1, keepdims=True)
        return shares

    def _newton(self, counts: ndarray, start: ndarray) -> ndarray:
        import numpy as np

        parameters = np.tile(start, (len(counts), 1))
        shown = counts.sum(axis=-1)
        flat = self._features.reshape(-1, self._size)
        value = self._value(parameters, counts)
        for _ in range(MOST_STEPS):
            chances = self.chances(parameters)
            expected = shown[..., None] * chances
            gradient = np.einsum("tco,cok->tk", counts - expected, self._features) - self.ridge * parameters
            mean = np.einsum("tco,cok->tck", chances, self._features)
            curvature = np.einsum(
                "ta,ak,al->tkl", expected.reshape(len(counts), -1), flat, flat, optimize=True
            )
            curvature -= np.einsum("tc,tck,tcl->tkl", shown, mean, mean, optimize=True)
            curvature += self.ridge * np.eye(self._size)
            step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
            scale = np.ones(len(counts))
            while True:  # halves the steps that lead downhill
                tried = parameters + scale[:, None] * step
                new = self._value(tried, counts)
                worse = (new < value - 1e-9 * np.abs(value)) & (scale > 1e-6)
                if not worse.any():
                    break
                scale[worse] /= 2
            parameters, value = tried, new
            if (gradient * step).sum(axis=1).max() < NEAR:  # twice what is left to gain
                return parameters
        raise InputError(
            "the strengths of the systems do not settle", hint="a larger ridge, such as 0.1, makes them"
        )

    def _value(self, parameters: ndarray, counts: ndarray) -> ndarray:
        import numpy as np

        logs = np.log(np.maximum(self.chances(parameters), 1e-300))
        value: ndarray = (counts * logs).sum(axis=(1, 2)) - self.ridge / 2 * (parameters**2).sum(axis=1)
        return value


def side_is_identified(cells: Sequence[tuple[int, int]], systems: int) -> bool:
    """Whether an advantage of the left side differs from strengths: not where the left one of every pair could be
    the stronger one in one order of all systems, each by the same step.

    >>> side_is_identified([(0, 1), (1, 0)], 2), side_is_identified([(0, 1)], 2)
    (True, False)
    """
    import numpy as np

    design: Any = np.zeros((len(cells), systems + 1))
    for row, (left, right) in enumerate(cells):
        design[row, [left, right, systems]] = 1, -1, 1
    return bool(np.linalg.matrix_rank(design) > np.linalg.matrix_rank(design[:, :-1]))
