"""How far raters agree: all together, two by two, each with the others, and with known answers."""

from __future__ import annotations

from collections import Counter

from idealist.data.grouped import bytewise
from idealist.data.values import as_share
from idealist.frozen import Frozen
from idealist.io.votes import read_votes
from idealist.results import Result
from idealist.statistics.interval import Interval
from idealist.votes.folding import anchored, counted
from idealist.votes.rater_coefficients import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    raw_agreement,
)
from idealist.wording import count_of, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.data.votes import Votes

MOST_PAIRS = 1000
LEAST = 1e-24  # a variance that is rounding alone
FEWEST = 3  # queries of each kind that an interval needs: by simulation, see tests/comparison/test_rater_intervals.py
ANCHOR_FLOOR = 0.7
JACKKNIFE, WILSON = "jackknife over queries", "Wilson's score test"


class Coefficient(Frozen):
    """A coefficient of agreement; nan where it is undefined.

    The interval is by jackknife over queries, with Satterthwaite's degrees of freedom; it is not `reliable` where
    fewer than three queries have a split item or one on which all agree, and for α and κ also where fewer than
    three have an item on which most agree that it is not what is said most often.
    """

    value: float
    interval: Interval | None
    reliable: bool = True


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


class Agreement(Result, Frozen):
    """Raters on the items with several votes. `alpha` is Krippendorff's, ordinal when votes have severities;
    the others look at good, same and bad alone. Of more than 1000 pairs, those with most items are told."""

    items: int
    votes: int
    raw: Coefficient
    alpha: Coefficient
    alpha_kind: str
    ac1: Coefficient
    fleiss: Coefficient
    pairs: tuple[RaterPair, ...]
    raters: tuple[RaterRecord, ...]

    def _gist(self) -> str:
        return f"AC1 {signed(self.ac1.value)}, α {signed(self.alpha.value)}; {count_of(self.items, 'item')}"


class AnchorRecord(Frozen):
    """How often a rater gave the known answer, with Wilson's interval."""

    rater: str
    right: int
    n: int
    accuracy: float
    interval: Interval
    below: bool


def rater_agreement(votes: Any, *, confidence: float = 0.95) -> Agreement | None:
    """Agreement of the raters; None when no item has two votes. Items with one vote and anchors do not count.

    >>> found = rater_agreement({"query": [1, 1, 2, 2], "rater": ["x", "y"] * 2, "vote": list("GGSB")})
    >>> found.raw.value, found.pairs[0].n
    (0.5, 2)
    """
    import numpy as np

    read = read_votes(votes)
    as_share(confidence, "confidence")
    known, items = anchored(read), np.asarray(read.items)
    sizes = np.bincount(items)
    rows = np.nonzero(~known[items] & (sizes[items] > 1))[0]
    if not len(rows):
        return None
    kept, item = np.unique(items[rows], return_inverse=True)
    _, query = np.unique(np.asarray(read.queries)[rows], return_inverse=True)
    home = np.zeros(len(kept), dtype=int)
    home[item] = query
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
    jackknife = Jackknife(home, counts, confidence)
    raw_found = jackknife.coefficient(table, raw)
    alpha = jackknife.coefficient(
        together,
        lambda s: krippendorff_alpha(s.reshape(*s.shape[:-1], levels, levels), ordinal=ordinal),
        varied=True,
    )
    ac1 = jackknife.coefficient(table, lambda s: gwet_ac1(raw(s), s[..., 2:5] / s[..., :1]))
    fleiss = jackknife.coefficient(
        table, lambda s: fleiss_kappa(raw(s), _divided_by_sum(s[..., 5:])), varied=True
    )
    return Agreement(
        len(kept),
        len(rows),
        raw_found,
        alpha,
        "ordinal" if ordinal else "nominal",
        ac1,
        fleiss,
        _pairs(read, rows, item, home, votes3, confidence),
        _against_others(read, rows, item, home, votes3, counts, confidence),
    )


