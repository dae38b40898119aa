"""Frames give the runs and judgments that dicts of the same rows give."""

from __future__ import annotations

import decimal
import random
import sys
from typing import Any

import duckdb
import narwhals
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from support.strategies import tasks

from idealist import InputError, Judgments, Run, compare, evaluate, read_run
from idealist.data import match
from idealist.data.column_names import find_roles

Rows = list[tuple[Any, Any, Any]]


def table(rows: Rows, number: str = "score") -> Any:
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    return pyarrow.table(dict(zip(("query", "document", number), columns, strict=True)))


def rows_of(queries: dict[str, dict[str, float]]) -> Rows:
    return [(q, d, float(number)) for q, documents in queries.items() for d, number in documents.items()]


def without_surrogates(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


FORMS: dict[str, Any] = {
    "pyarrow": lambda frame: frame,
    "pyarrow batches": lambda frame: pyarrow.RecordBatchReader.from_batches(
        frame.schema, frame.to_batches(max_chunksize=2)
    ),
    "large text": lambda frame: frame.cast(
        pyarrow.schema(
            [(n, pyarrow.large_string()) for n in frame.column_names[:2]] + [frame.schema.field(2)]
        )
    ),
    "text views": lambda frame: frame.cast(
        pyarrow.schema([(n, pyarrow.string_view()) for n in frame.column_names[:2]] + [frame.schema.field(2)])
    ),
    "dictionaries": lambda frame: pyarrow.table(
        {
            n: frame[n].dictionary_encode() if n != frame.column_names[2] else frame[n]
            for n in frame.column_names
        }
    ),
    "polars": polars.DataFrame,
    "polars categorical": lambda frame: polars.DataFrame(frame).with_columns(
        polars.col("query", "document").cast(polars.Categorical)
    ),
    "pandas": lambda frame: frame.to_pandas(),
    "pandas of objects": lambda frame: frame.to_pandas().astype({"query": object, "document": object}),
    "pandas categorical": lambda frame: frame.to_pandas().astype({"query": "category"}),
    "pandas of Arrow": lambda frame: frame.to_pandas(types_mapper=pandas.ArrowDtype),
    "duckdb": lambda frame: duckdb.sql("SELECT * FROM frame"),
    "narwhals": lambda frame: narwhals.from_native(polars.DataFrame(frame)),
    "a slice": lambda frame: pyarrow.concat_tables([frame.slice(0, 1), frame]).slice(1),
}
RUN = {"q1": {"a": 3.0, "b": 2.0, "a document of a long name": 2.0}, "q2": {"é": -1.5, "z": 0.25}}
JUDGED = {"q1": {"b": 2.0, "a document of a long name": 1.0}, "q2": {"z": 1.0, "w": 3.0}}


@pytest.mark.parametrize("form", FORMS)
def test_every_kind_of_frame(form: str) -> None:
    make = FORMS[form]
    assert Run(make(table(rows_of(RUN)))) == Run(RUN)
    assert Judgments(make(table(rows_of(JUDGED), "grade"))) == Judgments(JUDGED)
    if form != "pyarrow batches":  # which can be read once only
        frames = make(table(rows_of(JUDGED), "grade")), make(table(rows_of(RUN)))
        assert list(evaluate(*frames, ["nDCG@10", "AP"])) == list(evaluate(JUDGED, RUN, ["nDCG@10", "AP"]))


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_whole_numbers_as_ids_and_grades(kind: str) -> None:
    made = pyarrow.array([1, 1, 7], kind), pyarrow.array([0, 100, 3], kind), pyarrow.array([2, 0, 1], kind)
    judged = Judgments(pyarrow.table(dict(zip(("user_id", "item_id", "rating"), made, strict=True))))
    assert judged.to_dict() == {"1": {"0": 2.0, "100": 0.0}, "7": {"3": 1.0}}


def test_the_ends_of_whole_numbers() -> None:
    ids = pyarrow.array([-(2**63), 2**63 - 1])
    large = pyarrow.array([2**64 - 1, 0], "uint64")
    run = Run(pyarrow.table({"qid": ids, "docid": large, "score": [0.5, 1.5]}))
    assert run.to_dict() == {str(-(2**63)): {str(2**64 - 1): 0.5}, str(2**63 - 1): {"0": 1.5}}


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (pyarrow.array([0.5, 1.25], "float32"), [0.5, 1.25]),
        (pyarrow.array([0.5, -65504.0], pyarrow.float16()), [0.5, -65504.0]),
        (pyarrow.array([2**-24, 2**-14], pyarrow.float16()), [2**-24, 2**-14]),
        (pyarrow.array([True, False]), [1.0, 0.0]),
        (pyarrow.array([decimal.Decimal("0.10"), decimal.Decimal("-7.25")]), [0.1, -7.25]),
        (
            pyarrow.array(
                [decimal.Decimal("12345678901234567890.123456789"), decimal.Decimal("0.000000001")]
            ),
            [12345678901234567890.123456789, 0.000000001],
        ),
    ],
)
def test_types_of_numbers(numbers: Any, expected: list[float]) -> None:
    run = Run(pyarrow.table({"q": ["x", "x"], "d": ["a", "b"], "s": numbers}), columns=MAPPED)
    assert list(run["x"].values()) == expected


