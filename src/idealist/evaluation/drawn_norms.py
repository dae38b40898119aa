"""How far the number of documents of every grade, which the norm of nDCG is made of, is believed to differ from the machine's.

With few drawn documents a query, each stands for many, and the number of good documents is noisy. The best order's
gain is concave in it, and it is divided by: both make the ratio too high. So the part that drawn documents add to what
the machine's labels lead to expect is multiplied by τ²/(τ² + v): v is the variance that drawing gives it in this
query, τ² how much queries truly differ from the machine, by all of them (empirical Bayes; Efron and Morris, 1973). All documents
judged: v is 0, and the norm is that of the judgments.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from idealist.data.drawn import DrawnJudgments

    Shares = Mapping[float, Mapping[float, float]]  # by machine grade, the share of every human grade


def believed_shares(
    drawn: DrawnJudgments,
    labels: Mapping[str, Mapping[str, float]],
    fits: Mapping[str, Shares],
    gain: Callable[[float], float],
) -> dict[str, float]:
    """For every query with drawn documents, by how much the part that they add is multiplied."""
    added, variances = {}, {}
    for query, sample in drawn.items():
        if query not in labels:
            continue
        expected = {m: sum(gain(y) * share for y, share in of.items()) for m, of in fits[query].items()}
        by_probability: dict[float, list[float]] = {}
        for document, (grade, probability) in sample.items():
            label = labels[query].get(document)
            surprise = gain(grade) - (0.0 if label is None else expected.get(label, 0.0))
            by_probability.setdefault(probability, []).append(surprise / probability)
        added[query] = sum(sum(terms) for terms in by_probability.values())
        variances[query] = sum(_variance(terms, p) for p, terms in by_probability.items())
    if not added:
        return {}
    true = sum(added[query] ** 2 - variances[query] for query in added) / len(added)
    return {
        query: max(true, 0.0) / (max(true, 0.0) + variance) if variance > 0 else 1.0
        for query, variance in variances.items()
    }


def _variance(terms: list[float], probability: float) -> float:
    """Of a sum of documents that are drawn with the same probability, a fixed number of them; of one, as if it had been
    drawn by itself.

    >>> _variance([1.0, 3.0], 0.5)  # 2 documents, variance 2, half of all
    2.0
    """
    n = len(terms)
    if n == 1:
        return (1 - probability) * terms[0] ** 2
    mean = sum(terms) / n
    return (1 - probability) * n * sum((term - mean) ** 2 for term in terms) / (n - 1)
