"""Counts of votes: how many are good, same and bad, by query or all together."""

from __future__ import annotations

from idealist.data.values import as_count
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.data.columns import Columns

WHOLE = "counts are whole numbers, 0 or more"
COUNTS = {"good": 1, "same": 0, "bad": -1}
# Counts are written out, a vote each: this many take about a gigabyte.
MOST = 2_000_000


class VoteCounts:
    """The votes that a table of counts stands for, written out: the row of the table, and the vote, of each."""

    def __init__(self, table: Columns, names: Mapping[str, str]) -> None:
        columns = {vote: _whole(table, names[word]) for word, vote in COUNTS.items()}
        total = sum(map(sum, columns.values()))
        count_columns = ", ".join(names[word] for word in COUNTS)
        if not total:
            raise table.wrong(
                f"{count_columns} are all 0: there are no votes", hint="count at least one vote"
            )
        if total > MOST:
            raise table.wrong(
                f"{count_columns} add up to {total:,} votes, and {MOST:,} can be counted", hint="count fewer"
            )
        self.rows: list[int] = []
        self.votes: list[int] = []
        for row in range(len(table)):
            for vote, column in columns.items():
                self.rows += [row] * column[row]
                self.votes += [vote] * column[row]


def find_counts(table: Columns, column_of: Mapping[str, str]) -> bool:
    """Whether a table has counts in the place of votes, by the columns that were found in it. Both are an error,
    and so is a part of the counts where there are no votes."""
    counted_words = [word for word in COUNTS if word in column_of]
    if "vote" in column_of:
        if len(counted_words) == len(COUNTS):
            raise table.wrong(
                f"there are votes, in {column_of['vote']}, and counts, in {_listed(column_of, counted_words)}",
                hint="leave one out, as in --columns vote= (columns={'vote': ''})",
            )
        return False
    if len(counted_words) < len(COUNTS):
        lacking = next(word for word in COUNTS if word not in column_of)
        raise table.wrong(
            f"there are counts in {_listed(column_of, counted_words)}, and none for {lacking}",
            hint=f"add a column {lacking}, with 0 where there were none",
        )
    if per_vote_column := next((name for name in ("rater", "side", "anchor") if name in column_of), None):
        raise table.wrong(
            f"there are counts, and a column of each vote's {per_vote_column}, {column_of[per_vote_column]}",
            hint=f"leave it out, as in --columns {per_vote_column}= (columns={{'{per_vote_column}': ''}}), or give a row per vote",
        )
    return True


def require_counts(good: object, same: object, bad: object) -> dict[str, list[object]]:
    """The columns of a table with one row of counts; raises unless all three are given."""
    counts = {"good": good, "same": same, "bad": bad}
    lacking = [word for word, count in counts.items() if count is None]
    if lacking:
        raise InputError(
            f"{' and '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} not given",
            hint=f"give all three counts, as in {lacking[0]}=0",
        )
    for word, count in counts.items():
        as_count(count, word, 0)
    return {word: [count] for word, count in counts.items()}


def _listed(column_of: Mapping[str, str], words: list[str]) -> str:
    return ", ".join(column_of[word] for word in words)


def _whole(table: Columns, name: str) -> list[int]:
    counts = table.numbers(name)
    for row, count in enumerate(counts):
        if not _is_count(count):
            raise table.wrong(f"{name} must be a whole number, 0 or more, not {count:g}", row, hint=WHOLE)
    return [int(count) for count in counts]


def _is_count(number: float) -> bool:
    return number >= 0 and number == int(number)
