"""What people write around pytrec_eval: two files in, six means out, or as many as it has."""

from __future__ import annotations

import sys

import pytrec_eval

MEASURES = {"ndcg_cut.10", "map", "recip_rank", "P.10", "recall.100", "ndcg"}


def main(judgments_path: str, run_path: str, which: str = "six") -> None:
    measures = MEASURES if which == "six" else pytrec_eval.supported_measures
    with open(judgments_path) as file:
        judgments = pytrec_eval.parse_qrel(file)
    with open(run_path) as file:
        run = pytrec_eval.parse_run(file)
    values = pytrec_eval.RelevanceEvaluator(judgments, measures).evaluate(run)
    # As trec_eval -c: judged queries that are missing from the run count 0.
    for name in sorted(next(iter(values.values()))):
        print(name, sum(one[name] for one in values.values()) / len(judgments))


if __name__ == "__main__":
    main(*sys.argv[1:])
