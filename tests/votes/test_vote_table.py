"""Votes: which words are known, what makes an item, and what is refused."""

from __future__ import annotations

import pytest

from idealist.data.columns import Columns
from idealist.errors import InputError
from idealist.votes.vote_table import Votes

VOCABULARIES = [
    ["good", "same", "bad"],
    ["Good ", " SAME", "Bad"],
    ["better", "equal", "worse"],
    ["win", "tie", "loss"],
    ["G", "S", "B"],
    ["g", "s", "b"],
    ["+1", "0", "-1"],
    ["1", "0", "−1"],
    [1, 0, -1],
    [1.0, 0.0, -1.0],
    ["B", "tie", "A"],
    ["b", "same", "a"],
    ["好", "平", "差"],
    ["good", "s", "差"],
]


def votes_of(**columns: list[object]) -> Votes:
    settings = {name: columns.pop(name) for name in ("candidate", "scale") if name in columns}
    n = len(next(iter(columns.values())))
    columns.setdefault("query", list(range(n)))
    return Votes(Columns(columns), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("words", VOCABULARIES, ids=str)
def test_every_vocabulary_says_good_same_bad(words: list[object]) -> None:
    assert votes_of(vote=words).values == [1, 0, -1]


def test_the_candidate_may_be_a() -> None:
    assert votes_of(vote=["A", "B", "tie"], candidate="A").values == [1, -1, 0]  # type: ignore[arg-type]
    assert votes_of(vote=["B", "B"], candidate="B").values == [1, 1]  # type: ignore[arg-type]


def test_severities_keep_their_size() -> None:
    votes = votes_of(vote=["-3", "2", "0"])
    assert votes.severities == [-3, 2, 0]
    assert votes.values == [-1, 1, 0]
    assert votes.scale == 3
    assert votes_of(vote=[2, 0]).scale == 2
    assert votes_of(vote=[2, 0], scale=3).scale == 3  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["good", "great"], r"row 2: unknown vote 'great'\nhint: known are good/same/bad, .*A/B/tie"),
        (["B", "B"], "row 1: the vote 'B' may mean bad, or system B"),
        (["A", "G", "B"], "row 3: the vote 'B' beside A, G may mean bad, or system B"),
        (["B", "same"], "the vote 'B' beside same may mean bad, or system B"),
        (["3", "good"], "row 2: the vote 'good' stands among votes such as 3"),
        (["good", ""], "row 2: the vote is empty"),
        (["good", None], "row 2: the vote is empty"),
        ([1, 4], "row 2: unknown vote 4"),
        ([1, 0.5], "row 2: unknown vote 0.5"),
        ([1, float("nan")], "row 2: unknown vote nan"),
        ([1, True], "row 2: unknown vote True"),
    ],
)
def test_words_that_cannot_be_read(words: list[object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        votes_of(vote=words)


def test_a_candidate_that_votes_do_not_name() -> None:
    with pytest.raises(InputError, match="candidate A changes nothing"):
        votes_of(vote=["good"], candidate="A")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the candidate must be A or B, not 'C'"):
        votes_of(vote=["A"], candidate="C")  # type: ignore[arg-type]


def test_what_an_item_is() -> None:
    assert votes_of(vote=[1, 1, 1], query=["q", "q", "r"]).items == [0, 1, 2]
    assert votes_of(vote=[1, 1, 1], query=["q", "q", "r"], rater=["x", "y", "x"]).items == [0, 0, 1]
    assert votes_of(vote=[1, 1, 1], query=["q", "q", "q"], document=["d", "e", "d"]).items == [0, 1, 0]


def test_sides_have_several_names_or_none() -> None:
    votes = votes_of(vote=[1] * 7, side=["left", "R", "l", "A", "B", "", None])
    assert votes.sides == ["left", "right", "left", "left", "right", "", ""]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"side": ["left", "up"]}, "row 2: unknown side 'up'"),
        ({"weight": [1, -1]}, "row 2: weight must be 0 or more, not -1"),
        ({"weight": [1, float("nan")]}, "row 2: weight is nan"),
        ({"weight": ["1", "nan"]}, "row 2: weight is nan"),
        ({"weight": [0, 0]}, "weight is 0 in every row"),
        ({"segment": ["x", ""]}, "row 2: segment is empty"),
        ({"anchor": ["", "perhaps"]}, "row 2: unknown vote 'perhaps'"),
    ],
)
def test_other_columns_that_cannot_be_right(columns: dict[str, list[object]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        votes_of(vote=["good", "bad"], **columns)


def test_one_rater_votes_once_on_an_item() -> None:
    with pytest.raises(InputError, match="row 3: rater 'ann' voted on query 'q' before, in row 1") as caught:
        votes_of(query=["q", "q", "q"], vote=[1, 1, 0], rater=["ann", "ben", "ann"])
    assert "if they are on two documents" in caught.value.hint
    with pytest.raises(InputError, match="voted on query 'q', document 'd' before"):
        votes_of(query=["q", "q"], document=["d", "d"], vote=[1, 0], rater=["ann", "ann"])


@pytest.mark.parametrize("column", ["weight", "segment", "anchor"])
def test_an_item_has_one_of_each(column: str) -> None:
    cells: dict[str, list[object]] = {"weight": [1, 2], "segment": ["x", "y"], "anchor": ["good", "bad"]}
    with pytest.raises(InputError, match=f"row 2: query 'q' has the {column} .*, but .* in row 1"):
        votes_of(query=["q", "q"], vote=["good", "bad"], rater=["x", "y"], **{column: cells[column]})


def test_no_votes() -> None:
    with pytest.raises(InputError, match="there are no votes"):
        Votes(Columns({"query": [], "vote": []}))


def test_a_scale_that_is_too_small() -> None:
    with pytest.raises(InputError, match="row 2: the vote -3 is beyond the scale of ±2"):
        votes_of(vote=[1, -3], scale=2)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the scale must be 1, 2 or 3, not 7"):
        votes_of(vote=[1], scale=7)  # type: ignore[arg-type]


@pytest.mark.parametrize("column", ["document", "rater", "segment", "time"])
def test_a_column_that_is_empty_all_over_says_nothing(column: str) -> None:
    table = {"query": ["q", "r"], "vote": ["good", "bad"]}
    votes = Votes(Columns({**table, column: ["", None]}))
    assert (votes.documents, votes.raters, votes.segments, votes.times) == (None, None, None, None)
    assert votes.notes == (f"the column {column} is empty, and left out",)
    with pytest.raises(InputError, match=r"empty|not a time"):
        Votes(Columns({**table, column: ["", None]}), columns={column: column})
