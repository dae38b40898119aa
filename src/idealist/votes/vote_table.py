"""Votes of people who saw two systems side by side, which columns of a table they are in, and their reader."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.base.wording import count_of, count_queries
from idealist.data.columns import MOMENT, Columns, as_moment, is_blank
from idealist.data.query_weights import find_weight
from idealist.data.tables import read_table
from idealist.data.vote_words import (
    COUNTS,
    NUMBERS,
    SIDES,
    VoteCounts,
    find_counts,
    normal,
    read_words,
    stated_words,
)
from idealist.data.weight_reading import read_weights
from idealist.errors import InputError
from idealist.votes.vote_layouts import NAMES, VoteLayout, find_vote_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.data.query_weights import QueryWeights, WeightColumn
    from idealist.types import GivenTable


SPARE = ("document", "rater", "segment", "time")  # columns that may be left out


class Votes:
    """Votes from the candidate's side: +1 good, 0 same, −1 bad, or more when the votes say how much.

    Columns: query and vote; if there are, document, rater, side (where the candidate was shown), weight (how much
    the item counts, as by its traffic), segment, anchor (the right vote, where it is known), and time (when the vote
    was given: a number, or a date as ISO 8601 writes it; without it votes came in the order of rows). `columns` maps
    our names to those of the table, an empty name leaves a column out; `candidate` says which of two systems is the
    new one, where votes name A and B, or rows have the systems left and right and the winner. `scale` is the largest
    severity that could be given, or text such as "1-7": the worst and the best vote for the candidate. `weights` are those
    of queries, where they do not stand in the table. `words` says what votes mean that are not known, or known
    otherwise: {"good": "👍", "same": ["🤷", "-"], "bad": "👎"}.

    A table may have a column for each rater, with a row per query; `columns={"vote": ["ann", "ben"]}` names them where they
    cannot be told. Votes for left or right are for the candidate where the column side says that it was there.

    The columns good, same and bad, or G, S and B, hold counts in the place of votes: a row per query, or a single
    row of votes that are independent. Such votes have no order.

    An item is what was voted on: a document of a query. Without documents it is the query when raters are
    named, and every vote is on something of its own when they are not.

    >>> from idealist.data.columns import Columns
    >>> votes = Votes(Columns({"query": ["q1", "q1", "q2"], "vote": ["good", "same", "bad"]}))
    >>> votes
    <Votes: 3 votes, 2 queries>
    >>> votes.values
    [1, 0, -1]
    """

    def __init__(
        self,
        table: Columns,
        *,
        columns: Mapping[str, str | Sequence[str]] | None = None,
        candidate: str | None = None,
        scale: int | str | None = None,
        weights: QueryWeights | None = None,
        words: Mapping[str, str | Sequence[str]] | None = None,
    ) -> None:
        self.source = table.source
        meanings = stated_words(words)
        layout = VoteLayout(table, columns, candidate=candidate, scale=scale, words=meanings)
        table, columns = layout.table, layout.columns
        self._table = table
        self._names = find_vote_columns(table, columns, worded=bool(words) or isinstance(scale, str))
        if not len(table):
            raise table.wrong(
                "there are no votes", hint="a row for every vote, below the names of the columns"
            )
        self._counts = VoteCounts(table, self._names) if find_counts(table, self._names) else None
        self.notes: tuple[str, ...] = ()
        self._leave_empty_out(columns)
        self.queries = self._queries()
        self.documents = self._ids("document")
        self.raters = self._ids("rater")
        self.segments = self._ids("segment")
        self.sides = self._sides()
        # What the weights are, in words: "column traffic"; None without any.
        self.weighed_by: str | None = None
        self.weights = self._weights(columns, weights)
        self.times = self._times()
        self.severities, self.anchors = self._votes(layout, meanings)
        self.values = [(vote > 0) - (vote < 0) for vote in self.severities]
        self.scale = self._scaled(layout.scale)
        self.items = self._items()
        self._check_items()

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def ordered(self) -> bool:
        """Whether the order of the votes is known; that of counts is not."""
        return self._counts is None

    def where(self, row: int) -> str:
        """Where a vote stands, in words."""
        return self._table.where(self._row(row))

    def wrong(self, message: str, row: int | None = None, *, hint: str = "") -> InputError:
        """An error about the votes, or about one of them, that says where it is."""
        return self._table.wrong(message, None if row is None else self._row(row), hint=hint)

    def __repr__(self) -> str:
        queries = len(set(self.queries))
        raters = f", {len(set(self.raters)):,} raters" if self.raters else ""
        votes = count_of(len(self), "vote")
        return f"<Votes: {votes}, {count_queries(queries)}{raters}>"

    def _row(self, vote: int) -> int:
        """The table's row that a vote comes from."""
        return vote if self._counts is None else self._counts.rows[vote]

    def _by_vote(self, column: list[Any]) -> list[Any]:
        """A column of the table with an entry per vote."""
        return column if self._counts is None else [column[row] for row in self._counts.rows]

    def _leave_empty_out(self, mapped: Mapping[str, str]) -> None:
        """Columns that nobody named and that have no cell filled in say nothing."""
        for role in (role for role in SPARE if role in self._names and role not in mapped):
            if all(is_blank(cell) for cell in self._table.columns[self._names[role]]):
                self.notes += (f"the column {self._names.pop(role)} is empty, and left out",)

    def _queries(self) -> list[str]:
        name = self._names.get("query")
        if self._counts is not None and len(self._table) == 1:
            self.notes += ("counts in one row: every vote is taken for one on a query of its own",)
            return [str(number) for number in range(1, len(self._counts.rows) + 1)]
        if name is None:  # of counts: a row is a query
            return self._by_vote([str(row) for row in range(1, len(self._table) + 1)])
        return self._by_vote(self._table.ids(name))

    def _ids(self, role: str) -> list[str] | None:
        name = self._names.get(role)
        return None if name is None else self._by_vote(self._table.ids(name))

    def _sides(self) -> list[str] | None:
        name = self._names.get("side")
        if name is None:
            return None
        sides = []
        for row, cell in enumerate(self._table.texts(name)):
            word = cell.strip().casefold()
            if word and word not in SIDES:
                raise self.wrong(
                    f"unknown side {cell!r}", row, hint="left or right, L or R, A or B, or nothing"
                )
            sides.append(SIDES[word] if word else "")
        return sides

    def _weights(self, mapped: Mapping[str, str], query_weights: QueryWeights | None) -> list[float] | None:
        if query_weights is not None:
            if mapped.get("weight"):
                raise InputError(
                    f"both weights and the column {mapped['weight']} were given", hint="leave one of them out"
                )
            self.weighed_by = query_weights.label
            self.notes += tuple(query_weights.beyond(self.queries, "no votes"))
            return query_weights.of(self.queries, "voted on")
        weight_column = self._weight_column(mapped)
        if weight_column is None:
            return None
        self.weighed_by = str(weight_column)
        weights = self._by_vote(weight_column.values(self._table))
        if not any(weights):
            raise self.wrong(f"{weight_column.name} is 0 in every row", hint="some votes must count")
        return weights

    def _weight_column(self, mapped: Mapping[str, str]) -> WeightColumn | None:
        if "weight" not in mapped:
            return find_weight(self._table, names=NAMES["weight"])
        return find_weight(self._table, mapped["weight"]) if mapped["weight"] else None

    def _times(self) -> list[float] | None:
        name = self._names.get("time")
        if name is None:
            return None
        hint = f"{MOMENT}; if it does not say when the vote was given, leave it out: time=, without a name"
        return [as_moment(self._table, name, row, hint=hint) for row in range(len(self._table))]

    def _votes(
        self, layout: VoteLayout, words: Mapping[str, int]
    ) -> tuple[list[int], list[int | None] | None]:
        candidate = layout.candidate
        if self._counts is not None:
            if candidate is not None:
                raise self.wrong(f"candidate {candidate} changes nothing: counts do not name A and B")
            if words:
                raise self.wrong("words change nothing: counts have none", hint="leave them out")
            return self._counts.votes, None
        cells = self._table.columns[self._names["vote"]]
        name = self._names.get("anchor")
        answers = [] if name is None else self._table.columns[name]
        answered = [(row, cell) for row, cell in enumerate(answers) if not is_blank(cell)]
        meanings = read_words([*enumerate(cells), *answered], self.wrong, candidate=candidate, words=words)
        self._note_reading(layout.reading, meanings, cells)
        votes = [meanings[normal(cell)] for cell in cells]
        if name is None:
            return votes, None
        return votes, [None if is_blank(cell) else meanings[normal(cell)] for cell in answers]

    def _note_reading(
        self, reading: tuple[str, ...], meanings: Mapping[str, int], cells: Sequence[Any]
    ) -> None:
        """What was understood, where votes are no table of good, same and bad."""
        first = {normal(cell): str(cell).strip() for cell in reversed(cells) if not is_blank(cell)}
        words = {
            word: [text for own, text in first.items() if meanings[own] == vote]
            for word, vote in COUNTS.items()
        }
        if any(own not in COUNTS and own not in NUMBERS for own in first):
            understood = ", ".join(
                f"{word} = {' or '.join(sorted(own))}" for word, own in words.items() if own
            )
            reading = (*reading, understood)
        if reading:
            self.notes += (f"read as {'; '.join(reading)}",)

    def _scaled(self, scale: int | None) -> int:
        severities = [abs(vote) for vote in self.severities]
        largest = max(1, *severities)
        if scale is None:
            return largest
        if isinstance(scale, bool) or not isinstance(scale, int) or not 1 <= scale <= 3:
            raise InputError(f"the scale must be 1, 2 or 3, not {scale!r}", hint="it is the largest severity")
        if largest > scale:
            raise self.wrong(
                f"the vote {self.severities[severities.index(largest)]} is beyond the scale of ±{scale}",
                severities.index(largest),
                hint=f"scale {largest}",
            )
        return scale

    def _items(self) -> list[int]:
        """The number of the item that every vote is on, in the order of their first votes."""
        if self.documents is None and self.raters is None:
            return list(range(len(self)))
        documents = self.documents or [""] * len(self)
        numbers: dict[tuple[str, str], int] = {}
        return [numbers.setdefault(key, len(numbers)) for key in zip(self.queries, documents, strict=True)]

    def _check_items(self) -> None:
        self._check_raters()
        for role, column in (("weight", self.weights), ("segment", self.segments), ("anchor", self.anchors)):
            self._check_same(role, column)

    def _check_raters(self) -> None:
        if self.raters is None:
            return
        row_of: dict[tuple[int, str], int] = {}
        for row, key in enumerate(zip(self.items, self.raters, strict=True)):
            if key in row_of:
                on = self.named_item(row)
                raise self.wrong(
                    f"rater {key[1]!r} voted on {on} before, {self.where(row_of[key])}",
                    row,
                    hint="keep one of the two votes"
                    if self.documents
                    else "keep one of the two votes; if they are on two documents, name these in a column",
                )
            row_of[key] = row

    def _check_same(self, role: str, column: Sequence[Any] | None) -> None:
        if column is None:
            return
        first: dict[int, int] = {}
        for row, (item, cell) in enumerate(zip(self.items, column, strict=True)):
            if cell is None:
                continue
            if column[before := first.setdefault(item, row)] != cell:
                raise self.wrong(
                    f"{self.named_item(row)} has the {role} {_in_message(cell)}, "
                    f"but {_in_message(column[before])} {self.where(before)}",
                    row,
                    hint=f"an item has one {role}",
                )

    def named_item(self, row: int) -> str:
        """Names the item of a vote, in words."""
        document = f", document {self.documents[row]!r}" if self.documents else ""
        return f"query {self.queries[row]!r}{document}"


