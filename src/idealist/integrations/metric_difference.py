"""The number of another library beside ours, and why they differ."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Result


class MetricDifference(Result, Frozen):
    """What `metric` of a library gives (`theirs`) and what `measure` gives here (`ours`), over the same lists, with the
    `reasons` why the numbers differ; none where they are the same."""

    library: str
    metric: str
    theirs: float
    measure: str
    ours: float
    reasons: tuple[str, ...]

    def _gist(self) -> str:
        return f"{self.library}'s {self.metric} {self.theirs:.4f}, {self.measure} {self.ours:.4f}"


def first_places(documents: list[str]) -> list[str]:
    """A list with every document where it stands first.

    >>> first_places(["a", "b", "a", "c"])
    ['a', 'b', 'c']
    """
    return list(dict.fromkeys(documents))
