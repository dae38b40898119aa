"""Mutated files of every format through the readers and `check`, for a given time.

    python tests/fuzz/fuzz.py --seconds 60 [--seed 7]

Good is a result or an error of ours. Anything else ends the run with exit 1, a crash or a file that takes
longer than SLOWEST ends the process; the file in question is kept, and its path is printed first.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
import time
import traceback
from pathlib import Path
from random import Random
from shutil import rmtree
from tempfile import mkdtemp

sys.path.insert(0, str(Path(__file__).parent))

from mutations import mutated
from samples import samples

import idealist as il
from idealist.errors import IdealistError

SLOWEST = 30  # seconds that one small file may take


def attempt(source: str) -> str | None:
    """What is wrong with how a file was read; None if nothing."""
    readers = (
        lambda: il.read_run(source, threads=2),
        lambda: il.read_judgments(source, threads=2),
        lambda: il.data.read_features(source),
        lambda: il.data.read_features(source, format="letor", fill=0),
        lambda: str(il.check(runs=source)),
        lambda: str(il.check(source, ())),
    )
    for read in readers:
        try:
            read()
        except IdealistError as error:
            if len(str(error)) > 10_000 or "\x1b" in str(error):
                return f"a message of {len(str(error)):,} characters, or with control characters"
        except BaseException:
            return traceback.format_exc()
    return None


def fuzz(folder: Path, random: Random, *, seconds: float = float("inf"), most: int | None = None) -> int:
    """How many files were tried; raises AssertionError with the file that broke something."""
    (folder / "samples").mkdir()
    kept = samples(folder / "samples")
    names, contents = list(kept), list(kept.values())
    tried, end = 0, time.monotonic() + seconds
    while time.monotonic() < end and (most is None or tried < most):
        name = random.choice(names)
        path, *table = name.split("::")
        target = folder / path
        target.write_bytes(mutated(kept[name], contents, random))
        faulthandler.dump_traceback_later(SLOWEST, exit=True)
        wrong = attempt("::".join([str(target), *table]))
        faulthandler.cancel_dump_traceback_later()
        assert wrong is None, f"{target}:\n{wrong}"
        target.unlink()
        tried += 1
    return tried


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    arguments = parser.parse_args()
    folder = Path(mkdtemp(prefix="idealist-fuzz-"))
    print(f"seed {arguments.seed}; the file at work is in {folder}", flush=True)
    try:
        tried = fuzz(folder, Random(arguments.seed), seconds=arguments.seconds)
    except AssertionError as error:
        print(error)
        return 1
    rmtree(folder)
    print(f"{tried:,} files: nothing but results and errors of ours")
    return 0


if __name__ == "__main__":
    sys.exit(main())
