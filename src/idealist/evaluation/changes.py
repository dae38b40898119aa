"""How the value of a query changed, between two systems or two conventions."""

from __future__ import annotations

from idealist.frozen import Frozen


class QueryChange(Frozen):
    """A query and its value before and after; nan where it is left out."""

    query: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """How far the value moved; of a query that comes or goes, all of it."""
        before, after = (0.0 if value != value else value for value in (self.before, self.after))
        return after - before
