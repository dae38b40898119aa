"""What people write around a peer to measure a run in a file of some format: PEER FORMAT JUDGMENTS RUN.

Prints each measure and its mean.
"""

from __future__ import annotations

import json
import sys
from typing import Any

MEASURES = {
    "ranx": ["ndcg@10", "map", "mrr", "precision@10", "recall@100", "ndcg"],
    "ir_measures": ["nDCG@10", "AP", "RR", "P@10", "R@100", "nDCG"],
}


def with_ranx(kind: str, judgments: str, run: str) -> dict[str, float]:
    from ranx import Qrels, Run, evaluate

    if kind == "parquet":
        columns = {"q_id_col": "query", "doc_id_col": "document"}
        given: Any = Qrels.from_parquet(judgments, **columns, score_col="grade")
        found: Any = Run.from_parquet(run, **columns, score_col="score")
    else:
        given, found = Qrels.from_file(judgments, kind=kind), Run.from_file(run, kind=kind)
    means: dict[str, float] = evaluate(given, found, MEASURES["ranx"], make_comparable=True)
    return means


def with_ir_measures(kind: str, judgments: str, run: str) -> dict[str, float]:
    import ir_measures

    if kind == "parquet":
        import pandas as pd

        names = {"query": "query_id", "document": "doc_id", "grade": "relevance"}
        given: Any = pd.read_parquet(judgments).rename(columns=names)
        found: Any = pd.read_parquet(run).rename(columns=names)
    else:
        with open(judgments) as opened:
            given = json.load(opened)
        with open(run) as opened:
            found = json.load(opened)
    measures = [ir_measures.parse_measure(text) for text in MEASURES["ir_measures"]]
    means = ir_measures.calc_aggregate(measures, given, found)
    return {str(measure): value for measure, value in means.items()}


if __name__ == "__main__":
    peer, *arguments = sys.argv[1:]
    contender = with_ranx if peer == "ranx" else with_ir_measures
    for name, value in contender(*arguments).items():
        print(name, repr(float(value)))
