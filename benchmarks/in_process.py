"""Contenders within one process: dicts of dicts, frames, and matrices. Prints one JSON line a comparison."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from functools import partial
from statistics import median
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytrec_eval
import sklearn.metrics
from clock import clock
from with_pytrec_eval import MEASURES

import idealist as il
from idealist.drop_ins import pytrec_eval as stand_in
from idealist.drop_ins import sklearn as like_sklearn
from idealist.drop_ins.ir_measures import provider

OURS = {
    "ndcg_cut_10": "nDCG@10",
    "map": "AP",
    "recip_rank": "RR",
    "P_10": "P@10",
    "recall_100": "R@100",
    "ndcg": "nDCG",
}


def interleaved(rounds: int, *contenders: Callable[[], Any]) -> tuple[list[float], list[Any]]:
    """The median seconds of each contender, taking turns, and what each gave last."""
    seconds: list[list[float]] = [[] for _ in contenders]
    answers: list[Any] = [None] * len(contenders)
    for _ in range(rounds):
        for at, contender in enumerate(contenders):
            answers[at] = None
            begin = clock()
            answers[at] = contender()
            seconds[at].append(clock() - begin)
    return [median(one) for one in seconds], answers


def report(work: str, peer: str, seconds: list[float], differences: Iterable[float]) -> None:
    ours, theirs = seconds
    print(
        json.dumps(
            {"work": work, "peer": peer, "ours": ours, "theirs": theirs, "difference": max(differences)}
        ),
        flush=True,
    )


def dicts(name: str, folder: str, rounds: int) -> None:
    with open(f"{folder}/{name}.qrels") as file:
        judgments = pytrec_eval.parse_qrel(file)
    with open(f"{folder}/{name}.run") as file:
        run = pytrec_eval.parse_run(file)
    conventions = il.Conventions(precision="single")
    seconds, (ours, theirs) = interleaved(
        rounds,
        lambda: il.evaluate(judgments, run, list(OURS.values()), conventions=conventions),
        lambda: pytrec_eval.RelevanceEvaluator(judgments, MEASURES).evaluate(run),
    )
    differences = (
        abs(values[query] - theirs[query][peer])
        for peer, measure in OURS.items()
        for values in [ours.by_query(measure)]
        for query in theirs
    )
    report(f"{name}-like dicts in memory", "pytrec_eval", seconds, differences)
    evaluators = [module.RelevanceEvaluator(judgments, MEASURES) for module in (stand_in, pytrec_eval)]
    seconds, (ours, theirs) = interleaved(rounds, *(partial(one.evaluate, run) for one in evaluators))
    differences = (
        abs(ours[query][measure] - value) for query in theirs for measure, value in theirs[query].items()
    )
    report(f"{name}-like dicts, RelevanceEvaluator.evaluate", "pytrec_eval", seconds, differences)


def frames(name: str, folder: str, rounds: int) -> None:
    """ir_measures with our provider, and with its own."""
    measures = [ir_measures.parse_measure(text) for text in OURS.values()]
    qrels = pd.DataFrame(ir_measures.read_trec_qrels(f"{folder}/{name}.qrels"))
    run = pd.DataFrame(ir_measures.read_trec_run(f"{folder}/{name}.run"))
    seconds, (ours, theirs) = interleaved(
        rounds,
        lambda: provider.calc_aggregate(measures, qrels, run),
        lambda: ir_measures.calc_aggregate(measures, qrels, run),
    )
    differences = (abs(ours[measure] - theirs[measure]) for measure in measures)
    report(f"{name}-like frames in memory", "ir_measures", seconds, differences)


def matrices(rounds: int) -> None:
    random = np.random.default_rng(5)
    scores, grades = random.normal(size=(10_000, 1_000)), random.integers(0, 5, (10_000, 1_000))
    labels = (random.random(scores.shape) < 0.02).astype(int)
    works: list[tuple[str, Any, dict[str, Any], str]] = [
        ("ndcg_score", grades, {}, "all ranks"),
        ("ndcg_score", grades, {"k": 10}, "k=10"),
        ("ndcg_score", grades, {"ignore_ties": True}, "ignore_ties"),
        ("label_ranking_average_precision_score", labels, {}, "2% relevant"),
        ("coverage_error", labels, {}, "2% relevant"),
        ("label_ranking_loss", labels, {}, "2% relevant"),
    ]
    for name, true, options, label in works:
        seconds, (mine, theirs) = interleaved(
            rounds,
            partial(getattr(like_sklearn, name), true, scores, **options),
            partial(getattr(sklearn.metrics, name), true, scores, **options),
        )
        shown = name.removesuffix("_score")
        report(f"dense 10,000 × 1,000, {shown}, {label}", "scikit-learn", seconds, [abs(mine - theirs)])


if __name__ == "__main__":
    what, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if what == "matrices":
        matrices(rounds)
    elif what.endswith("-frames"):
        frames(what.removesuffix("-frames"), folder, rounds)
    else:
        dicts(what, folder, rounds)
