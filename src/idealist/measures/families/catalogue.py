"""Catalogue: how the lists of all queries together use the items there are."""

from __future__ import annotations

from idealist.measures.item_lists import OfItemCounts, Pooled, counted_lists, entropies, shares

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import ndarray

    from idealist.data import Rankings


class Coverage(OfItemCounts, name="Coverage", aliases={"CatalogCoverage": {}, "ItemCoverage": {}}):
    """Catalogue coverage: the share of all items that are in the first k documents of any query.

    It is one number over all queries; a query's own value is the share that its list shows. Ge,
    Delgado-Battenfeld and Jannach, RecSys 2010.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c", "d"]}
    >>> judged, run = {"p": {"a": 1}, "q": {"a": 1}}, {"p": {"a": 1.0}, "q": {"a": 2.0, "b": 1.0}}
    >>> evaluate(judged, run, "Coverage@2", items=items).aggregate("Coverage@2")  # a and b of four
    0.5
    """

    def of_counts(self, counts: ndarray) -> float:
        return float((counts > 0).sum() / len(counts))

    def of_list(self, length: ndarray, items: int) -> ndarray:
        return length / items


class Gini(OfItemCounts, name="Gini", aliases={"GiniIndex": {}}):
    """Gini index of how often items are in the first k documents: 0 if all equally often.

    Σ_j (2j − n − 1)·c_j / (n·Σ c), where c_1 ≤ … ≤ c_n are the counts of all n items of the table over all
    queries; at most (n − 1)/n. A query's own value is that of its list alone. Undefined when nothing was
    retrieved. Gini, 1912; Fleder and Hosanagar, Management Science 2009.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c", "d"]}
    >>> judged, run = {"p": {"a": 1}, "q": {"a": 1}}, {"p": {"a": 1.0}, "q": {"a": 2.0, "b": 1.0}}
    >>> evaluate(judged, run, "Gini@2", items=items).aggregate("Gini@2")  # counts 0 0 1 2: (1 + 3·2)/(4·3)
    0.5833333333333334
    """

    better = "lower"

    def of_counts(self, counts: ndarray) -> float:
        import numpy as np

        n, total = len(counts), counts.sum()
        weights = 2.0 * np.arange(1, n + 1) - n - 1
        return float((weights * np.sort(counts)).sum() / (n * total)) if total else float("nan")

    def of_list(self, length: ndarray, items: int) -> ndarray:
        import numpy as np

        return np.where(length > 0, 1.0 - length / items, np.nan)


class Entropy(OfItemCounts, name="Entropy", aliases={"ShannonEntropy": {}}):
    """Shannon entropy in bits of how often items are in the first k documents.

    −Σ p(i)·log2 p(i), where p(i) is item i's share of all places of all queries. A query's own value is that
    of its list alone, log2 of its length. Undefined when nothing was retrieved. Shannon, 1948; Castells,
    Hurley and Vargas, Recommender Systems Handbook, 2015.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c", "d"]}
    >>> judged, run = {"p": {"a": 1}, "q": {"a": 1}}, {"p": {"a": 1.0}, "q": {"b": 1.0}}
    >>> evaluate(judged, run, "Entropy@2", items=items).aggregate("Entropy@2")  # a and b, one half each
    1.0
    """

    bounds = (0.0, float("inf"))

    def of_counts(self, counts: ndarray) -> float:
        occurring = counts[counts > 0].astype(float)
        return float(entropies(shares(occurring[None]))[0]) if len(occurring) else float("nan")

    def of_list(self, length: ndarray, items: int) -> ndarray:
        import numpy as np

        return np.where(length > 0, np.log2(np.maximum(length, 1)), np.nan)


class Personalisation(
    Pooled, name="Personalisation", aliases={"Personalization": {}, "inter_list_distance": {}}
):
    """Personalisation: the mean distance between the lists of two queries (= users), 0 if all get the same.

    1 − |A ∩ B| / √(|A|·|B|), where A and B are the first k documents of two queries, averaged over all pairs of queries;
    for lists of k documents this is Zhou's Hamming distance. A query's own value is 0: a list does not differ from
    itself. Undefined with fewer than two lists. Zhou and others, PNAS 2010.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c"]}
    >>> judged, run = {"p": {"a": 1}, "q": {"a": 1}}, {"p": ["a", "b"], "q": ["a", "c"]}
    >>> result = evaluate(judged, run, "Personalisation@2", items=items)
    >>> round(result.aggregate("Personalisation@2"), 4)  # a is in both
    0.5
    """

    def of_list(self, length: ndarray, items: int) -> ndarray:
        import numpy as np

        return np.zeros(len(length))

    def pooled(self, rankings: Rankings) -> float:
        import numpy as np

        numbers, lengths = counted_lists(self, rankings)
        lists = int((lengths > 0).sum())
        if lists < 2:
            return float("nan")
        # |A ∩ B| / √(|A|·|B|) is a product of lists that have 1/√length at their items: the sum over pairs is half of
        # what the square of the sum of all lists has beyond the squares of each, which are 1.
        total = np.bincount(numbers, weights=np.repeat(1.0 / np.sqrt(np.maximum(lengths, 1)), lengths))
        shared = (float((total * total).sum()) - lists) / 2.0
        return min(max(1.0 - shared / (lists * (lists - 1) / 2.0), 0.0), 1.0)
