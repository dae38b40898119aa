"""The agreement of raters: all together, two by two, each with the others, and with known answers; its coefficients.

Coincidences hold, for every two categories, how often two raters of one item gave them; confusions how often
the first of two raters gave the one and the second the other.
"""

from __future__ import annotations

from collections import Counter

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.values import as_share
from idealist.base.wording import count_of, signed
from idealist.data.grouped import bytewise
from idealist.statistics.mean_estimates import Interval
from idealist.votes.folded_votes import anchored, counted
from idealist.votes.vote_table import read_votes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.types import GivenTable
    from idealist.votes.vote_table import Votes


def raw_agreement(confusions: Any) -> Any:
    """The share of items on which two raters agree.

    >>> float(raw_agreement([[3, 1], [0, 4]]))
    0.875
    """
    import numpy as np

    table = np.asarray(confusions, dtype=float)
    return _divided(np.trace(table, axis1=-2, axis2=-1), table.sum(axis=(-2, -1)))


def cohen_kappa(confusions: Any) -> Any:
    """Agreement of two raters beyond what their own habits would give: (p − e)/(1 − e), e = Σ p₁·p₂ over
    categories. Undefined when both always say the same one thing. Cohen, 1960.

    >>> round(float(cohen_kappa([[20, 5], [10, 15]])), 4)  # p = 0.7, e = 0.5
    0.4
    """
    import numpy as np

    table = np.asarray(confusions, dtype=float)
    total = table.sum(axis=(-2, -1))
    chance = _divided((table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1), total * total)
    return _beyond(raw_agreement(table), chance)


def krippendorff_alpha(coincidences: Any, *, ordinal: bool = False) -> Any:
    """1 − observed/expected disagreement, for any number of raters and gaps. Ordinal: categories are in order,
    and two differ by the square of how many votes lie between them. Undefined when only one category was
    ever used. Krippendorff, Content Analysis, 2004.

    >>> round(float(krippendorff_alpha([[2, 1], [1, 4]])), 4)  # 1 − (2/8) / (2·3·5/(8·7))
    0.5333
    """
    import numpy as np

    table = np.asarray(coincidences, dtype=float)
    votes = table.sum(axis=-1)
    total = votes.sum(axis=-1)
    if ordinal:
        until = np.cumsum(votes, axis=-1) - votes / 2  # the middle of every category
        distance = (until[..., :, None] - until[..., None, :]) ** 2
    else:
        distance = 1.0 - np.eye(votes.shape[-1])
    observed = (table * distance).sum(axis=(-2, -1))
    expected = (votes[..., :, None] * votes[..., None, :] * distance).sum(axis=(-2, -1))
    return 1 - _divided(observed * (total - 1), expected)


def gwet_ac1(raw: Any, shares: Any) -> Any:
    """(p − e)/(1 − e) with e = Σ π(1 − π)/(categories − 1): chance agreement is small when one category is
    frequent, so that many "same" do not drown it. Gwet, 2008.

    >>> round(float(gwet_ac1(0.8, [0.7, 0.2, 0.1])), 4)  # e = (0.21 + 0.16 + 0.09)/2 = 0.23
    0.7403
    """
    import numpy as np

    pi = np.asarray(shares, dtype=float)
    return _beyond(raw, (pi * (1 - pi)).sum(axis=-1) / (pi.shape[-1] - 1))


def fleiss_kappa(raw: Any, shares: Any) -> Any:
    """(p − e)/(1 − e) with e = Σ π²: all raters share one habit. Fleiss, 1971.

    >>> round(float(fleiss_kappa(0.8, [0.7, 0.2, 0.1])), 4)  # e = 0.54
    0.5652
    """
    import numpy as np

    return _beyond(raw, (np.asarray(shares, dtype=float) ** 2).sum(axis=-1))


def _beyond(raw: Any, chance: Any) -> Any:
    import numpy as np

    beyond_chance = 1 - np.asarray(chance)
    return _divided(np.asarray(raw) - chance, np.where(beyond_chance < 1e-12, 0.0, beyond_chance))


def _divided(above: Any, below: Any) -> Any:
    """nan where nothing is divided by nothing."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below == 0, np.nan, np.asarray(above) / np.asarray(below))


MOST_PAIRS = 1000
LEAST = 1e-24  # a variance that is rounding alone
FEWEST = 3  # queries of each kind that an interval needs: by simulation, see tests/comparison/test_rater_intervals.py
ANCHOR_FLOOR = 0.7
JACKKNIFE, WILSON = "jackknife over queries", "Wilson's score test"


class Coefficient(Frozen):
    """A coefficient of agreement; nan where it is undefined.

    The interval is by jackknife over queries, with Satterthwaite's degrees of freedom; it is not `reliable` where
    fewer than three queries have a split item or one on which all agree, and for α and κ also where fewer than
    three have an item whose majority is not the most frequent answer.
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
    """A rater compared with the majority of the others, on the `n` items where the others have one."""

    rater: str
    votes: int
    n: int
    raw: Coefficient
    kappa: Coefficient


