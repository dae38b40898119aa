"""Evaluates a run with Spark, writes the values of queries, and prints their means: RUN JUDGMENTS VALUES."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from idealist.engines import spark as spark_engine

MEASURES = ["nDCG@10", "AP@10", "RR@10", "R@10", "Success@10"]


def main(run: str, judgments: str, values: str) -> None:
    session = SparkSession.builder.appName("idealist").getOrCreate()
    try:
        evaluation = spark_engine.evaluate(
            spark_engine.read_frame(session, judgments), spark_engine.read_frame(session, run), MEASURES
        )
        evaluation.persist()  # values and means from one pass
        evaluation.values.write.mode("overwrite").parquet(values)
        print(evaluation)
    finally:
        session.stop()  # else executors that are shut down count as lost


if __name__ == "__main__":
    main(*sys.argv[1:])
