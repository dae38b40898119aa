"""Labels that several raters gave to the same items: grades of documents, or votes."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.base.wording import count_of
from idealist.data.column_names import DOCUMENT, GRADE, QUERY
from idealist.data.columns import is_blank
from idealist.data.reading import read_judgments
from idealist.data.tables import read_table
from idealist.errors import InputError
from idealist.votes.vote_layouts import EITHER, holds_grades
from idealist.votes.vote_layouts import NAMES as VOTE_NAMES
from idealist.votes.vote_table import Votes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.data.columns import Columns
    from idealist.types import GivenTable


RATER, ANCHOR = VOTE_NAMES["rater"], VOTE_NAMES["anchor"]
ROLES = ("query", "document", "rater", "grade", "anchor")
VOTES = {1: "good", 0: "same", -1: "bad"}
NO_RATERS = "a column `rater` says who gave a label; or give a file of judgments per rater"


class Ratings:
    """Labels by item and rater. `items`, `raters` and `labels` have an entry per label, as numbers of `item_names`
    (query and document), `rater_names` and `classes`, which are in order; `scores` are the numbers that classes
    stand for. `answers` are classes of items whose right one is known. `kind` is "grade" or "vote".

    >>> from idealist.data.columns import Columns
    >>> table = {"query": ["q", "q", "r"], "rater": ["x", "y", "x"], "grade": [2, 0, 2]}
    >>> found = Ratings.from_table(Columns(table))
    >>> found, found.classes
    (<Ratings: 3 grades of 2 items by 2 raters>, ['0', '2'])
    """

    def __init__(
        self,
        rows: Iterable[tuple[str, str, str, float]],
        *,
        kind: str,
        answers: Mapping[tuple[str, str], float] | None = None,
        source: str | None = None,
    ) -> None:
        """Rows are query, document ("" without one), rater and score; `answers` are by query and document."""
        item_numbers: dict[tuple[str, str], int] = {}
        rater_numbers: dict[str, int] = {}
        self.kind, self.source = kind, source
        self.items: list[int] = []
        self.raters: list[int] = []
        scores: list[float] = []
        seen: set[tuple[int, int]] = set()
        for query, document, rater, score in rows:
            item = item_numbers.setdefault((query, document), len(item_numbers))
            number = rater_numbers.setdefault(rater, len(rater_numbers))
            if (item, number) in seen:
                on = f", document {document!r}" if document else ""
                raise InputError(
                    f"rater {rater!r} gave query {query!r}{on} two labels",
                    source=source,
                    hint="keep one of the two; if they are on two documents, name these in a column",
                )
            seen.add((item, number))
            self.items.append(item)
            self.raters.append(number)
            scores.append(score)
        self.item_names, self.rater_names = list(item_numbers), list(rater_numbers)
        known = answers or {}
        self.scores = sorted({*scores, *known.values(), *((-1.0, 0.0, 1.0) if kind == "vote" else ())})
        if kind == "vote":
            self.scores.reverse()
        number_of = {score: number for number, score in enumerate(self.scores)}
        self.labels = [number_of[score] for score in scores]
        self.classes = [VOTES[int(score)] if kind == "vote" else f"{score:g}" for score in self.scores]
        self.answers = {item: number_of[known[name]] for name, item in item_numbers.items() if name in known}

    @classmethod
    def from_votes(cls, votes: Votes) -> Ratings:
        """The votes of side-by-side studies; known answers are those of the column anchor."""
        if votes.raters is None:
            raise votes.wrong("the votes do not say who gave them", hint=NO_RATERS)
        documents = votes.documents or [""] * len(votes)
        rows = zip(votes.queries, documents, votes.raters, map(float, votes.values), strict=True)
        answers: dict[tuple[str, str], float] = {}
        for row, answer in enumerate(votes.anchors or ()):
            if answer is not None:
                answers[votes.queries[row], documents[row]] = float((answer > 0) - (answer < 0))
        return cls(rows, kind="vote", answers=answers, source=votes.source)

    @classmethod
    def from_table(cls, table: Columns, columns: Mapping[str, str] | None = None) -> Ratings:
        """A table of query, document, rater and grade, or of votes. `columns` maps our names to its own."""
        mapped = dict(columns or {})
        if "vote" in mapped or (column := _grade_column(table, mapped)) is None:
            return cls.from_votes(Votes(table, columns=mapped))
        for role in mapped:
            if role not in ROLES:
                raise InputError(f"grades have no column {role!r}", hint=f"name one of: {', '.join(ROLES)}")
        query = table.named(mapped["query"]) if "query" in mapped else table.named(*QUERY)
        document = table.named(mapped["document"]) if "document" in mapped else table.find(*DOCUMENT)
        rater = table.named(mapped["rater"]) if "rater" in mapped else table.find(*RATER)
        if rater is None:
            raise table.wrong("there is no column 'rater'", hint=NO_RATERS)
        anchor = table.named(mapped["anchor"]) if "anchor" in mapped else table.find(*ANCHOR)
        queries, raters, grades = table.ids(query), table.ids(rater), table.numbers(column)
        documents = [""] * len(table) if document is None else table.ids(document)
        answers: dict[tuple[str, str], float] = {}
        for row, cell in enumerate([] if anchor is None else table.columns[anchor]):
            if not is_blank(cell):
                answers[queries[row], documents[row]] = table.number(str(anchor), row)
        rows = zip(queries, documents, raters, grades, strict=True)
        return cls(rows, kind="grade", answers=answers, source=table.source)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        labels, items = count_of(len(self), self.kind), count_of(len(self.item_names), "item")
        return f"<Ratings: {labels} of {items} by {count_of(len(self.rater_names), 'rater')}>"


def _grade_column(table: Columns, mapped: Mapping[str, str]) -> str | None:
    """The column of grades; None where the labels are votes."""
    if "grade" in mapped:
        return table.named(mapped["grade"])
    column = table.find(*(name for name in GRADE if name not in EITHER))
    if column is not None or table.find(*(name for name in VOTE_NAMES["vote"] if name not in EITHER)):
        return column
    either = table.find(*EITHER)
    if either is not None and holds_grades(table, either):
        return either
    return None


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
