"""Files, folders and tables, as Spark reads them."""

from __future__ import annotations

import os

from idealist.engines.spark.faults import as_input_errors
from idealist.engines.spark.inputs import spark_library
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ENDINGS = {".parquet": "parquet", ".orc": "orc", ".csv": "csv", ".json": "json", ".jsonl": "json"}


def read_frame(session: SparkSession, name: str | os.PathLike[str]) -> DataFrame:
    """A DataFrame of a path (Parquet, ORC, CSV with a header, JSON lines, or Delta where its folder has a log) or of
    a table of the session's catalogue."""
    spark_library()
    path = os.fspath(name)
    kind = next((kind for ending, kind in ENDINGS.items() if path.rstrip("/").endswith(ending)), None)
    with as_input_errors():
        if kind is None and os.path.isdir(os.path.join(path, "_delta_log")):
            kind = "delta"
        if kind is None and ("/" in path or os.path.exists(path)):
            kind = "parquet"
        if kind is None:
            return session.table(path)
        if kind == "csv":
            return session.read.csv(path, header=True, inferSchema=True)
        try:
            return session.read.format(kind).load(path)
        except Exception as error:
            if kind == "delta" and "DATA_SOURCE_NOT_FOUND" in str(error):
                raise InputError(
                    f"{path} is a Delta table, and this Spark has no Delta",
                    hint="start it with --packages io.delta:delta-spark_2.13:VERSION, or name the table as Parquet",
                ) from None
            raise
