"""Trees trained on a measure itself beside a library's own objective, on OHSUMED's five folds and on LightGBM's example data.

Both are stopped by the measure on the validation queries, and are held to it on the test queries. Run as

    python benchmarks/tree_objectives.py ../shared/data > benchmarks/tree_objectives.txt
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import idealist as il
from idealist.data.features import Features, join_features
from idealist.learn import folds_of, train

MEASURES = ("nDCG(gain=exp)@10", "nDCG(gain=exp)", "AP", "RR", "ERR@10")
OWN = {"lightgbm": "lambdarank", "xgboost": "rank:ndcg"}
FOLDS = range(5)
THREADS = {"lightgbm": "num_threads=1", "xgboost": "nthread=1"}
HOW: dict[str, Any] = {"rounds": 300, "patience": 30, "learning_rate": 0.1}

Split = tuple[Features, Features, Features]  # for training, for stopping, for the test


def ohsumed(folder: Path) -> list[Split]:
    parts = [il.data.read_features(folder / f"S{number + 1}.txt.gz") for number in FOLDS]
    return [
        (
            join_features([parts[at] for at in FOLDS if at not in (fold, (fold - 1) % 5)]),
            parts[(fold - 1) % 5],
            parts[fold],
        )
        for fold in FOLDS
    ]


def example(folder: Path) -> list[Split]:
    rows, test = (
        il.data.read_features(folder / "rank.train.gz"),
        il.data.read_features(folder / "rank.test.gz"),
    )
    parts = folds_of(rows, 5, seed=0)
    return [(join_features(parts[1:]), parts[0], test)]


def run_of(splits: list[Split], library: str, objective: str, measure: str) -> dict[str, Any]:
    ranked: dict[str, Any] = {}
    for rows, judged, test in splits:
        model = train(
            library, rows, judged, measure=measure, objective=objective, options=THREADS[library], **HOW
        )
        ranked |= test.run(model.scores(test)).to_dict()
    return ranked


def report(title: str, splits: list[Split]) -> None:
    print(f"\n{title}\n{'':10}{'':20}{'own':>8}{'measure':>9}  difference, 95 % interval, p")
    judgments = {query: grades for *_, test in splits for query, grades in test.judgments().to_dict().items()}
    for library, own in OWN.items():
        for measure in MEASURES:
            runs = {name: run_of(splits, library, name, measure) for name in (own, "measure")}
            one = il.compare(judgments, runs, [measure], baseline=own)["measure", measure]
            interval = "" if one.interval is None else f"[{one.interval.low:+.4f}, {one.interval.high:+.4f}]"
            print(
                f"{library:10}{measure:20}{one.baseline_value:8.4f}{one.value:9.4f}  {one.difference:+.4f} {interval} "
                f"p {one.p_value:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    data = Path(sys.argv[1])
    report("OHSUMED, 106 queries, each in the test part of one of five folds", ohsumed(data / "ohsumed"))
    report("LightGBM's example, 50 test queries", example(data / "lambdarank"))
