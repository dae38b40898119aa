"""Evaluation on Spark beside MLlib, local `evaluate`, and itself on one core and two; large inputs in bounded memory.

    python benchmarks/engines.py --part all                     # 200,000 users × 100 items, all parts but `rows`
    python benchmarks/engines.py --part rows --users 3000000    # 3·10^8 rows: 5 GB of Parquet in the temporary folder
    python benchmarks/engines.py --part ours --users 20000      # a quick look

Every measurement is a process of its own, with a JVM that was warmed up by a small job; times are wall clock of reading
Parquet, shuffling and measuring. RePlay (replay-rec 0.22) and Microsoft recommenders (1.2.1) want pandas below 3, the latter also
pyspark up to 4.0: each needs an environment of its own, with Idealist in it. Memory is that of all processes below this one. Needs pyspark, pyarrow and Java.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ITEMS_PER_USER, JUDGED_PER_USER, CATALOGUE = 100, 10, 100_000
CUTOFFS = (5, 10, 20)
NAMES = ("nDCG", "AP", "RR", "P", "R", "F", "Success", "ERR", "RBP", "Judged")
MEASURES = [f"{name}@{k}" for name in NAMES for k in CUTOFFS]
CHUNK_USERS = 50_000


def generate(folder: Path, users: int) -> None:
    """A run and judgments as Parquet, rows of a user together, in files of 50,000 users; the run also as arrays."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    generator = np.random.default_rng(7)
    for name in ("run", "judgments", "run_arrays", "judgments_arrays"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for first in range(0, users, CHUNK_USERS):
        ids = np.arange(first, min(first + CHUNK_USERS, users))
        # Steps along the catalogue: distinct items of every user.
        steps = generator.integers(1, CATALOGUE // ITEMS_PER_USER, size=(len(ids), ITEMS_PER_USER))
        items = np.cumsum(steps, axis=1)
        scores = -np.sort(-generator.random((len(ids), ITEMS_PER_USER), dtype=np.float32), axis=1)
        order = np.argsort(generator.random(items.shape), axis=1)
        items = np.take_along_axis(items, order, axis=1)
        judged = items[:, :: ITEMS_PER_USER // JUDGED_PER_USER].copy()
        judged[:, ::2] += CATALOGUE  # half of what is judged was not recommended
        grades = generator.integers(0, 4, size=judged.shape).astype(float)
        name = f"part-{first:09d}.parquet"
        for kind, documents, column, numbers in (
            ("run", items, "score", scores.astype(float)),
            ("judgments", judged, "grade", grades),
        ):
            long = {
                "query": np.repeat(ids, documents.shape[1]),
                "document": documents.ravel(),
                column: numbers.ravel(),
            }
            pq.write_table(pa.table(long), folder / kind / name)
            lists = {
                "query": ids,
                "documents": pa.FixedSizeListArray.from_arrays(
                    pa.array(documents.ravel()), documents.shape[1]
                ),
                f"{column}s": pa.FixedSizeListArray.from_arrays(
                    pa.array(numbers.ravel()), documents.shape[1]
                ),
            }
            for key in ("documents", f"{column}s"):
                lists[key] = lists[key].cast(pa.list_(lists[key].type.value_type))
            if users <= 1_000_000:
                pq.write_table(pa.table(lists), folder / f"{kind}_arrays" / name)


def below(root: int) -> list[int]:
    """A process and all below it."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry.name))
    processes, pending = [], [root]
    while pending:
        processes.append(pending.pop())
        pending += children.get(processes[-1], [])
    return processes


def resident(root: int) -> int:
    """Bytes in memory of a process and all below it; what they share is counted once, in proportion."""
    total = 0
    for process in below(root):
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


def cpu_seconds() -> float:
    """CPU seconds of this process and all below it, those that have ended included: what a busy machine changes least."""
    ticks = 0
    for process in below(os.getpid()):
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def session(cores: int) -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable  # else workers take the python3 of the path
    spark = (
        SparkSession.builder.master(f"local[{cores}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "4g")
        .config("spark.log.level", "ERROR")
        .config("spark.eventLog.enabled", "true")
        .config("spark.eventLog.compress", "false")
        .config("spark.eventLog.rolling.enabled", "false")
        .config("spark.eventLog.dir", f"file://{tempfile.mkdtemp(prefix='idealist-events-')}")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    # Warm up: the JVM, the codecs, and as many Python workers as there are cores.
    spark.range(1000).repartition(cores).mapInArrow(lambda batches: batches, "id long").count()
    return spark


def ours(
    folder: Path, cores: int, *, arrays: bool = False, measures: list[str] = MEASURES
) -> dict[str, float]:
    from idealist.engines import spark as spark_engine

    spark = session(cores)
    ending = "_arrays" if arrays else ""
    few, judged = (
        spark.read.parquet(str(folder / f"{kind}{ending}")).where("query < 50")
        for kind in ("run", "judgments")
    )
    str(spark_engine.evaluate(few, judged, measures, partitions=cores))
    began, cpu_began = time.perf_counter(), cpu_seconds()
    run, judgments = (spark.read.parquet(str(folder / f"{kind}{ending}")) for kind in ("run", "judgments"))
    evaluation = spark_engine.evaluate(run, judgments, measures)
    value = evaluation.mean("nDCG@10")
    seconds, cpu = time.perf_counter() - began, cpu_seconds() - cpu_began
    return {
        "seconds": seconds,
        "cpu": cpu,
        "nDCG@10": value,
        "partitions": evaluation.stages.partitions,
        "shuffled": shuffled(spark),
    }


def mllib(folder: Path, cores: int, *, arrays: bool = False) -> dict[str, float]:
    """RankingMetrics by way of RankingEvaluator, which stays within the JVM: NDCG, MAP and precision at 10."""
    from pyspark.ml.evaluation import RankingEvaluator
    from pyspark.sql import functions

    spark = session(cores)
    began, cpu_began = time.perf_counter(), cpu_seconds()
    if arrays:
        run = spark.read.parquet(str(folder / "run_arrays")).selectExpr(
            "query", "cast(documents as array<double>) prediction"
        )
        judged = spark.read.parquet(str(folder / "judgments_arrays")).selectExpr(
            "query", "cast(filter(documents, (d, i) -> grades[i] > 0) as array<double>) label"
        )
    else:
        run = (
            spark.read.parquet(str(folder / "run"))
            .groupBy("query")
            .agg(functions.sort_array(functions.collect_list(functions.struct("score", "document")), asc=False).alias("l"))
            .selectExpr("query", "cast(l.document as array<double>) prediction")
        )  # fmt: skip
        judged = (
            spark.read.parquet(str(folder / "judgments"))
            .where("grade > 0")
            .groupBy("query")
            .agg(functions.collect_list(functions.col("document").cast("double")).alias("label"))
        )
    lists = judged.join(run, "query").select("prediction", "label").cache()
    values = {
        metric: RankingEvaluator(metricName=metric, k=10).evaluate(lists)
        for metric in ("ndcgAtK", "meanAveragePrecision", "precisionAtK")
    }
    seconds, cpu = time.perf_counter() - began, cpu_seconds() - cpu_began
    return {"seconds": seconds, "cpu": cpu, "ndcg": values["ndcgAtK"]}


def replay(folder: Path, cores: int) -> dict[str, float]:
    """RePlay's evaluation of Spark DataFrames: NDCG, MAP and precision at 10."""
    from replay.metrics import MAP, NDCG, OfflineMetrics, Precision

    spark = session(cores)
    began, cpu_began = time.perf_counter(), cpu_seconds()
    run = spark.read.parquet(str(folder / "run"))
    judged = spark.read.parquet(str(folder / "judgments")).where("grade > 0").select("query", "document")
    names = {"query_column": "query", "item_column": "document", "rating_column": "score"}
    values = OfflineMetrics([NDCG(10), MAP(10), Precision(10)], **names)(run, judged)
    seconds, cpu = time.perf_counter() - began, cpu_seconds() - cpu_began
    return {"seconds": seconds, "cpu": cpu, "ndcg": float(values["NDCG@10"])}


def recommenders(folder: Path, cores: int) -> dict[str, float]:
    """Microsoft recommenders' evaluation of Spark DataFrames: NDCG, MAP and precision at 10."""
    from recommenders.evaluation.spark_evaluation import SparkRankingEvaluation

    spark = session(cores)
    began, cpu_began = time.perf_counter(), cpu_seconds()
    run = spark.read.parquet(str(folder / "run"))
    judged = spark.read.parquet(str(folder / "judgments")).where("grade > 0")
    names = {"col_user": "query", "col_item": "document", "col_rating": "grade", "col_prediction": "score"}
    evaluation = SparkRankingEvaluation(judged, run, k=10, relevancy_method="top_k", **names)
    values = [evaluation.ndcg_at_k(), evaluation.map_at_k(), evaluation.precision_at_k()]
    seconds, cpu = time.perf_counter() - began, cpu_seconds() - cpu_began
    return {"seconds": seconds, "cpu": cpu, "ndcg": float(values[0])}


def local(folder: Path, cores: int) -> dict[str, float]:
    import pyarrow.dataset as ds

    import idealist as il

    began, cpu_began = time.perf_counter(), cpu_seconds()
    run, judgments = (ds.dataset(str(folder / kind)).to_table() for kind in ("run", "judgments"))
    value = il.evaluate(run, judgments, MEASURES, threads=cores).mean("nDCG@10")
    seconds, cpu = time.perf_counter() - began, cpu_seconds() - cpu_began
    return {"seconds": seconds, "cpu": cpu, "nDCG@10": value}


def shuffled(spark: Any) -> int:
    """Bytes that were written for shuffles, by Spark's own log; ends the session."""
    folder = Path(spark.conf.get("spark.eventLog.dir").removeprefix("file://"))
    spark.stop()
    written = 0
    for log in folder.rglob("*"):
        for line in log.read_text().splitlines() if log.is_file() and not log.name.startswith(".") else ():
            if '"SparkListenerTaskEnd"' in line:
                metrics = json.loads(line).get("Task Metrics") or {}
                written += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    return written


MEASUREMENTS: dict[str, Callable[..., dict[str, float]]] = {
    "ours": ours,
    "ours-arrays": lambda folder, cores: ours(folder, cores, arrays=True),
    "mllib": mllib,
    "mllib-arrays": lambda folder, cores: mllib(folder, cores, arrays=True),
    "replay": replay,
    "recommenders": recommenders,
    "local": local,
}
PARTS = {
    "ours": [("ours", 2)],
    "mllib": [("ours", 2), ("mllib", 2)],
    "arrays": [("ours-arrays", 2), ("mllib-arrays", 2)],
    "replay": [("ours", 2), ("replay", 2)],
    "recommenders": [("ours", 2), ("recommenders", 2)],
    "local": [("ours", 2), ("local", 2)],
    "cores": [("ours", 1), ("ours", 2)],
    "rows": [("ours", 2)],
    "all": [("ours", 1), ("ours", 2), ("mllib", 2), ("ours-arrays", 2), ("mllib-arrays", 2), ("local", 2)],
}


def measure(name: str, cores: int, folder: Path) -> dict[str, float]:
    """One measurement in a process of its own."""
    command = [
        sys.executable,
        __file__,
        "--measurement",
        name,
        "--cores",
        str(cores),
        "--folder",
        str(folder),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = [0]

    def watch() -> None:
        while process.poll() is None:
            peak[0] = max(peak[0], resident(process.pid))
            time.sleep(1)

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{name} failed")
    return {**json.loads(output.splitlines()[-1]), "peak": peak[0]}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=PARTS, default="all")
    parser.add_argument("--users", type=int, default=200_000)
    parser.add_argument("--folder", type=Path, help="where the data is kept for another call")
    parser.add_argument("--cores", type=int, default=2, help=argparse.SUPPRESS)
    parser.add_argument("--measurement", choices=MEASUREMENTS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measurement:
        print(json.dumps(MEASUREMENTS[arguments.measurement](arguments.folder, arguments.cores)))
        return
    with tempfile.TemporaryDirectory(prefix="idealist-engines-") as temporary:
        folder = arguments.folder or Path(temporary)
        if not (folder / "run").exists():
            generate(folder, arguments.users)
        rows = arguments.users * (ITEMS_PER_USER + JUDGED_PER_USER)
        size = sum(
            path.stat().st_size for path in folder.glob("*/*.parquet") if "arrays" not in path.parent.name
        )
        print(
            f"{arguments.users:,} users, {rows:,} rows, {size / 1e6:,.0f} MB of Parquet; {os.cpu_count()} cores"
        )
        results: dict[tuple[str, int], dict[str, float]] = {}
        for name, cores in PARTS[arguments.part]:
            results[name, cores] = found = measure(name, cores, folder)
            per_core = rows / found["seconds"] / cores
            shuffle = f"; {found['shuffled'] / rows:.1f} bytes a row shuffled" if "shuffled" in found else ""
            print(
                f"{name:13} {cores} cores  {found['seconds']:8.1f} s  {found['cpu']:8.1f} CPU s  {per_core / 1e6:6.2f} M rows/s/core  "
                f"peak {found['peak'] / 2**30:.1f} GiB{shuffle}",
                flush=True,
            )
        for one, other in (
            ("mllib", "ours"),
            ("replay", "ours"),
            ("recommenders", "ours"),
            ("mllib-arrays", "ours-arrays"),
            ("ours", "local"),
        ):
            if (one, 2) in results and (other, 2) in results:
                ratio, cpu_ratio = (
                    results[one, 2][key] / results[other, 2][key] for key in ("seconds", "cpu")
                )
                print(
                    f"{one} takes {ratio:.1f} times as long as {other}, and {cpu_ratio:.1f} times the CPU seconds"
                )


if __name__ == "__main__":
    main()
