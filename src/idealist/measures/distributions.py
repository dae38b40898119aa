"""Shares that add up to 1, a row for each query, and how even and how far apart they are."""

from __future__ import annotations

from idealist.kernels import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import ndarray


def as_values(parts: list[ndarray]) -> Values:
    return Values([number for part in parts for number in part.tolist()])


def row_sums(matrix: ndarray) -> ndarray:
    """The sum of every row, from left to right, so that zeros behind a row do not change it."""
    import numpy as np

    return np.cumsum(matrix, axis=1)[:, -1] if matrix.shape[1] else np.zeros(len(matrix))


def divide(part: ndarray, total: ndarray, otherwise: float = float("nan")) -> ndarray:
    """part / whole, and `otherwise` where the whole is 0."""
    import numpy as np

    return np.where(total != 0, part / np.where(total != 0, total, 1.0), otherwise)


def shares(counts: ndarray) -> ndarray:
    """Each row by its sum; zeros where that is 0."""
    return divide(counts, row_sums(counts)[:, None], otherwise=0.0)


def entropies(distributions: ndarray) -> ndarray:
    """Shannon entropies in bits."""
    import numpy as np

    logs = np.log2(np.where(distributions > 0, distributions, 1.0))
    bits: ndarray = np.maximum(-row_sums(distributions * logs), 0.0)
    return bits


def divergences(p: ndarray, q: ndarray) -> ndarray:
    """Kullback-Leibler divergences of p from q, in nats; q is above 0 wherever p is."""
    import numpy as np

    ratios = np.where(p > 0, p, 1.0) / np.where(p > 0, q, 1.0)
    nats: ndarray = np.maximum(row_sums(p * np.log(ratios)), 0.0)
    return nats