class Agreement(Result, Frozen):
    """Raters on the items with several votes. `alpha` is Krippendorff's, ordinal when votes have severities;
    the others look at good, same and bad alone. Of more than 1000 pairs, those with most items are listed."""

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
    """A rater's share of right votes on known answers, with Wilson's interval."""

    rater: str
    right: int
    n: int
    accuracy: float
    interval: Interval
    below: bool


def rater_agreement(votes: Votes | GivenTable, *, confidence: float = 0.95) -> Agreement | None:
    """Agreement of the raters; None when no item has two votes. Items with one vote and anchors do not count.

    >>> found = rater_agreement({"query": [1, 1, 2, 2], "rater": ["x", "y"] * 2, "vote": list("GGSB")})
    >>> found.raw.value, found.pairs[0].n
    (0.5, 2)
    """
    import numpy as np

    read_table = read_votes(votes)
    as_share(confidence, "confidence")
    has_answer, items = anchored(read_table), np.asarray(read_table.items)
    sizes = np.bincount(items)
    rows = np.nonzero(~has_answer[items] & (sizes[items] > 1))[0]
    if not len(rows):
        return None
    item_ids, item = np.unique(items[rows], return_inverse=True)
    _, query = np.unique(np.asarray(read_table.queries)[rows], return_inverse=True)
    query_of_item = np.zeros(len(item_ids), dtype=int)
    query_of_item[item] = query
    votes3 = 1 - np.asarray(read_table.values)[rows]  # good, same, bad: 0, 1, 2
    counts = _counts(item, votes3, len(item_ids), 3)
    votes_per_item = counts.sum(axis=1, keepdims=True)
    agreeing = (counts * (counts - 1)).sum(axis=1, keepdims=True) / (votes_per_item * (votes_per_item - 1))
    table = np.hstack([np.ones_like(agreeing), agreeing, counts / votes_per_item, counts])

    def raw(sums: ndarray) -> Any:
        return sums[..., 1] / sums[..., 0]

    ordinal = read_table.scale > 1
    levels = 2 * read_table.scale + 1 if ordinal else 3
    votes_fine = np.asarray(read_table.severities)[rows] + read_table.scale if ordinal else votes3
    coincidences = _coincidences(_counts(item, votes_fine, len(item_ids), levels))
    jackknife = Jackknife(query_of_item, counts, confidence)
    raw_coefficient = jackknife.coefficient(table, raw)
    alpha = jackknife.coefficient(
        coincidences,
        lambda s: krippendorff_alpha(s.reshape(*s.shape[:-1], levels, levels), ordinal=ordinal),
        varied=True,
    )
    ac1 = jackknife.coefficient(table, lambda s: gwet_ac1(raw(s), s[..., 2:5] / s[..., :1]))
    fleiss = jackknife.coefficient(
        table, lambda s: fleiss_kappa(raw(s), _divided_by_sum(s[..., 5:])), varied=True
    )
    return Agreement(
        len(item_ids),
        len(rows),
        raw_coefficient,
        alpha,
        "ordinal" if ordinal else "nominal",
        ac1,
        fleiss,
        _pairs(read_table, rows, item, query_of_item, votes3, confidence),
        _against_others(read_table, rows, item, query_of_item, votes3, counts, confidence),
    )


class Jackknife:
    """The interval of a coefficient, by leaving out one query after the other. `home` is the query of every item,
    `counts` its votes by category.

    The degrees of freedom are Satterthwaite's, (Σu²)²/Σu⁴ − 1 with u what leaving out a query changes: where few
    queries carry all the information, the interval is wide.
    """

    def __init__(self, query_of_item: ndarray, counts: ndarray, confidence: float) -> None:
        import numpy as np

        self.confidence = confidence
        _, self._at = np.unique(query_of_item, return_inverse=True)
        self.queries = int(self._at.max()) + 1
        agreed = counts.max(axis=1) == counts.sum(axis=1)
        has_majority = 2 * counts.max(axis=1) > counts.sum(axis=1)
        agrees_on_rarer = has_majority & (counts.argmax(axis=1) != counts.sum(axis=0).argmax())
        split_queries, agreed_queries, rarer_queries = (
            len(set(self._at[kind].tolist())) for kind in (~agreed, agreed, agrees_on_rarer)
        )
        self._enough = min(split_queries, agreed_queries) >= FEWEST
        self._varied = self._enough and rarer_queries >= FEWEST

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

    counts = np.bincount(item * categories + category, minlength=items * categories)
    return counts.reshape(items, categories).astype(float)


