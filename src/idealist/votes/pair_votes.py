"""Votes on pairs of several systems: which of the two that were shown side by side was better."""

from __future__ import annotations

from idealist.base.wording import count_of, count_queries
from idealist.data.column_names import QUERY
from idealist.data.tables import read_table
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.data.columns import Columns
    from idealist.types import GivenTable


# What people call a column, by what we call it.
NAMES = {
    "query": (*QUERY, "question_id", "prompt", "查询"),
    "left": ("left", "left_system", "system_a", "model_a", "first"),
    "right": ("right", "right_system", "system_b", "model_b", "second"),
    "winner": ("winner", "vote", "preferred", "preference", "label"),
}
LEFT, TIE, RIGHT = 0, 1, 2
WORDS = {
    **dict.fromkeys(("left", "l", "a", "system_a", "model_a", "first"), LEFT),
    **dict.fromkeys(("right", "r", "b", "system_b", "model_b", "second"), RIGHT),
    **dict.fromkeys(
        ("tie", "same", "equal", "draw", "both", "neither", "tie (bothbad)", "平", "平局", "一样"), TIE
    ),
    **dict.fromkeys(("左", "左侧", "左边"), LEFT),
    **dict.fromkeys(("右", "右侧", "右边"), RIGHT),
}
NEEDED = "votes on pairs have the columns query, left, right and winner"
HINT = "left, right or tie; a, b or tie; or the name of the system that won"


class PairVotes:
    """Rows of query, left, right (two systems) and winner: left, right or tie, or the name of the winner.

    `outcomes` are 0 where the left system won, 1 for a tie and 2 where the right one won; `lefts`, `rights` and
    `query_numbers` are numbers of `systems` and of `queries`. `columns` maps our names to those of the table.

    >>> from idealist.data.columns import Columns
    >>> table = {"query": ["q1", "q2"], "left": ["x", "y"], "right": ["y", "z"], "winner": ["y", "tie"]}
    >>> votes = PairVotes(Columns(table))
    >>> votes, votes.outcomes
    (<PairVotes: 2 votes, 3 systems, 2 queries>, [2, 1])
    """

    def __init__(self, table: Columns, *, columns: Mapping[str, str] | None = None) -> None:
        names = _find_columns(table, columns or {})
        if not len(table):
            raise table.wrong(
                "there are no votes", hint="a row for every vote, below the names of the columns"
            )
        lefts, rights = table.ids(names["left"]), table.ids(names["right"])
        queries = table.ids(names["query"])
        systems: dict[str, int] = {}
        query_numbers: dict[str, int] = {}
        self.lefts = [systems.setdefault(name, len(systems)) for name in lefts]
        self.rights = [systems.setdefault(name, len(systems)) for name in rights]
        self.query_numbers = [query_numbers.setdefault(name, len(query_numbers)) for name in queries]
        self.systems, self.queries = list(systems), list(query_numbers)
        self.outcomes: list[int] = []
        for row, (left, right) in enumerate(zip(lefts, rights, strict=True)):
            if left == right:
                raise table.wrong(
                    f"{left!r} is shown beside itself", row, hint="left and right are two systems"
                )
            self.outcomes.append(outcome_of(table, names["winner"], row, left, right))
        self.source = table.source

    def __len__(self) -> int:
        return len(self.outcomes)

    def __repr__(self) -> str:
        systems = count_of(len(self.systems), "system")
        return f"<PairVotes: {count_of(len(self), 'vote')}, {systems}, {count_queries(len(self.queries))}>"


def refuse_pairs(table: Columns) -> None:
    """Raises for votes on pairs where votes on one candidate are expected: a system stands on both sides, so that a vote
    for the left one is not always for the same."""
    left, right = table.find(*NAMES["left"]), table.find(*NAMES["right"])
    if left is None or right is None:
        return
    systems = table.texts(left), table.texts(right)
    on_both = {name for name in systems[0] if name} & set(systems[1])
    if on_both:
        raise table.wrong(
            f"these are votes on pairs of {len({*systems[0], *systems[1]} - {''})} systems: {min(on_both)!r} stands in the "
            f"columns {left} and {right}",
            hint="`idealist rank-systems` (rank_systems in Python) ranks systems by such votes; for gsb, write good, same or "
            "bad from the side of one candidate",
        )


def _find_columns(table: Columns, mapped: Mapping[str, str]) -> dict[str, str]:
    for role in mapped:
        if role not in NAMES:
            raise InputError(
                f"votes on pairs have no column {role!r}", hint=f"name one of: {', '.join(NAMES)}"
            )
    found = {
        role: table.named(mapped[role]) if role in mapped else table.find(*names)
        for role, names in NAMES.items()
    }
    missing = [role for role, name in found.items() if name is None]
    if missing:
        raise table.lacks(missing, NEEDED)
    return {role: name for role, name in found.items() if name is not None}


def pair_columns(table: Columns, mapped: Mapping[str, str]) -> dict[str, str] | None:
    """The columns of the left and the right system and of the winner, if a table has them; `mapped` may name the last, as
    the vote."""
    left, right = table.find(*NAMES["left"]), table.find(*NAMES["right"])
    winner = mapped.get("vote") or table.find(*NAMES["winner"])
    if left is None or right is None or winner is None or winner not in table:
        return None
    systems = {text.strip().casefold() for text in (*table.texts(left), *table.texts(right))}
    winners = {text.strip().casefold() for text in table.texts(winner)} - {""}
    return {"left": left, "right": right, "winner": winner} if winners <= systems | WORDS.keys() else None


def outcome_of(table: Columns, name: str, row: int, left: str, right: str) -> int:
    """Whether the left or the right system won, or none, by what stands in a row."""
    cell = table.columns[name][row]
    text = "" if cell is None else str(cell).strip()
    if not text:
        raise table.wrong(f"{name} is empty", row, hint="fill it in, or leave the row out")
    by_name = {left: LEFT, right: RIGHT}.get(text)
    by_word = WORDS.get(text.casefold())
    if by_name is not None and by_word is not None and by_name != by_word:
        raise table.wrong(
            f"{name} is {text!r}, which is a word for the {('left', 'tie', 'right')[by_word]} one and the name of "
            f"the {('left', 'tie', 'right')[by_name]} one",
            row,
            hint="write left, right or tie, or rename the systems",
        )
    outcome = by_word if by_name is None else by_name
    if outcome is None:
        raise table.wrong(f"{name} is {text!r}, neither {left!r} nor {right!r} nor a tie", row, hint=HINT)
    return outcome


def read_pair_votes(
    source: PairVotes | GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
) -> PairVotes:
    """Votes on pairs of systems from a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns or a list of
    records. PairVotes says what its columns are, `columns` how they are called here; `format` and `encoding` are
    those of read_table.

    >>> read_pair_votes({"query": ["q"], "model_a": ["x"], "model_b": ["y"], "winner": ["model_a"]})
    <PairVotes: 1 vote, 2 systems, 1 query>
    """
    if isinstance(source, PairVotes):
        return source
    return PairVotes(read_table(source, format=format, encoding=encoding).of("votes"), columns=columns)
