"""LETOR and SVMlight: grades, queries and documents without the features; scores and query sizes."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plain_trec import write

from idealist import InputError, evaluate, read_judgments, read_run
from idealist.data import RunFile

ROWS = b"""2 qid:10 1:0.03 2:0.5 #docid = GX008 inc = 1 prob = 0.08
0 qid:10 1:0.01 2:0.7 #docid = GX011 inc = 1 prob = 0.02

1.5 qid:7 2:1 # docid=GX008
"""
BARE = b"2 1:0.03\n0 1:0.01\n1 3:1\n0\n"


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """Rows without queries and documents, and their query sizes beside them."""
    write(tmp_path / "test.txt.query", b"3\n1\n")
    return write(tmp_path / "test.txt", BARE)


def test_grades_queries_and_documents(tmp_path: Path) -> None:
    judgments = read_judgments(write(tmp_path / "x", ROWS))
    assert judgments.to_dict() == {"10": {"GX008": 2.0, "GX011": 0.0}, "7": {"GX008": 1.5}}


def test_documents_are_row_numbers_where_none_is_named(tmp_path: Path) -> None:
    text = b"2 qid:10 1:0.03\n0 qid:10 1:0.01 # a comment\n\n1.5 qid:7 2:1\n"
    assert read_judgments(write(tmp_path / "x", text)).to_dict() == {
        "10": {"1": 2.0, "2": 0.0},
        "7": {"3": 1.5},
    }


@pytest.mark.parametrize("cut", [b"0.5", b"#doc", b"#docid =", b"1:0."])
def test_a_last_line_that_is_cut_renumbers_nothing(tmp_path: Path, cut: bytes) -> None:
    text = b"2 qid:1 1:0.03 2:0.5 #docid = a\n0 qid:1 1:0.01 2:0.5 #docid = b\n"
    for name, ended in (("x", b""), ("y", b"\n")):
        kept = text[: text.rindex(cut) + len(cut)] + ended
        with pytest.raises(InputError, match=r"line 2: some rows have a docid and some have not"):
            read_judgments(write(tmp_path / name, kept))


def test_lines_may_end_with_both_but_not_with_returns_alone(tmp_path: Path) -> None:
    expected = read_judgments(write(tmp_path / "x", ROWS)).to_dict()
    assert read_judgments(write(tmp_path / "y", ROWS.replace(b"\n", b"\r\n"))).to_dict() == expected
    with pytest.raises(InputError, match=r"z, line 1: a carriage return stands inside the line"):
        read_judgments(write(tmp_path / "z", ROWS.replace(b"\n", b"\r")))


@pytest.mark.parametrize(
    "feature", [b"1:NULL", b"1:-3e-05", b"2:.5", b"2:5.", b"3:NaN", b"4:-inf", b"5:1E+3"]
)
def test_features_that_pass(tmp_path: Path, feature: bytes) -> None:
    text = b"1 qid:q " + feature + b"\n0 qid:q \t" + feature + b"  7:1\t8:2 \n"
    assert read_judgments(write(tmp_path / "x", text)).to_dict() == {"q": {"1": 1.0, "2": 0.0}}


@pytest.mark.parametrize("ending", [".query", ".group", ".query.gz"])
def test_query_sizes_beside_the_rows(tmp_path: Path, ending: str) -> None:
    sizes = b"3\n1\n"
    write(tmp_path / f"test.txt{ending}", gzip.compress(sizes) if ending.endswith("gz") else sizes)
    expected = {"1": {"1": 2.0, "2": 0.0, "3": 1.0}, "2": {"4": 0.0}}
    assert read_judgments(write(tmp_path / "test.txt", BARE)).to_dict() == expected
    assert read_judgments(write(tmp_path / "test.txt.gz", gzip.compress(BARE))).to_dict() == expected


def test_query_sizes_that_are_named(bare: Path) -> None:
    sizes = write(bare.parent / "sizes", b"1\n1\n2\n")
    assert {
        query: len(documents) for query, documents in read_judgments(bare, query_sizes=sizes).items()
    } == {
        "1": 1,
        "2": 1,
        "3": 2,
    }


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (b"3\n2\n", "test.txt.query: the 2 query sizes add up to 5, but .*test.txt has 4 rows"),
        (b"3\n1.5\n", "test.txt.query, line 2: the size of a query is not a whole number: '1.5'"),
        (b"3\n" + b"1" * 5000 + b"\n", "line 2: the size of a query is not a whole number: '1111"),
        (b"5\n-1\n", "line 2: the size of a query is not a whole number"),
        (b"", "the 0 query sizes add up to 0, but .* has 4 rows"),
    ],
)
def test_query_sizes_that_do_not_fit(bare: Path, sizes: bytes, message: str) -> None:
    write(bare.parent / "test.txt.query", sizes)
    with pytest.raises(InputError, match=message):
        read_judgments(bare)


def test_rows_without_queries(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the rows have no qid:.*\nhint: name it with query_sizes"):
        read_judgments(write(tmp_path / "x", BARE))
    sizes = write(tmp_path / "sizes", b"3\n")
    with pytest.raises(InputError, match=r"query sizes in .*sizes change nothing: every row has qid:"):
        read_judgments(write(tmp_path / "x", ROWS), query_sizes=sizes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"1 qid:1 1:2\n0 1:2\n", "line 2: some rows have qid: and some have not"),
        (b"1 1:2\n0 qid:1 1:2\n", "line 2: some rows have qid: and some have not"),
        (b"1 qid:1 1:2\nx qid:1 1:2\n", "line 2: the grade is not a number: 'x'"),
        (b"1 qid:1 1:2\n0 qid: 1:2\n", "line 2: the query behind qid: is empty"),
        (b"1 qid:1 1:2\n1_000 qid:1 1:2\n", "line 2: the grade is not a number: '1_000'"),
        (b"1 qid:1 1:2\n0 qid:1 1:2 junk\n", "line 2: a feature is number:value, not 'junk'"),
        (b"1 qid:1 1:2\n0 qid:1 1:2 2:x 3:1\n", "line 2: a feature is number:value, not '2:x'"),
        (b"1 qid:1 1:2\n0 qid:1 1:2 a:1\n", "line 2: a feature is number:value, not 'a:1'"),
        (b"1 qid:1 1:2\n0 qid:1 1:2 2:\n", "line 2: a feature is number:value, not '2:'"),
        (b"1 qid:1 1:2\n0 qid:1 1:2 2:1_0\n", "line 2: a feature is number:value, not '2:1_0'"),
        (b"1 qid:1 1:2\n0 qid:1 1:2 qid:2\n", "line 2: a feature is number:value, not 'qid:2'"),
        (b"1 qid:1 1:2\n1 2 3\n", "line 2: a feature is number:value, not '2'"),
        (b"1 qid:1 1:2\ninf qid:1 1:2\n", "line 2: the grade is infinite"),
        (
            b"1 qid:1 1:2 #docid = a\n2 qid:1 1:2 #docid = a\n",
            "line 2: document 'a' appears twice for query '1'",
        ),
    ],
)
def test_bad_rows(tmp_path: Path, text: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_judgments(write(tmp_path / "x", text))


def test_query_sizes_and_features_of_something_else(tmp_path: Path, bare: Path) -> None:
    with pytest.raises(InputError, match=r"the query sizes in .* change nothing: they go with LETOR"):
        read_judgments(write(tmp_path / "x", b"q 0 a 1\n"), query_sizes=bare)
    with pytest.raises(InputError, match=r"the features in .* change nothing: they go with LETOR"):
        read_run(write(tmp_path / "x", b"q Q0 a 1 1 t\n"), features=bare)


def test_scores_in_the_order_of_the_rows(bare: Path) -> None:
    scores = write(bare.parent / "scores.txt", b"0.5\n1.5\n\n-1\n2\n")
    run = read_run(scores, features=bare)
    assert run.to_dict() == {"1": {"1": 0.5, "2": 1.5, "3": -1.0}, "2": {"4": 2.0}}
    sizes = write(bare.parent / "sizes", b"1\n3\n")
    assert list(read_run(scores, features=bare, query_sizes=sizes)["1"]) == ["1"]
    # The row of grade 2 stands second of three: 1 / 2.
    result = evaluate(read_judgments(bare), RunFile(scores, features=bare), "RR")
    assert result.value("RR", query="1") == 0.5


def test_scores_that_do_not_fit(bare: Path) -> None:
    scores = write(bare.parent / "scores.txt", b"0.5\n1.5\n")
    with pytest.raises(InputError, match=r"scores.txt: there are 2 scores, but .*test.txt has 4 rows"):
        read_run(scores, features=bare)
    with pytest.raises(InputError, match=r"scores without their rows\nhint: name the LETOR file"):
        read_run(scores)
    with pytest.raises(InputError, match=r"has no rows of features for them"):
        read_run(scores, features=write(bare.parent / "x.qrels", b"q 0 a 1\n"))
    with pytest.raises(InputError, match=r"one number a line: scores or query sizes, not judgments"):
        read_judgments(scores)
    with pytest.raises(InputError, match=r"these are rows of features: judgments, not a run"):
        read_run(bare)
    with pytest.raises(InputError, match=r"line 2: the score is not a number: 'high'"):
        read_run(write(scores, b"0.5\nhigh\n1\n2\n"), features=bare)
    with pytest.raises(InputError, match=r"line 2: the score is not a number: nan"):
        read_run(write(scores, b"0.5\nnan\n1\n2\n"), features=bare)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 4), st.integers(1, 5), st.lists(st.floats(-1e3, 1e3), max_size=4), st.booleans()
        ),
        min_size=1,
        max_size=30,
    )
)
def test_against_the_reader_of_scikit_learn(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, int, list[float], bool]]
) -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    lines = [
        f"{grade} qid:{query}"
        + "".join(f" {at}:{value!r}" for at, value in enumerate(features, 1))
        + (" # a comment" if comment else "")
        for grade, query, features, comment in rows
    ]
    text = "\n".join(lines).encode()
    _, grades, queries = datasets.load_svmlight_file(io.BytesIO(text), query_id=True, n_features=4)
    expected: dict[str, dict[str, float]] = {}
    for row, (query, grade) in enumerate(zip(queries, grades, strict=True), 1):
        expected.setdefault(str(query), {})[str(row)] = float(grade)
    path = write(tmp_path_factory.mktemp("letor") / "x", text)
    assert read_judgments(path).to_dict() == expected


def test_ohsumed(ohsumed: Path) -> None:
    judgments = read_judgments(ohsumed / "S1.txt.gz")
    text = gzip.decompress((ohsumed / "S1.txt.gz").read_bytes()).decode()
    expected: dict[str, dict[str, float]] = {}
    for line in text.splitlines():
        columns, _, comment = line.partition("#")
        grade, query, *_ = columns.split()
        document = comment.split("=")[1].split()[0]
        expected.setdefault(query.removeprefix("qid:"), {})[document] = float(grade)
    assert judgments.to_dict() == expected
