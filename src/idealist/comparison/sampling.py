"""What to judge: the queries that leave most open, samples of queries, pools of documents."""

from __future__ import annotations

from idealist.conventions import DEFAULT
from idealist.data import Judgments, RichJudgments, Run, as_run
from idealist.data.columns import QUERY
from idealist.data.grouped import bytewise
from idealist.data.numbers import as_number
from idealist.errors import InputError
from idealist.evaluation.measuring import named_runs
from idealist.frozen import Frozen
from idealist.measures.discounts import discount_table, read_discount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from numpy.random import Generator

    from idealist.conventions import Conventions
    from idealist.data.columns import Columns
    from idealist.measures.discounts import Discount

TRAFFIC = ("traffic", "count", "weight", "frequency")


class OpenQuery(Frozen):
    """A query whose unjudged documents leave the difference between two systems open.

    `reach` is how far apart the ends of what that difference may be are, for the two systems where they are
    farthest apart; `documents` are the unjudged ones, those that move it most first.
    """

    query: str
    reach: float
    systems: tuple[str, str]
    documents: tuple[str, ...]


class SampledQuery(Frozen):
    """A query that was drawn, how probable that was, and what it weighs in a mean over all queries."""

    query: str
    probability: float
    weight: float
    stratum: str | None = None


def next_queries(
    runs: Any,
    judgments: Any,
    *,
    k: int = 10,
    n: int | None = None,
    discount: Discount = "log2",
    conventions: Conventions = DEFAULT,
) -> list[OpenQuery]:
    """The queries to judge next: those where the difference in DCG@k between two runs is most open.

    An unjudged document with gain g adds g·(d(its rank in B) − d(its rank in A)) to the difference, with d = 0
    below rank k; with every gain anywhere from 0 to 1, what the difference may be is as wide as the sum of the
    |d − d| over the unjudged documents. That is the reach. A document at the same rank in both adds nothing to
    it. Queries where nothing is open are left out; those without any judgment are not.

    >>> a, b = {"q": {"x": 2.0, "y": 1.0}}, {"q": {"z": 2.0, "y": 1.0}}
    >>> next_queries({"a": a, "b": b}, {"q": {"x": 1}})  # y has rank 2 in both; z adds 1
    [OpenQuery(query='q', reach=1.0, systems=('a', 'b'), documents=('z',))]
    """
    k = _whole(k, "k")
    systems = _read(runs)
    if len(systems) < 2:
        raise InputError("there is one run", hint="which query moves a difference takes two or more")
    known = _judged(judgments)
    table = [*discount_table(read_discount(discount), k), 0.0]
    open_queries = []
    for query in _queries(systems.values()):
        judged = known.get(query, {})
        weights: dict[str, dict[str, float]] = {}
        for name, run in systems.items():
            top = _top(run, query, k, conventions)
            weights[name] = {doc: table[at] for at, doc in enumerate(top) if doc not in judged}
        found = _widest(query, weights)
        if found is not None:
            open_queries.append(found)
    open_queries.sort(key=lambda one: (-one.reach, bytewise(one.query)))
    return open_queries if n is None else open_queries[: _whole(n, "the number of queries")]


def sample_queries(
    table: Columns, n: int, *, by: str | None = None, stratify: str | None = None, seed: int = 0
) -> list[SampledQuery]:
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
    n = _whole(n, "the number of queries")
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
    from numpy.random import PCG64, Generator

    generator = Generator(PCG64(_seed(seed)))
    drawn = []
    for name, part in zip(ordered, parts, strict=True):
        for at, probability in _draw([(at, sizes[at]) for at in groups[name]], part, generator):
            drawn.append(SampledQuery(names[at], probability, sizes[at] / probability, name))
    return sorted(drawn, key=lambda one: bytewise(one.query))


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


def pool_documents(
    runs: Any,
    k: int,
    *,
    judged: Any = None,
    queries: Iterable[str] | None = None,
    seed: int = 0,
    conventions: Conventions = DEFAULT,
) -> dict[str, list[str]]:
    """The documents to judge: the first k of every run, by query, less those judged already.

    They stand in an order that says nothing about the systems: by a hash of seed, query and document. Only
    `queries` if they are given; queries with nothing to judge are left out.

    >>> pool_documents([{"q": {"x": 2.0, "y": 1.0}}, {"q": {"z": 2.0, "x": 1.0}}], 1, judged={"q": {"x": 0}})
    {'q': ['z']}
    """
    k = _whole(k, "k")
    systems = _read(runs)
    known = {} if judged is None else _judged(judged)
    there = _queries(systems.values())
    if queries is not None:
        wanted = set(queries)
        for query in sorted(wanted - set(there), key=bytewise):
            raise InputError(f"query {query!r} is in no run", hint="leave it out")
        there = [query for query in there if query in wanted]
    pools = {}
    for query in there:
        found = {document for run in systems.values() for document in _top(run, query, k, conventions)}
        left = found - set(known.get(query, ()))
        if left:
            pools[query] = sorted(left, key=lambda document: _place(seed, query, document))
    return pools


def _widest(query: str, weights: dict[str, dict[str, float]]) -> OpenQuery | None:
    """The two systems whose difference is most open; the first of several."""
    names, best = list(weights), None
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            a, b = weights[one], weights[other]
            moves = {doc: abs(b.get(doc, 0.0) - a.get(doc, 0.0)) for doc in {**a, **b}}
            reach = sum(sorted(moves.values()))  # the same sum, whichever run comes first
            if reach > 0 and (best is None or reach > best.reach):
                order = sorted((doc for doc in moves if moves[doc] > 0), key=lambda doc: (-moves[doc], doc))
                best = OpenQuery(query, reach, (one, other), tuple(order))
    return best


def _draw(sizes: list[tuple[int, float]], n: int, generator: Generator) -> list[tuple[int, float]]:
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
    following, reached = float(generator.random()) * step, 0.0
    for position in generator.permutation(len(rest)):
        at, size = rest[position]
        reached += size
        if reached > following and len(drawn) < left:
            drawn.append((at, size / step))
            following += step
    if len(drawn) < left:  # the last step fell to rounding: its query is the last in order
        at, size = rest[position]
        drawn.append((at, size / step))
    return certain + drawn


def _read(runs: Any) -> dict[str, Run]:
    """Every run by name, in memory."""
    return {name: as_run(one) for name, one in named_runs(runs).items()}


def _judged(judgments: Any) -> dict[str, dict[str, float]]:
    if isinstance(judgments, RichJudgments):
        judgments = judgments.plain()
    return (judgments if isinstance(judgments, Judgments) else Judgments(judgments)).to_dict()


def _queries(runs: Iterable[Run]) -> list[str]:
    return sorted({query for run in runs for query in run}, key=bytewise)


def _top(run: Run, query: str, k: int, conventions: Conventions) -> list[str]:
    return run.ranking(query, conventions)[:k] if query in run else []


def _place(seed: int, query: str, document: str) -> bytes:
    from hashlib import blake2b

    return blake2b(bytewise(f"{_seed(seed)}\0{query}\0{document}"), digest_size=16).digest()


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


def _whole(value: Any, what: str) -> int:
    number = as_number(value, what, finite=True)
    if number != int(number) or number < 1:
        raise InputError(f"{what} is {number:g}", hint="a whole number, 1 or more")
    return int(number)


def _seed(value: Any) -> int:
    number = as_number(value, "the seed", finite=True)
    if number != int(number) or number < 0:
        raise InputError(f"the seed is {number:g}", hint="a whole number, 0 or more")
    return int(number)
