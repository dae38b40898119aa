"""What is given is kept as it is, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idealist as il
from idealist import cli

ODD = 2**53 + 1  # the first whole number that a float does not hold


def misaligned(numbers: Any) -> Any:
    """The same numbers one byte off the places that their type wants."""
    plain = np.ascontiguousarray(numbers)
    raw = np.zeros(plain.nbytes + 1, np.uint8)
    raw[1:] = np.frombuffer(plain.tobytes(), np.uint8)
    return raw[1:].view(plain.dtype).reshape(plain.shape)


@pytest.mark.parametrize("kind", ["f8", "f4", "i8", "i4"])
def test_misaligned_arrays_are_copied_first(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from idealist.data import rankings

    scores, grades = np.array([[3, 1, 2]], "f8"), np.array([[0, 1, 2]], kind)
    assert not misaligned(grades).flags.aligned
    assert rankings._matrix(misaligned(grades), "grades").flags.aligned
    expected = il.Rankings.from_arrays(grades, scores)
    assert il.Rankings.from_arrays(misaligned(grades), misaligned(scores)) == expected


def test_arrays_of_another_byte_order_are_read_as_numbers() -> None:
    scores, grades = np.array([[3, 1, 2]], ">f8"), np.array([[0, 1, 2]], ">i4")
    expected = il.Rankings.from_arrays(grades.tolist(), scores.tolist())
    assert il.Rankings.from_arrays(grades, scores) == expected


def test_sets_with_grades_are_no_sets() -> None:
    """{"a": 0} would have made a relevant."""
    with pytest.raises(il.InputError, match="found a mapping"):
        il.Judgments.from_sets({"q": {"a": 0, "b": 2}})


@pytest.mark.parametrize(
    "make",
    [
        lambda: il.Run({"q": {"a": ODD - 1, "b": ODD}}),
        lambda: il.evaluate({"q": {"b": 1}}, {"q": {"a": ODD - 1, "b": ODD}}, "RR"),
        lambda: il.Run.from_matrix(np.array([[ODD - 1, ODD]])),
        lambda: il.Run.from_matrix(np.array([[ODD - 1, 2**64 - 1]], np.uint64)),
        lambda: il.Rankings.from_arrays(np.array([[0, 1]]), np.array([[ODD - 1, ODD]])),
    ],
)
def test_whole_scores_that_would_become_ties_are_refused(make: Any) -> None:
    with pytest.raises(il.InputError, match="more digits than a float holds"):
        make()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_whole_scores_of_frames_that_would_become_ties_are_refused(library: str) -> None:
    pytest.importorskip(library)
    from idealist.data.collection import frame_of

    def frame(scores: list[int]) -> Any:
        return frame_of({"query": ["q", "q"], "document": ["a", "b"], "score": scores}, library)

    for bad in (ODD, -ODD, 2**62 + 1):
        with pytest.raises(il.InputError, match=f"row 2: the score is {bad}, more digits than a float holds"):
            il.Run(frame([1, bad]))
    assert il.Run(frame([2**53, -(2**62)]))["q"] == {"a": 2.0**53, "b": -(2.0**62)}


def test_large_whole_scores_that_floats_hold_are_taken() -> None:
    scores = {"a": 2**53, "b": 2**53 + 2, "c": -(2**70)}
    assert il.Run({"q": scores})["q"] == {"a": 2.0**53, "b": 2.0**53 + 2, "c": -(2.0**70)}


def test_periods_are_no_ids() -> None:
    """Arrow has a number for each month: 600 for January 2020."""
    pandas = pytest.importorskip("pandas")
    months = pandas.period_range("2020-01", periods=2, freq="M")
    frame = pandas.DataFrame({"query": months, "document": ["a", "b"], "score": [1.0, 2.0]})
    with pytest.raises(il.InputError, match="the column 'query' holds periods"):
        il.Run(frame)
    assert list(il.Run(frame.assign(query=frame["query"].astype(str)))) == ["2020-01", "2020-02"]
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(il.InputError, match="the column 'query' holds periods"):
        il.Run(pyarrow.table(frame))


def test_what_pandas_and_scipy_say_in_words_of_their_own() -> None:
    pandas = pytest.importorskip("pandas")
    twice = pandas.DataFrame([["q", "a", 1.0, 2.0]], columns=["query", "document", "score", "score"])
    with pytest.raises(il.InputError, match="two columns are called 'score'"):
        il.Run(twice)
    sparse = pandas.arrays.SparseArray([1.0])
    with pytest.raises(il.InputError, match="the column 'score' is sparse"):
        il.Run(pandas.DataFrame({"query": ["q"], "document": ["a"], "score": sparse}))
    from scipy.sparse import csr_matrix

    for make in (il.Run.from_matrix, lambda cells: il.Rankings.from_arrays(np.eye(3), cells)):
        with pytest.raises(il.InputError, match="scores are a sparse matrix"):
            make(csr_matrix(np.eye(3)))


@pytest.mark.parametrize("ending", ["run", "csv", "tsv", "json", "jsonl"])
def test_empty_ids_are_not_written_where_they_cannot_be_read(ending: str, tmp_path: Path) -> None:
    for queries in ({"q": {"": 1.0}}, {"": {"d": 1.0}}):
        with pytest.raises(il.InputError, match="empty"):
            il.write_run(il.Run(queries), tmp_path / f"x.{ending}")
    assert not list(tmp_path.iterdir())


TEXTS = {
    "x.run": "q Q0 a 1 1 t\nq Q0 b 1 {} t\n",
    "x.csv": "query,document,score\nq,a,1\nq,b,{}\n",
    "x.tsv": "query\tdocument\trank\nq\ta\t1\nq\tb\t{}\n",
    "systems.csv": "system,query,document,score\ns,q,a,1\ns,q,b,{}\n",
    "x.jsonl": '{{"query": "q", "document": "a", "score": 1}}\n{{"query": "q", "document": "b", "score": {}}}\n',
    "list.json": '[{{"query": "q", "document": "b", "score": {}}}]',
    "dict.json": '{{"q": {{"a": 1,\n"b": {}}}}}',
    "x.txt": "{}\n1\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_whole_scores_in_text(name: str, tmp_path: Path) -> None:
    """Refused where a float would make them ties; what a float holds, or has printed, is read."""
    (tmp_path / "rows").write_text("1 qid:q 1:1 #docid = b\n0 qid:q 1:1 #docid = a\n")
    features: dict[str, Any] = {"features": tmp_path / "rows"} if name == "x.txt" else {}
    for good in (2**53, 2**53 + 2, 2**70):
        (tmp_path / name).write_text(TEXTS[name].format(good))
        assert abs(il.read_run(tmp_path / name, **features)["q"]["b"]) == good
    if "rank" not in TEXTS[name]:
        (tmp_path / name).write_text(TEXTS[name].format("9007199254740993.0"))
        assert il.read_run(tmp_path / name, **features)["q"]["b"] == 2.0**53
    for bad in (ODD, 10**25 + 1):
        (tmp_path / name).write_text(TEXTS[name].format(bad))
        with pytest.raises(il.InputError, match=f"{bad}, more digits than a float holds") as caught:
            il.read_run(tmp_path / name, **features)
        assert "2**53" in str(caught.value)
        place = {"list.json": "object 1", "x.txt": "line 1", "systems.csv": "line 3", "x.csv": "line 3"}
        assert place.get(name, "line 2" if "tsv" not in name else "line 3") in str(caught.value)


def test_whole_grades_and_checks_of_them(tmp_path: Path) -> None:
    (tmp_path / "x.qrels").write_text(f"q 0 a 1\nq 0 b {ODD}\n")
    with pytest.raises(il.InputError, match="line 2: the grade is 9007199254740993, more digits"):
        il.read_judgments(tmp_path / "x.qrels")
    (bad,) = (one for one in il.check(judgments=tmp_path / "x.qrels") if one.severity == "error")
    assert bad.examples[0].line == 2


def test_trec_eval_reads_them_as_the_program_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As doubles in version 10: equal ones stand by id, descending, so that b is first."""
    (tmp_path / "x.qrels").write_text("q 0 b 1\n")
    (tmp_path / "x.run").write_text(f"q Q0 a 1 {ODD} t\nq Q0 b 2 {ODD - 1} t\n")
    arguments = ["trec-eval", "10", "-m", "recip_rank", tmp_path / "x.qrels", tmp_path / "x.run"]
    assert cli.main([str(one) for one in arguments]) == 0
    assert capsys.readouterr().out.split() == ["recip_rank", "all", "1.0000"]
