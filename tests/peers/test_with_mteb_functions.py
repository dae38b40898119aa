"""MTEB's measures of instructions and of abstention beside ours, by its own functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pytest import approx
from support.bare_modules import load_alone

from idealist import evaluate

DOCUMENTS = "abcdef"
scored = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 4).map(float), min_size=1)
graded = st.fixed_dictionaries({document: st.integers(0, 2) for document in DOCUMENTS})


@pytest.fixture(scope="module")
def mteb() -> Any:
    names = {"RetrievalEvaluationResult": object}
    return load_alone("mteb", "_evaluators/retrieval_metrics.py", {"mteb": {}, "mteb.types": names})


@settings(max_examples=60)
@given(st.lists(st.tuples(scored, scored, graded, graded), min_size=1, max_size=4))
def test_pairwise_mrr(mteb: Any, topics: list[tuple[Any, Any, Any, Any]]) -> None:
    """Scores have ties. MTEB ranks tied documents by descending id, as trec_eval does."""
    run, judged, changed = {}, {}, {}
    table: dict[str, list[Any]] = {"query": [], "topic": [], "position": []}
    for at, (first, second, before, after) in enumerate(topics):
        irrelevant = [document for document in DOCUMENTS if before[document] > 0 >= after[document]]
        if irrelevant:
            changed[str(at)] = irrelevant
        for position, (name, scores, grades) in enumerate(
            ((f"{at}-og", first, before), (f"{at}-changed", second, after)), 1
        ):
            run[name], judged[name] = scores, grades
            for column, value in (("query", name), ("topic", str(at)), ("position", position)):
                table[column].append(value)
    assume(changed)
    original = {query: scores for query, scores in run.items() if query.endswith("-og")}
    new = {query: scores for query, scores in run.items() if query.endswith("-changed")}
    expected = mteb.calculate_pmrr(original, new, changed)
    result = evaluate(judged, run, "p-MRR", profiles=table, conventions="trec_eval-9")
    assert result.aggregate("p-MRR") == approx(expected)


@settings(max_examples=100)
@given(
    st.lists(st.tuples(scored, graded), min_size=2, max_size=25),
    st.sampled_from(["max", "std", "diff1"]),
)
def test_abstention(mteb: Any, queries: list[tuple[Any, Any]], confidence: str) -> None:
    """Many queries are equally sure: the mean over the orders in which they may be left out counts."""
    run = {f"q{at:02}": scores for at, (scores, _) in enumerate(queries)}
    judged = {f"q{at:02}": grades for at, (_, grades) in enumerate(queries)}
    measure = f"nAUC(of=nDCG@10,confidence={confidence})"
    result = evaluate(judged, run, [measure, "nDCG@10"], conventions="trec_eval-9")
    sureness = [mteb.confidence_scores(list(scores.values()))[confidence] for scores in run.values()]
    values = np.array([result.value("nDCG@10", query) for query in run])
    assume(np.ptp(values) > 1e-6)
    expected = mteb.nauc(np.array(sureness), values)
    assert result.aggregate(measure) == approx(expected, abs=1e-9)


@settings(max_examples=60)
@given(st.lists(st.lists(st.tuples(scored, graded), min_size=1, max_size=3), min_size=1, max_size=4))
def test_robustness(mteb: Any, topics: list[list[tuple[Any, Any]]]) -> None:
    ways = {f"{at}_{way}": pair for at, topic in enumerate(topics) for way, pair in enumerate(topic)}
    run = {query: scores for query, (scores, _) in ways.items()}
    judged = {query: grades for query, (_, grades) in ways.items()}
    table = {"query": list(ways), "topic": [query.partition("_")[0] for query in ways]}
    result = evaluate(judged, run, ["nDCG@10", "Robustness@10"], profiles=table, conventions="trec_eval-9")
    scores = {query: {"ndcg_cut_10": result.value("nDCG@10", query)} for query in run}
    expected = mteb.robustness_at_10(judged, run, scores)
    assert result.aggregate("Robustness@10") == approx(expected)
