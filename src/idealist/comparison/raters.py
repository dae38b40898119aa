"""How far raters agree: all together, two by two, each with the others, and with known answers."""

from __future__ import annotations

from idealist.comparison.intervals import Interval
from idealist.comparison.rater_coefficients import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    raw_agreement,
)
from idealist.comparison.vote_folding import anchored
from idealist.comparison.vote_intervals import checked_confidence
from idealist.data.grouped import bytewise
from idealist.frozen import Frozen
from idealist.io.votes import read_votes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from numpy import ndarray

    from idealist.data.votes import Votes

ROUNDS = 1000
BLOCK = 4_000_000  # numbers held at once
ANCHOR_FLOOR = 0.7


class Coefficient(Frozen):
    """A coefficient of agreement; nan where it is undefined. The interval is by bootstrap over queries."""

    value: float
    interval: Interval | None


class RaterPair(Frozen):
    """Two raters on the `n` items that both voted on."""

    first: str
    second: str
    n: int
    raw: Coefficient
    kappa: Coefficient


class RaterRecord(Frozen):
    """A rater against the majority of the others, on the `n` items where the others have one."""

    rater: str
    votes: int
    n: int
    raw: Coefficient
    kappa: Coefficient


class Agreement(Frozen):
    """Raters on the items with several votes. `alpha` is Krippendorff's, ordinal when votes have severities;
    the others look at good, same and bad alone."""

    items: int
    votes: int
    raw: Coefficient
    alpha: Coefficient
    alpha_kind: str
    ac1: Coefficient
    fleiss: Coefficient
    pairs: tuple[RaterPair, ...]
    raters: tuple[RaterRecord, ...]


class AnchorRecord(Frozen):
    """How often a rater gave the known answer, with Wilson's interval."""

    rater: str
    right: int
    n: int
    accuracy: float
    interval: Interval
    below: bool


def rater_agreement(
    votes: Any, *, confidence: float = 0.95, rounds: int = ROUNDS, seed: int = 0
) -> Agreement | None:
    """Agreement of the raters; None when no item has two votes. Items with one vote and anchors do not count.

    >>> found = rater_agreement({"query": [1, 1, 2, 2], "rater": ["x", "y"] * 2, "vote": list("GGSB")})
    >>> found.raw.value, found.pairs[0].n
    (0.5, 2)
    """
    import numpy as np

    read = read_votes(votes)
    checked_confidence(confidence)
    known, items = anchored(read), np.asarray(read.items)
    sizes = np.bincount(items)
    rows = np.nonzero(~known[items] & (sizes[items] > 1))[0]
    if not len(rows):
        return None
    kept, item = np.unique(items[rows], return_inverse=True)
    _, query = np.unique(np.asarray(read.queries)[rows], return_inverse=True)
    home = np.zeros(len(kept), dtype=int)
    home[item] = query
    drawing = Drawing(confidence, rounds, seed)
    votes3 = 1 - np.asarray(read.values)[rows]  # good, same, bad: 0, 1, 2
    counts = _counts(item, votes3, len(kept), 3)
    several = counts.sum(axis=1, keepdims=True)
    agreeing = (counts * (counts - 1)).sum(axis=1, keepdims=True) / (several * (several - 1))
    table = np.hstack([np.ones_like(agreeing), agreeing, counts / several, counts])

    def raw(sums: ndarray) -> Any:
        return sums[..., 1] / sums[..., 0]

    ordinal = read.scale > 1
    levels = 2 * read.scale + 1 if ordinal else 3
    fine = np.asarray(read.severities)[rows] + read.scale if ordinal else votes3
    together = _coincidences(_counts(item, fine, len(kept), levels))
    return Agreement(
        len(kept),
        len(rows),
        drawing.coefficient(table, home, raw),
        drawing.coefficient(
            together,
            home,
            lambda s: krippendorff_alpha(s.reshape(*s.shape[:-1], levels, levels), ordinal=ordinal),
        ),
        "ordinal" if ordinal else "nominal",
        drawing.coefficient(table, home, lambda s: gwet_ac1(raw(s), s[..., 2:5] / s[..., :1])),
        drawing.coefficient(
            table, home, lambda s: fleiss_kappa(raw(s), s[..., 5:] / s[..., 5:].sum(axis=-1, keepdims=True))
        ),
        _pairs(read, rows, item, home, votes3, drawing),
        _against_others(read, rows, item, home, votes3, counts, drawing),
    )


