"""Tables of votes as people have them: whatever the layout, each vote is read once and from the candidate's side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from idealist.errors import InputError
from idealist.votes.vote_table import read_votes


def votes_of(table: Any, **options: Any) -> list[tuple[Any, ...]]:
    """Query, rater, vote and side of every vote."""
    votes = read_votes(table, **options)
    raters = votes.raters or [""] * len(votes)
    return list(zip(votes.queries, raters, votes.severities, votes.sides or [""] * len(votes), strict=True))


def test_a_column_for_each_rater(tmp_path: Path) -> None:
    """An empty cell is no vote; what has no votes in it is no rater."""
    path = tmp_path / "votes.csv"
    path.write_text("查询,张三,李四,王五,备注\n口红,好,好,平,快\n香水,差,,好,\n", encoding="utf-8")
    assert votes_of(path) == [
        ("口红", "张三", 1, ""),
        ("口红", "李四", 1, ""),
        ("口红", "王五", 0, ""),
        ("香水", "张三", -1, ""),
        ("香水", "王五", 1, ""),
    ]
    (note,) = read_votes(path).notes
    assert note == "read as a column for each rater: 张三, 李四, 王五; good = 好, same = 平, bad = 差"


def test_an_error_in_a_wide_table_names_its_own_line(tmp_path: Path) -> None:
    """A mistyped vote does not make a rater's column a column of something else."""
    path = tmp_path / "votes.csv"
    path.write_text("query,ann,ben\nq1,good,bad\nq2,good,maybe\n")
    with pytest.raises(InputError, match=r"votes\.csv, line 3: unknown vote 'maybe'"):
        read_votes(path)


def test_a_wide_table_of_numbers_is_asked_about() -> None:
    """They may be votes, grades or counts; whoever says that they are votes is believed."""
    table = {"query": ["q1", "q2"], "ann": [1, 0], "ben": [1, 1]}
    with pytest.raises(InputError, match="ann, ben have numbers, and none is below 0") as caught:
        read_votes(table)
    assert "--columns vote=ann+ben" in caught.value.hint
    for stated in ("ann+ben", ["ann", "ben"]):
        assert [vote for *_, vote, _ in votes_of(table, columns={"vote": stated})] == [1, 1, 0, 1]
    table["ben"] = [-1, 1]  # neither grades nor counts are below 0
    assert [vote for *_, vote, _ in votes_of(table)] == [1, -1, 0, 1]


def test_one_column_of_several_with_votes_is_said() -> None:
    """Named alone it is read alone, and the others are not dropped without a word."""
    table = {"query": ["q1"], "ann": ["good"], "ben": ["bad"]}
    votes = read_votes(table, columns={"vote": "ann"})
    assert votes.values == [1]
    assert "ben may have votes, too" in votes.notes[0]
    assert "--columns vote=ann+ben" in votes.notes[0]


def test_raters_in_columns_and_in_a_column() -> None:
    table = {"query": ["q1"], "rater": ["x"], "ann": ["good"], "ben": ["bad"]}
    with pytest.raises(
        InputError, match="ann, ben have a column of votes each, and rater names the rater"
    ) as caught:
        read_votes(table)
    assert "columns={'rater': ''}" in caught.value.hint
    assert [vote[:3] for vote in votes_of(table, columns={"rater": ""})] == [
        ("q1", "ann", 1),
        ("q1", "ben", -1),
    ]


def test_grades_and_ranks_are_nobodys_votes() -> None:
    """Small numbers in columns that have another meaning by their name."""
    table = {"query": ["q1", "q2"], "document": ["a", "b"], "grade": [1, 0], "rank": [1, 2]}
    with pytest.raises(InputError, match="there is no column 'vote'") as caught:
        read_votes(table)
    assert "these look like judgments" in caught.value.hint


