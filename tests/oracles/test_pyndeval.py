"""Measures of subtopics against ndeval, through pyndeval and ir_measures."""

from __future__ import annotations

from typing import Any, NamedTuple

import ir_measures
import pyndeval
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.ir_measures_providers import measure_called
from support.strategies import UTF8_DOCUMENTS, grouped_tasks

from idealist import Conventions, Measure, evaluate
from idealist.data import GroupedJudgments
from idealist.measures import parse

CUTOFFS = (1, 2, 3, 10, 20)
WITH_CUTOFF = ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "P-IA", "strec")
NAMES = ["NRBP", "nNRBP", "MAP-IA", *(f"{name}@{k}" for name in WITH_CUTOFF for k in CUTOFFS)]
# pyndeval puts the smaller id first among equal scores.
PYNDEVAL = Conventions(ties="id-ascending")


class Judgment(NamedTuple):
    """What ir_measures takes for a judgment."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str


def judgment_rows(judged: Any) -> list[tuple[str, str, str, int]]:
    return [
        (query, group, document, grade)
        for query, groups in judged.items()
        for group, documents in groups.items()
        for document, grade in documents.items()
    ]


def run_rows(run: Any) -> list[tuple[str, str, float]]:
    return [
        (query, document, score) for query, documents in run.items() for document, score in documents.items()
    ]


def with_parameters(name: str, alpha: float, beta: float, level: int) -> Measure:
    measure = parse(name)
    wanted = {"alpha": alpha, "beta": beta, "level": level}
    return measure.replace(**{field: value for field, value in wanted.items() if field in measure.fields})


def ndeval_value(name: str, value: float, judged: Any, level: int) -> float:
    """ndeval's value without its slips: 0/0 where nothing is relevant, and no division by the number of
    subtopics at k = 1."""
    if value != value:
        return 0.0
    if name in ("ERR-IA@1", "alpha-DCG@1"):
        served = [group for group in judged.values() if max(group.values()) >= level]
        return value / max(len(served), 1)
    return value


@given(
    grouped_tasks(UTF8_DOCUMENTS, smallest=1),
    st.sampled_from([0.5, 0.0, 0.25, 0.75, 1.0]),  # powers of these are exact, and so are ties
    st.sampled_from([0.5, 0.25, 0.8, 1.0]),
    st.sampled_from([1, 2]),
)
def test_every_value_agrees(task: Any, alpha: float, beta: float, level: int) -> None:
    run, judged = task
    peer = pyndeval.RelevanceEvaluator(
        judgment_rows(judged), NAMES, relevance_level=level, alpha=alpha, beta=beta
    )
    theirs = peer.evaluate(run_rows(run))
    measures = {name: with_parameters(name, alpha, beta, level) for name in NAMES}
    if alpha == 0 and beta == 1:
        del measures["NRBP"], measures["nNRBP"]  # ndeval multiplies both by 0
    result = evaluate(GroupedJudgments(judged), run, measures.values(), conventions=PYNDEVAL)
    assert set(theirs) == set(run) & set(judged)
    for query, values in theirs.items():
        for name, measure in measures.items():
            expected = ndeval_value(name, values[name], judged[query], level)
            assert result.value(measure, query) == pytest.approx(expected, abs=1e-9), (name, query)


IR_MEASURES = [
    *(
        "alpha_nDCG@10",
        "alpha_nDCG(alpha=0.25)@3",
        "α_nDCG(rel=2)@20",
        "alpha_DCG@10",
        "alpha_DCG(alpha=0.75)@5",
    ),
    *("ERR_IA@10", "nERR_IA(rel=2)@10", "NRBP", "NRBP(alpha=0.25,beta=0.75)", "nNRBP", "nNRBP(rel=2)"),
    *("AP_IA", "AP_IA(rel=2)", "P_IA@10", "P_IA(rel=2)@5", "StRecall@10", "StRecall(rel=2)@2"),
]


@given(grouped_tasks(UTF8_DOCUMENTS, smallest=1))
@settings(max_examples=60)
def test_ir_measures_names_mean_the_same(task: Any) -> None:
    run, judged = task
    result = evaluate(GroupedJudgments(judged), run, IR_MEASURES, conventions=PYNDEVAL)
    rows = [Judgment(query, doc, grade, group) for query, group, doc, grade in judgment_rows(judged)]
    for text in IR_MEASURES:
        for metric in ir_measures.pyndeval.iter_calc([measure_called(text)], rows, run):
            if metric.query_id in run:
                expected = 0.0 if metric.value != metric.value else metric.value
                assert result.value(text, metric.query_id) == pytest.approx(expected, abs=1e-9), text


def test_the_greedy_ideal_takes_the_greater_id_where_documents_add_alike() -> None:
    # Each document adds 2 at first. Behind b, c still adds 2, and b behind c; behind a, both add 3/2.
    judged = {"1": {"a": 1, "b": 1}, "2": {"a": 1, "c": 1}, "3": {"b": 1}, "4": {"c": 1}}
    for names in ("abc", "cba", "bca"):
        renamed = {
            "q": {
                group: {names["abc".index(document)]: grade for document, grade in documents.items()}
                for group, documents in judged.items()
            }
        }
        run = {"q": {names[0]: 3.0, "x": 2.0, names[1]: 1.0}}
        theirs = pyndeval.ndeval(judgment_rows(renamed), run_rows(run), ["alpha-nDCG@2", "nNRBP"])["q"]
        result = evaluate(GroupedJudgments(renamed), run, list(theirs))
        for name, value in theirs.items():
            assert result.mean(name) == pytest.approx(value, abs=1e-12)