def _in_message(cell: Any) -> str:
    return f"{cell:g}" if isinstance(cell, (int, float)) else repr(cell)


def read_votes(
    source: Votes | Columns | GivenTable,
    *,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    candidate: str | None = None,
    scale: int | str | None = None,
    weights: Any = None,
    weight_by: str | None = None,
    words: Mapping[str, str | Sequence[str]] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Votes:
    """Votes from a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns, a list of records, or a plain
    list of votes, each then on a query of its own. Votes says what the other arguments are.

    `weights` are those of queries, from what read_weights reads, by its column `weight_by`; without weights,
    that is a column of the votes themselves. `encoding` and `decimal` are those of read_table, for the votes.

    >>> read_votes(["good", "same", "bad", "bad"])
    <Votes: 4 votes, 4 queries>
    >>> read_votes({"query": ["q1", "q2"], "G": [3, 0], "S": [1, 1], "B": [0, 2]})
    <Votes: 7 votes, 2 queries>
    >>> read_votes(["1", "2", "3"], words={"good": "1", "same": "2", "bad": "3"}).values
    [1, 0, -1]
    """
    if isinstance(source, Votes):
        if columns or any(entry is not None for entry in (candidate, scale, weights, weight_by, words)):
            raise InputError(
                "options for reading votes were given, but these votes are read already",
                hint="give columns, words, candidate, scale and weights to read_votes",
            )
        return source
    if (
        isinstance(source, (list, tuple))
        and source
        and all(isinstance(entry, (str, int, float)) for entry in source)
    ):
        source = Columns({"query": list(range(1, len(source) + 1)), "vote": list(source)})
    if weight_by is not None and weights is None:
        if columns and "weight" in columns:
            raise InputError("the column of weights is named twice", hint="as weight_by, or among columns")
        columns = {**(columns or {}), "weight": weight_by}
    votes = Votes(
        read_table(source, format=format, encoding=encoding, decimal=decimal).of("votes"),
        columns=columns,
        candidate=candidate,
        scale=scale,
        weights=None if weights is None else read_weights(weights, column=weight_by),
        words=words,
    )
    if scale is None and not words:
        _refuse_codes(votes)
    return votes


def _refuse_codes(votes: Votes) -> None:
    """Numbers of which none is below 0 and some above 1 are codes or a scale, and nobody knows which end is good."""
    least, most = min(votes.severities), max(votes.severities)
    if least >= 0 and most > 1:
        raise votes.wrong(
            f"votes are numbers from {least} to {most}, and none is below 0: which of them are good?",
            hint="for a scale, name its worst and its best vote for the candidate: --scale 1-7 (scale='1-7' in Python); for codes, "
            "say what each means: --words good=…,same=…,bad=… (words=); for a severity, its largest: --scale 3 (scale=3)",
        )
