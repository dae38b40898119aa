"""Tables of items from files, frames and objects, and what is wrong with them."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from idealist import InputError, evaluate
from idealist.data import RunFile, read_items, read_run
from idealist.data.items import Items

COLUMNS: dict[str, list[Any]] = {
    "item_id": ["a", "b", "c"],
    "popularity": [3, 1, 2],
    "genres": [["war", "drama"], ["war"], []],
    "vector": [[1.0, 0.0], [0.5, 0.5], [0.0, 2.0]],
    "group": ["x", "y", "x"],
}
RECORDS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
CSV = """item_id,popularity,genres,vector,group
a,3,war|drama,1 0,x
b,1,war,"[0.5, 0.5]",y
c,2,,0 2,x
"""


def sources(folder: Path) -> dict[str, Any]:
    (folder / "items.csv").write_text(CSV)
    (folder / "items.tsv").write_text(CSV.replace('"[0.5, 0.5]"', "0.5 0.5").replace(",", "\t"))
    (folder / "items.jsonl").write_text("\n".join(json.dumps(record) for record in RECORDS))
    pq.write_table(pa.table(COLUMNS), folder / "items.parquet")
    return {
        "csv": folder / "items.csv",
        "tsv": str(folder / "items.tsv"),
        "jsonl": folder / "items.jsonl",
        "parquet": folder / "items.parquet",
        "polars": pl.DataFrame(COLUMNS),
        "pandas": pd.DataFrame(COLUMNS),
        "pyarrow": pa.table(COLUMNS),
        "columns": COLUMNS,
        "records": RECORDS,
    }


def test_every_source_gives_the_same_items(tmp_path: Path) -> None:
    for name, source in sources(tmp_path).items():
        items = read_items(source)
        assert items.ids == ("a", "b", "c"), name
        assert items.popularity().tolist() == [3, 1, 2], name
        assert items.vectors().tolist() == COLUMNS["vector"], name
        assert items.categories().names == ["drama", "war"], name
        assert items.categories().begin.tolist() == [0, 2, 3, 3], name
        assert items.groups("group").codes.tolist() == [0, 1, 0], name


def test_items_pass_through_and_pickle() -> None:
    items = read_items(COLUMNS)
    assert read_items(items) is items
    assert pickle.loads(pickle.dumps(items)).ids == items.ids
    with pytest.raises(AttributeError, match="immutable"):
        items.ids = ()


def test_a_path_goes_straight_to_evaluate(tmp_path: Path) -> None:
    path = sources(tmp_path)["csv"]
    result = evaluate({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, "Popularity@2", items=path)
    assert result.mean("Popularity@2") == 2.0


def test_a_run_still_in_its_file_is_ranked_alike(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 1 2.0 s\nq Q0 b 2 1.0 s\nq Q0 c 3 0.5 s\n")
    measures = ["Popularity@2", "ILD@3", "AWRF@2"]
    kept, unread = (
        evaluate({"q": {"a": 1}}, run, measures, items=COLUMNS) for run in (read_run(path), RunFile(path))
    )
    assert list(kept.to_dict().values()) == list(unread.to_dict().values())


def test_vectors_in_columns() -> None:
    items = Items({"doc": ["a", "b"], "v0": [1, 2], "v1": ["3", "4"], "v3": [9, 9]})
    assert items.vectors().tolist() == [[1.0, 3.0], [2.0, 4.0]]


def test_groups_of_any_type() -> None:
    items = Items({"doc": ["a", "b", "c"], "year": [1999, 2000.0, True]})
    assert items.groups("year").names == ["1999", "2000", "True"]
    assert items.groups("YEAR").names == ["1999", "2000", "True"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("popularity\n3\n", "there is no column 'document'"),
        ("item,popularity\na,3\nb,1\na,2\n", "line 4: item 'a' appears twice"),
        ("item,popularity\na,3\nb,-1\n", "line 3: item 'b' has a negative popularity: -1"),
        ("item,popularity\na,3\nb,\n", "line 3: popularity is empty"),
        ("item,popularity\na,3\nb,many\n", "line 3: popularity is 'many', not a number"),
        ("item,vector\na,1 2\nb,1\n", "line 3: the vector of item 'b' has 1 numbers, that of 'a' has 2"),
        ("item,vector\na,1 2\nb,1 x\n", "line 3: vector of item 'b' is"),
        ("item,vector\na,1 2\nb,1 nan\n", "line 3: vector of item 'b' is"),
        ("item,v0,v1\na,1,2\nb,1,\n", "line 3: v1 is empty"),
        ("item,popularity\n", "the table of items is empty"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "items.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_items(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_an_item_without_a_group_is_named() -> None:
    items = Items({"item": ["a", "b"], "group": ["x", None]})
    with pytest.raises(InputError, match="row 2: item 'b' has no group"):
        items.groups("group")
