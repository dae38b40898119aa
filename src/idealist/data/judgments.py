"""How good people found documents to be."""

from __future__ import annotations

from idealist.data.collection import Collection


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