MAPPED = {"query": "q", "document": "d", "score": "s"}


@given(tasks(), st.randoms(), st.integers(1, 9))
def test_any_rows_in_any_order_and_any_batches(task: Any, rng: Any, size: int) -> None:
    """The same rankings, whether the queries' rows lie together or not."""
    queries, judged = task
    rows = [row for row in rows_of(queries) if without_surrogates(row[0] + row[1])]
    grades = [row for row in rows_of(judged) if without_surrogates(row[0] + row[1])]
    plain: dict[str, dict[str, float]] = {}
    for q, d, number in rows:
        plain.setdefault(q, {})[d] = number
    known: dict[str, dict[str, float]] = {}
    for q, d, number in grades:
        known.setdefault(q, {})[d] = number
    if not set(plain) & set(known):
        return
    rng.shuffle(rows)
    frame = pyarrow.Table.from_batches(table(rows).to_batches(max_chunksize=size))
    assert match(Judgments(known), frame) == match(Judgments(known), Run(plain))
    assert Run(frame) == Run(plain)


@pytest.mark.parametrize("kind", ["text", "number", "category"])
def test_a_large_frame_in_no_order(kind: str) -> None:
    rng = random.Random(3)
    rows: Rows = [(q, d, rng.random()) for q in range(3000) for d in rng.sample(range(10**6), 100)]
    judged = {str(q): {str(d): float(rng.randrange(3))} for q, d, _ in rng.sample(rows, 5000)}
    together = polars.DataFrame(rows, schema=["query", "document", "score"], orient="row")
    if kind != "number":
        wanted = polars.String if kind == "text" else polars.Categorical
        together = together.with_columns(polars.col("query", "document").cast(polars.String).cast(wanted))
    shuffled = together.sample(fraction=1.0, shuffle=True, seed=1)
    expected = match(Judgments(judged), Run(together))
    assert match(Judgments(judged), together) == expected
    assert match(Judgments(judged), shuffled) == expected
    assert match(Judgments(judged), shuffled, threads=1) == expected


def test_ranks_where_there_are_no_scores() -> None:
    frame = polars.DataFrame({"qid": ["x", "x"], "docno": ["a", "b"], "rank": [2, 1]})
    assert Run(frame).ranking("x") == ["b", "a"]
    assert Run(frame.with_columns(score=polars.Series([0.9, 0.1]))).ranking("x") == ["a", "b"]


def test_several_frames_and_names() -> None:
    better = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"z": 1.0}}
    frames = {"old": polars.DataFrame(table(rows_of(RUN))), "new": table(rows_of(better))}
    judged = table(rows_of(JUDGED), "rel")
    assert evaluate(judged, frames, "AP").systems == ("old", "new")
    assert evaluate(judged, list(frames.values()), "AP").systems == ("run 1", "run 2")
    assert compare(judged, frames, "AP")["new", "AP"].difference == approx(0.5 - (7 / 12 + 1 / 2) / 2)


def test_runs_and_judgments_are_frames_too() -> None:
    assert Run(Run(RUN)) == Run(RUN)
    for frame in (Run(RUN).to_frame("polars"), Run(RUN).to_frame("pandas"), Run(RUN).to_frame("pyarrow")):
        assert Run(frame) == Run(RUN)
    run = Run(RUN)
    assert duckdb.execute("SELECT sum(score) FROM run").fetchall() == [(5.75,)]
    assert polars.DataFrame(Judgments(JUDGED)).columns == ["query", "document", "grade"]
    assert pyarrow.table(Run({})).num_rows == 0
    with pytest.raises(
        InputError, match="the library of a frame must be polars, pandas or pyarrow, not 'excel'"
    ):
        run.to_frame("excel")


