"""Evaluation on Spark beside MLlib, local `evaluate`, and itself on one core and two; large inputs in bounded memory.

    python benchmarks/engines.py --part all                     # 200,000 users × 100 items, all parts but `rows`
    python benchmarks/engines.py --part rows --users 3000000    # 3·10^8 rows: 5 GB of Parquet in the temporary folder
    python benchmarks/engines.py --part ours --users 20000      # a quick look

Every measurement is a process of its own, which first does the same with 50 users. Times are those of reading Parquet,
shuffling and measuring, as wall clock and as CPU seconds of all processes below this one: on a machine that others use too, the
latter are what can be compared. Memory is that of all these processes. Ours computes ten measures at three cut-offs, the
others three at one. RePlay (replay-rec 0.22) and Microsoft recommenders (1.2.1) want pandas below 3, the latter also pyspark below
4.1: each needs an environment of its own, and `--part replay` or `--part recommenders` is run in it, with Idealist on its
path. Needs pyspark, pyarrow and Java.
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
from functools import partial
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
        places = np.argsort(generator.random(items.shape, dtype=np.float32), axis=1)[:, :JUDGED_PER_USER]
        judged = np.take_along_axis(items, places, axis=1)
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


def generate_unsorted(folder: Path) -> None:
    """The same rows in a random order, in four files of each side."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    generator = np.random.default_rng(1)
    for kind in ("run", "judgments"):
        table = ds.dataset(str(folder / kind)).to_table()
        table = table.take(pa.array(generator.permutation(len(table))))
        (folder / f"{kind}_unsorted").mkdir()
        rows = -(-len(table) // 4)
        for part in range(4):
            pq.write_table(
                table.slice(part * rows, rows), folder / f"{kind}_unsorted" / f"part-{part}.parquet"
            )


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


def timed(
    work: Callable[[Callable[[str], Any]], float], cores: int, folder: Path, *, unsorted: bool = False
) -> dict[str, float]:
    """Time and CPU seconds of `work`, a function of what reads a table. It is first done with 50 users, so that whatever an
    engine loads and compiles for it is there."""
    spark = session(cores)
    ending = "_unsorted" if unsorted else ""

    def table(name: str) -> Any:
        return spark.read.parquet(str(folder / f"{name}{ending}"))

    work(lambda name: table(name).where("query < 50"))
    began, cpu_began = time.time(), cpu_seconds()
    value = work(table)
    seconds, cpu = time.time() - began, cpu_seconds() - cpu_began
    return {"seconds": seconds, "cpu": cpu, "ndcg": value} | shuffled(spark, began)


def ours(
    folder: Path, cores: int, *, arrays: bool = False, unsorted: bool = False, through_spark: bool = False
) -> dict[str, float]:
    """Ten measures at three cut-offs. `through_spark` has a filter that keeps all rows, so that Spark reads the files."""
    from idealist.engines import spark as spark_engine

    ending = "_arrays" if arrays else ""

    def work(table: Callable[[str], Any]) -> float:
        run, judgments = table(f"run{ending}"), table(f"judgments{ending}")
        if through_spark:
            run, judgments = run.where("query >= 0"), judgments.where("query >= 0")
        return spark_engine.evaluate(judgments, run, MEASURES).mean("nDCG@10")

    return timed(work, cores, folder, unsorted=unsorted)


def lists(table: Callable[[str], Any], *, arrays: bool) -> Any:
    """The lists that MLlib takes: one row per user, with what was recommended, best first, and what is relevant."""
    from pyspark.sql import functions

    if arrays:
        run = table("run_arrays").selectExpr("query", "cast(documents as array<double>) prediction")
        judged = table("judgments_arrays").selectExpr(
            "query", "cast(filter(documents, (d, i) -> grades[i] > 0) as array<double>) label"
        )
    else:
        pair = functions.struct("score", "document")
        ordered = functions.sort_array(functions.collect_list(pair), asc=False)
        run = (
            table("run")
            .groupBy("query")
            .agg(ordered.alias("l"))
            .selectExpr("query", "cast(l.document as array<double>) prediction")
        )
        relevant = functions.collect_list(functions.col("document").cast("double"))
        judged = table("judgments").where("grade > 0").groupBy("query").agg(relevant.alias("label"))
    return judged.join(run, "query").select("prediction", "label")


def mllib(folder: Path, cores: int, *, arrays: bool = False, unsorted: bool = False) -> dict[str, float]:
    """RankingMetrics: NDCG, MAP and precision at 10, of lists that are cached."""
    from pyspark.mllib.evaluation import RankingMetrics

    def work(table: Callable[[str], Any]) -> float:
        pairs = lists(table, arrays=arrays).rdd.map(tuple).cache()
        metrics = RankingMetrics(pairs)
        values = [metrics.ndcgAt(10), metrics.meanAveragePrecisionAt(10), metrics.precisionAt(10)]
        pairs.unpersist()
        return float(values[0])

    return timed(work, cores, folder, unsorted=unsorted)


def mllib_evaluator(folder: Path, cores: int, *, arrays: bool = False) -> dict[str, float]:
    """RankingEvaluator, which computes RankingMetrics of a DataFrame without leaving the JVM: the same three."""
    from pyspark.ml.evaluation import RankingEvaluator

    def work(table: Callable[[str], Any]) -> float:
        frame = lists(table, arrays=arrays).cache()
        names = ("ndcgAtK", "meanAveragePrecisionAtK", "precisionAtK")
        values = [RankingEvaluator(metricName=name, k=10).evaluate(frame) for name in names]
        frame.unpersist()
        return float(values[0])

    return timed(work, cores, folder)


def replay(folder: Path, cores: int, *, unsorted: bool = False) -> dict[str, float]:
    """RePlay's evaluation of Spark DataFrames: NDCG, MAP and precision at 10."""
    from replay.metrics import MAP, NDCG, OfflineMetrics, Precision

    names = {"query_column": "query", "item_column": "document", "rating_column": "score"}

    def work(table: Callable[[str], Any]) -> float:
        judged = table("judgments").where("grade > 0").select("query", "document")
        return float(
            OfflineMetrics([NDCG(10), MAP(10), Precision(10)], **names)(table("run"), judged)["NDCG@10"]
        )

    return timed(work, cores, folder, unsorted=unsorted)


def recommenders(folder: Path, cores: int, *, unsorted: bool = False) -> dict[str, float]:
    """Microsoft recommenders' evaluation of Spark DataFrames: NDCG, MAP and precision at 10."""
    from recommenders.evaluation.spark_evaluation import SparkRankingEvaluation

    names = {"col_user": "query", "col_item": "document", "col_rating": "grade", "col_prediction": "score"}

    def work(table: Callable[[str], Any]) -> float:
        judged = table("judgments").where("grade > 0")
        evaluation = SparkRankingEvaluation(judged, table("run"), k=10, relevancy_method="top_k", **names)
        return float([evaluation.ndcg_at_k(), evaluation.map_at_k(), evaluation.precision_at_k()][0])

    return timed(work, cores, folder, unsorted=unsorted)


def local(folder: Path, cores: int) -> dict[str, float]:
    """`idealist.evaluate`: judgments in memory, the run read batch by batch."""
    import pyarrow.dataset as ds

    import idealist as il

    began, cpu_began = time.perf_counter(), cpu_seconds()
    run, judgments = (ds.dataset(str(folder / kind)) for kind in ("run", "judgments"))
    evaluation = il.evaluate(judgments.to_table(), run.scanner().to_reader(), MEASURES, threads=cores)
    value = evaluation.mean("nDCG@10")
    seconds, cpu = time.perf_counter() - began, cpu_seconds() - cpu_began
    return {"seconds": seconds, "cpu": cpu, "ndcg": value}


def shuffled(spark: Any, since: float) -> dict[str, float]:
    """The bytes that were written for shuffles, and the share of the time of tasks that went to those that wrote them, by
    Spark's own log; ends the session."""
    folder = Path(spark.conf.get("spark.eventLog.dir").removeprefix("file://"))
    spark.stop()
    written, before, total = 0, 0, 0
    for log in folder.rglob("*"):
        for line in log.read_text().splitlines() if log.is_file() and not log.name.startswith(".") else ():
            if '"SparkListenerTaskEnd"' not in line:
                continue
            task = json.loads(line)
            metrics = task.get("Task Metrics") or {}
            if task["Task Info"]["Launch Time"] < since * 1000:
                continue
            size = metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
            written += size
            total += metrics.get("Executor Run Time", 0)
            before += metrics.get("Executor Run Time", 0) if size else 0
    return {"shuffled": written, "first_stage": before / total if total else 0.0}


MEASUREMENTS: dict[str, Callable[..., dict[str, float]]] = {
    "ours": ours,
    "ours-unsorted": partial(ours, unsorted=True),
    "ours-through-spark": partial(ours, through_spark=True),
    "ours-arrays": partial(ours, arrays=True),
    "mllib": mllib,
    "mllib-evaluator": mllib_evaluator,
    "mllib-arrays": partial(mllib, arrays=True),
    "evaluator-arrays": partial(mllib_evaluator, arrays=True),
    "mllib-unsorted": partial(mllib, unsorted=True),
    "replay": replay,
    "replay-unsorted": partial(replay, unsorted=True),
    "recommenders": recommenders,
    "recommenders-unsorted": partial(recommenders, unsorted=True),
    "local": local,
}
PARTS = {
    "ours": [("ours", 2)],
    "mllib": [("ours", 2), ("mllib", 2), ("mllib-evaluator", 2), ("ours-unsorted", 2), ("mllib-unsorted", 2)],
    "arrays": [("ours-arrays", 2), ("mllib-arrays", 2), ("evaluator-arrays", 2)],
    "replay": [("ours", 2), ("replay", 2), ("ours-unsorted", 2), ("replay-unsorted", 2)],
    "recommenders": [("ours", 2), ("recommenders", 2), ("ours-unsorted", 2), ("recommenders-unsorted", 2)],
    "spark": [("ours", 2), ("ours-through-spark", 2)],
    "local": [("ours", 2), ("local", 2)],
    "cores": [(name, cores) for name in ("ours", "ours-unsorted", "ours-through-spark") for cores in (1, 2)],
    "rows": [("ours", 2), ("local", 2)],
}
PARTS["all"] = [("ours", 1), *PARTS["mllib"], *PARTS["arrays"], ("local", 2)]


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
        names = [name for name, _ in PARTS[arguments.part]]
        if any("unsorted" in name for name in names) and not (folder / "run_unsorted").exists():
            generate_unsorted(folder)
        rows = arguments.users * (ITEMS_PER_USER + JUDGED_PER_USER)
        size = sum(
            path.stat().st_size for name in ("run", "judgments") for path in (folder / name).glob("*.parquet")
        )
        print(
            f"{arguments.users:,} users, {rows:,} rows, {size / 1e6:,.0f} MB of Parquet; {os.cpu_count()} cores"
        )
        results: dict[tuple[str, int], dict[str, float]] = {}
        for name, cores in PARTS[arguments.part]:
            results[name, cores] = found = measure(name, cores, folder)
            rate = rows / found["cpu"]
            shuffle = ""
            if "shuffled" in found:
                shuffle = f"; {found['shuffled'] / rows:.1f} bytes a row shuffled, {found['first_stage']:.0%} of tasks' time before"
            print(
                f"{name:16} {cores} cores  {found['seconds']:8.1f} s  {found['cpu']:8.1f} CPU s  {rate / 1e6:6.2f} M rows per CPU s  "
                f"peak {found['peak'] / 2**30:.1f} GiB{shuffle}",
                flush=True,
            )
        for one, other in (
            ("mllib", "ours"),
            ("mllib-evaluator", "ours"),
            ("replay", "ours"),
            ("recommenders", "ours"),
            ("mllib-unsorted", "ours-unsorted"),
            ("replay-unsorted", "ours-unsorted"),
            ("recommenders-unsorted", "ours-unsorted"),
            ("ours-through-spark", "ours"),
            ("mllib-arrays", "ours-arrays"),
            ("evaluator-arrays", "ours-arrays"),
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
