"""The feature table claims nothing that is not so: of us, and of other tools by asking them."""

from __future__ import annotations

import sys
from math import log2

import ir_measures
import pytest
import pytrec_eval
import sklearn.metrics
from conftest import ROOT
from support.feature_table import functions_in, named_in_backticks, said_of, works

import idealist as il

JUDGED = {"q1": {"a": 3, "b": 0}, "q2": {"a": 1, "b": 2, "c": 0}}
RUN = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 3.0, "b": 2.0, "c": 1.0}}
TIED = {"q": {"a": 1.0, "b": 1.0}}
TIED_JUDGED = {"q": {"a": 0, "b": 1}}
AVERAGED = (1 + 1 / log2(3)) / 2


def test_idealist() -> None:
    measures = ["nDCG", "Bpref", "RBP", "ERR"]
    result = il.evaluate(JUDGED, RUN, measures)
    tied = il.evaluate(TIED_JUDGED, TIED, "nDCG", conventions=il.Conventions(ties="averaged"))
    assert said_of("Idealist") == {
        "nDCG with grades": result.value("nDCG", query="q1") == pytest.approx(1 / log2(3)),
        "bpref": result.n("Bpref") == 2,
        "RBP": result.n("RBP") == 2,
        "ERR": result.n("ERR") == 2,
        "alpha-nDCG": works(lambda: il.measures.parse("alpha-nDCG@10")),
        "values of each query": set(result.by_query("nDCG")) == set(JUDGED),
        "lists of different length": result.n("nDCG") == 2,
        "ties averaged over all orders": tied.mean("nDCG") == pytest.approx(AVERAGED),
        "runs compared, with p-values": il.compare(JUDGED, {"x": RUN, "y": RUN}, "nDCG")["y", "nDCG"].p_value
        == 1,
        "fusion of runs": il.fuse([RUN, RUN]).ranking("q1") == ["b", "a"],
        "intervals and a verdict": il.gsb(good=20, same=0, bad=0).verdict.outcome == "ship",
        "side-by-side votes": il.gsb(["good", "same", "bad", "bad"]).value == -0.25,
    }


def test_pytrec_eval() -> None:
    names = pytrec_eval.supported_measures
    evaluator = pytrec_eval.RelevanceEvaluator(JUDGED, {"ndcg", "bpref"})
    values = evaluator.evaluate(RUN)
    tied = pytrec_eval.RelevanceEvaluator(TIED_JUDGED, {"ndcg"}).evaluate(TIED)["q"]["ndcg"]
    assert said_of("pytrec_eval") == {
        "nDCG with grades": values["q1"]["ndcg"] == pytest.approx(1 / log2(3)),
        "bpref": "bpref" in values["q1"],
        "RBP": any("rbp" in name.lower() for name in names),
        "ERR": any("err" in name.lower() for name in names),
        "alpha-nDCG": any("alpha" in name.lower() for name in names),
        "values of each query": set(values) == set(JUDGED),
        "lists of different length": set(values) == set(JUDGED),
        "ties averaged over all orders": tied == pytest.approx(AVERAGED),
    } | functions_in(dir(pytrec_eval))


# Its parser uses names of `ast` that Python 3.12 warns of and 3.14 has no longer.
@pytest.mark.filterwarnings("ignore:(ast|Attribute).*deprecated:DeprecationWarning")
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures 0.4.3 cannot parse ERR@10 there")
def test_ir_measures() -> None:
    def calculated(text: str) -> bool:
        return works(lambda: ir_measures.parse_measure(text))

    values = list(ir_measures.iter_calc([ir_measures.nDCG], JUDGED, RUN))
    tied = ir_measures.calc_aggregate([ir_measures.nDCG], TIED_JUDGED, TIED)[ir_measures.nDCG]
    assert said_of("ir_measures") == {
        "nDCG with grades": values[0].value == pytest.approx(1 / log2(3)),
        "bpref": calculated("Bpref"),
        "RBP": calculated("RBP"),
        "ERR": calculated("ERR@10"),
        "alpha-nDCG": calculated("alpha_nDCG@10"),
        "values of each query": {value.query_id for value in values} == set(JUDGED),
        "lists of different length": len(values) == 2,
        "ties averaged over all orders": tied == pytest.approx(AVERAGED),
    } | functions_in(dir(ir_measures))


def test_scikit_learn() -> None:
    names = sklearn.metrics.__all__
    value = sklearn.metrics.ndcg_score([[3, 0]], [[1.0, 2.0]])
    rankings = [name for name in names if "rank" in name or "dcg" in name]  # compare those of rankings only
    assert said_of("scikit-learn") == {
        "nDCG with grades": value == pytest.approx(1 / log2(3)),
        "bpref": any("bpref" in name for name in names),
        "RBP": any("rbp" in name or "biased" in name for name in names),
        "ERR": any("reciprocal" in name for name in names),
        "alpha-nDCG": any("alpha" in name for name in names),
        "values of each query": not isinstance(
            sklearn.metrics.ndcg_score([[3, 0]] * 2, [[1.0, 2.0]] * 2), float
        ),
        "lists of different length": works(
            lambda: sklearn.metrics.ndcg_score([[3, 0, 1], [2, 1]], [[1, 2, 3], [1, 2]])
        ),
        "ties averaged over all orders": sklearn.metrics.ndcg_score([[0, 1]], [[1.0, 1.0]])
        == pytest.approx(AVERAGED),
    } | functions_in(rankings)


@pytest.mark.parametrize("test", named_in_backticks(r"tests/[\w/.]+"))
def test_every_feature_names_a_test_that_exists(test: str) -> None:
    assert (ROOT / test).exists()
