"""ir_measures' own providers beside ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import ir_measures
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import (
    AP,
    ERR,
    NRBP,
    P_IA,
    RBP,
    RR,
    Accuracy,
    Bpref,
    Compat,
    IPrec,
    Judged,
    NumQ,
    NumRel,
    NumRet,
    P,
    Qrel,
    R,
    Rprec,
    ScoredDoc,
    SetAP,
    SetF,
    SetP,
    SetR,
    Success,
    alpha_nDCG,
    infAP,
    nDCG,
)
from support.ir_measures_providers import same
from support.strategies import UTF8_DOCUMENTS, grouped_tasks, judgments, runs

from idealist import Conventions, InputError
from idealist.drop_ins.ir_measures import Idealist, provider, register

RUNS = runs(UTF8_DOCUMENTS, smallest=1)
JUDGMENTS = judgments(UTF8_DOCUMENTS, smallest=1)
ASCENDING = Idealist(Conventions(ties="id-ascending"))
INPUT_ORDER = Idealist(Conventions(ties="input-order"))

TREC_EVAL = [
    *(P @ 5, P(rel=2) @ 1, P(judged_only=True) @ 3, R @ 2, R(rel=2) @ 5, R(judged_only=True) @ 2),
    *(RR, RR(rel=2), RR(judged_only=True), Rprec, Rprec(rel=2), Rprec(judged_only=True)),
    *(AP, AP @ 3, AP(rel=2) @ 5, AP(judged_only=True), AP(rel=2, judged_only=True) @ 2),
    *(
        nDCG,
        nDCG @ 3,
        nDCG(judged_only=True) @ 3,
        nDCG(gains={0: 0, 1: 5, 2: 1, 4: 9}),
        nDCG(gains={1: 0}) @ 2,
    ),
    *(Bpref, Bpref(rel=2), infAP, infAP(rel=2), NumRet, NumRet(rel=1), NumRet(rel=2), NumRel, NumQ),
    *(SetAP, SetAP(rel=2), SetAP(judged_only=True), SetF, SetF(beta=4.0), SetF(rel=2, beta=0.25)),
    *(
        SetP,
        SetP(rel=2),
        SetP(judged_only=True),
        SetP(relative=True),
        SetP(relative=True, rel=2),
        SetR,
        SetR(rel=2),
    ),
    *(Success @ 1, Success(rel=2) @ 3, Success(judged_only=True) @ 1),
    *(IPrec @ 0.0, IPrec @ 0.1, IPrec @ 0.5, IPrec(rel=2) @ 1.0, IPrec(judged_only=True) @ 0.3),
]
SUBTOPICS = [
    *(alpha_nDCG @ 10, ir_measures.alpha_DCG @ 3, ir_measures.ERR_IA @ 10, ir_measures.nERR_IA @ 5, P_IA @ 5),
    *(ir_measures.StRecall @ 2, NRBP, ir_measures.nNRBP, ir_measures.AP_IA),
]


def without_hopeless(judged: Any) -> Any:
    """Without queries that have only negative grades, on which pytrec_eval never ends."""
    return {query: grades for query, grades in judged.items() if max(grades.values()) >= 0}


@given(RUNS, JUDGMENTS.map(without_hopeless).filter(bool))
def test_trec_eval(run: Any, judged: Any) -> None:
    same(ir_measures.pytrec_eval, provider, TREC_EVAL, judged, run)


@given(RUNS, JUDGMENTS)
def test_reciprocal_rank_with_a_cut_off(run: Any, judged: Any) -> None:
    same(ir_measures.msmarco, ASCENDING, [RR, RR @ 1, RR @ 3, RR(rel=2) @ 2], judged, run)


@given(RUNS, JUDGMENTS)
def test_compatibility(run: Any, judged: Any) -> None:
    # It takes 0 for the score of a document that was not retrieved, and equals as the judgments have them.
    run = {query: {doc: score + 2 for doc, score in documents.items()} for query, documents in run.items()}
    judged = {query: dict(sorted(documents.items())) for query, documents in judged.items()}
    measures = [Compat, Compat(p=0.5), Compat(normalize=False), Compat(p=0.8, normalize=False)]
    same(ir_measures.compat, ASCENDING, measures, judged, run)


@given(RUNS, JUDGMENTS)
def test_judged(run: Any, judged: Any) -> None:
    for measure in (Judged, Judged @ 1, Judged @ 3):
        same(ir_measures.judged, ASCENDING, [measure], judged, run)


@given(RUNS, JUDGMENTS, st.sampled_from([Accuracy, Accuracy @ 2, Accuracy(rel=2), Accuracy(rel=2) @ 5]))
def test_accuracy(run: Any, judged: Any, measure: Any) -> None:
    level, k = measure["rel"], measure.params.get("cutoff", 100)
    for query in list(run):  # where all are relevant it divides by 0
        best = sorted(run[query], key=run[query].get, reverse=True)[:k]
        if all(judged.get(query, {}).get(document, 0) >= level for document in best):
            del run[query]
    same(ir_measures.accuracy, INPUT_ORDER, [measure], judged, run)


def test_compatibility_of_negative_scores() -> None:
    judged, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": -1.0}}
    best = 1 + 0.5 * 2 / 2  # a, then b: what is retrieved first, for that is nearest to the run
    assert provider.calc_aggregate([Compat(p=0.5)], judged, run)[Compat(p=0.5)] == (1 + 0.5 / 2) / best
    assert ir_measures.compat.calc_aggregate([Compat(p=0.5)], judged, run)[Compat(p=0.5)] == (0.5 / 2) / best


def rows_of(judged: Any) -> list[Any]:
    return [
        Qrel(query, document, grade, group)
        for query, groups in judged.items()
        for group, documents in groups.items()
        for document, grade in documents.items()
    ]


@given(grouped_tasks(UTF8_DOCUMENTS, smallest=1))
def test_subtopics(task: Any) -> None:
    run, judged = task
    # Nothing relevant is nan there; one value in the same call makes the mean nan too.
    judged = {
        query: groups
        for query, groups in judged.items()
        if groups and any(grade > 0 for documents in groups.values() for grade in documents.values())
    }
    if judged:
        same(ir_measures.pyndeval, ASCENDING, SUBTOPICS, rows_of(judged), run)


def test_exponential_gains_and_err() -> None:
    # gdeval is a Perl script: queries are numbers, and values have five digits.
    run = {
        str(query): {f"d{at}": float(at * 7 % 11 // (1 + query)) for at in range(12)} for query in range(1, 5)
    }
    judged = {str(query): {f"d{at}": (at * query) % 6 - 1 for at in range(0, 12, 2)} for query in range(1, 6)}
    measures = [nDCG(dcg="exp-log2") @ 3, nDCG(dcg="exp-log2") @ 20, ERR @ 3, ERR @ 20]
    same(ir_measures.gdeval, provider, measures, judged, run, within=1e-5)


MISORDERED = {"q": {"a": 1, "c": 2}, "r": {"a": 1}}
TIED = {"q": {"a": 1.0, "b": 1.0}, "r": {"b": 1.0, "a": 1.0}}


@pytest.fixture
def registered() -> Iterator[None]:
    before = list(ir_measures.DefaultPipeline.providers)
    register()
    register()  # once more changes nothing
    try:
        yield
    finally:
        ir_measures.DefaultPipeline.providers[:] = before
        del ir_measures.providers.registry["idealist"]


def test_one_rule_for_ties() -> None:
    theirs = ir_measures.calc_aggregate([RR, RR @ 10, Success @ 1, Judged @ 1], MISORDERED, TIED)
    assert theirs == {RR: 0.5, RR @ 10: 1.0, Success @ 1: 0.0, Judged @ 1: 1.0}
    ours = provider.calc_aggregate([RR, RR @ 10, Success @ 1, Judged @ 1], MISORDERED, TIED)
    assert ours == {RR: 0.5, RR @ 10: 0.5, Success @ 1: 0.0, Judged @ 1: 0.0}


@pytest.mark.usefixtures("registered")
def test_registered_it_computes_everything() -> None:
    expected = {RR: 0.5, RR @ 10: 0.5, ERR: pytest.approx((1 / 16 / 2) * 1.0)}
    assert ir_measures.calc_aggregate([RR, RR @ 10, ERR], MISORDERED, TIED) == expected
    assert (RR @ 10).calc_aggregate(MISORDERED, TIED) == 0.5
    assert ir_measures.evaluator([RR], MISORDERED).calc_aggregate(TIED) == {RR: 0.5}
    result = ir_measures.calc([RR @ 10, RR], MISORDERED, TIED)
    assert result.aggregated == {RR: 0.5, RR @ 10: 0.5}
    assert [metric.value for metric in result.per_query] == [0.5] * 4
    assert ir_measures.DefaultPipeline.providers.count(provider) == 1
    assert ir_measures.qrel_inputs([RR, alpha_nDCG @ 10]) != ir_measures.qrel_inputs([RR])


@pytest.mark.usefixtures("registered")
def test_what_others_define_is_left_to_them() -> None:
    own = ir_measures.define_byquery(lambda qrels, run: 7.0, name="AUC")
    assert not provider.supports(own)
    assert ir_measures.calc_aggregate([own, RR], MISORDERED, TIED) == {own: 7.0, RR: 0.5}
    with pytest.raises(InputError, match="not one of ir_measures' own measures"):
        list(provider.iter_calc([own], MISORDERED, TIED))


@pytest.mark.usefixtures("registered")
def test_registered_it_keeps_its_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        ir_measures.DefaultPipeline, "providers", [provider]
    )  # whoever else is installed here
    for calculate in (ir_measures.calc_aggregate, ir_measures.calc):
        with pytest.raises(InputError, match=r"hint: state rel, as in RBP\(rel=1\)"):
            calculate([RR, RBP], MISORDERED, TIED)


def test_every_measure_is_supported() -> None:
    for name, measure in ir_measures.measures.registry.items():
        stated = {"max_rel": 3, "rel": 1, "cutoff": 10, "recall": 0.5}
        given = {field: value for field, value in stated.items() if field in measure.SUPPORTED_PARAMS}
        assert provider.supports(measure(**given)), name
    assert not provider.supports(RBP)  # as in ir_measures: how much a grade is worth is not said
    with pytest.raises(InputError, match="state rel"):
        provider.calc_aggregate([RBP], MISORDERED, TIED)


@given(RUNS, JUDGMENTS, st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_frames_iterators_and_dicts_are_the_same(run: Any, judged: Any, random: Any) -> None:
    scored = [ScoredDoc(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
    qrels = [Qrel(query, doc, grade) for query, docs in judged.items() for doc, grade in docs.items()]
    random.shuffle(scored)
    random.shuffle(qrels)
    measures = [nDCG @ 3, AP, NumQ, RR @ 3, ERR, SetF, alpha_nDCG @ 5]
    expected = provider.calc_aggregate(measures, judged, run)
    assert provider.calc_aggregate(measures, iter(qrels), iter(scored)) == expected
    assert provider.calc_aggregate(measures, pd.DataFrame(qrels), pd.DataFrame(scored)) == expected
    assert (
        provider.calc_aggregate(measures, pd.DataFrame(qrels).drop(columns="iteration"), pd.DataFrame(scored))
        == expected
    )


def test_numbers_for_ids() -> None:
    qrels = pd.DataFrame({"query_id": [10, 10, 9], "doc_id": [1, 2, 1], "relevance": [1, 0, 1]})
    run = pd.DataFrame({"query_id": [10, 10, 10], "doc_id": [2, 3, 1], "score": [1.0, 2.0, 1.0]})
    found = {metric.query_id: metric.value for metric in provider.iter_calc([RR], qrels, run)}
    assert found == {10: pytest.approx(1 / 3), 9: 0.0}


def test_nothing_in_common_and_nothing_at_all() -> None:
    no_rows = pd.DataFrame({"query_id": [], "doc_id": [], "score": []})
    runs_apart: list[Any] = [{}, {"other": {"a": 1.0}}, [], no_rows]
    for run in runs_apart:
        found = provider.calc_aggregate([RR, NumQ], {"q": {"a": 1}}, run)
        assert found == {RR: 0.0, NumQ: 0.0}
        assert list(provider.iter_calc([Accuracy], {"q": {"a": 1}}, run)) == []
    nothing = provider.calc_aggregate([RR], {}, {"q": {"a": 1.0}})
    assert nothing == pytest.approx(
        ir_measures.pytrec_eval.calc_aggregate([RR], {}, {"q": {"a": 1.0}}), nan_ok=True
    )


def test_a_second_alpha_in_one_call() -> None:
    # Its provider uses up the run with the first and counts 0 for all others.
    judged, run = {"q": {"1": {"a": 1}, "2": {"a": 1, "b": 1}}}, {"q": {"b": 2.0, "a": 1.0}}
    measures = [alpha_nDCG(alpha=0.25) @ 5, alpha_nDCG(alpha=0.75) @ 5]
    theirs = ir_measures.pyndeval.calc_aggregate(measures, rows_of(judged), run)
    assert sorted(value == 0 for value in theirs.values()) == [False, True]
    ours = provider.calc_aggregate(measures, rows_of(judged), run)
    for measure in measures:
        alone = ir_measures.pyndeval.calc_aggregate([measure], rows_of(judged), run)
        assert ours[measure] == pytest.approx(alone[measure])


def test_judged_only_with_subtopics() -> None:
    judged, run = {"q": {"1": {"a": 1}, "2": {"b": 1}}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    measure = P_IA(judged_only=True) @ 2
    with pytest.raises(TypeError):
        ir_measures.pyndeval.calc_aggregate([measure], rows_of(judged), run)
    assert provider.calc_aggregate([measure], rows_of(judged), run) == {measure: 0.5}


def test_documents_of_several_subtopics_count_once_with_their_highest_grade() -> None:
    rows = [Qrel("q", "a", 2, "1"), Qrel("q", "a", 0, "2"), Qrel("q", "b", 1, "2")]
    run = {"q": {"a": 2.0, "b": 1.0}}
    measures = [P @ 2, ir_measures.StRecall @ 2]
    assert ir_measures.calc_aggregate(measures, rows, run)[P @ 2] == 0.5  # its last line says 0
    assert ir_measures.calc_aggregate(measures, rows[::-1], run)[P @ 2] == 1.0
    for order in (rows, rows[::-1]):
        assert provider.calc_aggregate(measures, order, run) == {P @ 2: 1.0, ir_measures.StRecall @ 2: 1.0}
        assert provider.calc_aggregate([P @ 2], order, run) == {P @ 2: 1.0}


def test_accuracy_where_it_is_undefined() -> None:
    judged = {"q": {"a": 1, "b": 0}, "r": {"a": 0}}
    run = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}
    assert ir_measures.calc_aggregate([Accuracy], judged, run)[Accuracy] == 1.0
    assert ir_measures.calc_aggregate([Accuracy, RR], judged, run)[Accuracy] == 0.5  # beside another measure
    assert provider.calc_aggregate([Accuracy], judged, run)[Accuracy] == 1.0
    assert provider.calc_aggregate([Accuracy, RR], judged, run)[Accuracy] == 1.0
    with pytest.raises(ZeroDivisionError):
        ir_measures.calc_aggregate([Accuracy], {"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert list(provider.iter_calc([Accuracy], {"q": {"a": 1}}, {"q": {"a": 1.0}})) == []


def test_err_of_queries_that_are_no_numbers() -> None:
    judged, run = {"lipstick": {"a": 4}}, {"lipstick": {"a": 1.0}}
    with pytest.raises(subprocess.CalledProcessError):
        ir_measures.calc_aggregate([ERR @ 10], judged, run)
    assert provider.calc_aggregate([ERR @ 10], judged, run) == {ERR @ 10: 15 / 16}


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match=r"query 'q', document 'a'.* nan"):
        provider.calc_aggregate([RR], {"q": {"a": 1}}, {"q": {"a": float("nan")}})
    with pytest.raises(InputError, match=r"query 'q', document 'a'.*'x'"):
        provider.calc_aggregate([RR], {"q": {"a": "x"}}, {"q": {"a": 1.0}})
    with pytest.raises(ValueError, match="missing columns"):
        provider.calc_aggregate([RR], {"q": {"a": 1}}, pd.DataFrame({"query_id": ["q"]}))
    rows = pd.DataFrame({"query_id": ["q", None], "doc_id": ["a", "b"], "score": [1.0, 2.0]})
    with pytest.raises(InputError, match="row 1 has no query_id"):
        provider.calc_aggregate([RR], {"q": {"a": 1}}, rows)
    with pytest.raises(InputError, match="grade 9, above max_grade=4"):
        provider.calc_aggregate([ERR @ 10], {"q": {"a": 9}}, {"q": {"a": 1.0}})


def test_without_ir_measures_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['ir_measures'] = None\nimport idealist.drop_ins.ir_measures"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert "MissingDependency" in done.stderr
    assert "hint: pip install ir-measures" in done.stderr
