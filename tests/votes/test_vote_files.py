"""Files of votes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars
import pytest

from idealist.errors import InputError
from idealist.votes.vote_table import read_votes

CSV = "query,rater,vote\nq1,ann,good\nq1,ben,same\nq2,ann,bad\n"


def test_csv_tsv_jsonl_frames_and_records_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text(CSV)
    (tmp_path / "votes.tsv").write_text(CSV.replace(",", "\t"))
    names, *rows = [line.split(",") for line in CSV.split()]
    records = [dict(zip(names, row, strict=True)) for row in rows]
    (tmp_path / "votes.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    sources: list[Any] = [tmp_path / name for name in ("votes.csv", "votes.tsv", "votes.jsonl")]
    for source in [*sources, records, polars.DataFrame(records), {n: [r[n] for r in records] for n in names}]:
        votes = read_votes(source)
        assert votes.values == [1, 0, -1]
        assert votes.raters == ["ann", "ben", "ann"]
        assert votes.items == [0, 0, 1]
    assert read_votes(votes) is votes


def test_columns_by_other_names(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("QID,Annotator,Label,weight\n1,x,G,2\n2,x,S,3\n")
    votes = read_votes(path)
    assert (votes.values, votes.raters, votes.weights) == ([1, 0], ["x", "x"], [2.0, 3.0])
    assert read_votes(path, columns={"weight": ""}).weights is None
    path.write_text("query,who,opinion\n1,x,G\n2,x,S\n")
    votes = read_votes(path, columns={"vote": "opinion", "rater": "who"})
    assert (votes.values, votes.raters) == ([1, 0], ["x", "x"])


@pytest.mark.parametrize("words", ["好 平 差", "更好 持平 更差", "优 相当 劣", "胜 平 负", "赢 一样 输"])
def test_chinese_tables(tmp_path: Path, words: str) -> None:
    good, same, bad = words.split()
    path = tmp_path / "votes.csv"
    path.write_text(
        "查询,文档,评价,评分人,位置,权重,分组,时间\n"
        f"口红,甲,{good},王,左,2,头部,1\n口红,乙,{same},王,右,2,头部,2\n面霜,丙,{bad},李,左,1,长尾,3\n",
        encoding="utf-8",
    )
    votes = read_votes(path)
    assert votes.values == [1, 0, -1]
    assert (votes.queries, votes.documents) == (["口红", "口红", "面霜"], ["甲", "乙", "丙"])
    assert (votes.raters, votes.sides) == (["王", "王", "李"], ["left", "right", "left"])
    assert (votes.weights, votes.weighed_by) == ([2.0, 2.0, 1.0], "column 权重")
    assert (votes.segments, votes.times) == (["头部", "头部", "长尾"], [1.0, 2.0, 3.0])
    assert read_votes({"查询": ["口红"], "好": [3], "平": [1], "差": [2]}).values == [1, 1, 1, 0, -1, -1]


def test_stated_words_go_before_known_ones() -> None:
    words = {"good": "B", "same": ["-", "n/a"], "bad": ["A"]}
    assert read_votes(["A", "B", "-", "N/A", "good"], words=words).values == [-1, 1, 0, 0, 1]
    assert read_votes(["3", "2", "1"], words={"good": "3", "same": "2", "bad": "1"}).severities == [1, 0, -1]
    with pytest.raises(InputError, match="the vote '3' stands among the words 1"):
        read_votes(["1", "3"], words={"good": "1"})
    with pytest.raises(InputError, match="words change nothing: counts have none"):
        read_votes({"good": [1], "same": [1], "bad": [1]}, words={"good": "x"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("query,vote\n", "there are no votes"),
        ("query,opinion\nq,good\n", "there is no column 'vote'\nhint: there are query, opinion"),
        ("vote,document\ngood,d\n", "there is no column 'query'\nhint: there are vote, document"),
        ("query,vote\nq,good\nr,great\n", "line 3: unknown vote 'great'\nhint: known are good/same/bad"),
        ("query,rater,vote\nq,x,good\nq,x,bad\n", "line 3: rater 'x' voted on query 'q' before, on line 2"),
        ("query,vote,weight\nq,good,nan\n", "line 2: weight is nan"),
        ("query,vote,weight\nq,good,-2\n", "line 2: weight must be 0 or more, not -2"),
        ("query,vote\nq,good,1\n", "line 2: expected 2 columns, found 3"),
    ],
)
def test_files_that_cannot_be_read_say_where(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_votes(path)
    assert str(path) in str(caught.value)


def test_a_column_that_is_mapped_to_nothing(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(CSV)
    with pytest.raises(InputError, match="there is no column 'label'\nhint: there are query, rater, vote"):
        read_votes(path, columns={"vote": "label"})
    with pytest.raises(InputError, match="votes have no column 'voter'"):
        read_votes(path, columns={"voter": "rater"})
    with pytest.raises(InputError, match="the column vote cannot be left out"):
        read_votes(path, columns={"vote": ""})
    with pytest.raises(InputError, match="these votes are read already"):
        read_votes(read_votes(path), scale=2)


def test_no_column_is_guessed_to_hold_votes(tmp_path: Path) -> None:
    """The hint has NAME where the user has to say which column is meant."""
    path = tmp_path / "votes.csv"
    for header, missing, option in (
        ("query,verdict", "vote", "vote=NAME"),
        ("term,verdict", "query", "query=NAME,vote=NAME"),
        ("term,vote", "query", "query=NAME"),
    ):
        path.write_text(f"{header}\nq1,good\nq2,bad\n")
        with pytest.raises(InputError, match=f"there is no column '{missing}'") as caught:
            read_votes(path)
        assert caught.value.hint.startswith(
            f"there are {header.replace(',', ', ')}; votes have the columns query and vote"
        )
        assert f"name them: --columns {option}, or" in caught.value.hint
    assert read_votes(path, columns={"query": "term"}).values == [1, -1]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("query,document,score\nq,a,1\n", "a run"), ("qid,docno,relevance\nq,a,1\n", "judgments")],
)
def test_runs_and_judgments_are_not_taken_for_votes(tmp_path: Path, text: str, kind: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(InputError, match="there is no column 'vote'") as caught:
        read_votes(path)
    assert (
        f": these look like {kind} (`idealist gsb --judgments QRELS A.run B.run` compares two runs"
        in caught.value.hint
    )


def test_a_column_that_may_hold_grades_is_not_taken_for_votes(tmp_path: Path) -> None:
    """Grades are called label and rating, too, and are 0 or more; whoever means votes says so."""
    path = tmp_path / "table.csv"
    path.write_text("query,document,Rating\nq,a,1\nq,b,0\n")
    with pytest.raises(InputError, match="the column 'Rating' may hold grades as well as votes") as caught:
        read_votes(path)
    assert "if they are votes (1 good, 0 same), say so: --columns vote=Rating, or" in caught.value.hint
    assert read_votes(path, columns={"vote": "Rating"}).values == [1, 0]
    assert read_votes(path, words={"good": "0", "bad": "1"}).values == [-1, 1]
    for vote_text in ("-1", "good", "same"):  # none of which is a grade
        path.write_text(f"query,label\nq,{vote_text}\n")
        assert len(read_votes(path)) == 1
    path.write_text("query,label,side\nq,1,left\nr,0,right\n")  # grades have no side
    assert read_votes(path).values == [1, 0]


def test_numbers_that_may_be_codes_are_asked_about() -> None:
    """1, 2 and 3 for good, same and bad would otherwise count as three good votes without a word."""
    with pytest.raises(
        InputError, match="numbers from 1 to 3, and none is below 0: which of them are good"
    ) as caught:
        read_votes(["1", "2", "3"])
    assert "--scale 1-7" in caught.value.hint
    assert "--words good=…" in caught.value.hint
    assert read_votes(["1", "2", "-1"]).severities == [1, 2, -1]  # 2 is better by more
    assert read_votes(["1", "0", "1"]).values == [1, 0, 1]
    assert read_votes(["1", "2", "3"], scale=3).severities == [1, 2, 3]
    assert read_votes(["1", "2", "3"], words={"good": "1", "same": "2", "bad": "3"}).values == [1, 0, -1]
