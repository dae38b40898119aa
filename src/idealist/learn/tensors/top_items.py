"""The first k items of a whole catalogue for every user, without sorting it and without holding all scores; and sets of items, one for each user."""

from __future__ import annotations

import torch

from idealist.backends.tensors.tensor_lists import Lists
from idealist.base.values import as_count
from idealist.conventions import Conventions, as_conventions
from idealist.data.run import Run
from idealist.errors import InputError
from idealist.learn.tensors.ordering import first_places
from idealist.learn.tensors.ranking import NAN, RankedBatch, grade_type, value_type
from idealist.learn.tensors.tensor_batches import first_row
from idealist.learn.tensors.tensor_evaluation import TensorEvaluation, list_values, measures_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from idealist.measures import Measure


HINT = "a list of items for each user, or a matrix of their numbers whose rows are filled up with −1"


class ItemSets:
    """Items of users: `users[i]` has `items[i]`, in the order of users."""

    __slots__ = ("count", "items", "users")

    def __init__(self, users: torch.Tensor, items: torch.Tensor, count: int) -> None:
        self.users = users
        self.items = items
        self.count = count

    @property
    def sizes(self) -> torch.Tensor:
        return self.users.bincount(minlength=self.count)

    def keys(self, catalogue: int) -> torch.Tensor:
        """A number for every user and item, the same for the same two."""
        return self.users * catalogue + self.items


def item_sets(given: Any, what: str, *, users: int, catalogue: int, device: torch.device) -> ItemSets:
    """The sets that were given for so many users, of items numbered up to the size of the catalogue."""
    sets = _of_matrix(given) if isinstance(given, torch.Tensor) else _of_lists(given, what)
    if sets.count != users:
        raise InputError(
            f"{what}: there are sets of {sets.count:,} users, but scores of {users:,}", hint=HINT
        )
    wrong = (sets.items < 0) | (sets.items >= catalogue)
    if bool(wrong.any()):
        at = int(wrong.nonzero()[0])
        raise InputError(
            f"{what}, user {int(sets.users[at])}: there is no item {int(sets.items[at])} of a catalogue of {catalogue:,}",
            hint="items are numbered from 0",
        )
    return ItemSets(sets.users.to(device), sets.items.to(device), sets.count)


def _of_matrix(matrix: torch.Tensor) -> ItemSets:
    if matrix.ndim != 2 or matrix.is_floating_point() or matrix.dtype == torch.bool:
        raise InputError(
            f"a tensor of {matrix.dtype} and shape {tuple(matrix.shape)} cannot be sets of items", hint=HINT
        )
    users, columns = (matrix != -1).nonzero(as_tuple=True)
    return ItemSets(users, matrix[users, columns].long(), len(matrix))


def _of_lists(lists: Iterable[Iterable[int]], what: str) -> ItemSets:
    listed = [_members(members, what, user) for user, members in enumerate(lists)]
    sizes = torch.tensor([len(members) for members in listed], dtype=torch.int64)
    users = torch.arange(len(listed)).repeat_interleave(sizes)
    return ItemSets(users, torch.cat([torch.empty(0, dtype=torch.int64), *listed]), len(listed))


def _members(given: Any, what: str, user: int) -> torch.Tensor:
    numbers = (
        given
        if hasattr(given, "dtype")
        else sorted(given)
        if isinstance(given, (set, frozenset))
        else list(given)
    )
    items = torch.as_tensor(numbers)
    if items.ndim != 1 or (len(items) and (items.is_floating_point() or items.dtype == torch.bool)):
        raise InputError(f"{what}, user {user}: {given!r} is not a list of items", hint=HINT)
    return items.to(torch.int64).cpu()


CELLS = 1 << 25  # scores that are held at a time
ABSENT = float("-inf")  # the score of what is not to be recommended
BY_INDEX = Conventions(ties="input-order")


