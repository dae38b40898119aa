"""The change of a query's value between two systems or two conventions."""

from __future__ import annotations

from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.statistics.paired import Paired

MOST_MOVED = 10


class QueryChange(Frozen):
    """A query and its value before and after; nan where it is left out."""

    query: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """The change of the value; a query that is left out counts as 0."""
        before, after = (0.0 if value != value else value for value in (self.before, self.after))
        return after - before


def largest_changes(paired: Paired) -> tuple[QueryChange, ...]:
    """The queries that changed most, the largest change first, and by their ids where changes are equal."""
    import numpy as np

    sizes = np.abs(paired.changes)
    least = np.partition(sizes, -MOST_MOVED)[-MOST_MOVED] if len(sizes) > MOST_MOVED else 0.0
    positions = np.flatnonzero((sizes >= least) & (sizes > 0)).tolist()
    positions.sort(key=lambda position: (-sizes[position], paired.queries[position]))
    return tuple(
        QueryChange(paired.queries[position], paired.baseline_values[position], paired.values[position])
        for position in positions[:MOST_MOVED]
    )
