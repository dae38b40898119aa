"""`columns` where runs and judgments have other names for the same thing, or one name for two things: in Python and for commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest
from conftest import Command

import idealist as il
from idealist.evaluation import find_conventions

# The relevant document stands second. Both call their number `score`, and neither knows the other's query.
RUN: dict[str, list[Any]] = {"qid": ["1", "1"], "sku": ["a", "b"], "score": [2.0, 1.0]}
JUDGMENTS: dict[str, list[Any]] = {"query_of": ["1", "1"], "product": ["a", "b"], "score": [0, 1]}
COLUMNS = {
    "run.query": "qid",
    "run.document": "sku",
    "judgments.query": "query_of",
    "judgments.document": "product",
    "judgments.grade": "score",
}
OPTION = ",".join(f"{ours}={theirs}" for ours, theirs in COLUMNS.items())


def csv_file(folder: Path, name: str, table: dict[str, list[Any]]) -> str:
    pandas.DataFrame(table).to_csv(folder / f"{name}.csv", index=False)
    return str(folder / f"{name}.csv")


def parquet_file(folder: Path, name: str, table: dict[str, list[Any]]) -> str:
    pandas.DataFrame(table).to_parquet(folder / f"{name}.parquet")
    return str(folder / f"{name}.parquet")


def json_lines(folder: Path, name: str, table: dict[str, list[Any]]) -> str:
    pandas.DataFrame(table).to_json(folder / f"{name}.jsonl", orient="records", lines=True)
    return str(folder / f"{name}.jsonl")


def pandas_frame(folder: Path, name: str, table: dict[str, list[Any]]) -> pandas.DataFrame:
    return pandas.DataFrame(table)


def polars_frame(folder: Path, name: str, table: dict[str, list[Any]]) -> polars.DataFrame:
    return polars.DataFrame(table)


Make = Callable[[Path, str, dict[str, list[Any]]], Any]


@pytest.mark.parametrize("make", [csv_file, parquet_file, json_lines, pandas_frame, polars_frame])
def test_every_verb_takes_names_of_one_side(make: Make, tmp_path: Path) -> None:
    run, judgments = make(tmp_path, "run", RUN), make(tmp_path, "judged", JUDGMENTS)
    assert il.evaluate(judgments, run, "RR", columns=COLUMNS).mean("RR") == 1 / 2
    assert il.evaluate(judgments, run, "RR", columns=COLUMNS).mean("RR") == 1 / 2
    compared = il.compare(judgments, {"a": run, "b": run}, "RR", columns=COLUMNS)
    assert compared["b", "RR"].value == 1 / 2
    assert il.explain(judgments, run, "RR", query="1", columns=COLUMNS).value == 1 / 2
    assert il.why(judgments, run, "RR", between=("idealist", "lightgbm"), columns=COLUMNS).value == 1 / 2
    assert find_conventions(judgments, run, "RR", "0.5", columns=COLUMNS).matches
    assert il.report(judgments, {"new": run}, "RR", columns=COLUMNS).evaluation.mean("RR") == 1 / 2
    assert il.evaluation.agree(run, run, "KendallTau", columns=COLUMNS).mean("KendallTau") == 1
    assert il.read_run(run, columns=COLUMNS).to_dict() == {"1": {"a": 2.0, "b": 1.0}}
    assert il.read_judgments(judgments, columns=COLUMNS).to_dict() == {"1": {"a": 0.0, "b": 1.0}}
    assert {file.kind for file in il.check(judgments, run, columns=COLUMNS).files} == {"run", "judgments"}


def test_commands_take_the_same_names(idealist: Command, tmp_path: Path) -> None:
    run, judgments = csv_file(tmp_path, "run", RUN), csv_file(tmp_path, "judged", JUDGMENTS)
    done = idealist("evaluate", judgments, run, "-m", "RR", "--columns", OPTION)
    assert done.stdout.splitlines()[1].split() == ["RR", "0.5000", "1"], done.stderr
    done = idealist("explain", judgments, run, "-m", "RR", "--query", "1", "--columns", OPTION)
    assert "0.5000" in done.stdout, done.stderr
    done = idealist("check", judgments, run, "--columns", OPTION, "--format", "json")
    assert [file["kind"] for file in json.loads(done.stdout)["files"]] == ["judgments", "run"], done.stderr


def test_a_name_of_one_side_goes_before_one_of_both() -> None:
    run = pandas.DataFrame({"uid": ["1"], "doc": ["a"], "points": [1.0]})
    judgments = pandas.DataFrame({"who": ["1"], "doc": ["a"], "grade": [1]})
    for columns in (
        {"query": "uid", "judgments.query": "who", "score": "points"},
        {"judgments.query": "who", "query": "uid", "run.score": "points"},
    ):
        assert il.evaluate(judgments, run, "RR", columns=columns).mean("RR") == 1


def test_the_score_alone_is_named() -> None:
    """Judgments have none, so that the name need not be theirs."""
    run = {"query": ["1"], "document": ["a"], "wert": [1.0]}
    judgments = {"query": ["1"], "document": ["a"], "grade": [1]}
    frames = pandas.DataFrame(judgments), pandas.DataFrame(run)
    assert il.evaluate(*frames, "RR", columns={"score": "wert"}).mean("RR") == 1


def test_the_query_alone_tells_runs_from_judgments(tmp_path: Path) -> None:
    run = csv_file(tmp_path, "run", {"qid": ["1", "1"], "doc": ["a", "b"], "score": [2, 1]})
    judgments = csv_file(tmp_path, "judged", {"query_id": ["1", "1"], "doc": ["a", "b"], "score": [0, 1]})
    columns = {"run.query": "qid", "judgments.query": "query_id", "judgments.grade": "score"}
    assert il.evaluate(judgments, run, "RR", columns=columns).mean("RR") == 1 / 2


def test_judgments_by_group_take_names_of_their_own(tmp_path: Path) -> None:
    run = csv_file(tmp_path, "run", {"qid": ["1"], "sku": ["a"], "points": [1.0]})
    judgments = csv_file(tmp_path, "judged", {"who": ["1"], "sku": ["a"], "aspect": ["x"], "grade": [1]})
    columns = {
        "query": "qid",
        "document": "sku",
        "score": "points",
        "judgments.query": "who",
        "group": "aspect",
    }
    assert il.evaluate(judgments, run, "alpha-nDCG@10", columns=columns).mean("alpha-nDCG@10") == 1


@pytest.mark.parametrize(
    ("columns", "message", "hint"),
    [
        ({"runs.query": "qid"}, "columns: 'runs.query' is not a known column", "name one of: query, document"),
        ({"run.grade": "score"}, "columns: 'run.grade' is not a column of runs", "name one of: run.query"),
        ({"judgments.score": "score"}, "'judgments.score' is not a column of judgments", "judgments.grade"),
        ({"query": 0}, "columns: 'query' must be the name of a column, not 0", "columns={'query': 'uid'}"),
        ("query=qid", "columns must map our names of columns to yours, not be 'query=qid'", "{'query': 'uid'}"),
        ({"query": "qid"}, "no column 'qid', which columns names as the query", "judgments.query names the query of"),
        ({**COLUMNS, "judgments.group": "score"}, "columns: plain judgments have no group", "leave it out"),
    ],
)  # fmt: skip
def test_names_that_nothing_has(columns: Any, message: str, hint: str) -> None:
    with pytest.raises(il.InputError) as caught:
        il.evaluate(pandas.DataFrame(JUDGMENTS), pandas.DataFrame(RUN), "RR", columns=columns)
    assert message in str(caught.value)
    assert hint in caught.value.hint
