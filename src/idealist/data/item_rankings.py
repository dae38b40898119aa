"""Rankings of items: every document of the first ranks, as the number of its row in the table of items."""

from __future__ import annotations

from itertools import pairwise

from idealist import kernels
from idealist.conventions import match_options
from idealist.data.judgments import Judgments
from idealist.data.needs import ITEMS
from idealist.data.run import as_run
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy import ndarray

    from idealist.data.items import Items, Membership
    from idealist.data.rankings import Rankings
    from idealist.data.run import Run

# How many numbers a part of the queries may take at a time.
PART = 1 << 21


class ItemLists:
    """Lists of items, one query behind the other: `numbers` from `begin[q]` up to `begin[q + 1]` are those
    of query q, best first."""

    def __init__(self, numbers: ndarray, counts: ndarray) -> None:
        import numpy as np

        self.numbers = numbers
        self.begin = np.concatenate([np.zeros(1, dtype=np.intp), np.cumsum(counts)])

    def parts(self, per_query: int, per_rank: int = 1) -> Iterator[ItemPart]:
        """The queries in parts that take so many numbers per query, and per place."""
        import numpy as np

        size_before = np.arange(len(self.begin)) * per_query + self.begin * per_rank
        at, queries = 0, len(self.begin) - 1
        while at < queries:
            end = int(np.searchsorted(size_before, size_before[at] + PART, side="right")) - 1
            end = min(max(end, at + 1), queries)
            yield self.part(at, end)
            at = end

    def part(self, first: int, end: int) -> ItemPart:
        """The queries from `first` up to `end`."""
        import numpy as np

        begin = self.begin[first : end + 1]
        counts = np.diff(begin)
        query = np.repeat(np.arange(len(counts)), counts)
        rank = np.arange(begin[0], begin[-1]) - begin[query] + 1
        return ItemPart(self.numbers[begin[0] : begin[-1]], query, rank, counts, int(begin[0]))


class ItemRankings:
    """The first `depth` ranks of every query, each a place with its item's number."""

    def __init__(self, native: kernels.Rankings, depth: int | None) -> None:
        self.places = kernels.grades(native)
        self.ranks = kernels.ranks(native)
        self.counts = kernels.retrieved(native, depth)
        self._lists: ItemLists | None = None

    @property
    def lists(self) -> ItemLists:
        if self._lists is None:
            import numpy as np

            numbers, counts = np.asarray(self.places), np.asarray(self.counts)
            self._lists = ItemLists(numbers.astype(np.intp), counts.astype(np.intp))
        return self._lists


