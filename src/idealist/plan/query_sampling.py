"""Samples of queries, with the probability that each had."""

from __future__ import annotations

from idealist.data.columns import QUERY
from idealist.data.grouped import bytewise
from idealist.data.values import as_count
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.results import Result
from idealist.statistics.randomness import generator
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from idealist.data.columns import Columns

TRAFFIC = ("traffic", "count", "weight", "frequency")


class SampledQuery(Frozen):
    """A query that was drawn, how probable that was, and what it weighs in a mean over all queries."""

    query: str
    probability: float
    weight: float
    stratum: str | None = None


class SampledQueries(Result, list[SampledQuery]):
    """The queries that were drawn, by their ids."""

    def _gist(self) -> str:
        return count_of(len(self), "query")


def sample_queries(
    table: Columns, n: int, *, by: str | None = None, stratify: str | None = None, seed: int = 0
) -> SampledQueries:
    """Draws n queries without replacement from a table with a row per query.

    Without `by`, all are as probable. With `by`, a column of traffic, a query's probability is n · its share of
    the traffic, 1 where that is more: a systematic sample in random order. With `stratify`, every value of that
    column gets its part of n, by its number of queries or its traffic, and at least one.
    The weight is traffic/probability (1/probability without traffic): a mean with these weights estimates that
    over all traffic (all queries); `evaluate`, `compare` and `gsb` take what is drawn as `weights`. Same rows, in whatever order, and same seed: same sample.

    >>> from idealist.data.columns import Columns
    >>> rows = Columns({"query": ["a", "b", "c", "d"], "traffic": [90, 5, 3, 2]})
    >>> [(one.query, one.probability) for one in sample_queries(rows, 2, by="traffic", seed=1)]  # a for sure
    [('a', 1.0), ('c', 0.3)]
    """
    n = as_count(n, "the number of queries")
    names = _unique_queries(table)
    sizes = [1.0] * len(names) if by is None else _traffic(table, by)
    strata = [None] * len(names) if stratify is None else _strata(table, stratify)
    possible = [at for at, size in enumerate(sizes) if size > 0]
    if n > len(possible):
        without = f"; {len(names) - len(possible)} have no traffic" if len(possible) < len(names) else ""
        raise table.wrong(f"{n} queries asked for, there are {len(possible)}{without}", hint="ask for fewer")
    groups: dict[str | None, list[int]] = {}
    for at in sorted(possible, key=lambda at: bytewise(names[at])):
        groups.setdefault(strata[at], []).append(at)
    ordered = sorted(groups, key=lambda name: bytewise(name or ""))
    totals = [sum(sizes[at] for at in groups[name]) for name in ordered]
    parts = allocate(n, totals, [len(groups[name]) for name in ordered])
    random = generator(seed)
    drawn = []
    for name, part in zip(ordered, parts, strict=True):
        for at, probability in _draw([(at, sizes[at]) for at in groups[name]], part, random):
            drawn.append(SampledQuery(names[at], probability, sizes[at] / probability, name))
    sample = SampledQueries(sorted(drawn, key=lambda one: bytewise(one.query)))
    if not any(isinstance(name, str) for name in table.columns[table.named(*QUERY)]):
        sample.whole_number_columns = ("query",)
    return sample


def allocate(n: int, totals: Sequence[float], most: Sequence[int]) -> list[int]:
    """Parts of n in proportion to the totals, by largest remainders: at least 1 each, and at most `most`.

    >>> allocate(10, [50, 30, 1], [20, 20, 20])
    [6, 3, 1]
    """
    if n < len(totals):
        raise InputError(f"{n} queries for {len(totals)} strata", hint="ask for at least one per stratum")
    parts = [0.0] * len(totals)
    free, left = set(range(len(totals))), float(n)
    while free:  # settle those outside their limits, share the rest anew
        whole = sum(totals[at] for at in free)
        shares = {at: left * totals[at] / whole for at in free}
        low = {at for at in free if shares[at] <= 1}
        high = {at for at in free if shares[at] >= most[at]}
        # The side that is farther out is settled first, as the other may come back within its limits.
        under = sum(1 - shares[at] for at in low)
        over = sum(shares[at] - most[at] for at in high)
        settled = low if low and under >= over else high
        for at in settled or free:
            parts[at] = (1 if settled is low else most[at]) if settled else shares[at]
        left -= sum(parts[at] for at in settled)
        free = free - settled if settled else set()
    whole_parts = [int(part) for part in parts]
    order = sorted(range(len(parts)), key=lambda at: (whole_parts[at] - parts[at], at))
    for at in [at for at in order if whole_parts[at] < most[at]][: n - sum(whole_parts)]:
        whole_parts[at] += 1
    return whole_parts


def _draw(sizes: list[tuple[int, float]], n: int, random: Generator) -> list[tuple[int, float]]:
    """n of them with probabilities in proportion to size: the large ones for sure, the others by a systematic
    sample in random order."""
    certain: list[tuple[int, float]] = []
    drawn: list[tuple[int, float]] = []
    rest = sizes
    while True:
        total, left = sum(size for _, size in rest), n - len(certain)
        sure = [(at, size) for at, size in rest if left * size >= total * (1 - 1e-12)]
        if not sure:
            break
        certain += [(at, 1.0) for at, _ in sure]
        rest = [(at, size) for at, size in rest if left * size < total * (1 - 1e-12)]
    if left <= 0 or not rest:
        return certain
    step = total / left
    following, reached = float(random.random()) * step, 0.0
    for position in random.permutation(len(rest)):
        at, size = rest[position]
        reached += size
        if reached > following and len(drawn) < left:
            drawn.append((at, size / step))
            following += step
    if len(drawn) < left:  # the last step fell to rounding: its query is the last in order
        at, size = rest[position]
        drawn.append((at, size / step))
    return certain + drawn


def _unique_queries(table: Columns) -> list[str]:
    column = table.named(*QUERY)
    names, seen = table.ids(column), set[str]()
    for row, name in enumerate(names):
        if name in seen:
            raise table.wrong(f"query {name!r} is there twice", row, hint="keep one of the two rows")
        seen.add(name)
    return names


def _traffic(table: Columns, by: str) -> list[float]:
    column = table.named(*(TRAFFIC if by == "traffic" else (by,)))
    sizes = table.numbers(column)
    for row, size in enumerate(sizes):
        if size < 0:
            raise table.wrong(f"{column} is {size:g}", row, hint="it is 0 or more")
    if not 0 < sum(sizes) < float("inf"):
        raise table.wrong(f"{column} adds up to {sum(sizes):g}", hint="it must be above 0, and finite")
    return sizes


def _strata(table: Columns, column: str) -> list[str | None]:
    column = table.named(column)
    names = table.texts(column)
    for row, name in enumerate(names):
        if not name:
            raise table.wrong(f"{column} is empty", row, hint="every query is in a stratum")
    return list(names)
