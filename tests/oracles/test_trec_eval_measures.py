"""The measures of trec_eval beyond the usual ones, against pytrec_eval, which is trec_eval 9."""

from __future__ import annotations

from math import log
from typing import Any

import pytest
import pytrec_eval
from hypothesis import given
from support.strategies import UTF8_DOCUMENTS, judgments, runs

from idealist import Conventions, Measure, evaluate, read_judgments, read_run
from idealist.evaluation import Evaluation
from idealist.measures import parse

NAMES = [
    *("num_nonrel_judged_ret", "bpref", "binG", "ndcg_rel", "Rndcg", "G", "infAP", "11pt_avg"),
    *("set_map", "set_relative_P", "utility", "gm_map", "gm_bpref"),
    *(f"relative_P_{k}" for k in (5, 10, 15, 20, 30, 100)),
    *(f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)),
    *(f"Rprec_mult_{fifth / 5:.2f}" for fifth in range(1, 11)),
]
TREC_EVAL_9 = Conventions(precision="single")


def measure_called(name: str, level: int) -> Measure:
    measure = parse(name)
    ways: dict[str, Any] = {"level": level, "cut": "nine-tenths"}
    return measure.replace(**{field: way for field, way in ways.items() if field in measure.fields})


def peer_values(run: Any, judged: Any, level: int) -> dict[str, dict[str, float]]:
    asked = {name.rsplit("_", 1)[0] if name[-1].isdigit() else name for name in NAMES}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, asked, relevance_level=level)
    values: dict[str, dict[str, float]] = evaluator.evaluate(run)
    return values


def agree(result: Evaluation, peer: dict[str, dict[str, float]], level: int) -> None:
    for query, values in peer.items():
        for name in NAMES:
            ours = result.value(measure_called(name, level), query)
            if name.startswith("gm_"):  # it gives the logarithm there
                ours = log(max(ours, 0.00001))
            assert ours == pytest.approx(values[name], abs=1e-9), (name, query, level)


@given(runs(UTF8_DOCUMENTS, smallest=1), judgments(UTF8_DOCUMENTS, smallest=1))
def test_every_value_agrees(run: Any, judged: Any) -> None:
    for level in (1, 2):
        # Nothing of grade 0 or more makes pytrec_eval hang; nothing of the level makes its bpref read memory
        # that is not its own, and its Rndcg give up.
        least = 0 if level == 1 else level
        sound = {query: grades for query, grades in judged.items() if max(grades.values()) >= least}
        if not set(run) & set(sound):
            continue
        measures = [measure_called(name, level) for name in NAMES]
        result = evaluate(sound, run, measures, conventions=TREC_EVAL_9)
        agree(result, peer_values(run, sound, level), level)


@given(runs(UTF8_DOCUMENTS, smallest=1), judgments(UTF8_DOCUMENTS, smallest=1))
def test_another_weight_of_recall_agrees(run: Any, judged: Any) -> None:
    sound = {query: grades for query, grades in judged.items() if max(grades.values()) >= 0}
    if not set(run) & set(sound):
        return
    for weight in ("0.5", "3"):
        result = evaluate(sound, run, [f"set_F_{weight}"], conventions=TREC_EVAL_9)
        peer = pytrec_eval.RelevanceEvaluator(sound, {f"set_F.{weight}"}).evaluate(run)
        for query, values in peer.items():
            assert result.value(f"set_F_{weight}", query) == pytest.approx(values["set_F"], abs=1e-9)


def test_robust_2003_agrees(robust: Any) -> None:
    judged = read_judgments(robust / "qrels.gz")
    whole = {query: {doc: int(grade) for doc, grade in docs.items()} for query, docs in judged.items()}
    measures = [measure_called(name, 1) for name in NAMES]
    for path in sorted(robust.glob("*.run.gz")):
        run = read_run(path)
        result = evaluate(judged, run, measures, conventions=TREC_EVAL_9)
        peer = peer_values(run.to_dict(), whole, 1)
        agree(result, peer, 1)
        for name in ("gm_map", "gm_bpref"):
            theirs = pytrec_eval.compute_aggregated_measure(name, [one[name] for one in peer.values()])
            assert result.aggregate(name) == pytest.approx(theirs, abs=1e-9)
