"""The template for spark-submit: an archive reaches the executors, and values and means come back."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from conftest import ROOT
from support.arrow_tasks import judgments_table, run_table
from support.clusters import java_is_missing

import idealist as il

SUBMIT = ROOT / "examples" / "spark" / "submit.sh"


def submitted(folder: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    scripts = Path(sys.executable).parent  # has spark-submit
    path = os.pathsep.join(str(Path(entry).resolve()) for entry in sys.path if entry)
    environment = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}
    return subprocess.run(
        ["bash", str(SUBMIT), *words],
        cwd=folder,
        env=environment | settings,
        capture_output=True,
        text=True,
        check=False,
    )


def packed_python(folder: Path) -> Path:
    """An archive whose Python is this one, and leaves a mark where it is started."""
    python = folder / "python"
    python.write_text(f'#!/bin/sh\ntouch "{folder}/started-on-executor"\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    archive = folder / "environment.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(python, "bin/python")
    return archive


@pytest.mark.slow
@pytest.mark.skipif(java_is_missing(), reason="Spark needs Java 17 or newer")
def test_the_template_measures_with_the_packed_environment(tmp_path: Path) -> None:
    run, judgments = run_table(seed=1), judgments_table(seed=2)
    for name, table in (("run", run), ("judgments", judgments)):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    done = submitted(
        tmp_path,
        *(str(tmp_path / name) for name in ("run.parquet", "judgments.parquet", "values")),
        ARCHIVE=str(packed_python(tmp_path)),
        MASTER="local-cluster[1,1,1024]",
        PYSPARK_DRIVER_PYTHON=sys.executable,
        SPARK_LOCAL_IP="127.0.0.1",
        EXECUTOR_MEMORY="1g",
        CORES="1",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "started-on-executor").exists()
    local = il.evaluate(judgments, run, ["nDCG@10", "RR@10"])
    printed = {
        line.split()[1]: line.split()[2] for line in done.stdout.splitlines() if line.startswith("run ")
    }
    for measure in ("nDCG@10", "RR@10"):
        assert printed[measure] == f"{local.mean(measure):.4f}"
    values = pq.read_table(tmp_path / "values").to_pylist()
    assert {str(row["query"]): row["RR@10"] for row in values} == local.by_query("RR@10")


def test_the_template_says_how_it_is_used(tmp_path: Path) -> None:
    done = submitted(tmp_path, "run.parquet")
    assert done.returncode == 2
    assert done.stderr == "usage: submit.sh RUN JUDGMENTS VALUES\n"
    assert list(tmp_path.iterdir()) == []