class Jackknife:
    """How sure a coefficient is, by leaving out one query after the other. `home` is the query of every item,
    `counts` its votes by category.

    The degrees of freedom are Satterthwaite's, (Σu²)²/Σu⁴ − 1 with u what leaving out a query changes: where few
    queries carry all there is to know, the interval is wide.
    """

    def __init__(self, home: ndarray, counts: ndarray, confidence: float) -> None:
        import numpy as np

        self.confidence = confidence
        _, self._at = np.unique(home, return_inverse=True)
        self.queries = int(self._at.max()) + 1
        agreed = counts.max(axis=1) == counts.sum(axis=1)
        most = 2 * counts.max(axis=1) > counts.sum(axis=1)
        other = most & (counts.argmax(axis=1) != counts.sum(axis=0).argmax())
        split, agreed_on, others = (len(set(self._at[kind].tolist())) for kind in (~agreed, agreed, other))
        self._enough = min(split, agreed_on) >= FEWEST
        self._varied = self._enough and others >= FEWEST

    def coefficient(
        self, features: ndarray, statistic: Callable[[ndarray], Any], *, varied: bool = False
    ) -> Coefficient:
        """A statistic of the sums of features over items. `varied` is for those that compare with how often
        every answer is given, and so need agreement on the rarer ones."""
        import numpy as np
        from scipy.special import stdtrit

        total = features.sum(axis=0)
        value = float(statistic(total))
        if value != value or self.queries < 2:
            return Coefficient(value, None, False)
        by_query = np.zeros((self.queries, features.shape[1]))
        np.add.at(by_query, self._at, features)
        left_out = np.asarray(statistic(total - by_query), dtype=float)
        if np.isnan(left_out).any():
            return Coefficient(value, None, False)
        squares = (left_out - left_out.mean()) ** 2
        spread = float(squares.sum())
        if spread < LEAST:
            return Coefficient(value, None, False)
        freedom = max(1.0, spread**2 / float((squares**2).sum()) - 1)
        error = (spread * (self.queries - 1) / self.queries) ** 0.5
        reach = float(stdtrit(freedom, (1 + self.confidence) / 2)) * error
        interval = Interval(max(-1.0, value - reach), min(1.0, value + reach), self.confidence, JACKKNIFE)
        return Coefficient(value, interval, self._varied if varied else self._enough)


def _divided_by_sum(counts: ndarray) -> ndarray:
    shares: ndarray = counts / counts.sum(axis=-1, keepdims=True)
    return shares


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
    votes: Votes, rows: ndarray, item: ndarray, home: ndarray, category: ndarray, confidence: float
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
    most = sorted(met, key=lambda both: (-len(met[both]), bytewise(both[0]), bytewise(both[1])))[:MOST_PAIRS]
    pairs = []
    for first, second in sorted(most, key=lambda both: (bytewise(both[0]), bytewise(both[1]))):
        shared = np.asarray(met[first, second])
        raw, kappa = _confused(shared[:, 1], home[shared[:, 0]], confidence)
        pairs.append(RaterPair(first, second, len(shared), raw, kappa))
    return tuple(pairs)


def _against_others(
    votes: Votes,
    rows: ndarray,
    item: ndarray,
    home: ndarray,
    category: ndarray,
    counts: ndarray,
    confidence: float,
) -> tuple[RaterRecord, ...]:
    import numpy as np

    if votes.raters is None:
        return ()
    others = counts[item]
    others[np.arange(len(item)), category] -= 1
    settled = 2 * others.max(axis=1) > others.sum(axis=1)
    cells = 3 * category + others.argmax(axis=1)
    given = Counter(votes.raters)
    by_rater: dict[str, list[int]] = {}
    for place in np.nonzero(settled)[0].tolist():
        by_rater.setdefault(votes.raters[rows[place]], []).append(place)
    records = []
    for name in sorted(by_rater, key=lambda one: bytewise(one)):
        which = np.asarray(by_rater[name])
        raw, kappa = _confused(cells[which], home[item[which]], confidence)
        records.append(RaterRecord(name, given[name], len(which), raw, kappa))
    return tuple(records)


def _confused(cells: ndarray, home: ndarray, confidence: float) -> tuple[Coefficient, Coefficient]:
    """Raw agreement and Cohen's κ of two, whose answers to an item are cell 3·first + second."""
    import numpy as np

    def tabled(function: Callable[[Any], Any]) -> Callable[[ndarray], Any]:
        return lambda s: function(s.reshape(*s.shape[:-1], 3, 3))

    counts = np.eye(3)[cells // 3] + np.eye(3)[cells % 3]
    jackknife, features = Jackknife(home, counts, confidence), np.eye(9)[cells]
    raw = jackknife.coefficient(features, tabled(raw_agreement))
    return raw, jackknife.coefficient(features, tabled(cohen_kappa), varied=True)


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
        interval = Interval(float(ends.low), float(ends.high), confidence, WILSON)
        records.append(AnchorRecord(rater, right, n, right / n, interval, right / n < floor))
    return tuple(records)


def share_of_votes_below(votes: Votes, anchors: Sequence[AnchorRecord]) -> float:
    """The share of the votes that count which raters below the floor on known answers gave."""
    import numpy as np

    below = {one.rater for one in anchors if one.below}
    if votes.raters is None:
        return float(bool(below))
    rows = np.nonzero(counted(votes))[0].tolist()
    return sum(votes.raters[row] in below for row in rows) / len(rows)
