"""How good people found documents to be."""

from __future__ import annotations

from idealist.data.collection import Collection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar


class Judgments(Collection):
    """Grades by query and document: whole or real, higher is better, negative allowed.

    >>> judgments = Judgments({"lipstick": {"d1": 3, "d2": 0.5}})
    >>> judgments
    <Judgments 'judgments': 1 query, 2 documents>
    >>> judgments["lipstick"]
    {'d1': 3.0, 'd2': 0.5}
    """

    kind = "judgments"
    number = "grade"
    finite = True
    __slots__ = ()


class RichJudgments:
    """The base of judgments that say more than one grade per query and document."""

    # The key of NEEDS that they satisfy.
    need: ClassVar[str]
    # What to tell when a measure of one grade per document is used with them; None if none can be.
    note: ClassVar[str | None] = None

    def remarks(self) -> list[str]:
        """What is odd about them, if anything."""
        return []

    def plain(self) -> Judgments:
        """The queries with their judged documents, one grade each."""
        raise TypeError(f"{type(self).__name__} has no plain form")

    def content(self) -> Any:
        """All that they say, as JSON has it: what a digest is made of."""
        return self.plain().to_dict()
