"""The columns of tables of votes, and their layouts: a row per vote, a column per rater, votes for a side, winners, scales."""

from __future__ import annotations

from idealist.data.column_names import DOCUMENT, GRADE, RANK, SCORE
from idealist.data.columns import Columns, is_blank, quoted
from idealist.data.query_weights import WEIGHT
from idealist.data.vote_words import COUNTS, SIDE_WORDS, SIDES, is_vote, normal
from idealist.errors import InputError
from idealist.votes.pair_votes import LEFT, RIGHT, TIE, outcome_of, pair_columns, refuse_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


# What people call a column, by what we call it.
NAMES = {
    "query": ("query", "query_id", "qid", "topic", "查询", "查询词", "搜索词", "检索词"),
    "document": DOCUMENT,
    "vote": (
        *("vote", "votes", "label", "gsb", "rating", "preference", "judgment", "judgement", "winner"),
        *("评价", "投票", "标注", "评测", "评估结果", "评价结果"),
    ),
    "rater": (
        *("rater", "rater_id", "annotator", "assessor", "judge", "worker", "worker_id"),
        *("评分人", "评价人", "评估人", "评测人", "标注人", "标注员", "评测员", "评估员"),
    ),
    "side": (
        *("side", "candidate_side", "candidate_position", "shown"),
        *("位置", "展示位置", "候选位置", "新版位置", "新系统位置"),
    ),
    "weight": (*WEIGHT, "权重", "流量"),
    "segment": ("segment", "stratum", "slice", "分段", "分组", "分层"),
    "anchor": ("anchor", "expected", "gold", "标准答案", "已知答案"),
    "good": ("good", "g", "好"),
    "same": ("same", "s", "平"),
    "bad": ("bad", "b", "差"),
    "time": (
        *("time", "timestamp", "created_at", "voted_at", "submitted_at", "datetime", "date"),
        *("时间", "评价时间", "投票时间"),
    ),
}
# Names that grades and votes both go by.
EITHER = tuple(name for name in NAMES["vote"] if name in GRADE)
NEEDED = (
    f"votes have the columns query and vote (such as good, same or bad), or counts in {', '.join(COUNTS)}"
)
BY_MEASURE = "`idealist gsb --judgments QRELS A.run B.run` compares two runs by a measure"


def find_vote_columns(table: Columns, mapped: Mapping[str, str], *, worded: bool = False) -> dict[str, str]:
    """The table's name of every column of ours that it has; `worded` says that the meaning of votes is stated.

    A column that is nowhere named as one of votes is never taken for them, nor one that may hold grades.

    >>> from idealist.data.columns import Columns
    >>> find_vote_columns(Columns({"qid": ["q"], "label": ["good"]}), {})
    {'query': 'qid', 'vote': 'label'}
    """
    for role in mapped:
        if role not in NAMES:
            raise InputError(f"votes have no column {role!r}", hint=f"name one of: {', '.join(NAMES)}")
    column_of = {}
    for role, names in NAMES.items():
        if role in mapped:
            if mapped[role]:
                column_of[role] = table.named(mapped[role])
        elif role != "weight" and (name := table.find(*names)) is not None:
            column_of[role] = name
    # A single column of that name may be anything.
    if "vote" not in column_of and sum(word in column_of for word in COUNTS) > 1:
        return column_of
    for role in ("query", "vote"):
        if role in mapped and not mapped[role]:
            raise InputError(f"the column {role} cannot be left out", hint=f"name it: {role}=NAME")
    missing = [role for role in ("query", "vote") if role not in column_of]
    if missing:
        kind = _other_kind(table) if "vote" in missing else ""
        raise table.lacks(missing, NEEDED, remark=f": these look like {kind} ({BY_MEASURE})" if kind else "")
    if "vote" not in mapped and not worded and "side" not in column_of:
        _refuse_grades(table, column_of["vote"])
    return column_of


def holds_grades(table: Columns, name: str) -> bool:
    """Whether a column of a name that grades and votes both go by has numbers alone, and none below 0."""
    return name.lower() in EITHER and all(_is_grade(cell) for cell in table.columns[name])


def _refuse_grades(table: Columns, name: str) -> None:
    if len(table) and holds_grades(table, name):
        raise table.wrong(
            f"the column {name!r} may hold grades as well as votes: all are numbers, and none is below 0",
            hint=f"if they are votes (1 good, 0 same), say so: --columns {quoted(f'vote={name}')}, or columns={{'vote': {name!r}}} in "
            f"Python; if they are grades, {BY_MEASURE}",
        )


