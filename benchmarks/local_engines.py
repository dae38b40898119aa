"""SQL and the engines of one machine beside `evaluate`, on the same tables in memory, taking turns.

`python benchmarks/local_engines.py` prints the median CPU seconds of each, all threads together, for two million rows;
docs/engines.md has the numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa

import idealist as il
from idealist.engines import duckdb as duckdb_engine
from idealist.engines import polars as polars_engine
from idealist.engines import sql
from idealist.show import Table

USERS, ITEMS, JUDGED, ROUNDS = 20_000, 100, 0.1, 5
MEASURES = ["nDCG@10", "AP", "RR"]


def tables() -> tuple[pa.Table, pa.Table]:
    """Every user has a list of a hundred items, of which a tenth is judged."""
    generator = np.random.default_rng(1)
    user = np.repeat(np.arange(USERS), ITEMS)
    first = np.repeat(generator.integers(0, 100_000, USERS), ITEMS)
    item = (first + np.tile(np.arange(ITEMS) * 997, USERS)) % 100_003
    run = pa.table({"query": user, "document": item, "score": generator.random(len(user))})
    judged = generator.random(len(user)) < JUDGED
    grades = generator.integers(0, 4, int(judged.sum()))
    return run, pa.table({"query": user[judged], "document": item[judged], "grade": grades})


def ways(run: pa.Table, judgments: pa.Table) -> dict[str, Callable[[], Any]]:
    database = duckdb.connect()
    database.register("run", run)
    database.register("judgments", judgments)
    frames = pl.DataFrame(judgments), pl.DataFrame(run)
    return {
        "evaluate": lambda: il.evaluate(judgments, run, MEASURES).mean("AP"),
        "engines.polars": lambda: polars_engine.evaluate(*frames, MEASURES).mean("AP"),
        "engines.duckdb": lambda: duckdb_engine.evaluate(
            database.sql("FROM judgments"), database.sql("FROM run"), MEASURES
        ).mean("AP"),
        "SQL in DuckDB, without checks": lambda: database.sql(sql.query(MEASURES, checks=False)).fetchall(),
        "SQL in DuckDB": lambda: database.sql(sql.query(MEASURES)).fetchall(),
    }


def main() -> None:
    measured = ways(*tables())
    seconds: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(ROUNDS):
        for name, work in measured.items():
            began = process_time()
            work()
            seconds[name].append(process_time() - began)
    rows = [[name, f"{median(times):.2f}"] for name, times in seconds.items()]
    print(Table(["way", "CPU s"], rows).to_text(), end="")


if __name__ == "__main__":
    main()
