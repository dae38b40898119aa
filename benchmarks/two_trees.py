"""Two checkouts of Idealist beside each other, in CPU seconds: `python benchmarks/two_trees.py OLD NEW [ROUNDS]`.

Both take turns at the same work, so that a busy machine slows both; CPU seconds are those of all threads. Each checkout
needs a built core in `src/idealist/kernels` (`make dev` puts it there). Prints a table: medians, and new over old.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import data

FOLDER = Path(__file__).parent.parent / ".bench"
SHOP = Path(__file__).parent.parent / "examples" / "shop"
SIX = [word for measure in ("nDCG@10", "AP", "RR", "P@10", "R@100", "nDCG") for word in ("-m", measure)]
TIMED = """
import sys, time
import idealist as il
{setup}
{work}  # the first time imports what it needs
begin = time.process_time()
{work}
print(time.process_time() - begin)
"""
READ = "judgments, run = il.read_judgments({folder!r} + '.qrels'), il.read_run({folder!r} + '.run')"
MATRICES = """
import numpy as np
random = np.random.default_rng(5)
scores, grades = random.normal(size=(10_000, 1_000)), random.integers(0, 5, (10_000, 1_000))
from idealist.drop_ins.sklearn import ndcg_score
"""


def files(name: str) -> list[str]:
    return [str(FOLDER / f"{name}.qrels"), str(FOLDER / f"{name}.run")]


def shop(command: str, *options: str) -> list[str]:
    return [
        "-m",
        "idealist",
        command,
        *(str(SHOP / name) for name in ("shop.qrels", "a.run", "b.run")),
        *options,
    ]


# By name: what Python is told to do; the CPU time of its process counts.
PROCESSES = {
    "import idealist": ["-c", "import idealist"],
    "evaluate, 40 queries": shop("evaluate"),
    "compare, 40 queries": shop("compare"),
    "evaluate, TREC-like files": ["-m", "idealist", "evaluate", *files("trec"), *SIX],
    "evaluate, MS MARCO-like files": ["-m", "idealist", "evaluate", *files("msmarco"), *SIX],
    "evaluate, recommender-like files": ["-m", "idealist", "evaluate", *files("recommender"), *SIX],
    "evaluate, MS MARCO-like files, all_trec": [
        "-m",
        "idealist",
        "evaluate",
        *files("msmarco"),
        "-m",
        "all_trec",
    ],
    "trec-eval, MS MARCO-like files": ["-m", "idealist", "trec-eval", "-m", "all_trec", *files("msmarco")],
}
# By name: setup and work; the CPU time of the work counts.
WORKS = {
    "dicts, TREC-like, 20 times": (
        READ.format(folder=str(FOLDER / "trec")) + "\njudgments, run = judgments.to_dict(), run.to_dict()",
        "[il.evaluate(judgments, run, ['nDCG@10', 'AP', 'RR', 'P@10']) for _ in range(20)]",
    ),
    "frame of a run, MS MARCO-like": (
        READ.format(folder=str(FOLDER / "msmarco")) + "\nframe = run.to_frame('polars')",
        "il.evaluate(judgments, frame, ['nDCG@10', 'AP', 'RR', 'P@10'])",
    ),
    "fuse, MS MARCO-like": (READ.format(folder=str(FOLDER / "msmarco")), "il.fuse([run, run])"),
    "matrices 10,000 × 1,000, nDCG@10": (MATRICES, "ndcg_score(grades, scores, k=10)"),
}


def cpu_seconds(tree: Path, arguments: list[str], *, inside: bool) -> float:
    """Of one process, or what it says of the work inside it."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    child = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        text=True,
    )
    assert child.stdout is not None
    output = child.stdout.read()
    child.stdout.close()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{tree}: {arguments} failed with {child.returncode}")
    return float(output.split()[-1]) if inside else usage.ru_utime + usage.ru_stime


def comparing(tree: Path) -> dict[str, float]:
    """What the checkout's own benchmark of comparisons and reports prints."""
    done = subprocess.run(
        [sys.executable, str(tree / "benchmarks" / "comparing.py"), "1", "--json"],
        env={**os.environ, "PYTHONPATH": str(tree / "src")},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return {record["work"]: record["seconds"] for record in map(json.loads, done.stdout.splitlines())}


def show(name: str, old: list[float], new: list[float]) -> None:
    before, after = median(old), median(new)
    print(f"{name:<75} {before:9.4f} {after:9.4f} {after / before:6.2f}", flush=True)


def main(old: Path, new: Path, rounds: int) -> None:
    data.main(FOLDER)
    print(f"{'work':<75} {'old s':>9} {'new s':>9} {'new/old':>6}")
    timed = {name: ["-c", TIMED.format(setup=setup, work=work)] for name, (setup, work) in WORKS.items()}
    for name, arguments in {**PROCESSES, **timed}.items():
        seconds: dict[Path, list[float]] = {old: [], new: []}
        for turn in range(rounds):
            for tree in (old, new) if turn % 2 else (new, old):
                seconds[tree].append(cpu_seconds(tree, arguments, inside=name in timed))
        show(name, seconds[old], seconds[new])
    works = [(comparing(old), comparing(new)) for _ in range(rounds // 2)]
    for name in works[0][0]:
        show(name, [before[name] for before, _ in works], [after[name] for _, after in works])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 6)
