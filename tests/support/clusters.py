"""A Spark cluster on this machine: two executors, which are processes of their own."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from shutil import which
from typing import Any


def java_is_missing() -> bool:
    home = os.environ.get("JAVA_HOME")
    return which("java") is None and not (home and (Path(home) / "bin" / "java").exists())


def start_cluster(folder: Path) -> Any:
    """A session whose executors import what this process does. `folder` is for what Spark writes."""
    from pyspark.sql import SparkSession

    python_path = os.pathsep.join(str(Path(path).resolve()) for path in sys.path if path)
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "3",
        "spark.executorEnv.PYTHONPATH": python_path,
        "spark.task.maxFailures": "2",  # one that is bound to fail need not do so four times
        "spark.log.level": "OFF",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder / "local"),
    }
    os.environ["PYSPARK_PYTHON"] = sys.executable  # else executors take the python3 of the path
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("idealist")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