def _coincidences(counts: ndarray) -> ndarray:
    """Per item and two categories, how many of its pairs of votes are those; a vote counts once in all."""
    import numpy as np

    categories = counts.shape[1]
    pair_counts = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(categories)
    weighted: ndarray = pair_counts / (counts.sum(axis=1) - 1)[:, None, None]
    return weighted.reshape(len(counts), categories * categories)


def _pairs(
    votes: Votes, rows: ndarray, item: ndarray, query_of_item: ndarray, category: ndarray, confidence: float
) -> tuple[RaterPair, ...]:
    import numpy as np

    if votes.raters is None:
        return ()
    by_item: dict[int, list[tuple[bytes, str, int]]] = {}
    for row, item_number, vote in zip(rows.tolist(), item.tolist(), category.tolist(), strict=True):
        name = votes.raters[row]
        by_item.setdefault(item_number, []).append((bytewise(name), name, vote))
    shared_votes: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for item_number, item_votes in by_item.items():
        item_votes.sort()
        for position, (_, first, vote_first) in enumerate(item_votes):
            for _, second, vote_second in item_votes[position + 1 :]:
                shared_votes.setdefault((first, second), []).append(
                    (item_number, 3 * vote_first + vote_second)
                )
    most = sorted(
        shared_votes, key=lambda names: (-len(shared_votes[names]), bytewise(names[0]), bytewise(names[1]))
    )[:MOST_PAIRS]
    pairs = []
    for first, second in sorted(most, key=lambda names: (bytewise(names[0]), bytewise(names[1]))):
        shared = np.asarray(shared_votes[first, second])
        raw, kappa = _confused(shared[:, 1], query_of_item[shared[:, 0]], confidence)
        pairs.append(RaterPair(first, second, len(shared), raw, kappa))
    return tuple(pairs)


def _against_others(
    votes: Votes,
    rows: ndarray,
    item: ndarray,
    query_of_item: ndarray,
    category: ndarray,
    counts: ndarray,
    confidence: float,
) -> tuple[RaterRecord, ...]:
    import numpy as np

    if votes.raters is None:
        return ()
    other_counts = counts[item]
    other_counts[np.arange(len(item)), category] -= 1
    settled = 2 * other_counts.max(axis=1) > other_counts.sum(axis=1)
    cells = 3 * category + other_counts.argmax(axis=1)
    votes_of = Counter(votes.raters)
    by_rater: dict[str, list[int]] = {}
    for position in np.nonzero(settled)[0].tolist():
        by_rater.setdefault(votes.raters[rows[position]], []).append(position)
    records = []
    for name in sorted(by_rater, key=bytewise):
        positions = np.asarray(by_rater[name])
        raw, kappa = _confused(cells[positions], query_of_item[item[positions]], confidence)
        records.append(RaterRecord(name, votes_of[name], len(positions), raw, kappa))
    return tuple(records)


def _confused(cells: ndarray, query_of_item: ndarray, confidence: float) -> tuple[Coefficient, Coefficient]:
    """Raw agreement and Cohen's κ of two raters, whose answers to an item are cell 3·first + second."""
    import numpy as np

    def tabled(function: Callable[[Any], Any]) -> Callable[[ndarray], Any]:
        return lambda s: function(s.reshape(*s.shape[:-1], 3, 3))

    counts = np.eye(3)[cells // 3] + np.eye(3)[cells % 3]
    jackknife, features = Jackknife(query_of_item, counts, confidence), np.eye(9)[cells]
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
    for rater in sorted(tally, key=bytewise):
        right, n = sum(tally[rater]), len(tally[rater])
        wilson = binomtest(right, n).proportion_ci(confidence, method="wilson")
        interval = Interval(float(wilson.low), float(wilson.high), confidence, WILSON)
        records.append(AnchorRecord(rater, right, n, right / n, interval, right / n < floor))
    return tuple(records)


def share_of_votes_below(votes: Votes, anchors: Sequence[AnchorRecord]) -> float:
    """The share of the votes that count which raters below the floor on known answers gave."""
    import numpy as np

    raters_below = {record.rater for record in anchors if record.below}
    if votes.raters is None:
        return float(bool(raters_below))
    rows = np.nonzero(counted(votes))[0].tolist()
    return sum(votes.raters[row] in raters_below for row in rows) / len(rows)
