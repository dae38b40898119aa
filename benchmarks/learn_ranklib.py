"""`idealist ranklib` beside RankLib, ranker by ranker, with the same options on the same folds.

`python benchmarks/learn_ranklib.py OHSUMED CLASSES` trains on three of the five parts S1.txt.gz … S5.txt.gz, validates on one
and tests on one, five times, and prints the mean NDCG@10 on the test folds, the seconds of one training, and whether RankLib
finds the same value with the model file that ours wrote. CLASSES is the class path of a built RankLib with its libraries.
`--ranker` and `--fold` choose some of them. One thread; RankLib's value varies from run to run where it draws at random.
"""

from __future__ import annotations

import argparse
import gzip
import re
import subprocess
import sys
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from time import perf_counter

from idealist.drop_ins.ranklib.ranklib_options import RANKERS
from idealist.show import Table

OURS = [sys.executable, "-m", "idealist", "ranklib", "-silent"]
PARTS = range(1, 6)


def value_of(command: list[str]) -> float:
    """The value on test data that a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.findall(r"NDCG@10 on test data: (\S+)", done.stdout + done.stderr)
    if done.returncode or len(found) != 1:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return float(found[0])


def fold_files(parts: dict[int, str], fold: int, folder: Path) -> list[str]:
    """The options that name the files of a fold: test S_i, validation the one before it, training the other three."""
    before = fold - 1 or len(PARTS)
    texts = {
        "-train": "".join(parts[part] for part in PARTS if part not in (fold, before)),
        "-validate": parts[before],
        "-test": parts[fold],
    }
    options = []
    for option, text in texts.items():
        path = folder / f"{fold}{option}"
        path.write_text(text)
        options += [option, str(path)]
    return options


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("classes")
    parser.add_argument("--ranker", type=int, action="append", choices=range(len(RANKERS)))
    parser.add_argument("--fold", type=int, action="append", choices=PARTS)
    given = parser.parse_args()
    theirs = ["java", "-cp", given.classes, "ciir.umass.edu.eval.Evaluator"]
    packed = {part: (given.folder / f"S{part}.txt.gz").read_bytes() for part in PARTS}
    parts = {part: gzip.decompress(content).decode() for part, content in packed.items()}
    rows: list[list[str | float | None]] = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        folds = {fold: fold_files(parts, fold, folder) for fold in given.fold or PARTS}
        for ranker in given.ranker or range(len(RANKERS)):
            values: dict[str, list[float]] = {"ours": [], "theirs": [], "read": []}
            seconds: dict[str, list[float]] = {"ours": [], "theirs": []}
            model = str(folder / "model")
            for files in folds.values():
                options = [*files, "-ranker", str(ranker), "-metric2t", "NDCG@10", "-thread", "1"]
                for whose, command in (
                    ("ours", [*OURS, *options, "-save", model]),
                    ("theirs", [*theirs, *options]),
                ):
                    begun = perf_counter()
                    values[whose].append(value_of(command))
                    seconds[whose].append(perf_counter() - begun)
                values["read"].append(
                    value_of([*theirs, "-load", model, "-test", files[-1], "-metric2T", "NDCG@10"])
                )
            same = "yes" if values["read"] == values["ours"] else "no"
            times = [f"{mean(seconds[whose]):.1f}" for whose in ("ours", "theirs")]
            rows.append([RANKERS[ranker], mean(values["ours"]), mean(values["theirs"]), *times, same])
            print(f"{RANKERS[ranker]}: {values}", file=sys.stderr)
    titles = ["ranker", "ours", "RankLib", "s, ours", "s, RankLib", "RankLib reads ours"]
    print(Table(titles, rows).to_text(), end="")


if __name__ == "__main__":
    main()