class ItemPart:
    """Some of the queries, place by place: the `number` of the item, the `query` within the part, the `rank`.
    `counts` says how long their lists are, `slice` which of all places these are."""

    def __init__(self, number: ndarray, query: ndarray, rank: ndarray, counts: ndarray, first: int) -> None:
        self.number = number
        self.query = query
        self.rank = rank
        self.counts = counts
        self.queries = len(counts)
        self.slice = slice(first, first + len(number))

    def matrix(self, numbers: ndarray, empty: float) -> ndarray:
        """One number per place as a matrix, a row for each query, `empty` behind the end of its list."""
        import numpy as np

        cells = np.full((self.queries, int(self.counts.max(initial=0))), empty, dtype=numbers.dtype)
        cells[self.query, self.rank - 1] = numbers
        return cells

    def by_rank(self) -> Iterator[tuple[int, ItemPart]]:
        """The places of every rank by themselves."""
        import numpy as np

        order = np.argsort(self.rank, kind="stable")
        ends = np.cumsum(np.bincount(self.rank, minlength=1))  # no place has rank 0
        for rank, (begin, end) in enumerate(pairwise(ends), 1):
            at = order[begin:end]
            yield rank, ItemPart(self.number[at], self.query[at], self.rank[at], self.counts, 0)

    def sums(self, members: Membership, weights: ndarray) -> ndarray:
        """For every query and name, the weights of the places whose items have it. An item with several
        names gives each its part."""
        import numpy as np

        names = len(members.names)
        first = members.begin[self.number]
        sizes = members.begin[self.number + 1] - first
        position = np.repeat(np.arange(len(sizes)), sizes)
        behind = np.arange(len(position)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        code = members.codes[first[position] + behind]
        cells: ndarray = np.bincount(
            self.query[position] * names + code,
            weights=(weights / np.maximum(sizes, 1))[position],
            minlength=self.queries * names,
        )
        return cells.reshape(self.queries, names)


def item_rankings(rankings: Rankings, depth: int | None) -> ItemRankings:
    """The items a run ranks, under the conventions of its rankings."""
    return rankings.view(_ranked, depth)


def relevant_items(rankings: Rankings, level: float) -> ItemLists:
    """The items of each query's relevant documents, retrieved or not, best first."""
    return rankings.view(_relevant, level)


def graded(rankings: Rankings, depth: int | None) -> kernels.Rankings:
    """Ranks with grades, 0 for unjudged documents: a place for each place of `item_rankings`."""
    return rankings.view(_graded, depth)


def _graded(rankings: Rankings, depth: int | None) -> kernels.Rankings:
    return kernels.filled(rankings.native, 0.0, depth, False)


def run_of(rankings: Rankings) -> Run:
    """The run that rankings were made of, read if it was not yet."""
    run = rankings.run
    if run is None:
        raise InputError("rankings by hand name no documents", hint="use evaluate with a run")
    return as_run(run)


def _ranked(rankings: Rankings, depth: int | None) -> ItemRankings:
    judgments, run = rankings.judgments, rankings.view(run_of)
    assert judgments is not None, "rankings of a run have judgments"
    if rankings.conventions.unjudged == "removed":
        return ItemRankings(_judged_only(rankings, run, judgments, depth), depth)
    options = match_options(rankings.conventions, depth)
    items: Items = rankings.table(ITEMS)
    native = kernels.rank_items(run.rows, judgments.rows, items.rows, options, rankings.threads)
    if isinstance(native, tuple):
        raise _unknown(*native, "retrieved")
    return ItemRankings(native, depth)


def _judged_only(rankings: Rankings, run: Run, judgments: Judgments, depth: int | None) -> kernels.Rankings:
    """Without the unjudged documents: matched as judgments, whose grades are the items' numbers."""
    items: Items = rankings.table(ITEMS)
    number = {document: at for at, document in enumerate(items.ids)}
    skipped = rankings.conventions.negative == "unjudged"
    numbers = {
        query: {
            document: number.get(document, len(items))
            for document, grade in judgments[query].items()
            if not (skipped and grade < 0)
        }
        for query in judgments
    }
    native = rankings.matched(Judgments(numbers))
    judged_ranks = kernels.filled(native, 0.0, depth, False)
    has_unknown = kernels.grades(judged_ranks).highest(0.0) >= float(len(items))
    for query, is_unknown in zip(rankings.queries, has_unknown, strict=True):
        if is_unknown:
            order = run.ranking(query, rankings.conventions)
            raise _unknown(
                query, next(d for d in order if d in numbers[query] and d not in number), "retrieved"
            )
    return judged_ranks


def _relevant(rankings: Rankings, level: float) -> ItemLists:
    import numpy as np

    judgments, items = rankings.judgments, rankings.table(ITEMS)
    assert judgments is not None, "rankings of a run have judgments"
    relevant = np.asarray(kernels.relevant(rankings.native, level)).astype(np.intp)
    depth = max(1, int(relevant.max()))
    # As a run, judgments stand by grade: the relevant ones are the first.
    options = match_options(rankings.conventions, depth)
    native = kernels.rank_items(judgments.rows, judgments.rows, items.rows, options, rankings.threads)
    if isinstance(native, tuple):
        raise _unknown(*native, "judged")
    judged = ItemRankings(native, depth)
    numbers = np.asarray(judged.places).astype(np.intp)
    counts = np.asarray(judged.counts).astype(np.intp)
    is_relevant = np.asarray(judged.ranks) <= np.repeat(relevant, counts)
    return ItemLists(numbers[is_relevant], relevant)


def _unknown(query: str, document: str, verb: str) -> InputError:
    return InputError(
        f"query {query!r}: document {document!r} was {verb}, but is not in the table of items",
        hint="add a row for it",
    )
