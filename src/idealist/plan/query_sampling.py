"""Samples of queries, with the probability that each had."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.values import as_count
from idealist.base.wording import count_of
from idealist.data.column_names import QUERY
from idealist.data.grouped import bytewise
from idealist.errors import InputError
from idealist.statistics.randomness import generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from idealist.data.columns import Columns

TRAFFIC = ("traffic", "count", "weight", "frequency")


class SampledQuery(Frozen):
    """A query that was drawn, the probability of that, and its weight in a mean over all queries."""

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
    drawable = [row for row, size in enumerate(sizes) if size > 0]
    if n > len(drawable):
        without_traffic = (
            f"; {len(names) - len(drawable)} have no traffic" if len(drawable) < len(names) else ""
        )
        raise table.wrong(
            f"{n} queries were requested, but there are {len(drawable)}{without_traffic}",
            hint="request fewer",
        )
    rows_by_stratum: dict[str | None, list[int]] = {}
    for row in sorted(drawable, key=lambda row: bytewise(names[row])):
        rows_by_stratum.setdefault(strata[row], []).append(row)
    ordered = sorted(rows_by_stratum, key=lambda name: bytewise(name or ""))
    totals = [sum(sizes[row] for row in rows_by_stratum[name]) for name in ordered]
    parts = allocate(n, totals, [len(rows_by_stratum[name]) for name in ordered])
    random = generator(seed)
    drawn = []
    for name, part in zip(ordered, parts, strict=True):
        for row, probability in _draw([(row, sizes[row]) for row in rows_by_stratum[name]], part, random):
            drawn.append(SampledQuery(names[row], probability, sizes[row] / probability, name))
    sample = SampledQueries(sorted(drawn, key=lambda sampled: bytewise(sampled.query)))
    if not any(isinstance(name, str) for name in table.columns[table.named(*QUERY)]):
        sample.whole_number_columns = ("query",)
    return sample


def allocate(n: int, totals: Sequence[float], most: Sequence[int]) -> list[int]:
    """Parts of n in proportion to the totals, by largest remainders: at least 1 each, and at most `most`.

    >>> allocate(10, [50, 30, 1], [20, 20, 20])
    [6, 3, 1]
    """
    if n < len(totals):
        raise InputError(
            f"{n} queries are too few for {len(totals)} strata", hint="request at least one per stratum"
        )
    parts = [0.0] * len(totals)
    open_strata, remaining = set(range(len(totals))), float(n)
    while open_strata:  # settle those outside their limits, share the rest anew
        open_total = sum(totals[stratum] for stratum in open_strata)
        shares = {stratum: remaining * totals[stratum] / open_total for stratum in open_strata}
        low = {stratum for stratum in open_strata if shares[stratum] <= 1}
        high = {stratum for stratum in open_strata if shares[stratum] >= most[stratum]}
        # The side that is farther out is settled first, as the other may come back within its limits.
        below_minimum = sum(1 - shares[stratum] for stratum in low)
        above_maximum = sum(shares[stratum] - most[stratum] for stratum in high)
        settled = low if low and below_minimum >= above_maximum else high
        for stratum in settled or open_strata:
            parts[stratum] = (1 if settled is low else most[stratum]) if settled else shares[stratum]
        remaining -= sum(parts[stratum] for stratum in settled)
        open_strata = open_strata - settled if settled else set()
    whole_parts = [int(part) for part in parts]
    order = sorted(range(len(parts)), key=lambda stratum: (whole_parts[stratum] - parts[stratum], stratum))
    for stratum in [stratum for stratum in order if whole_parts[stratum] < most[stratum]][
        : n - sum(whole_parts)
    ]:
        whole_parts[stratum] += 1
    return whole_parts


def _draw(sizes: list[tuple[int, float]], n: int, random: Generator) -> list[tuple[int, float]]:
    """n of them with probabilities in proportion to size: the large ones for sure, the others by a systematic
    sample in random order."""
    certain: list[tuple[int, float]] = []
    drawn: list[tuple[int, float]] = []
    uncertain = sizes
    while True:
        total, remaining = sum(size for _, size in uncertain), n - len(certain)
        now_certain = [(row, size) for row, size in uncertain if remaining * size >= total * (1 - 1e-12)]
        if not now_certain:
            break
        certain += [(row, 1.0) for row, _ in now_certain]
        uncertain = [(row, size) for row, size in uncertain if remaining * size < total * (1 - 1e-12)]
    if remaining <= 0 or not uncertain:
        return certain
    step = total / remaining
    next_mark, cumulated = float(random.random()) * step, 0.0
    for position in random.permutation(len(uncertain)):
        row, size = uncertain[position]
        cumulated += size
        if cumulated > next_mark and len(drawn) < remaining:
            drawn.append((row, size / step))
            next_mark += step
    if len(drawn) < remaining:  # the last step fell to rounding: its query is the last in order
        row, size = uncertain[position]
        drawn.append((row, size / step))
    return certain + drawn


def _unique_queries(table: Columns) -> list[str]:
    column = table.named(*QUERY)
    names, names_met = table.ids(column), set[str]()
    for row, name in enumerate(names):
        if name in names_met:
            raise table.wrong(f"query {name!r} has two rows", row, hint="keep one of the two rows")
        names_met.add(name)
    return names


def _traffic(table: Columns, by: str) -> list[float]:
    column = table.named(*(TRAFFIC if by == "traffic" else (by,)))
    sizes = table.numbers(column)
    for row, size in enumerate(sizes):
        if size < 0:
            raise table.wrong(f"{column} must be 0 or more, not {size:g}", row)
    if not 0 < sum(sizes) < float("inf"):
        raise table.wrong(f"{column} adds up to {sum(sizes):g}", hint="it must be above 0, and finite")
    return sizes


def _strata(table: Columns, column: str) -> list[str | None]:
    column = table.named(column)
    names = table.texts(column)
    for row, name in enumerate(names):
        if not name:
            raise table.wrong(f"{column} is empty", row, hint="give the stratum of every query")
    return list(names)
