"""Learning to rank on OHSUMED and on LightGBM's example data, beside published figures and LightGBM's own rankers.

OHSUMED (LETOR 2.0), five folds: fold i is tested on S_i, chosen on S_(i-1) and trained on the other three. What is chosen,
is chosen by the validation queries of the fold alone; each test part is measured once, at the end. Run as

    python benchmarks/ohsumed.py ../shared/data > benchmarks/ohsumed.txt

or with ohsumed or lambdarank behind it, for one of the two.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import idealist as il
from idealist.data.features import Features, join_features
from idealist.learn import folds_of, train
from idealist.learn.objective import Objective

MEASURE = "nDCG(gain=exp)@10"
CUTS = (1, 3, 5, 10)
FOLDS = range(5)
# From the LETOR 2.0 report, by LETOR's own script: its discount is 1, 1, 1/log2(3), 1/log2(4) …
PUBLISHED = {
    "RankBoost": (0.4977, 0.4726, 0.4502, 0.4356),
    "Ranking SVM": (0.4952, 0.4649, 0.4579, 0.4411),
    "FRank": (0.5449, 0.4995, 0.4688, 0.4423),
    "ListNet": (0.5231, 0.4777, 0.4662, 0.4489),
    "AdaRank-MAP": (0.5420, 0.4803, 0.4554, 0.4385),
}
# Run earlier, not by this script; RankLib's best of its algorithms is AdaRank.
REPORTED = {"RankLib LambdaMART": 0.4181, "RankLib AdaRank": 0.4536}
FIXED: dict[str, Any] = {"loss": "soft(temperature=0.3, k=none)"}
# What is tried on the validation queries of each fold.
GRID: list[dict[str, Any]] = [
    {"loss": f"soft(temperature={temperature}, k=none)", "weight_decay": decay}
    for temperature, decay in product((0.1, 0.3, 1.0), (0.0, 10.0))
]
BAG = 5

Scorer = Callable[[Features], np.ndarray]


def fixed_linear(rows: Features, judged: Features) -> Scorer:
    """Linear, per-query z-scores, ApproxNDCG (Soft of nDCG on whole lists) with T = 0.3; the epoch is chosen on the validation queries."""
    return train("linear", rows, judged, measure=MEASURE, bag=BAG, **FIXED).scores


def inner_curve(rows: Features, judged: Features, how: dict[str, Any]) -> np.ndarray:
    """The mean value of each epoch in a four-fold cross-validation over the queries that are not tested."""
    parts = folds_of(join_features([rows, judged]), 4, seed=0)
    curves = []
    for place, part in enumerate(parts):
        rest = join_features([other for at, other in enumerate(parts) if at != place])
        model = train("linear", rest, part, measure=MEASURE, epochs=120, patience=0, **how)
        curves.append(np.array(model.training["values"]))
    return np.asarray(np.mean(curves, axis=0))


def linear_by_inner_folds(rows: Features, judged: Features) -> Scorer:
    """The same recipe, trained for as many epochs as were best on average in a four-fold cross-validation over the queries
    that are not tested, and not stopped by the few of the validation part."""
    curve = inner_curve(rows, judged, FIXED)
    epochs = int(curve.argmax()) + 1
    print(f"  epochs: {epochs}, inner folds {curve.max():.4f}", flush=True)
    how = {"bag": BAG, "epochs": epochs, "patience": 0, "keep": "last", **FIXED}
    return train("linear", rows, judged, measure=MEASURE, **how).scores


def chosen_linear(rows: Features, judged: Features) -> Scorer:
    """The same with the temperature and the weight decay chosen on the validation queries."""
    values = [train("linear", rows, judged, measure=MEASURE, **one).training["value"] for one in GRID]
    best = GRID[int(np.argmax(values))]
    print(f"  chosen: {best}, validation {max(values):.4f}", flush=True)
    return train("linear", rows, judged, measure=MEASURE, bag=BAG, **best).scores


def refitted_linear(rows: Features, judged: Features) -> Scorer:
    """Temperature, weight decay and epochs by the mean over inner folds: each of the four parts that are not tested in turn
    is held out. Then fitted on all four, for so many epochs."""
    tried = []
    for how in GRID:
        curve = inner_curve(rows, judged, how)
        tried.append((float(curve.max()), int(curve.argmax()) + 1, how))
    value, epochs, best = max(tried, key=lambda one: one[0])
    print(f"  chosen: {best}, {epochs} epochs, inner folds {value:.4f}", flush=True)
    how = {"bag": BAG, "epochs": epochs, "patience": 0, "keep": "last", **best}
    return train("linear", join_features([rows, judged]), judged, measure=MEASURE, **how).scores


def ascent(rows: Features, judged: Features) -> Scorer:
    """Coordinate ascent on nDCG@10 itself; the mean of five restarts."""
    return train("ascent", rows, judged, measure=MEASURE, choice="mean").scores


def lightgbm_by(objective: str) -> Callable[[Features, Features], Scorer]:
    """LightGBM's own ranker, stopped by its own NDCG@10 on the validation queries."""

    def fit(rows: Features, judged: Features) -> Scorer:
        import lightgbm

        ranker = lightgbm.LGBMRanker(
            objective=objective, n_estimators=1000, learning_rate=0.05, n_jobs=1, random_state=0, verbose=-1
        )
        ranker.fit(
            rows.matrix,
            np.asarray(rows.grades, int),
            group=rows.sizes,
            eval_set=[(judged.matrix, np.asarray(judged.grades, int))],
            eval_group=[judged.sizes],
            eval_at=[10],
            callbacks=[lightgbm.early_stopping(100, verbose=False)],
        )
        return lambda features: np.asarray(ranker.predict(features.matrix), float)

    return fit


