"""The core without Python, under AddressSanitizer: what Python cannot bring about, such as memory that runs out."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMPILER = shutil.which(os.environ.get("CXX", "c++"))
FOLDERS = {
    "base": ["query_rows", "rows", "segments", "system"],
    "read": ["delimited", "delimited_numbers", "json_lines", "json_scan", "text_pieces", "trec_text"],
    "write": ["arrow_output"],
}


@pytest.mark.slow
@pytest.mark.skipif(
    COMPILER is None or sys.platform != "linux", reason="needs a C++ compiler and Linux' linker"
)
def test_memory_that_runs_out_and_builders_that_hold_rows(tmp_path: Path) -> None:
    assert COMPILER is not None
    wrapped = ",".join(f"--wrap={name}" for name in ("malloc", "realloc", "free", "mmap", "munmap"))
    sources = [
        ROOT / "native" / folder / f"{part}.cpp" for folder, parts in FOLDERS.items() for part in parts
    ]
    subprocess.run(
        [COMPILER, "-std=c++20", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
         f"-I{ROOT / 'native'}", Path(__file__).with_name("core_alone.cpp"), *sources, "-pthread",
         f"-Wl,{wrapped}", "-o", tmp_path / "alone"],
        check=True,
    )  # fmt: skip
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    environment["ASAN_OPTIONS"] = "detect_leaks=0"  # the program counts by itself
    ended = subprocess.run([tmp_path / "alone"], env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout + ended.stderr) == (0, "")
