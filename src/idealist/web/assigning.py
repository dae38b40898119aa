"""Who judges what, in which order and on which side: drawn once, when a task is made."""

from __future__ import annotations

import random

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Queues = dict[int, list[tuple[int, str | None]]]

SIDES = ("left", "right")


def draw_queues(
    groups: Sequence[Sequence[int]],
    raters: Sequence[int],
    overlap: int,
    *,
    seed: int,
    for_all: Sequence[int] = (),
    sided: bool = False,
    in_order: bool = False,
) -> Queues:
    """The queue of each rater: items by index, with a side for each where `sided`.

    Items of a group, such as the documents of a query, go to the same `overlap` raters, one behind the other: those with
    the fewest items so far, so that nobody gets more than one group more than another. Items of `for_all` go to
    everybody. Each rater has the groups in an order of their own, and the items of a group too, unless `in_order`.

    >>> queues = draw_queues([[0], [1], [2], [3]], [7, 8], 1, seed=0)
    >>> sorted(len(queue) for queue in queues.values())
    [2, 2]
    """
    drawn = random.Random(seed)
    chosen: dict[int, list[list[int]]] = {rater: [] for rater in raters}
    load = dict.fromkeys(raters, 0)
    # Large groups first: what is left over is then small.
    for group in sorted(drawn.sample(list(groups), len(groups)), key=len, reverse=True):
        by_load = sorted(drawn.sample(list(raters), len(raters)), key=lambda rater: load[rater])
        for rater in by_load[:overlap]:
            chosen[rater].append(list(group))
            load[rater] += len(group)
    queues: Queues = {}
    for rater, own in chosen.items():
        own = [*own, *([item] for item in for_all)]
        drawn.shuffle(own)
        for group in own:
            if not in_order:
                drawn.shuffle(group)
        queues[rater] = [(item, drawn.choice(SIDES) if sided else None) for group in own for item in group]
    return queues