class TopItems:
    """The first items of every user: `items[u]` are their numbers, best first, −1 where there are no more; `scores[u]` their
    scores, nan there. Of items with equal scores the lower number comes first."""

    __slots__ = ("catalogue", "items", "scores")

    def __init__(self, items: torch.Tensor, scores: torch.Tensor, catalogue: int) -> None:
        self.items = items
        self.scores = scores
        self.catalogue = catalogue

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return f"<TopItems: {len(self):,} users, {self.items.shape[1]:,} of {self.catalogue:,} items>"

    def run(
        self, *, users: Iterable[Any] | None = None, items: Iterable[Any] | None = None, name: str = "model"
    ) -> Run:
        """The run that these items are; `users` and `items` are names in the place of numbers."""
        # Items of equal score are in their order, which scores would not tell.
        return Run.from_top(self.items.cpu().numpy(), queries=users, documents=items, name=name)

    def evaluate(
        self,
        relevant: Any,
        measures: str | Measure | Iterable[str | Measure],
        *,
        grades: Any = None,
        conventions: Conventions | str = BY_INDEX,
    ) -> TensorEvaluation:
        """Measures these items against those that are relevant to each user, whether or not they were found.

        `relevant` is a list of items for each user, or a matrix of their numbers whose rows are filled up with −1. They
        have grade 1, or those of `grades`, of the same shape, whatever stands beside a −1. All other items are unjudged.

        >>> top = top_items(torch.tensor([[0.1, 0.9, 0.5]]), 2)
        >>> top.evaluate([[2, 0]], ["RR", "R@2"]).aggregates()
        {'RR': 0.5, 'R@2': 0.5}
        """
        rules = as_conventions(conventions)
        if rules.ties != "input-order":
            raise InputError(
                f"ties={rules.ties} needs all items, and these are the first ones alone: of equal scores, the lower number came first",
                hint="choose ties=input-order",
            )
        parsed = measures_of(measures, rules)
        sets = item_sets(
            relevant, "relevant", users=len(self), catalogue=self.catalogue, device=self.items.device
        )
        lists = _ranked(self, sets, _grades(grades, relevant, sets, value_type(self.scores)), rules)
        return TensorEvaluation({measure: list_values(lists, measure) for measure in parsed}, rules)


def top_items(scores: Any, k: int, *, seen: Any = None) -> TopItems:
    """The first k items of every user, from a matrix of scores, users × items.

    `seen` holds items that are not to be recommended, in the form of the relevant ones of `TopItems.evaluate`. Of items with equal
    scores the lower number comes first, among the first k and at the border below them.

    >>> top = top_items(torch.tensor([[0.1, 0.9, 0.5, 0.9]]), 2, seen=[[1]])
    >>> top.items, top.scores
    (tensor([[3, 2]]), tensor([[0.9000, 0.5000]]))
    """
    matrix = scores.detach() if isinstance(scores, torch.Tensor) else torch.as_tensor(scores)
    if matrix.ndim != 2 or not matrix.is_floating_point():
        raise InputError(
            f"scores are of type {matrix.dtype} and shape {tuple(matrix.shape)}", hint="floats, users × items"
        )
    return _top(
        lambda rows, columns: matrix[rows, columns], len(matrix), matrix.shape[1], k, seen, matrix.device
    )


def top_matches(users: torch.Tensor, items: torch.Tensor, k: int, *, seen: Any = None) -> TopItems:
    """The first k items of every user by the products of their vectors, `users @ items.T`, which is never held whole.

    Vectors are the rows of both. What else holds is as in `top_items`; scores are equal where the products come out equal,
    and the last bit of a product may depend on how many are computed at a time.

    >>> users, items = torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[3.0, 0.0], [2.0, 2.0], [0.0, 1.0]])
    >>> top_matches(users, items, 2).items
    tensor([[0, 1],
            [1, 2]])
    """
    for vectors, what in ((users, "users"), (items, "items")):
        if vectors.ndim != 2 or not vectors.is_floating_point():
            raise InputError(
                f"{what} are of type {vectors.dtype} and shape {tuple(vectors.shape)}",
                hint="a vector of floats in each row",
            )
    if users.shape[1] != items.shape[1] or users.dtype != items.dtype or users.device != items.device:
        raise InputError(
            f"users are {users.dtype} on {users.device} with {users.shape[1]} numbers each, "
            f"items {items.dtype} on {items.device} with {items.shape[1]}",
            hint="vectors of one length and type, on one device",
        )
    known, catalogue = users.detach(), items.detach()
    return _top(
        lambda rows, columns: known[rows] @ catalogue[columns].T,
        len(users),
        len(items),
        k,
        seen,
        users.device,
    )


