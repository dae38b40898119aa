"""Judgments of drawn documents: a table with the columns query, document, grade and inclusion_probability."""

from __future__ import annotations

import os

from idealist.data.column_names import DOCUMENT, GRADE, QUERY, plain_name
from idealist.data.drawn import DrawnJudgments
from idealist.io.kinds import names_of_source
from idealist.io.sources import origin_of
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.types import GivenTable

PROBABILITY = ("inclusion_probability", "probability")


def names_probabilities(names: Iterable[str]) -> bool:
    """Whether columns of these names hold drawn judgments: a grade, and a probability beside it."""
    plain = {plain_name(name) for name in names}
    return bool(plain & set(map(plain_name, GRADE))) and bool(plain & set(map(plain_name, PROBABILITY)))


def has_probabilities(source: Any) -> bool:
    """Whether a file is a table of drawn judgments."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    names = names_of_source(os.fspath(source))
    return names is not None and names_probabilities(names)


def read_drawn(source: GivenTable) -> DrawnJudgments:
    """Judgments of drawn documents, from a file, a frame or a table that read_table reads."""
    if isinstance(source, DrawnJudgments):
        return source
    table = read_table(source)
    query, document, grade, probability = (
        table.named(*names) for names in (QUERY, DOCUMENT, GRADE, PROBABILITY)
    )
    queries: dict[str, dict[str, tuple[float, float]]] = {}
    for row in range(len(table)):
        documents = queries.setdefault(table.id(query, row), {})
        name = table.id(document, row)
        if name in documents:
            raise table.wrong(
                f"document {name!r} appears twice for its query", row, hint="keep one row of it"
            )
        if table.columns[grade][row] in (None, ""):
            raise table.wrong(
                f"document {name!r} was drawn and has no grade",
                row,
                hint="judge it: leaving out what was drawn makes the estimate wrong",
            )
        drawn = table.number(probability, row)
        if not 0 < drawn <= 1:
            raise table.wrong(
                f"the inclusion probability of document {name!r} is {drawn:g}",
                row,
                hint="it must be above 0 and at most 1",
            )
        documents[name] = table.number(grade, row), drawn
    return DrawnJudgments(queries, **origin_of(source))
