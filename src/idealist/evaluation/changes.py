"""The change of a query's value between two systems or two conventions."""

from __future__ import annotations

from idealist.frozen import Frozen


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
