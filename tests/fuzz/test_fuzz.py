"""The fuzzer itself, over files that are the same every time; `make fuzz` has new ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_mutated_files_give_results_or_errors_of_ours(tmp_path: Path) -> None:
    program = Path(__file__).with_name("fuzz.py")
    code = f"""
import sys
sys.path.insert(0, {str(program.parent)!r})
from pathlib import Path
from random import Random
from fuzz import fuzz
print(fuzz(Path({str(tmp_path)!r}), Random(12), most=100))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "100\n", done.stdout + done.stderr
