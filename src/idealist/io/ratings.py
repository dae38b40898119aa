"""Labels of several raters: a table with a column of raters, or judgments of each."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.data.ratings import Ratings
from idealist.data.votes import Votes
from idealist.io.reading import read_judgments
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.types import GivenTable


def read_ratings(
    source: Ratings | Votes | GivenTable, *, columns: Mapping[str, str] | None = None
) -> Ratings:
    """Labels of several raters: a table (query, document, rater, and grade or vote; in a file, a frame, a dict of
    columns or a list of records), Votes, or a mapping from raters to their judgments (files, frames or objects).

    >>> read_ratings({"ann": {"q": {"d1": 2, "d2": 0}}, "gpt": {"q": {"d1": 1}}})
    <Ratings: 3 grades of 2 items by 2 raters>
    """
    if isinstance(source, Ratings):
        return source
    if isinstance(source, Votes):
        return Ratings.from_votes(source)
    if isinstance(source, Mapping) and source and all(map(_holds_judgments, source.values())):
        rows = [
            (query, document, str(rater), float(grade))
            for rater, judgments in source.items()
            for query, grades in read_judgments(judgments).items()
            for document, grade in grades.items()
        ]
        return Ratings(rows, kind="grade")
    return Ratings.from_table(read_table(source).of("votes"), columns)


def _holds_judgments(value: Any) -> bool:
    """Whether an entry of a mapping is a rater's judgments, and not a column of a table."""
    return not isinstance(value, (list, tuple)) and not hasattr(value, "tolist")
