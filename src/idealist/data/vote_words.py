"""The words people vote with, what each says of the candidate, and counts of votes."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.base.values import as_count
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from idealist.data.columns import Columns

    # How an error is made that says where a row is: message, row, hint.
    Wrong = Callable[..., InputError]


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


# What a word says: good +1, same 0, bad −1.
WORDS = {
    "good": 1,
    "same": 0,
    "bad": -1,
    "better": 1,
    "equal": 0,
    "worse": -1,
    "win": 1,
    "tie": 0,
    "loss": -1,
    "lose": -1,
    "g": 1,
    "s": 0,
    "好": 1,
    "平": 0,
    "差": -1,
    "更好": 1,
    "持平": 0,
    "更差": -1,
    "优": 1,
    "相当": 0,
    "劣": -1,
    "胜": 1,
    "负": -1,
    "赢": 1,
    "一样": 0,
    "输": -1,
    **dict.fromkeys(("won", "wins", "improved", "较好", "变好", "好一些"), 1),
    **dict.fromkeys(("lost", "loses", "regressed", "较差", "变差", "不如", "差一些"), -1),
    **dict.fromkeys(
        ("both", "both good", "both bad", "neither", "draw", "no preference", "about the same"), 0
    ),
    **dict.fromkeys(
        ("都好", "都差", "都不好", "一样好", "一样差", "差不多", "相同", "平局", "无差异", "无差别"), 0
    ),
}
NUMBERS = {str(severity): severity for severity in range(-3, 4)}
SYSTEMS = {"a": -1, "b": 1}
# "b" is bad beside these letters, and system B beside those words.
LETTERS, NAMED = {"g", "s"}, {"a", "tie"}
KNOWN = (
    "good/same/bad, win/tie/loss, G/S/B, 好/平/差, 更好/持平/更差, 优/相当/劣, 胜/平/负, left/right/same with a column side, A/B/tie, "
    "+1/0/−1 or −3 to +3, and numbers with --scale 1-7; --words good=…,same=…,bad=… (words= in Python) says what others mean"
)
SIDES = {
    "left": "left",
    "l": "left",
    "a": "left",
    "左": "left",
    "左侧": "left",
    "right": "right",
    "r": "right",
    "b": "right",
    "右": "right",
    "右侧": "right",
    "左边": "left",
    "右边": "right",
}
# Votes for the list on one side, whatever system it is of.
SIDE_WORDS = {
    **{word: side for word, side in SIDES.items() if word not in ("a", "b")},
    **dict.fromkeys(("left better", "左好", "左更好", "左边好", "左边更好"), "left"),
    **dict.fromkeys(("right better", "右好", "右更好", "右边好", "右边更好"), "right"),
}
CANDIDATES = ("B", "A")


def normal(word: Any) -> str:
    """A vote as the vocabularies write it: case, spaces, a plus, a typographic minus and ".0" are forgiven."""
    if isinstance(word, bool):
        return repr(word)
    text = str(word).strip().casefold().replace("−", "-")
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number == number and abs(number) <= 3 and number == int(number) else text


def is_vote(word: str) -> bool:
    """Whether a word in its normal form is one that people vote with.

    >>> is_vote("good"), is_vote("左好"), is_vote("lipstick")
    (True, True, False)
    """
    return word in WORDS or word in NUMBERS or word in SYSTEMS or word in SIDE_WORDS


def stated_words(words: Mapping[str, str | Sequence[str]] | None) -> dict[str, int]:
    """The meaning of the user's own words, by their normal form; each of good, same and bad may have several.

    >>> stated_words({"good": "1", "same": "2", "bad": ["3", "4"]})
    {'1': 1, '2': 0, '3': -1, '4': -1}
    """
    if words is None:
        return {}
    if not isinstance(words, Mapping):
        raise InputError(
            f"words must be a mapping from good, same and bad, not {words!r}", hint="such as {'good': 'win'}"
        )
    stated: dict[str, int] = {}
    for meaning, own_words in words.items():
        if meaning not in COUNTS:
            raise InputError(f"words: {meaning!r} is not a vote", hint=f"name one of: {', '.join(COUNTS)}")
        for word in (
            [own_words] if isinstance(own_words, str) or not hasattr(own_words, "__iter__") else own_words
        ):
            plain = normal(word)
            if not plain or stated.get(plain, COUNTS[meaning]) != COUNTS[meaning]:
                why = "is empty" if not plain else "has two meanings"
                raise InputError(f"words: {word!r} {why}", hint="give every word one meaning")
            stated[plain] = COUNTS[meaning]
    return stated


def read_words(
    cells: Iterable[tuple[int, Any]],
    wrong: Wrong,
    *,
    candidate: str | None = None,
    words: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """The meaning of every word of a column, by its normal form; `cells` are its rows and what stands there. The
    `words` of `stated_words` go before those that are known.

    Words of several vocabularies may stand together as long as each can mean but one thing.

    >>> read_words(enumerate(["G", " good", "S"]), InputError)
    {'g': 1, 'good': 1, 's': 0}
    >>> read_words(enumerate(["A", "B", "tie"]), InputError)
    {'a': -1, 'b': 1, 'tie': 0}
    """
    first: dict[str, tuple[int, Any]] = {}
    for row, cell in cells:
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            raise wrong("the vote is empty", row, hint="fill it in, or leave the row out")
        first.setdefault(normal(cell), (row, cell))
    stated = {word: vote for word, vote in (words or {}).items() if word in first}
    if words and not stated:
        raise wrong(f"no vote is {' or '.join(words)}", hint=f"there are {', '.join(list(first)[:6])}")
    first = {word: at for word, at in first.items() if word not in stated}
    meanings: dict[str, int] = {}
    for word, (row, cell) in first.items():
        if word == "b":
            meanings[word] = _meaning_of_b(row, cell, first, candidate, wrong)
        elif word in WORDS or word in NUMBERS or word == "a":
            meanings[word] = {**WORDS, **NUMBERS, **SYSTEMS}[word]
        else:
            raise wrong(f"unknown vote {cell!r}", row, hint=f"known are {KNOWN}")
    _check_severities(first, stated, wrong)
    return {**_from_side_of(candidate, meanings, wrong), **stated}


def _meaning_of_b(
    row: int, cell: Any, first: dict[str, tuple[int, Any]], candidate: str | None, wrong: Wrong
) -> int:
    letter, system = bool(LETTERS & first.keys()), bool(NAMED & first.keys() or candidate)
    if letter != system:
        return -1 if letter else SYSTEMS["b"]
    other_votes = [str(other) for word, (_, other) in first.items() if word != "b"]
    beside_text = f" beside {', '.join(other_votes[:3])}" if other_votes else ""
    raise wrong(
        f"the vote {cell!r}{beside_text} may mean bad, or system B",
        row,
        hint="use one vocabulary, good/same/bad or A/B/tie; or name the candidate, A or B",
    )


def _check_severities(first: dict[str, tuple[int, Any]], stated: Mapping[str, int], wrong: Wrong) -> None:
    severe = next((word for word in first if abs(NUMBERS.get(word, 0)) > 1), None)
    if severe is not None and stated:
        raise wrong(
            f"the vote {first[severe][1]!r} stands among the words {', '.join(stated)}: what does it mean?",
            first[severe][0],
            hint="state a meaning for every vote",
        )
    word = next((at for name, at in first.items() if name not in NUMBERS), None)
    if severe is not None and word is not None:
        raise wrong(
            f"the vote {word[1]!r} stands among votes such as {severe}: how severe is it?",
            word[0],
            hint="write all votes as numbers, or none",
        )


def _from_side_of(candidate: str | None, meanings: dict[str, int], wrong: Wrong) -> dict[str, int]:
    if candidate is None:
        return meanings
    if candidate not in CANDIDATES:
        raise InputError(
            f"the candidate must be A or B, not {candidate!r}", hint="it is the new one of the two systems"
        )
    if not SYSTEMS.keys() & meanings.keys():
        raise wrong(
            f"candidate {candidate} changes nothing: the votes do not name A and B",
            hint="good is good for the candidate, whatever its name",
        )
    sign = 1 if candidate == "B" else -1
    return {word: sign * vote if word in SYSTEMS else vote for word, vote in meanings.items()}