def test_votes_for_a_side_are_for_who_stood_there() -> None:
    table = {
        "query": ["q1", "q2", "q3", "q4"],
        "vote": ["left", "right", "左好", "same"],
        "side": ["left", "left", "右", "right"],
    }
    assert [vote for *_, vote, _ in votes_of(table)] == [1, -1, -1, 0]
    del table["side"]
    with pytest.raises(InputError, match="no column says on which side the candidate was") as caught:
        read_votes(table)
    assert "--columns side=NAME" in caught.value.hint
    fixed = {"good": ["left", "左好"], "bad": "right", "same": "same"}  # the candidate on the left each time
    assert read_votes(table, words=fixed).values == [1, -1, 1, 0]


def test_a_known_answer_is_turned_by_its_side_as_its_votes_are() -> None:
    table = {
        "query": ["q1", "q2"],
        "vote": ["left", "left"],
        "side": ["left", "right"],
        "expected": ["right", None],
    }
    votes = read_votes(table)
    assert (votes.values, votes.anchors) == ([1, -1], [-1, None])


def test_a_vote_for_a_side_needs_one(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("query,vote,side\nq1,left,right\nq2,left,\n")
    with pytest.raises(InputError, match=r"votes\.csv, line 3: the vote is 'left', and side does not say"):
        read_votes(path)


def test_words_for_sides_beside_a_column_of_sides_contradict_it() -> None:
    table = {"query": ["q1"], "vote": ["left"], "side": ["right"]}
    with pytest.raises(InputError, match="words give 'left' one meaning for all rows"):
        read_votes(table, words={"good": "left"})
    assert read_votes(table, words={"good": "left"}, columns={"side": ""}).values == [1]


def test_rows_of_two_systems_and_the_winner() -> None:
    """The winner by its name or by its side; the candidate's side is known, for the guard of sides."""
    table = {
        "query": ["q1", "q2", "q3", "q4"],
        "left": ["old", "new", "old", "new"],
        "right": ["new", "old", "new", "old"],
        "winner": ["new", "left", "tie", "old"],
    }
    assert votes_of(table, candidate="new") == [
        ("q1", "", 1, "right"),
        ("q2", "", 1, "left"),
        ("q3", "", 0, "right"),
        ("q4", "", -1, "left"),
    ]
    assert [vote for *_, vote, _ in votes_of(table, candidate="old")] == [-1, -1, 0, 1]
    with pytest.raises(InputError, match="votes on two systems, new and old") as caught:
        read_votes(table)
    assert "--candidate old" in caught.value.hint
    with pytest.raises(InputError, match="none of them is newer"):
        read_votes(table, candidate="newer")


def test_the_same_side_each_time_is_two_systems_too() -> None:
    table = {
        "query": ["q1", "q2"],
        "left": ["old", "old"],
        "right": ["new", "new"],
        "winner": ["right", "left"],
    }
    assert [vote for *_, vote, _ in votes_of(table, candidate="new")] == [1, -1]


@pytest.mark.parametrize(
    ("scale", "votes", "expected"),
    [
        ("1-7", [1, 4, 7, 5], [-3, 0, 3, 1]),
        ("7-1", [1, 4, 7, 5], [3, 0, -3, -1]),
        ("1-5", ["5", "3", "2", "1"], [2, 0, -1, -2]),
        ("1-4", [1, 2, 3, 4], [-2, -1, 1, 2]),  # without a middle
        ("0-2", [0, 1, 2, 2], [-1, 0, 1, 1]),
    ],
)
def test_scales(scale: str, votes: list[Any], expected: list[int]) -> None:
    read = read_votes(votes, scale=scale)
    assert (read.severities, read.scale) == (expected, max(map(abs, expected)))


def test_what_is_no_scale_or_not_on_it() -> None:
    with pytest.raises(InputError, match="the vote 8 is not on the scale from 1 to 7"):
        read_votes([1, 8], scale="1-7")
    with pytest.raises(InputError, match="'high' is no scale"):
        read_votes([1, 2], scale="high")
    with pytest.raises(InputError, match="has 101 steps"):
        read_votes([1, 2], scale="0-100")
    with pytest.raises(InputError, match="both a scale and words"):
        read_votes([1, 2], scale="1-7", words={"good": "1"})