@given(tasks())
def test_out_and_in_again(task: Any) -> None:
    queries = {q: ds for q, ds in task[0].items() if without_surrogates(q + "".join(ds))}
    run = Run({q: ds for q, ds in queries.items() if ds})
    assert Run(pyarrow.table(run)) == run


def test_a_large_run_goes_out_in_batches() -> None:
    run = Run({f"query {i}": {f"d{j}": float(i * j) for j in range(30_000)} for i in range(20)})
    frame = pyarrow.table(run)
    assert frame.num_rows == 600_000
    assert frame["document"].num_chunks > 1
    frame.validate(full=True)
    assert Run(frame) == run


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"query": ["a", None], "document": ["x", "y"], "score": [1.0, 2.0]},
            "run, row 2: the query is null",
        ),
        ({"query": ["a", "a"], "document": [None, "y"], "score": [1.0, 2.0]}, "row 1: the document is null"),
        ({"query": ["a", "a"], "document": ["x", "y"], "score": [1.0, None]}, "row 2: the score is null"),
        (
            {"query": ["a", "a"], "document": ["x", "y"], "score": [1.0, float("nan")]},
            "row 2: the score is nan",
        ),
        (
            {"query": ["a", "a"], "document": ["x", "x"], "score": [1.0, 2.0]},
            "row 2: document 'x' appears twice",
        ),
        ({"query": ["a"], "document": ["x"], "points": [1.0]}, "there is no column 'score'"),
        (
            {"query": ["a"], "document": ["x"], "score": ["1.0"]},
            "'score' is of type text, and a score is a number",
        ),
        (
            {"query": [1.5], "document": ["x"], "score": [1.0]},
            "'query' is of type float64, and ids are text or",
        ),
        ({"query": ["a"], "document": [["x"]], "score": [1.0]}, "'document' is of type list, and ids"),
    ],
)
def test_bad_frames(columns: dict[str, list[Any]], message: str) -> None:
    frame = pyarrow.table(columns)
    with pytest.raises(InputError, match=message):
        Run(frame)
    with pytest.raises(InputError, match=message):
        evaluate({"a": {"x": 1}}, frame, "AP")


def test_a_null_among_scattered_rows() -> None:
    rows: Rows = [(f"q{i % 50}", f"d{i}", float(i)) for i in range(5000)]
    rows[4321] = ("q7", "x", None)
    with pytest.raises(InputError, match="row 4322: the score is null"):
        evaluate({"q1": {"d1": 1}}, table(rows), "AP")


def test_bad_judgments_and_other_things() -> None:
    infinite = pyarrow.table({"query": ["a"], "document": ["x"], "grade": [float("inf")]})
    with pytest.raises(InputError, match="judgments, row 1: the grade is inf"):
        Judgments(infinite)
    with pytest.raises(InputError, match="a single Arrow column was given, not a table"):
        Run(polars.Series([1, 2]))
    with pytest.raises(InputError, match="columns are for frames, and this is not one"):
        Run(RUN, columns=MAPPED)
    with pytest.raises(InputError, match="no column 'sku', which columns names as the document"):
        Run(table(rows_of(RUN)), columns={"document": "sku"})


def test_a_stream_that_fails() -> None:
    def batches() -> Any:
        yield table([("q", "d", 1.0)]).to_batches()[0]
        raise OSError("the disk is gone")

    reader = pyarrow.RecordBatchReader.from_batches(table([("q", "d", 1.0)]).schema, batches())
    with pytest.raises(InputError, match="the disk is gone"):
        Run(reader)


class OldFrame:
    """A frame of pandas before it spoke Arrow, as far as it is looked at."""

    def __init__(self, **columns: list[Any]) -> None:
        self.columns = list(columns)
        self._columns = {name: pandas.Series(values, dtype=object) for name, values in columns.items()}

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]


def test_frames_that_do_not_speak_arrow() -> None:
    old: Any = OldFrame(user=[1, 1], item=["a", "b"], score=[0.5, 1])
    assert Run(old).to_dict() == {"1": {"a": 0.5, "b": 1.0}}
    assert evaluate({"1": {"a": 1}}, old, "RR").mean("RR") == 1 / 2
    ranked: Any = OldFrame(user=[1, 1], item=["a", "b"], rank=[1, 2])
    assert Run(ranked).ranking("1") == ["a", "b"]
    twice: Any = OldFrame(user=[1, 1], item=["a", "a"], score=[0.5, 1])
    with pytest.raises(InputError, match="row 2: document 'a' appears twice for query '1'"):
        Run(twice)
    with pytest.raises(InputError, match="row 1: document is empty"):
        Run(OldFrame(user=[1], item=[None], score=[0.5]))
    with pytest.raises(InputError, match="this frame is lazy"):
        Run(polars.LazyFrame({"query": ["q"], "document": ["d"], "score": [1.0]}))


