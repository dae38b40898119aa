"""Sets of a catalogue's items, one for each user, as tensors."""

from __future__ import annotations

import torch

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

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
