"""Rows without a header: MS MARCO runs and MovieLens ratings."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.plain_trec import write

from idealist import InputError, read_judgments, read_run

RATED = {"1": {"1193": 5.0, "661": 3.5}, "2": {"1193": 4.0}}
ROWS = [("1", "1193", "5", "978300760"), ("1", "661", "3.5", "978302109"), ("2", "1193", "4", "978298413")]


@pytest.mark.parametrize(
    ("delimiter", "header"), [("::", ""), ("\t", ""), (",", "userId,movieId,rating,timestamp\n")]
)
def test_movielens(tmp_path: Path, delimiter: str, header: str) -> None:
    text = header + "".join(delimiter.join(row) + "\n" for row in ROWS)
    path = write(tmp_path / "ratings", text.encode())
    assert read_judgments(path).to_dict() == RATED
    assert read_judgments(path, format="movielens").to_dict() == RATED
    with pytest.raises(InputError, match=r"MovieLens ratings: judgments, not a run"):
        read_run(path)


def test_ratings_as_scores_where_it_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", b"userId,movieId,rating,timestamp\n1,2,3.5,978300760\n")
    assert read_run(path, columns={"score": "rating"}).to_dict() == {"1": {"2": 3.5}}


@pytest.mark.parametrize("delimiter", ["\t", " "])
def test_msmarco(tmp_path: Path, delimiter: str) -> None:
    rows = [("1048585", "7187158", "1"), ("1048585", "7187157", "2"), ("2", "9", "1")]
    path = write(tmp_path / "run.tsv", "".join(delimiter.join(row) + "\n" for row in rows).encode())
    run = read_run(path)
    assert run.to_dict() == {"1048585": {"7187158": -1.0, "7187157": -2.0}, "2": {"9": -1.0}}
    assert run.ranking("1048585") == ["7187158", "7187157"]


def test_bad_rows(tmp_path: Path) -> None:
    text = b"1\t5\t1\n1\t6\t2\n" * 1
    with pytest.raises(InputError, match=r"line 3"):
        read_run(write(tmp_path / "x", text + b"1\t7\n"), format="msmarco")
    with pytest.raises(InputError, match=r"line 3: .*appears twice"):
        read_run(write(tmp_path / "x", text + b"1\t5\t3\n"))
