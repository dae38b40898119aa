"""Which columns of a table of votes are which: by the names that people give them, or as they are stated."""

from __future__ import annotations

from idealist.data.column_names import DOCUMENT, GRADE, SCORE
from idealist.data.columns import quoted
from idealist.data.vote_counts import COUNTS
from idealist.data.weights import WEIGHT
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.data.columns import Columns

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
    """What a table without votes seems to be, in words, if that can be told by its columns."""
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
