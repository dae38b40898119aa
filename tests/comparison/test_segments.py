"""Segments of queries: from mappings, tables and profiles, in every function that takes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import idealist as il
from idealist import InputError, compare, evaluate
from idealist.comparison import compare_evaluations, segments
from idealist.data import read_profiles, read_table
from idealist.data.segments import read_segments
from idealist.votes import gsb_from

JUDGED = {query: {"a": 1} for query in ("q1", "q2", "q3")}
OLD = {query: {"b": 2.0, "a": 1.0} for query in JUDGED}  # RR 1/2
NEW = OLD | {"q1": {"a": 1.0}}  # RR 1, 1/2, 1/2
RUNS = {"old": OLD, "new": NEW}
NAMES = {"q1": "x", "q2": "y", "q3": "y"}
TABLE: dict[str, list[Any]] = {"query": [*NAMES, "q9"], "segment": ["x", "y", "y", "z"], "half": [1, 1, 2, 2]}
RECORDS = [dict(zip(TABLE, row, strict=True)) for row in zip(*TABLE.values(), strict=True)]


def differences(comparison: il.comparison.Comparison) -> dict[str, float]:
    return {name: part[0].difference for name, part in comparison.segments().items()}


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    frame = pandas.DataFrame(TABLE)
    frame.to_csv(tmp_path / "queries.csv", index=False)
    frame.to_csv(tmp_path / "queries.tsv.gz", index=False, sep="\t")
    frame.to_json(tmp_path / "queries.jsonl", orient="records", lines=True)
    pyarrow.parquet.write_table(pyarrow.table(TABLE), tmp_path / "queries.parquet")
    return sorted(tmp_path.iterdir())


def test_mappings_tables_and_profiles_are_segments(files: list[Path]) -> None:
    tables = (TABLE, RECORDS, pandas.DataFrame(TABLE), polars.DataFrame(TABLE), pyarrow.table(TABLE))
    renamed = read_table({"qid": TABLE["query"], "name": TABLE["segment"]}, columns={"segment": "name"})
    for source in (
        *tables,
        *files,
        *map(str, files),
        read_profiles(TABLE),
        read_table(TABLE),
        renamed,
        NAMES,
    ):
        assert differences(compare(JUDGED, RUNS, "RR", segments=source)) == {"x": 0.5, "y": 0.0}
    for source in (*tables, *files, read_profiles(TABLE)):
        by_half = compare(JUDGED, RUNS, "RR", segments=source, segment_by="half")
        assert differences(by_half) == {"1": 0.25, "2": 0.0}


def test_a_column_of_the_profiles_may_be_named() -> None:
    by_half = {"1": 0.25, "2": 0.0}
    for profiles in (TABLE, pandas.DataFrame(TABLE), read_profiles(TABLE)):
        comparison = compare(JUDGED, RUNS, "RR", profiles=profiles, segment_by="half")
        assert differences(comparison) == by_half
    assert not compare(JUDGED, RUNS, "RR", profiles=TABLE).segmented
    page = il.report(JUDGED, RUNS, "RR", profiles=TABLE, segment_by="half", rounds=10)
    assert page.comparison is not None
    assert differences(page.comparison) == by_half


def test_every_function_takes_them(files: list[Path]) -> None:
    evaluation = evaluate(JUDGED, RUNS, "RR")
    path = files[0]
    assert differences(compare_evaluations(evaluation, segments=path, segment_by="half")) == {
        "1": 0.25,
        "2": 0.0,
    }
    comparison = compare_evaluations(evaluation)
    parts = comparison.segments(path, segment_by="half")
    assert {name: part[0].difference for name, part in parts.items()} == {"1": 0.25, "2": 0.0}
    means = segments(evaluation, "RR", polars.DataFrame(TABLE), "new", segment_by="half")
    assert [(part.name, part.value, part.n) for part in means] == [("1", 0.75, 2), ("2", 0.5, 1)]
    votes = gsb_from(evaluation, "RR", segments=path, segment_by="half")
    assert [(part.name, part.value) for part in votes.segments] == [("1", 0.5), ("2", 0.0)]
    page = il.report(JUDGED, RUNS, "RR", segments=path, segment_by="half", rounds=10)
    assert page.comparison is not None
    assert differences(page.comparison) == {"1": 0.25, "2": 0.0}
    assert path.name in page.html  # among the files


def test_names_that_are_no_text() -> None:
    assert read_segments({1: True, "q2": 2.5}) == {"1": "True", "q2": "2.5"}
    frame = pandas.DataFrame({"query": ["q1", "q2"], "old": [True, False]})
    assert read_segments(frame, column="old") == {"q1": "True", "q2": "False"}
    for nothing in (None, float("nan"), pandas.NA, ""):
        assert read_segments({"q1": "x", "q2": nothing}) == {"q1": "x"}
        profiles = read_profiles({"query": ["q1", "q2"], "kind": ["x", nothing]})
        assert read_segments(profiles, column="kind") == {"q1": "x"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"segments": {"q1": "x"}}, "query 'q2' has no segment"),
        ({"segments": {**NAMES, "q2": None}}, "query 'q2' has no segment"),
        ({"segments": {1: "x", "1": "y"}}, "the segment of query '1' appears twice"),
        ({"segments": {"q1": "\ud800"}}, "the name of a segment .* not valid text"),
        ({"segments": ["x", "y"]}, "segments must be a mapping from queries to names, or a table"),
        ({"segments": 3}, "a table must be a file"),
        ({"segments": "gone.csv"}, "gone.csv: there is no such file"),
        ({"segments": NAMES, "segment_by": "half"}, "'half' was named, but the segments are not a table"),
        ({"segments": TABLE, "segment_by": "city"}, "there is no column 'city'"),
        ({"segments": {"query": ["q1"]}}, "there is no column 'segment'"),
        ({"segments": {"segment": ["x"]}}, "there is no column 'query'"),
        (
            {"segments": {"query": ["q1", "q1"], "segment": ["x", "y"]}},
            "row 2: query 'q1' is in two segments",
        ),
        ({"segments": {"query": ["q1", "q2"], "segment": [None, "x"]}}, "row 1: segment is empty"),
        ({"segment_by": "half"}, "segment_by names the column 'half', but no table"),
        (
            {"profiles": {"query": [*NAMES], "kind": ["x", "", "y"]}, "segment_by": "kind"},
            "query 'q2' has no",
        ),
    ],
)
def test_segments_that_cannot_be_used(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(JUDGED, RUNS, "RR", **arguments)


def test_an_evaluation_is_segmented_by_a_table_too(idealist: Any, shop: Path, tmp_path: Path) -> None:
    inputs = ("evaluate", shop / "shop.qrels", shop / "a.run", "-m", "AP", "--format", "json")
    by_profiles = idealist(
        *inputs, "--profiles", shop / "queries.csv", "--segment-by", "kind", "--weight-by", "one"
    )
    assert "there is no column 'one'" in by_profiles.stderr
    by_table = idealist(*inputs, "--segments", shop / "queries.csv", "--segment-by", "kind")
    parts = {part["segment"]: part for part in json.loads(by_table.stdout)["segments"]}
    kinds = read_segments(shop / "queries.csv", column="kind")
    result = evaluate(shop / "shop.qrels", shop / "a.run", "AP")
    assert {name: part["value"] for name, part in parts.items()} == {
        part.name: part.value for part in segments(result, "AP", kinds)
    }
    empty = tmp_path / "empty.csv"
    empty.write_text(
        "query,kind\n" + "".join(f"{query},{kind}\n" for query, kind in kinds.items()) + "other,\n"
    )
    cells = empty.read_text().replace("cheap-perfume,narrow", "cheap-perfume,")
    for command in ("evaluate", "compare"):
        runs = (shop / "a.run", shop / "b.run")
        users = ("--profiles", empty, "--segment-by", "kind")
        assert idealist(command, shop / "shop.qrels", *runs, *users).returncode == 0
    empty.write_text(cells)
    for command in ("evaluate", "compare"):
        done = idealist(command, shop / "shop.qrels", *runs, *users)
        assert (done.returncode, "query 'cheap-perfume' has no segment" in done.stderr) == (2, True), (
            done.stderr
        )
