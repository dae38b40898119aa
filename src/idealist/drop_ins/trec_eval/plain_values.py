"""The values of trec_eval's measures of plain judgments, to the last bit: every sum runs in its order, and every
quotient is taken where it takes it. At a border of rounding, a value that is off by one bit prints otherwise."""

from __future__ import annotations

from math import log, nan

from idealist import kernels
from idealist.kernels import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from idealist.drop_ins.trec_eval.measure_catalogue import Column
    from idealist.kernels import Places, Rankings

SMALLEST = 0.00001  # what a value of 0 counts in a geometric mean
EPSILON = 0.00001
RECALL_POINTS = tuple(tenths / 10 for tenths in range(11))
UTILITIES = (1.0, -1.0, 0.0, 0.0)


class Queries:
    """The rankings of the queries that are evaluated, and what most measures ask of them."""

    def __init__(
        self, native: Rankings, version: int, level: int, collection_size: int, threads: int
    ) -> None:
        self.native = native
        self.version = version
        self.level = level
        self.collection_size = float(collection_size)
        self.threads = threads
        self.retrieved = kernels.retrieved(native, None)
        # A negative grade says that a document was not judged.
        self.relevant = kernels.relevant(native, max(level, 0))
        self.some_retrieved_nothing = min(self.retrieved, default=1.0) == 0
        self._made: dict[object, Places | Values] = {}
        self._ideal: tuple[Places, Places] | None = None

    def __len__(self) -> int:
        return len(self.native)

    def made(self, name: object, make: Callable[[], Places | Values]) -> Places | Values:
        """What several measures share, made once."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    @property
    def ranks(self) -> Places:
        return self.made("ranks", lambda: kernels.ranks(self.native))  # type: ignore[return-value]

    @property
    def grades(self) -> Places:
        return self.made("grades", lambda: kernels.grades(self.native))  # type: ignore[return-value]

    @property
    def hit(self) -> Places:
        """1 where a document is relevant."""
        return self.made("hit", lambda: self.grades >= float(max(self.level, 0)))  # type: ignore[return-value]

    @property
    def hits_so_far(self) -> Places:
        """How many relevant documents stand at or above a place."""
        return self.made("found", lambda: self.hit.running())  # type: ignore[return-value]

    def hits(self, k: int | None = None) -> Values:
        limit = None if k is None else min(k, MOST_RANKS)
        return self.made(  # type: ignore[return-value]
            ("hits", limit), lambda: kernels.hits(self.native, max(self.level, 0), limit, self.threads)
        )

    def precision_sum(self, k: int | None = None) -> Values:
        limit = None if k is None else min(k, MOST_RANKS)
        return self.made(  # type: ignore[return-value]
            ("precisions", limit),
            lambda: kernels.precision_sum(self.native, max(self.level, 0), limit, self.threads),
        )

    def gains(self, k: int | None = None) -> Values:
        """Grade by logarithm of rank, summed up to k."""
        at = self.made("gains", lambda: (self.grades * (self.grades > 0.0)) / (self.ranks + 1.0).log2())
        return (at if k is None else at * (self.ranks <= float(k))).sum()  # type: ignore[return-value]

    def ideal_gains(self, k: int | None = None) -> Values:
        if self._ideal is None:
            ideal = kernels.ideal_order(self.native)
            ranks, grades = kernels.ranks(ideal), kernels.grades(ideal)
            self._ideal = ranks, (grades * (grades > 0.0)) / (ranks + 1.0).log2()
        ranks, at = self._ideal
        return (at if k is None else at * (ranks <= float(k))).sum()


MOST_RANKS = 2**32 - 2


def divided(part: Values, divisor: Values | float) -> Values:
    """0 where there is nothing to divide by."""
    return (part / divisor).filled(0.0)


def total(values: Values) -> float:
    """Added up from left to right."""
    if values.first_undefined() is None:
        return values.sums_of([len(values)])[0]
    # The last that is undefined decides the sign that is printed.
    return [value for value in values if value != value][-1]


def values_of(column: Column, queries: Queries) -> Values:
    """One number for each query."""
    make = MEASURES[column.base]
    return make(queries, column.parameter)


def _precision(queries: Queries, k: int) -> Values:
    return queries.hits(k) / float(k)


def _relative_precision(queries: Queries, k: int | None) -> Values:
    depth = queries.retrieved if k is None else float(k)
    return divided(queries.hits(k), queries.relevant.minimum(depth))


def _logarithms(values: Values) -> Values:
    return Values([log(max(value, SMALLEST)) for value in values])


def _average_precision(queries: Queries, k: int | None) -> Values:
    return divided(queries.precision_sum(k), queries.relevant)


def _r_precision(queries: Queries, _: None) -> Values:
    within = kernels.hits_within(queries.native, max(queries.level, 0), queries.relevant, queries.threads)
    return divided(within, queries.relevant)


def _bpref(queries: Queries, _: None) -> Values:
    judged = queries.grades >= 0.0
    relevant = queries.relevant
    others = kernels.relevant(queries.native, 0.0) - relevant
    above = (judged - queries.hit).before()
    share = above.minimum(relevant) / others.minimum(relevant)
    # 0 / 0 where none stands above one.
    return divided((queries.hit * (1.0 - share.filled(0.0))).sum(), relevant)


def _reciprocal_rank(queries: Queries, _: None) -> Values:
    return kernels.reciprocal_rank(queries.native, max(queries.level, 0), None, queries.threads)


def _success(queries: Queries, k: int) -> Values:
    return queries.hits(k) > 0.0


def _cut(share: float, queries: Queries, nearest: bool) -> Values:
    """How many relevant documents a share of them is: a whole number, cut off towards 0."""
    share = max(-MOST_RANKS, min(share, MOST_RANKS)) if share == share else 0.0
    target = queries.relevant * share + (0.5 if nearest else 0.9)
    return target.floored() if share >= 0 else Values([float(int(number)) for number in target])


def _interpolated(queries: Queries, share: float) -> Values:
    precision = queries.made("precision", lambda: queries.hits_so_far / queries.ranks)
    cut = _cut(share, queries, queries.version > 9)
    best = (precision * (queries.hits_so_far >= cut)).highest(0.0)
    return _undefined_where_nothing_was_retrieved(best, cut, queries)


def _undefined_where_nothing_was_retrieved(values: Values, cut: Values, queries: Queries) -> Values:
    """0 / 0, if not even one relevant document is asked for."""
    if not queries.some_retrieved_nothing:
        return values
    triples = zip(values, cut, queries.retrieved, strict=True)
    return Values([nan if retrieved == 0 and needed <= 0 else value for value, needed, retrieved in triples])


def _eleven_points(queries: Queries, points: tuple[float, ...] | None) -> Values:
    points = points or RECALL_POINTS
    if list(points) != sorted(points):
        return _points_out_of_order(queries, points)
    added = queries.relevant * 0.0
    for point in reversed(points):
        added = added + _interpolated(queries, point)
    return added / float(len(points))


def _points_out_of_order(queries: Queries, points: tuple[float, ...]) -> Values:
    """The list is walked upwards once, and the points from the last to the first: one that was passed already,
    and all that come after it, are met at the end of the walk, where the precision is the highest of all."""
    cuts = [list(_cut(point, queries, queries.version > 9)) for point in points]
    reached = [list(_interpolated(queries, point)) for point in points]
    highest = list(_interpolated(queries, 0.0))
    numbers = []
    for query, hits in enumerate(queries.hits()):
        open_points = list(range(len(points)))
        while open_points and cuts[open_points[-1]][query] > hits:
            open_points.pop()
        added, below = 0.0, hits
        while open_points and 1 <= cuts[open_points[-1]][query] <= below:
            at = open_points.pop()
            below = cuts[at][query]
            added += reached[at][query]
        for _ in open_points:
            added += highest[query]
        numbers.append(added / len(points))
    return Values(numbers)


def _precision_at_multiple(queries: Queries, multiple: float) -> Values:
    cut = _cut(multiple, queries, nearest=False)
    reached = cut.maximum(0.0).minimum(float(MOST_RANKS))
    hits = kernels.hits_within(queries.native, max(queries.level, 0), reached, queries.threads)
    return divided(hits, cut.maximum(0.0))


def _inferred_precision(queries: Queries, _: None) -> Values:
    hit, before_it = queries.hit, queries.ranks - 1.0
    pooled = (queries.grades * 0.0 + 1.0).before()
    relevant = hit.before()
    judged = (queries.grades >= 0.0).before()
    share = (relevant + EPSILON) / (judged + 2 * EPSILON)
    expected = 1.0 / queries.ranks + (before_it / queries.ranks) * (pooled / before_it) * share
    at_hits = (hit * expected.filled(1.0)).sum()  # 0 / 0 at the first rank
    return _divided_where_any(at_hits, queries.relevant)


def _divided_where_any(part: Values, divisor: Values) -> Values:
    return part / divisor.maximum(1.0)


def _binary_gain(queries: Queries, _: None) -> Values:
    others = queries.ranks - queries.hits_so_far
    return divided((queries.hit / (others + 2.0).log2()).sum(), queries.relevant)


def _set_f(queries: Queries, parameters: tuple[float, ...] | None) -> Values:
    x = parameters[0] if parameters else 1.0
    precision, recall = queries.hits() / queries.retrieved, queries.hits() / queries.relevant
    value = precision * (x + 1.0) * recall / (precision * x + recall)
    return Values([number if hits > 0 else 0.0 for number, hits in zip(value, queries.hits(), strict=True)])


def _set_map(queries: Queries, _: None) -> Values:
    return divided(queries.hits() * queries.hits(), queries.retrieved * queries.relevant)


def _utility(queries: Queries, coefficients: tuple[float, ...] | None) -> Values:
    worth_hit, worth_false, worth_missed, worth_rest = coefficients or UTILITIES
    hits, retrieved, relevant = queries.hits(), queries.retrieved, queries.relevant
    value = hits * worth_hit + (retrieved - hits) * worth_false + (relevant - hits) * worth_missed
    return value + (hits + queries.collection_size - retrieved - relevant) * worth_rest


def _yaap(queries: Queries, _: None) -> Values:
    pairs = zip(queries.precision_sum(), queries.relevant, strict=True)
    return Values([log((1.0 + added) / (1.0 + relevant - added)) for added, relevant in pairs])


def _unjudged(queries: Queries, k: int) -> Values:
    judged = kernels.hits(queries.native, 0.0, min(k, MOST_RANKS), queries.threads)
    return (queries.retrieved.minimum(float(k)) - judged) / float(k)


def _judged_others(queries: Queries, _: None) -> Values:
    return kernels.hits(queries.native, 0.0, None, queries.threads) - queries.hits()


def _dcg_share(queries: Queries, k: int | None) -> Values:
    return divided(queries.gains(k), queries.ideal_gains(k))


MEASURES: dict[str, Callable[..., Values]] = {
    "num_ret": lambda queries, _: queries.retrieved,
    "num_rel": lambda queries, _: queries.relevant,
    "num_rel_ret": lambda queries, _: queries.hits(),
    "num_nonrel_judged_ret": _judged_others,
    "map": _average_precision,
    "map_cut": _average_precision,
    "gm_map": lambda queries, _: _logarithms(_average_precision(queries, None)),
    "Rprec": _r_precision,
    "bpref": _bpref,
    "gm_bpref": lambda queries, _: _logarithms(_bpref(queries, None)),
    "recip_rank": _reciprocal_rank,
    "iprec_at_recall": _interpolated,
    "11pt_avg": _eleven_points,
    "P": _precision,
    "recall": lambda queries, k: divided(queries.hits(k), queries.relevant),
    "relative_P": _relative_precision,
    "success": _success,
    "infAP": _inferred_precision,
    "Rprec_mult": _precision_at_multiple,
    "utility": _utility,
    "binG": _binary_gain,
    "ndcg_cut": _dcg_share,
    "set_P": lambda queries, _: divided(queries.hits(), queries.retrieved),
    "set_recall": lambda queries, _: divided(queries.hits(), queries.relevant),
    "set_relative_P": _relative_precision,
    "set_map": _set_map,
    "set_F": _set_f,
    "yaap": _yaap,
    "unj": _unjudged,
}