class Drawing:
    """Bootstrap over queries of anything that is made of sums over items."""

    def __init__(self, confidence: float, rounds: int, seed: int) -> None:
        self.confidence = confidence
        self.rounds = rounds
        self.seed = seed
        self._last: tuple[int, Any] = (0, None)

    def coefficient(
        self, features: ndarray, home: ndarray, statistic: Callable[[ndarray], Any]
    ) -> Coefficient:
        """The statistic of the sums of features over items, and its percentile interval. `home` is the query
        of every item."""
        import numpy as np

        value = float(statistic(features.sum(axis=0)))
        _, at = np.unique(home, return_inverse=True)
        queries = int(at.max()) + 1
        if queries < 2 or value != value:
            return Coefficient(value, None)
        by_query = np.zeros((queries, features.shape[1]))
        np.add.at(by_query, at, features)
        drawn = np.concatenate([statistic(times @ by_query) for times in self._times(queries)])
        drawn = drawn[~np.isnan(drawn)]
        if len(drawn) < self.rounds / 2:
            return Coefficient(value, None)
        low, high = np.quantile(drawn, [(1 - self.confidence) / 2, (1 + self.confidence) / 2])
        return Coefficient(value, Interval(float(low), float(high), self.confidence))

    def _times(self, queries: int) -> Iterator[ndarray]:
        """How often every query is drawn in every round, some rounds at once; the last are kept if they are few,
        for the next coefficient."""
        import numpy as np

        if self._last[0] == queries:
            yield self._last[1]
            return
        rng = np.random.Generator(np.random.PCG64(self.seed))
        block = max(1, BLOCK // queries)
        for begin in range(0, self.rounds, block):
            rounds = min(block, self.rounds - begin)
            times = np.empty((rounds, queries))
            for at in range(rounds):
                times[at] = np.bincount(rng.integers(0, queries, queries), minlength=queries)
            if rounds == self.rounds:
                self._last = queries, times
            yield times


def _counts(item: ndarray, category: ndarray, items: int, categories: int) -> ndarray:
    import numpy as np

    found = np.bincount(item * categories + category, minlength=items * categories)
    return found.reshape(items, categories).astype(float)


def _coincidences(counts: ndarray) -> ndarray:
    """Per item and two categories, how many of its pairs of votes are those; a vote counts once in all."""
    import numpy as np

    categories = counts.shape[1]
    both = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(categories)
    weighed: ndarray = both / (counts.sum(axis=1) - 1)[:, None, None]
    return weighed.reshape(len(counts), categories * categories)


def _pairs(
    votes: Votes, rows: ndarray, item: ndarray, home: ndarray, category: ndarray, drawing: Drawing
) -> tuple[RaterPair, ...]:
    import numpy as np

    if votes.raters is None:
        return ()
    by_item: dict[int, list[tuple[bytes, str, int]]] = {}
    for row, at, vote in zip(rows.tolist(), item.tolist(), category.tolist(), strict=True):
        name = votes.raters[row]
        by_item.setdefault(at, []).append((bytewise(name), name, vote))
    met: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for at, given in by_item.items():
        given.sort()
        for place, (_, first, one) in enumerate(given):
            for _, second, other in given[place + 1 :]:
                met.setdefault((first, second), []).append((at, 3 * one + other))
    pairs = []
    for first, second in sorted(met, key=lambda both: (bytewise(both[0]), bytewise(both[1]))):
        shared = np.asarray(met[first, second])
        raw, kappa = _confused(shared[:, 1], home[shared[:, 0]], drawing)
        pairs.append(RaterPair(first, second, len(shared), raw, kappa))
    return tuple(pairs)


def _against_others(
    votes: Votes,
    rows: ndarray,
    item: ndarray,
    home: ndarray,
    category: ndarray,
    counts: ndarray,
    drawing: Drawing,
) -> tuple[RaterRecord, ...]:
    import numpy as np

    if votes.raters is None:
        return ()
    others = counts[item]
    others[np.arange(len(item)), category] -= 1
    settled = 2 * others.max(axis=1) > others.sum(axis=1)
    cells = 3 * category + others.argmax(axis=1)
    names = np.asarray([votes.raters[row] for row in rows], dtype=object)
    records = []
    for name in sorted(set(votes.raters), key=lambda one: bytewise(one)):
        which = (names == name) & settled
        if which.any():
            raw, kappa = _confused(cells[which], home[item[which]], drawing)
            records.append(RaterRecord(name, votes.raters.count(name), int(which.sum()), raw, kappa))
    return tuple(records)


def _confused(cells: ndarray, home: ndarray, drawing: Drawing) -> tuple[Coefficient, Coefficient]:
    import numpy as np

    features = np.eye(9)[cells]

    def of(function: Callable[[Any], Any]) -> Coefficient:
        return drawing.coefficient(features, home, lambda s: function(s.reshape(*s.shape[:-1], 3, 3)))

    return of(raw_agreement), of(cohen_kappa)


def anchor_accuracy(
    votes: Votes, *, floor: float = ANCHOR_FLOOR, confidence: float = 0.95
) -> tuple[AnchorRecord, ...]:
    """Every rater's share of right votes on items whose answer is known; `below` is for those under the floor.
    Without names of raters there is one record, of all votes."""
    from scipy.stats import binomtest

    answers: dict[int, int] = {}
    for item, answer in zip(votes.items, votes.anchors or (), strict=bool(votes.anchors)):
        if answer is not None:
            answers[item] = (answer > 0) - (answer < 0)
    tally: dict[str, list[int]] = {}
    for row, (item, vote) in enumerate(zip(votes.items, votes.values, strict=True)):
        if item in answers:
            rater = votes.raters[row] if votes.raters else "all"
            tally.setdefault(rater, []).append(vote == answers[item])
    records = []
    for rater in sorted(tally, key=lambda one: bytewise(one)):
        right, n = sum(tally[rater]), len(tally[rater])
        ends = binomtest(right, n).proportion_ci(confidence, method="wilson")
        interval = Interval(float(ends.low), float(ends.high), confidence)
        records.append(AnchorRecord(rater, right, n, right / n, interval, right / n < floor))
    return tuple(records)