def test_pandas_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = table(rows_of(RUN)).to_pandas()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert Run(frame) == Run(RUN)
    assert evaluate(JUDGED, frame, "AP").mean("AP") == evaluate(JUDGED, RUN, "AP").mean("AP")


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("rows", [50, 3_000])
def test_streams_that_can_be_had_once(monkeypatch: pytest.MonkeyPatch, together: bool, rows: int) -> None:
    """They are asked once, and what they gave is kept, in windows smaller than they are."""
    monkeypatch.setattr("idealist.data.frames.WINDOW_ROWS", 1000)
    listed: Rows = [
        (f"q{i // 10 if together else i % (rows // 10)}", f"d{i}", float(-i)) for i in range(rows)
    ]
    judged = {f"q{i}": {f"d{i}": 1.0, f"d{i * 10}": 1.0} for i in range(rows // 10)}
    whole = table(listed)
    expected = evaluate(judged, whole, ["AP", "RR"])
    for once in (whole.to_reader(max_chunksize=7), pyarrow.RecordBatchReader.from_stream(whole)):
        result = evaluate(judged, {"run": once}, ["AP", "RR"])
        assert list(result) == list(expected)
        assert result.provenance is not None
        assert expected.provenance is not None
        assert result.provenance.runs["run"].sha256 == expected.provenance.runs["run"].sha256


def test_a_frame_is_asked_once() -> None:
    class Once:
        def __init__(self) -> None:
            self.asked = 0

        def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
            self.asked += 1
            assert self.asked == 1
            return table(rows_of(RUN)).__arrow_c_stream__()

    assert Run(Once()) == Run(RUN)
    assert evaluate(JUDGED, Once(), "AP").mean("AP") == evaluate(JUDGED, RUN, "AP").mean("AP")


def test_what_other_libraries_refuse() -> None:
    mixed = pandas.DataFrame({"query": ["a", 1], "document": ["x", "y"], "score": [1.0, 2.0]}, dtype=object)
    with pytest.raises(InputError, match="run: "):
        Run(mixed)
    wide = pyarrow.table(
        {"query": ["a"], "document": ["x"], "score": pyarrow.array([1], pyarrow.decimal256(60, 2))}
    )
    with pytest.raises(InputError, match="'score' is of type decimal"):
        Run(wide)
    twice = pyarrow.Table.from_arrays(
        [pyarrow.array(["a"]), pyarrow.array(["x"]), pyarrow.array([1.0]), pyarrow.array([2.0])],
        names=["query", "document", "score", "score"],
    )
    with pytest.raises(InputError, match="two columns are called 'score'"):
        Run(twice)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["qid", "docid", "docno", "rank", "score", "query"], ["qid", "docno", "score"]),  # PyTerrier
        (["user_id", "query", "doc_id", "score"], ["query", "doc_id", "score"]),
        (["query", "query_id", "corpus-id", "score"], ["query_id", "corpus-id", "score"]),
        (["userId", "movieId", "prediction"], ["userId", "movieId", "prediction"]),
    ],
)
def test_which_column_is_which(names: list[str], expected: list[str]) -> None:
    assert [names[at] for at in find_roles(names, "run").values()] == expected


def test_ranked_by_a_column_of_ranks_is_said() -> None:
    frame = polars.DataFrame({"qid": ["q1"], "docno": ["b"], "position": [1]})
    assert "run: there is no column of scores: ranked by 'position'" in evaluate(JUDGED, frame, "RR").notes


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_runs_give_back_ids_of_the_type_they_had(library: str) -> None:
    run = read_run(polars.DataFrame({"query": [7, 7], "document": ["a", "b"], "score": [0.5, 0.25]}))
    frame = run.to_frame(library)
    assert list(frame["query"] if library != "pyarrow" else frame["query"].to_pylist()) == [7, 7]
    assert list(frame["document"] if library != "pyarrow" else frame["document"].to_pylist()) == ["a", "b"]
    # 64 bits cannot hold this one: the column stays text.
    large = Run({2**64: {"a": 1.0}, 3: {"a": 1.0}}).to_frame(library)
    assert sorted(map(str, large["query"].to_pylist() if library == "pyarrow" else large["query"])) == sorted(
        [str(2**64), "3"]
    )
