"""A small file of every format that runs and judgments come in."""

from __future__ import annotations

import json
from pathlib import Path

import idealist as il

RUN = {"q1": {"d1": 2.5, "d2": 1.0, "d3": 1.0}, "q2": {"d1": 0.25, "é": -3.0}}
GRADES = {"q1": {"d1": 2, "d3": 0}, "q2": {"d4": 1, "é": 3}}
ENDINGS = ("csv", "tsv", "json", "jsonl", "csv.gz", "jsonl.bz2", "tsv.xz")
TABLES = {"parquet": "pyarrow", "arrow": "pyarrow", "sqlite::rows": "", "duckdb::rows": "duckdb"}
LETOR = "2 qid:1 1:0.5 2:1 # docid = a\n0 qid:1 1:0.25 2:0 # docid = b\n1 qid:2 1:1 2:0.5 # docid = c\n"
RANK_EVAL = {
    "requests": [
        {"id": "q1", "request": {}, "ratings": [{"_index": "i", "_id": "d1", "rating": 2}]},
    ],
    "details": {"q1": {"hits": [{"hit": {"_index": "i", "_id": "d1", "_score": 1.5}, "rating": 2}]}},
}


def samples(folder: Path) -> dict[str, bytes]:
    """The bytes of every sample by the name of its file, with `::table` where it is a database."""
    made: dict[str, bytes] = {}
    run, judgments = il.Run(RUN), il.Judgments(GRADES)
    for ending in ("run", *ENDINGS, *_there()):
        _write(made, folder, f"run.{ending}", lambda target: il.write_run(run, target))
    for ending in ("qrels", *ENDINGS, *_there()):
        _write(made, folder, f"judgments.{ending}", lambda target: il.write_judgments(judgments, target))
    made["rows.letor"] = LETOR.encode()
    made["ratings.dat"] = b"1::10::5::978300760\n1::20::3::978302109\n2::10::4::978301968\n"
    made["rank_eval.json"] = json.dumps(RANK_EVAL).encode()
    return made


def _there() -> list[str]:
    """The tables whose library is installed."""
    from importlib.util import find_spec

    return [ending for ending, library in TABLES.items() if not library or find_spec(library)]


def _write(made: dict[str, bytes], folder: Path, name: str, write: object) -> None:
    assert callable(write)
    write(str(folder / name))
    path, *_ = name.split("::")
    made[name] = (folder / path).read_bytes()