MODELS: dict[str, Callable[[Features, Features], Scorer]] = {
    "linear, ApproxNDCG T=0.3": fixed_linear,
    "linear, epochs by inner folds": linear_by_inner_folds,
    "linear, chosen and refitted": refitted_linear,
    "LightGBM lambdarank": lightgbm_by("lambdarank"),
    "LightGBM rank_xendcg": lightgbm_by("rank_xendcg"),
    "coordinate ascent": ascent,
    "linear, chosen by fold": chosen_linear,
}
# On LightGBM's example, those that choose nothing but when to stop.
PLAIN = ("linear, ApproxNDCG T=0.3", "LightGBM lambdarank", "LightGBM rank_xendcg", "coordinate ascent")
DISCOUNTS = {"log2": "log2 discount", "letor": "LETOR's discount, as published"}


def ohsumed(folder: Path) -> None:
    parts = [il.data.read_features(folder / f"S{number + 1}.txt.gz") for number in FOLDS]
    print(
        f"OHSUMED, mean of the five test folds, exp gain\n{'':30}" + "".join(f"  @{cut:<5}" for cut in CUTS)
    )
    for name, row in PUBLISHED.items():
        print(f"{name + ' (published)':30}{numbers(row)}  {DISCOUNTS['letor']}")
    for name, value in REPORTED.items():
        print(f"{name + ' (reported)':30}{' ' * 24}  {value:.4f}  {DISCOUNTS['log2']}")
    runs = {}
    for name, fit in MODELS.items():
        began = time.process_time()
        found = []
        for fold in FOLDS:
            chosen_on = (fold - 1) % len(parts)
            rest = join_features([parts[at] for at in FOLDS if at not in (fold, chosen_on)])
            found.append(fit(rest, parts[chosen_on])(parts[fold]))
        for discount, title in DISCOUNTS.items():
            print(f"{name:30}{numbers(fold_means(parts, found, discount))}  {title}")
        print(f"  {time.process_time() - began:.0f} CPU seconds", flush=True)
        runs[name] = join_runs(parts, found)
    judgments = {query: grades for part in parts for query, grades in part.judgments().to_dict().items()}
    report(runs, judgments)


def fold_means(parts: list[Features], found: list[np.ndarray], discount: str) -> list[float]:
    """LETOR's mean: of the means of the folds."""
    means = []
    for cut in CUTS:
        measure = f"nDCG(gain=exp,discount={discount})@{cut}"
        values = [Objective(part, measure).value(one) for part, one in zip(parts, found, strict=True)]
        means.append(float(np.mean(values)))
    return means


def numbers(values: Iterable[float]) -> str:
    return "".join(f"  {value:.4f}" for value in values)


def join_runs(parts: list[Features], found: list[np.ndarray]) -> dict[str, Any]:
    pairs = zip(parts, found, strict=True)
    return {query: ranked for part, one in pairs for query, ranked in part.run(one).to_dict().items()}


def report(runs: dict[str, Any], judgments: Any) -> None:
    """Every model beside LightGBM's lambdarank, query by query."""
    measures = ["nDCG(gain=exp)@1", MEASURE]
    comparison = il.compare(judgments, runs, measures, baseline="LightGBM lambdarank")
    print(
        "\nagainst LightGBM lambdarank: mean difference over the test queries, 95 % interval, p (randomised)"
    )
    for name in runs:
        for measure in measures:
            if name != "LightGBM lambdarank":
                one = comparison[name, measure]
                interval = (
                    "" if one.interval is None else f"[{one.interval.low:+.4f}, {one.interval.high:+.4f}]"
                )
                p_value = one.significance("randomisation").p_value
                print(f"{name:30} {measure:18} {one.difference:+.4f} {interval} p {p_value:.4f}")


def lambdarank(folder: Path) -> None:
    rows, test = (
        il.data.read_features(folder / "rank.train.gz"),
        il.data.read_features(folder / "rank.test.gz"),
    )
    parts = folds_of(rows, 5, seed=0)
    training, judged = join_features(parts[1:]), parts[0]
    print(f"\nLightGBM's example: {rows}; a fifth of the queries is for validation; test: {test}")
    runs = {}
    for name in PLAIN:
        found = MODELS[name](training, judged)(test)
        runs[name] = test.run(found).to_dict()
        values = [Objective(test, f"nDCG(gain=exp)@{cut}").value(found) for cut in CUTS]
        print(f"{name:30}{numbers(values)}", flush=True)
    report(runs, test.judgments().to_dict())


if __name__ == "__main__":
    data = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    chosen_parts = sys.argv[2:] or ["ohsumed", "lambdarank"]
    if "ohsumed" in chosen_parts:
        ohsumed(data / "ohsumed")
    if "lambdarank" in chosen_parts:
        lambdarank(data / "lambdarank")