def _other_kind(table: Columns) -> str:
    """Describes a table without votes, in words, if that can be told by its columns."""
    if table.find(*DOCUMENT) is None:
        return ""
    if table.find(*GRADE) is not None:
        return "judgments"
    return "" if table.find(*SCORE, "rank") is None else "a run"


def _is_grade(cell: Any) -> bool:
    try:
        return float(cell) >= 0
    except (TypeError, ValueError):
        return False


SCALE_HINT = (
    "such as --scale 1-7 (scale='1-7' in Python), where the last number is the best vote for the candidate"
)
LONGEST_SCALE = 7


class VoteRows(Columns):
    """A row for every vote, in the place of a table of another layout; `rows` are the rows of that table."""

    def __init__(self, columns: Mapping[str, Sequence[Any]], table: Columns, rows: Sequence[int]) -> None:
        super().__init__(columns, source=table.source, decimal=table.decimal, contents=table.contents)
        self._table = table
        self._rows = rows

    def wrong(self, message: str, row: int | None = None, *, hint: str = "", code: str = "") -> InputError:
        return self._table.wrong(message, None if row is None else self._rows[row], hint=hint, code=code)

    def where(self, row: int) -> str:
        return self._table.where(self._rows[row])


class VoteLayout:
    """A table of votes as a row per vote, each from the candidate's side.

    `table` is that table, `columns` says what its columns are called, `candidate` and `scale` are what is left to be
    said of the votes, and `reading` says in words what was understood.

    >>> sheet = Columns({"query": ["q1", "q2"], "ann": ["good", "same"], "ben": ["good", None]})
    >>> layout = VoteLayout(sheet)
    >>> layout.table.columns["rater"], layout.table.columns["vote"], layout.reading
    (['ann', 'ben', 'ann'], ['good', 'good', 'same'], ('a column for each rater: ann, ben',))
    """

    def __init__(
        self,
        table: Columns,
        columns: Mapping[str, str | Sequence[str]] | None = None,
        *,
        candidate: str | None = None,
        scale: int | str | None = None,
        words: Mapping[str, int] | None = None,
    ) -> None:
        self.table = table
        self.candidate = candidate
        self.scale: int | None = None
        self.reading: tuple[str, ...] = ()
        self._words = words or {}
        self.columns = self._one_per_rater(columns or {})
        self._name_the_winner()
        refuse_pairs(self.table)
        self._from_sides()
        self._from_scale(scale)

    def _one_per_rater(self, mapped: Mapping[str, str | Sequence[str]]) -> dict[str, str]:
        """Turns a column per rater into rows; gives the columns that were stated by name, but for those."""
        stated = mapped.get("vote", "")
        names = _listed(self.table, stated)
        plain = {role: name for role, name in mapped.items() if isinstance(name, str)}
        others = self._vote_columns(plain)
        if len(names) == 1:
            if beside := [name for name in others if name != names[0]]:
                self.reading += (
                    f"votes are in the column {names[0]} alone; {', '.join(beside)} may have votes, too: a column for each "
                    f"rater is --columns {quoted('vote=' + '+'.join([names[0], *beside]))}",
                )
            return {**plain, "vote": names[0]}
        if not names:
            if "vote" in mapped or self._has(plain, "vote") or self._has_counts(plain) or len(others) < 2:
                return plain
            self._refuse_numbers(others)
            names = others
        if name := plain["rater"] if "rater" in plain else self.table.find(*NAMES["rater"]):
            raise self.table.wrong(
                f"{', '.join(names)} have a column of votes each, and {name} names the rater",
                hint="votes have a rater in a column of their own, or a column for each rater: leave one of them out, as in "
                "--columns rater= (columns={'rater': ''} in Python)",
            )
        rows = [
            (row, name)
            for row in range(len(self.table))
            for name in names
            if not is_blank(self.table.columns[name][row])
        ]
        kept = {
            name: [cells[row] for row, _ in rows]
            for name, cells in self.table.columns.items()
            if name not in names and name not in ("rater", "vote")
        }
        votes = {
            "rater": [name for _, name in rows],
            "vote": [self.table.columns[name][row] for row, name in rows],
        }
        self.table = VoteRows({**kept, **votes}, self.table, [row for row, _ in rows])
        self.reading += (f"a column for each rater: {', '.join(names)}",)
        return {role: name for role, name in plain.items() if role not in ("vote", "rater")}

    def _vote_columns(self, mapped: Mapping[str, str]) -> list[str]:
        """Columns that have votes and nothing else, and no other meaning."""
        meant = (*NAMES.values(), GRADE, SCORE, RANK, mapped.values())
        known = {name.casefold() for names in meant for name in names}
        return [
            name
            for name, cells in self.table.columns.items()
            if name.casefold() not in known and _holds_votes(cells, self._words)
        ]

    def _refuse_numbers(self, names: Sequence[str]) -> None:
        """Numbers of which none is below 0 may be grades, counts or anything."""
        cells = [cell for name in names for cell in self.table.columns[name] if not is_blank(cell)]
        if not self._words and all(normal(cell).isdecimal() for cell in cells):
            raise self.table.wrong(
                f"the columns {', '.join(names)} have numbers, and none is below 0: votes, grades or counts?",
                hint=f"if each is a rater's votes, say so: --columns {quoted('vote=' + '+'.join(names))}, with --words or --scale; "
                f"if they are counts, name the columns good, same and bad",
            )

    def _has(self, mapped: Mapping[str, str], role: str) -> bool:
        return bool(mapped.get(role)) or self.table.find(*NAMES[role]) is not None

    def _has_counts(self, mapped: Mapping[str, str]) -> bool:
        return sum(self._has(mapped, role) for role in ("good", "same", "bad")) > 1

    def _name_the_winner(self) -> None:
        """Turns rows of two systems, left and right, and the winner into votes on the candidate."""
        names = pair_columns(self.table, self.columns)
        if names is None:
            return
        lefts, rights = self.table.ids(names["left"]), self.table.ids(names["right"])
        systems = sorted({*lefts, *rights})
        if len(systems) != 2:
            return  # pairs of many systems are refused, with what ranks them
        if self.candidate not in systems:
            raise self.table.wrong(
                f"these are votes on two systems, {systems[0]} and {systems[1]}"
                + ("" if self.candidate is None else f", and none of them is {self.candidate}"),
                hint=f"say which one is new: --candidate {quoted(systems[1])} (candidate={systems[1]!r} in Python)",
            )
        votes, sides = [], []
        for row, (left, right) in enumerate(zip(lefts, rights, strict=True)):
            if left == right:
                raise self.table.wrong(
                    f"{left!r} is shown beside itself", row, hint="left and right are two systems"
                )
            on_left = left == self.candidate
            outcome = outcome_of(self.table, names["winner"], row, left, right)
            votes.append(
                "same" if outcome == TIE else "good" if outcome == (LEFT if on_left else RIGHT) else "bad"
            )
            sides.append("left" if on_left else "right")
        kept = {name: cells for name, cells in self.table.columns.items() if name not in names.values()}
        columns = {**kept, "vote": votes, "side": sides}
        other = systems[systems[0] == self.candidate]
        self.table = VoteRows(columns, self.table, range(len(self.table)))
        self.columns = {role: name for role, name in self.columns.items() if role not in ("vote", "side")}
        self.reading += (f"{names['winner']} names the better of {self.candidate} (candidate) and {other}",)
        self.candidate = None

    def _from_sides(self) -> None:
        """Turns votes for the left or the right list into votes on the candidate, by the side that it was on."""
        name = self._vote_name()
        if name is None:
            return
        cells = self.table.columns[name]
        for_a_side = {normal(cell) for cell in cells} & SIDE_WORDS.keys()
        if not for_a_side:
            return
        side = self.columns["side"] if "side" in self.columns else self.table.find(*NAMES["side"])
        if side and for_a_side & self._words.keys():
            raise self.table.wrong(
                f"{side} says on which side the candidate was, and words give {min(for_a_side & self._words.keys())!r} one meaning "
                "for all rows",
                hint="leave the words out, or the column: --columns side= (columns={'side': ''} in Python)",
            )
        for_a_side -= self._words.keys()
        if not for_a_side:
            self.reading += ("votes for a side, and the candidate on the same side each time",)
            return
        if not side:
            raise self.table.wrong(
                f"votes such as {min(for_a_side)!r} say which side was better, and no column says on which side the candidate was",
                hint="name it: --columns side=NAME; if the candidate was on the left each time, --words good=left,bad=right",
            )
        anchor = self.columns.get("anchor") or self.table.find(*NAMES["anchor"])
        changed = {name: cells, **({anchor: self.table.columns[anchor]} if anchor else {})}
        for column, values in changed.items():
            self.table = VoteRows(
                {
                    **self.table.columns,
                    column: [self._on_side(cell, side, row) for row, cell in enumerate(values)],
                },
                self.table,
                range(len(self.table)),
            )
        self.reading += (f"votes for a side, where {side} says on which the candidate was",)

    def _on_side(self, cell: Any, side: str, row: int) -> Any:
        voted = None if is_blank(cell) else SIDE_WORDS.get(normal(cell))
        if voted is None:
            return cell
        shown = SIDES.get(normal(self.table.columns[side][row]))
        if shown is None:
            raise self.table.wrong(
                f"the vote is {cell!r}, and {side} does not say on which side the candidate was",
                row,
                hint="write left or right",
            )
        return "good" if voted == shown else "bad"

    def _from_scale(self, scale: int | str | None) -> None:
        """Turns numbers of a scale, from the worst to the best vote for the candidate, into severities around 0."""
        if scale is None or isinstance(scale, int):
            self.scale = scale
            return
        worst, best = _ends(scale)
        name = self._vote_name()
        if name is None:
            raise self.table.wrong(f"the scale {scale} changes nothing: there are no votes, but counts")
        if self._words:
            raise InputError("both a scale and words say what votes mean", hint="leave one of them out")
        middle, sign = (worst + best) / 2, 1 if best > worst else -1
        votes = []
        for row, cell in enumerate(self.table.columns[name]):
            if is_blank(cell):
                votes.append(cell)  # refused where votes are read
                continue
            number = self.table.number(name, row)
            if number != int(number) or not min(worst, best) <= number <= max(worst, best):
                raise self.table.wrong(
                    f"the vote {cell!r} is not on the scale from {worst} to {best}", row, hint=SCALE_HINT
                )
            steps = sign * (number - middle)
            # Without a middle, as from 1 to 4, the two inner votes are one step from it.
            votes.append(int(steps + (0.5 if steps > 0 else -0.5)) if steps % 1 else int(steps))
        self.table = VoteRows({**self.table.columns, name: votes}, self.table, range(len(self.table)))
        self.columns = {**self.columns, "vote": name}
        self.scale = -(-abs(best - worst) // 2)
        self.reading += (f"a scale from {worst} (worst) to {best} (best for the candidate)",)

    def _vote_name(self) -> str | None:
        if "vote" in self.columns:
            name = self.columns["vote"]
            return name if name in self.table else None
        return self.table.find(*NAMES["vote"])


def _listed(table: Columns, stated: str | Sequence[str]) -> list[str]:
    """The columns that are stated to have votes: one, or several with a plus between them."""
    if not isinstance(stated, str):
        return [table.named(name) for name in stated]
    if not stated:
        return []
    names = [stated] if stated in table or "+" not in stated else stated.split("+")
    return [table.named(name.strip()) for name in names]


def _holds_votes(cells: Sequence[Any], words: Mapping[str, int]) -> bool:
    """Whether at least half of what is filled in are votes: one that is mistyped is found when they are read."""
    filled = [normal(cell) for cell in cells if not is_blank(cell)]
    return bool(filled) and 2 * sum(word in words or is_vote(word) for word in filled) >= len(filled)


def _ends(scale: str) -> tuple[int, int]:
    """The worst and the best vote of a scale in text.

    >>> _ends("1-7"), _ends("5-1")
    ((1, 7), (5, 1))
    """
    worst, _, best = scale.replace("–", "-").partition("-")
    if not (worst.strip().isdecimal() and best.strip().isdecimal()) or worst.strip() == best.strip():
        raise InputError(f"{scale!r} is no scale", hint=SCALE_HINT)
    ends = int(worst), int(best)
    if abs(ends[1] - ends[0]) >= LONGEST_SCALE:
        raise InputError(
            f"the scale {scale} has {abs(ends[1] - ends[0]) + 1} steps, and votes have at most {LONGEST_SCALE}",
            hint="join neighbouring steps",
        )
    return ends
