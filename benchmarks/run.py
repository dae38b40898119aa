"""Idealist beside its peers: same data, same machine, taking turns. `make bench` runs this.

Prints, for each work, the median time of both, their ratio, the peak memory of both, and the largest
difference between their values. With --cpu, times are CPU seconds of all threads, which a busy machine changes less.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from shutil import which
from statistics import median

import data
from clock import clock
from with_pytrec_eval import MEASURES as SIX

from idealist.measures import parse, parse_all
from idealist.show import Table

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent
FOLDER = HERE.parent / ".bench"
MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "nDCG"]
CPU = [word for word in sys.argv if word == "--cpu"]
# What formats.py does, and how often.
WORKS_OF_FORMATS = {"parquet": 2, "json": 2, "frames": 2, "large-frames": 1, "convert": 3, "fusion": 1}


class Outcome:
    """What one contender needed and printed, over all rounds."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.megabytes = 0.0
        self.output = ""

    @property
    def median(self) -> float:
        return median(self.seconds)


def run_once(command: list[str], outcome: Outcome) -> None:
    read, write = os.pipe()
    begin = clock()
    child = subprocess.Popen(command, stdout=write, stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as output:
        outcome.output = output.read()
    _, status, usage = os.wait4(child.pid, 0)
    outcome.seconds.append(clock() - begin)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed with {child.returncode}")
    outcome.megabytes = max(outcome.megabytes, usage.ru_maxrss / 1024)


def take_turns(rounds: int, **commands: list[str]) -> dict[str, Outcome]:
    outcomes = {name: Outcome() for name in commands}
    for name, command in commands.items():
        print(f"  {name}: {' '.join(Path(word).name for word in command[:4])} …", file=sys.stderr)
    for _ in range(rounds):
        for name, command in commands.items():
            run_once(command, outcomes[name])
    return outcomes


def numbers(output: str) -> dict[str, float]:
    """Lines of a measure, by whatever name, and its mean."""
    words = [line.split() for line in output.splitlines()]
    return {str(parse(name)): float(value) for name, value in words}


def ours(name: str) -> list[str]:
    files = [str(FOLDER / f"{name}.qrels"), str(FOLDER / f"{name}.run")]
    measures = [word for measure in MEASURES for word in ("-m", measure)]
    return [str(BIN / "idealist"), "evaluate", *files, *measures]


def our_numbers(name: str) -> dict[str, float]:
    """All digits, from a run that is not timed."""
    done = subprocess.run([*ours(name), "--format", "json"], check=True, stdout=subprocess.PIPE, text=True)
    return {one["measure"]: one["mean"] for one in json.loads(done.stdout)["summary"]}


def megabytes(outcome: Outcome) -> str:
    """Peak memory. A child begins as large as this process, so less than that cannot be seen."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{outcome.megabytes:.0f}" if outcome.megabytes > own + 1 else f"under {own:.0f}"


def file_works(name: str, rounds: int, *, with_ir_measures: bool) -> list[list[str | float | int | None]]:
    files = [str(FOLDER / f"{name}.qrels"), str(FOLDER / f"{name}.run")]
    commands = {
        "idealist": ours(name),
        "pytrec_eval": [sys.executable, str(HERE / "with_pytrec_eval.py"), *files],
    }
    if with_ir_measures:
        commands["ir_measures"] = [str(BIN / "ir_measures"), *files, " ".join(MEASURES), "-p", "9"]
    if name == "msmarco":
        commands["wc -l"] = ["wc", "-l", files[1]]
    outcomes = take_turns(rounds, **commands)
    mine = outcomes.pop("idealist")
    rows: list[list[str | float | int | None]] = []
    for peer, outcome in outcomes.items():
        difference = None
        if peer != "wc -l":
            theirs = numbers(outcome.output)
            difference = max(abs(value - theirs[measure]) for measure, value in our_numbers(name).items())
        rows.append(row(f"{name}-like files", peer, mine.median, outcome.median, difference))
        rows[-1][5:7] = [megabytes(mine), megabytes(outcome)]
    return rows


def drop_in(name: str, rounds: int) -> list[list[str | float | int | None]]:
    """trec_eval's command beside what people write around pytrec_eval, and beside the C program if it is there."""
    files = [str(FOLDER / f"{name}.qrels"), str(FOLDER / f"{name}.run")]
    asked = [word for measure in sorted(SIX) for word in ("-m", measure)]
    commands = {
        "idealist": [str(BIN / "idealist"), "trec-eval", *asked, *files],
        "pytrec_eval": [sys.executable, str(HERE / "with_pytrec_eval.py"), *files],
    }
    if (program := os.environ.get("TREC_EVAL") or which("trec_eval")) is not None:
        commands["trec_eval, the C program"] = [program, *asked, *files]
    outcomes = take_turns(rounds, **commands)
    mine = outcomes.pop("idealist")
    rows = []
    for peer, outcome in outcomes.items():
        if peer != "pytrec_eval" and outcome.output != mine.output:
            raise SystemExit(f"{peer} prints something else")
        rows.append(row(f"{name}-like files, trec-eval", peer, mine.median, outcome.median, None))
        rows[-1][5:7] = [megabytes(mine), megabytes(outcome)]
    return rows


def many_measures(rounds: int) -> list[list[str | float | int | None]]:
    """All measures of trec_eval's all_trec beside one, and beside all that pytrec_eval has."""
    files = [str(FOLDER / "msmarco.qrels"), str(FOLDER / "msmarco.run")]
    command = [str(BIN / "idealist"), "evaluate", *files, "-m"]
    outcomes = take_turns(
        rounds,
        everything=[*command, "all_trec"],
        one=[*command, "nDCG@10"],
        theirs=[sys.executable, str(HERE / "with_pytrec_eval.py"), *files, "all"],
    )
    work = f"msmarco-like files, {len(parse_all('all_trec'))} measures"
    mine = outcomes["everything"]
    rows = [
        row(work, "idealist, one measure", mine.median, outcomes["one"].median, None),
        row(work, "pytrec_eval, all it has", mine.median, outcomes["theirs"].median, None),
    ]
    for line, peer in zip(rows, ("one", "theirs"), strict=True):
        line[5:7] = [megabytes(mine), megabytes(outcomes[peer])]
    return rows


def dearest_measures(rounds: int) -> str:
    """What the dearest measures of grades cost a judged document that was retrieved."""
    print("  every measure by itself", file=sys.stderr)
    command = [sys.executable, str(HERE / "every_measure.py"), str(rounds)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    costs = {r["measure"]: r["nanoseconds"] for r in map(json.loads, done.stdout.splitlines())}
    dearest = sorted(costs, key=costs.__getitem__, reverse=True)[:5]
    shown = ", ".join(f"{measure} {costs[measure]:.0f}" for measure in dearest)
    middle = median(costs.values())
    return f"ns per judged hit, of {len(costs)} measures of grades: {shown} (median {middle:.0f})"


def row(
    work: str, peer: str, mine: float, theirs: float, difference: float | None
) -> list[str | float | int | None]:
    ratio = theirs / mine
    shown = f"{ratio:.0f}×" if ratio >= 10 else f"{ratio:.1f}×" if ratio >= 1 else f"1/{1 / ratio:.1f}"
    gap = "" if difference is None else f"{difference:.0e}"
    return [work, peer, f"{mine:.3f}", f"{theirs:.3f}", shown, None, None, gap]


def in_process(what: str, rounds: int, script: str = "in_process.py") -> list[list[str | float | int | None]]:
    print(f"  {script}: {what}", file=sys.stderr)
    command = [sys.executable, str(HERE / script), what, str(FOLDER), str(rounds), *CPU]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return [row(r["work"], r["peer"], r["ours"], r["theirs"], r["difference"]) for r in records]


def import_time(rounds: int) -> list[str | float | int | None]:
    outcomes = take_turns(
        rounds, bare=[sys.executable, "-c", "pass"], full=[sys.executable, "-c", "import idealist"]
    )
    extra = outcomes["full"].median - outcomes["bare"].median
    return ["import idealist, over bare Python", "", f"{extra:.3f}", "", "", None, None, ""]


def after_measuring(rounds: int) -> list[list[str | float | int | None]]:
    """Comparing many users, and frames of values: CPU seconds, beside nobody."""
    print("  comparing.py", file=sys.stderr)
    command = [sys.executable, str(HERE / "comparing.py"), str(rounds), "--json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return [[r["work"], "", f"{r['seconds']:.3f}", "", "", None, None, ""] for r in records]


def main() -> None:
    data.main(FOLDER)
    rows = file_works("msmarco", 5, with_ir_measures=True)
    rows += file_works("trec", 15, with_ir_measures=True)
    rows += file_works("recommender", 3, with_ir_measures=False)
    rows += drop_in("msmarco", 3)
    rows += drop_in("trec", 15)
    rows += many_measures(3)
    rows += in_process("msmarco", 5)
    rows += in_process("recommender", 3)
    rows += in_process("msmarco-frames", 3)
    rows += in_process("matrices", 5)
    for what, rounds in WORKS_OF_FORMATS.items():
        rows += in_process(what, rounds, "formats.py")
    rows += after_measuring(3)
    rows.append(import_time(30))
    titles = ["work", "peer", "idealist s", "peer s", "ratio", "idealist MB", "peer MB", "largest difference"]
    table = Table(titles, rows, below=["", dearest_measures(5)])
    print(table.to_markdown() if "--markdown" in sys.argv else table.to_text(), end="")


if __name__ == "__main__":
    main()
