"""How far apart the items of one list are, pair by pair."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy import ndarray

    from idealist.data.item_rankings import ItemPart
    from idealist.data.items import Items


class Distances:
    """Distances between items: cosine (1 − the cosine, which is 0 with a vector of nothing but 0) and
    euclidean of their vectors, jaccard (1 − shared / all, 0 between two without any) of their categories."""

    def __init__(self, items: Items, distance: str) -> None:
        self._distance = distance
        if distance == "jaccard":
            self._features = _packed_categories(items)
        elif not items.has_vectors:
            raise items.without_vectors(distance)
        else:
            self._features = _unit(items.vectors()) if distance == "cosine" else items.vectors()

    @property
    def size(self) -> int:
        """How many numbers describe an item."""
        return max(1, int(self._features.shape[1]))

    def pairs(self, part: ItemPart) -> Iterator[tuple[int, ndarray, ndarray]]:
        """For every gap between two ranks: the distances of the documents so far apart, and which there
        are. Column i is for ranks i + 1 and i + 1 + gap."""
        numbers = part.matrix(part.number, 0)
        features = self._features[numbers]
        ranks = numbers.shape[1]
        for gap in range(1, ranks):
            both_ranked = part.counts[:, None] > range(gap, ranks)
            yield gap, self._between(features[:, :-gap], features[:, gap:]), both_ranked

    def _between(self, first: ndarray, second: ndarray) -> ndarray:
        import numpy as np

        if self._distance == "cosine":
            distance: ndarray = np.maximum(1.0 - (first * second).sum(axis=2), 0.0)
        elif self._distance == "euclidean":
            distance = np.sqrt(((first - second) ** 2).sum(axis=2))
        else:
            shared, either = _bits(first & second), _bits(first | second)
            distance = 1.0 - np.where(either > 0, shared / np.maximum(either, 1), 1.0)
        return distance


def _unit(vectors: ndarray) -> ndarray:
    import numpy as np

    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scaled = vectors / np.where(largest > 0, largest, 1.0)
    length = np.sqrt((scaled**2).sum(axis=1, keepdims=True))
    return scaled / np.where(length > 0, length, 1.0)


def _packed_categories(items: Items) -> ndarray:
    """The categories of each item, a bit for each."""
    import numpy as np

    members = items.categories()
    packed = np.zeros((len(items), (len(members.names) + 7) // 8), dtype=np.uint8)
    item = np.repeat(np.arange(len(items)), np.diff(members.begin))
    np.bitwise_or.at(packed, (item, members.codes // 8), np.left_shift(1, members.codes % 8).astype(np.uint8))
    return packed


def _bits(packed: ndarray) -> ndarray:
    import numpy as np

    count = np.array([bin(byte).count("1") for byte in range(256)])
    bits: ndarray = count[packed].sum(axis=2)
    return bits