def _top(
    scores: Callable[[slice, slice], torch.Tensor],
    users: int,
    catalogue: int,
    k: int,
    seen: Any,
    device: torch.device,
) -> TopItems:
    """The first of every user, from scores that are asked for in parts."""
    k = min(as_count(k, "k"), catalogue)
    excluded = None
    if seen is not None:
        excluded = _Excluded(item_sets(seen, "seen", users=users, catalogue=catalogue, device=device))
    wide = min(max(catalogue, 1), max(4 * k, CELLS // max(1, min(users, 1024))))
    tall = max(1, CELLS // wide)
    blocks = []
    for first in range(0, max(users, 1), tall):
        rows = slice(first, min(first + tall, users))
        best: tuple[torch.Tensor, torch.Tensor] | None = None
        for begin in range(0, max(catalogue, 1), wide):
            columns = slice(begin, min(begin + wide, catalogue))
            part = _checked(scores(rows, columns), first, begin)
            if excluded is not None:
                part = excluded.left_out(part, rows, columns)
            places = first_places(part, k)
            here = (places + begin, part.gather(1, places))
            best = here if best is None else _merged(best, here, k)
        assert best is not None, "there is a part, if an empty one"
        blocks.append(best)
    items, values = (torch.cat(parts) for parts in zip(*blocks, strict=True))
    absent = values == ABSENT
    return TopItems(items.masked_fill(absent, -1), values.masked_fill(absent, NAN), catalogue)


def _merged(
    best: tuple[torch.Tensor, torch.Tensor], here: tuple[torch.Tensor, torch.Tensor], k: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The first of two parts. Those of the earlier have the lower numbers, and go first among equals."""
    items, scores = (torch.cat(pair, dim=1) for pair in zip(best, here, strict=True))
    order = scores.sort(dim=1, descending=True, stable=True).indices[:, :k]
    return items.gather(1, order), scores.gather(1, order)


def _checked(scores: torch.Tensor, user: int, item: int) -> torch.Tensor:
    """Scores that can be compared."""
    scores = scores if scores.dtype in (torch.float32, torch.float64) else scores.float()
    if scores.numel() and not all(end.isfinite() for end in scores.aminmax()):
        bad = ~scores.isfinite()
        row = first_row(bad)
        assert row is not None, "one is not finite"
        column = int(bad[row].nonzero()[0])
        raise InputError(
            f"user {user + row}: the score of item {item + column} is {float(scores[row, column])}",
            hint="give finite numbers; seen holds items that are not to be recommended",
        )
    return scores


class _Excluded:
    """Items that users are not to be shown, found quickly for some columns at a time."""

    def __init__(self, sets: ItemSets) -> None:
        self._items, order = sets.items.sort()
        self._users = sets.users[order]

    def left_out(self, scores: torch.Tensor, rows: slice, columns: slice) -> torch.Tensor:
        ends = torch.tensor([columns.start, columns.stop], device=self._items.device)
        begin, end = torch.searchsorted(self._items, ends).tolist()
        users, items = self._users[begin:end], self._items[begin:end]
        here = (users >= rows.start) & (users < rows.stop)
        return scores.index_put(
            (users[here] - rows.start, items[here] - columns.start), scores.new_tensor(ABSENT)
        )


def _grades(given: Any, relevant: Any, sets: ItemSets, dtype: torch.dtype) -> torch.Tensor:
    """The grades of the items of sets, which are 1 where none are given."""
    if given is None:
        return torch.ones(len(sets.items), dtype=dtype, device=sets.items.device)
    rows = given.cpu() if isinstance(given, torch.Tensor) else given
    listed = [torch.as_tensor(row, dtype=torch.float64) for row in rows]
    if isinstance(relevant, torch.Tensor) and [*map(len, listed)] == [relevant.shape[1]] * len(relevant):
        listed = [row[chosen] for row, chosen in zip(listed, (relevant != -1).cpu(), strict=True)]
    sizes = [len(row) for row in listed]
    if sizes != sets.sizes.tolist():
        raise InputError(
            "every user must have as many grades as relevant items", hint="grades have the shape of relevant"
        )
    grades = torch.cat([torch.empty(0, dtype=torch.float64), *listed])
    return grades.to(sets.items.device, grade_type(grades, None, dtype))


def _ranked(top: TopItems, sets: ItemSets, grades: torch.Tensor, rules: Conventions) -> RankedBatch:
    """The grades of the items found, in their order, and of all that were judged."""
    users = torch.arange(len(top), device=top.items.device)[:, None]
    keys, order = sets.keys(top.catalogue).sort()
    if bool((keys[1:] == keys[:-1]).any()):
        at = order[int((keys[1:] == keys[:-1]).nonzero()[0])]
        raise InputError(
            f"relevant, user {int(sets.users[at])}: item {int(sets.items[at])} appears twice",
            hint="name each item once",
        )
    pairs = (users * top.catalogue + top.items).where(top.items >= 0, -1)
    places = torch.searchsorted(keys, pairs).clamp(max=max(len(keys) - 1, 0))
    ranked_grades = torch.full(top.items.shape, NAN, dtype=grades.dtype, device=grades.device)
    if len(keys):
        ranked_grades = torch.where(keys[places] == pairs, grades[order][places], ranked_grades)
    judged = torch.full(
        (len(top), int(sets.sizes.max()) if len(top) else 0), NAN, dtype=grades.dtype, device=grades.device
    )
    starts = sets.sizes.cumsum(0) - sets.sizes
    judged[sets.users, torch.arange(len(sets.items), device=grades.device) - starts[sets.users]] = grades
    if rules.negative == "unjudged":
        ranked_grades, judged = (
            ranked_grades.where(~(ranked_grades < 0), NAN),
            judged.where(~(judged < 0), NAN),
        )
    retrieved = (top.items >= 0).sum(1)
    missing = retrieved == 0
    if rules.unjudged == "removed":
        unjudged = ranked_grades.isnan()
        ranked_grades = ranked_grades.gather(1, unjudged.to(torch.int8).sort(dim=1, stable=True).indices)
        retrieved = (~unjudged).sum(1)
    lists = Lists(ranked_grades, judged, retrieved, absent=missing)
    return RankedBatch(lists, rules, value_type(top.scores))
