"""What DuckDB's and Polars' engines take, and what they refuse."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from datetime import date
from typing import Any

import pyarrow as pa
import pytest
from support.engine_frames import Engine, start

import idealist as il

RUN = {"query": [7, 7], "document": ["a", "b"], "score": [0.5, 0.9]}
JUDGMENTS = {"query": [7, 7], "document": ["a", "b"], "grade": [1, 0]}


@pytest.fixture(scope="module", params=["duckdb", "polars"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    yield from start(request.param, request)


def evaluated(engine: Engine, run: dict[str, Any], judgments: dict[str, Any], **options: Any) -> Any:
    return engine.measure(pa.table(run), pa.table(judgments), options.pop("measures", "RR"), 1, **options)


def test_a_value_by_hand(engine: Engine) -> None:
    """The relevant document stands second."""
    result = evaluated(engine, RUN, JUDGMENTS)
    assert engine.rows(result.values) == [{"query": 7, "system": "run", "RR": 0.5}]
    assert (result.mean("RR"), result.n("RR"), result.interval("RR")) == (0.5, 1, None)
    assert repr(result) == f"<{type(result).__name__}: run; RR; 1 query>"
    assert str(result).splitlines()[0].split()[:4] == ["system", "measure", "value", "n"]
    assert "<table" in result._repr_html_()
    assert list(result.to_frame("pandas")["value"]) == [0.5]


def test_columns_are_recognised_or_named(engine: Engine) -> None:
    run = {"uid": [7, 7], "sku": ["a", "b"], "rank": [2, 1]}  # the lowest rank is the best
    judgments = {"uid": [7], "sku": ["a"], "stars": [1]}
    named = evaluated(engine, run, judgments, columns={"query": "uid", "document": "sku", "grade": "stars"})
    assert named.mean("RR") == 0.5


def test_columns_of_one_side(engine: Engine) -> None:
    run = {"uid": [7, 7], "sku": ["a", "b"], "score": [1, 2]}
    judgments = {"who": [7], "sku": ["a"], "score": [1]}
    columns = {"query": "uid", "document": "sku", "judgments.query": "who", "judgments.grade": "score"}
    assert evaluated(engine, run, judgments, columns=columns).mean("RR") == 0.5
    with pytest.raises(
        il.InputError, match=r"no column 'who', which columns names as the query\nhint: .* uid"
    ):
        evaluated(engine, run, judgments, columns={**columns, "run.query": "who"})


def test_ids_keep_their_type(engine: Engine) -> None:
    """Dates, and whole numbers on one side and text on the other."""
    day = date(2026, 11, 16)
    dated = evaluated(engine, RUN | {"query": [day, day]}, JUDGMENTS | {"query": [day, day]})
    assert engine.rows(dated.values) == [{"query": day, "system": "run", "RR": 0.5}]
    mixed = evaluated(engine, RUN | {"query": ["7", "7"]}, JUDGMENTS | {"document": ["a", "b"]})
    assert engine.rows(mixed.values) == [{"query": 7, "system": "run", "RR": 0.5}]


def test_the_result_is_computed_once(engine: Engine) -> None:
    result = evaluated(engine, RUN, JUDGMENTS)
    assert result.values_table() is result.values_table()
    assert result.summary is result.summary


@pytest.mark.parametrize(
    ("run", "judgments", "options", "message"),
    [
        (RUN | {"query": [0.5, 0.5]}, JUDGMENTS, {}, "run: the query is of type double, and ids are text"),
        (RUN | {"document": [["a"], ["b"]]}, JUDGMENTS, {}, "a row is expected for each document"),
        (
            RUN | {"score": ["x", "y"]},
            JUDGMENTS,
            {},
            "run: the score is of type .*, and a number is expected",
        ),
        (RUN | {"system": ["a", "b"]}, JUDGMENTS, {}, "the column 'system' tells several systems apart"),
        ({"query": [7], "score": [1.0]}, JUDGMENTS, {}, "run: there is no column 'document'"),
        (
            RUN,
            JUDGMENTS,
            {"columns": {"query": "uid"}},
            "there is no column 'uid', which columns names as the query",
        ),
        (
            RUN,
            JUDGMENTS,
            {"by": "shop"},
            "judgments: there is no column 'shop', by which to tell segments apart",
        ),
        (RUN, JUDGMENTS, {"by": "query"}, "a column of segments is called 'query', as one of ours is"),
        (RUN, JUDGMENTS, {"measures": "ILD"}, "ILD.* needs a table of items"),
        (RUN, JUDGMENTS, {"confidence": 95}, "confidence must lie between 0 and 1"),
        (RUN | {"query": [8, 8]}, JUDGMENTS, {}, "the run and the judgments have no query in common"),
    ],
)
def test_what_is_refused(
    engine: Engine, run: dict[str, Any], judgments: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(il.InputError, match=message):
        _ = evaluated(engine, run, judgments, **options).summary


def test_values_in_duckdb_join_the_tables_of_their_connection() -> None:
    import duckdb

    from idealist.engines.duckdb import evaluate

    database = duckdb.connect()
    database.execute("CREATE TABLE topics AS SELECT 7 AS query, 'easy' AS kind")
    run, judgments = (database.from_arrow(pa.table(side)) for side in (RUN, JUDGMENTS))
    result = evaluate(judgments, run, "RR")
    joined = result.values.join(database.table("topics"), "query")
    assert joined.project("kind, RR").fetchall() == [("easy", 0.5)]
    assert database.sql("SELECT * FROM duckdb_views() WHERE NOT internal").fetchall() == []
    assert pickle.loads(pickle.dumps(result)).values.fetchall() == [(7, "run", 0.5)]
    database.close()
    assert result.values.fetchall() == [(7, "run", 0.5)]


def test_several_runs_are_given_by_name(engine: Engine) -> None:
    run, judgments = (engine.frame(pa.table(side), 1) for side in (RUN, JUDGMENTS))
    with pytest.raises(il.InputError, match="several runs were given as a list") as caught:
        engine.evaluate(judgments, [run, run], "RR")
    assert "several by name: {'bm25': …, 'dense': …}" in caught.value.hint


def test_other_frames_are_refused(engine: Engine) -> None:
    frame = engine.frame(pa.table(JUDGMENTS), 1)
    with pytest.raises(il.InputError, match=r"run: a .* is expected, not dict"):
        engine.evaluate(frame, {"a": {}})
    with pytest.raises(il.InputError, match=r"run: a .* is expected, not pandas\.DataFrame"):
        engine.evaluate(frame, pa.table(RUN).to_pandas())
    with pytest.raises(il.InputError, match="no run was given"):
        engine.evaluate(frame, {})
