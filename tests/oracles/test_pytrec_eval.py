"""Every value against pytrec_eval, which is trec_eval 9."""

from __future__ import annotations

from typing import Any

import pytest
import pytrec_eval
from hypothesis import given
from support.strategies import UTF8_DOCUMENTS, judgments, runs

from idealist import Conventions, evaluate, read_judgments, read_run
from idealist.measures import parse

NAMES = [
    *("map", "ndcg", "recip_rank", "Rprec", "set_P", "set_recall", "set_F"),
    *("num_ret", "num_rel", "num_rel_ret"),
    *(f"{name}_{k}" for name in ("P", "recall", "map_cut", "ndcg_cut") for k in (5, 10, 15, 20, 30, 100)),
    *(f"success_{k}" for k in (1, 5, 10)),
]
TREC_EVAL_9 = Conventions(precision="single")


def peer_values(run: Any, judged: Any, level: int) -> dict[str, dict[str, float]]:
    asked = {name.rsplit("_", 1)[0] if name[-1].isdigit() else name for name in NAMES}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, asked, relevance_level=level)
    values: dict[str, dict[str, float]] = evaluator.evaluate(run)
    return values


@given(runs(UTF8_DOCUMENTS, smallest=1), judgments(UTF8_DOCUMENTS, smallest=1))
def test_every_value_agrees(run: Any, judged: Any) -> None:
    # A query with only negative grades makes pytrec_eval hang: its own defect.
    judged = {query: grades for query, grades in judged.items() if max(grades.values()) >= 0}
    if not set(run) & set(judged):
        return
    for level in (1, 2):
        measures = {
            name: (m.replace(level=level) if "level" in (m := parse(name)).fields else m) for name in NAMES
        }
        result = evaluate(judged, run, measures.values(), conventions=TREC_EVAL_9)
        for query, values in peer_values(run, judged, level).items():
            for name, measure in measures.items():
                ours = result.value(measure, query)
                assert ours == pytest.approx(values[name], abs=1e-9), (name, query, level)


def test_robust_2003_agrees_and_gives_the_published_map(robust: Any) -> None:
    judged = read_judgments(robust / "qrels.gz")
    for path in sorted(robust.glob("*.run.gz")):
        run = read_run(path)
        result = evaluate(judged, run, NAMES, conventions=TREC_EVAL_9)
        whole = {query: {doc: int(grade) for doc, grade in docs.items()} for query, docs in judged.items()}
        for query, values in peer_values(run.to_dict(), whole, 1).items():
            for name in NAMES:
                assert result.value(name, query) == pytest.approx(values[name], abs=1e-9), (path, name)
        if run.name == "UIUC03Rd1":
            assert round(result.mean("map"), 4) == 0.2424  # as NIST published it
