"""Every user model beside cwl_eval, directly and through ir_measures."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.ir_measures_providers import measure_called, same
from support.strategies import UTF8_DOCUMENTS, judgments, runs

from idealist import Conventions, Measure, evaluate
from idealist.measures import parse

cwl = pytest.importorskip("cwl.ruler.cwl_ruler", reason="make peers installs it")
SetModel: Any = pytest.importorskip(
    "cwl.ruler.measures.cwl_set", reason="make peers installs it"
).SETCWLMetric
cwl_npv = pytest.importorskip("cwl.ruler.measures.cwl_npv", reason="make peers installs it")
ranking = pytest.importorskip("cwl.ruler.ranking", reason="make peers installs it")
ir_measures = pytest.importorskip("ir_measures", reason="make peers installs it")
integration = pytest.importorskip(
    "idealist.drop_ins.ir_measures", reason="make peers installs what it is for"
)

GRADES = st.lists(st.none() | st.integers(-2, 4), max_size=12)
RUNS = runs(UTF8_DOCUMENTS, smallest=1)
JUDGMENTS = judgments(UTF8_DOCUMENTS, smallest=1)


class SET(SetModel):  # type: ignore[misc]
    """Its weights start at 2^beta − 1^beta there, against its own comment: k documents worth 1 give k^beta."""

    def _weight(self, i: int) -> float:
        return float(i**self.beta - (i - 1) ** self.beta)


# Text of ours, cwl_eval's object, and the ranks it looks at.
GRADED = [
    ("SDCG@5", cwl.NDCGCWLMetric(5), 30),
    ("SET@5", SET(0.5, 5), 30),
    ("SET(power=1)@7", SET(1.0, 7), 30),
    ("INSQ@30", cwl.INSQCWLMetric(1.0), 30),
    ("INSQ(T=2.5)@5", cwl.INSQCWLMetric(2.5), 5),
    ("INST@30", cwl.INSTCWLMetric(1.0), 30),
    ("INST(T=2.5)@5", cwl.INSTCWLMetric(2.5), 5),
    ("BPM@5", cwl.BPMCWLMetric(1.0, 5), 30),
    ("BPM(T=2.5)@20", cwl.BPMCWLMetric(2.5, 20), 30),
    # It changes T where it should change K; without hc there is no difference.
    ("BPMDynamic(hc=0)@30", cwl.BPMDCWLMetric(1.0, 10, 1.0, 0.0, 0.5), 30),
    ("BPMDynamic(T=2,budget=4,hb=0.3,hc=0,med=0.2)@30", cwl.BPMDCWLMetric(2.0, 4, 0.3, 0.0, 0.2), 30),
    ("NERR8@5", cwl.NERReq8CWLMetric(5), 30),
    ("NERR9@5", cwl.NERReq9CWLMetric(5), 30),
    ("NERR10(p=0.7)@30", cwl.NERReq10CWLMetric(0.7), 30),
    ("NERR11(T=2)@30", cwl.NERReq11CWLMetric(2.0), 30),
    ("IFTGoal@30", cwl.IFTGoalCWLMetric(2.0, 0.9, 1.0), 30),
    ("IFTGoal(T=0.5,b1=0.3,R1=10)@30", cwl.IFTGoalCWLMetric(0.5, 0.3, 10.0), 30),
    ("IFTRate@30", cwl.IFTRateCWLMetric(0.2, 0.9, 1.0), 30),
    ("IFTRate(A=0.5,b2=0.3,R2=10)@30", cwl.IFTRateCWLMetric(0.5, 0.3, 10.0), 30),
    ("IFT@30", cwl.IFTGoalRateCWLMetric(2.0, 0.9, 1.0, 0.2, 0.9, 1.0), 30),
    # These go on for ever: 200 ranks are for ever, where people are so impatient.
    ("NPV(rate=0.5)", cwl_npv.NPVCWLMetric(0.5), 200),
    ("TBG(halflife=3)", cwl.TBGCWLMetric(3.0), 200),
    ("U-measure(L=7)", cwl.UMeasureCWLMetric(7.0), 30),
    ("U-measure(L=2.5)", cwl.UMeasureCWLMetric(2.5), 30),
    ("RBP(max_grade=4)", cwl.RBPCWLMetric(0.8), 200),
]
BINARY = [
    ("P@5", cwl.PrecisionCWLMetric(5), 30),
    ("RR@30", cwl.RRCWLMetric(), 30),
    ("RBP(p=0.5)", cwl.RBPCWLMetric(0.5), 200),
    ("RBP", cwl.RBPCWLMetric(0.8), 200),
]
EXPECTED = [
    "{}",
    "ExpectedTotalUtility(of={})",
    "ExpectedCost(of={})",
    "ExpectedTotalCost(of={})",
    "ExpectedDepth(of={})",
]


def asked(text: str) -> list[Measure]:
    """The model's five expectations, and then their residuals."""
    five = [parse(form.format(text)) for form in EXPECTED]
    return [*five, *(parse(f"Residual(of={one})") for one in five)]


def peer_values(metric: Any, gains: list[float], ranks: int) -> list[float]:
    ranked = ranking.Ranking("q", np.array(gains, dtype=float), np.ones(len(gains)), max_n=ranks)
    metric.residuals = True

    def c_vector(ranking: Any, worse_case: bool = True) -> Any:
        """Who has not stopped by the last rank stops there; cwl_eval counts what she spent as nothing."""
        chances = type(metric).c_vector(metric, ranking, worse_case)
        chances[-1] = 0.0
        return chances

    metric.c_vector = c_vector
    metric.measure(ranked)
    return [
        *metric.get_scores(),
        metric.residual_expected_utility,
        metric.residual_expected_total_utility,
        metric.residual_expected_cost,
        metric.residual_expected_total_cost,
        metric.residual_expected_items,
    ]


def agrees(text: str, metric: Any, ranks: int, grades: list[int | None], gains: list[float]) -> None:
    ours = [measure(grades) for measure in asked(text)]
    assert ours == pytest.approx(peer_values(metric, gains, ranks), abs=1e-9), text


@given(GRADES)
@settings(max_examples=40)
def test_graded_models_agree(grades: list[int | None]) -> None:
    gains = [np.nan if grade is None else max(grade, 0) / 4 for grade in grades]
    for text, metric, ranks in GRADED:
        agrees(text, metric, ranks, grades, gains)


@given(GRADES)
def test_binary_models_agree(grades: list[int | None]) -> None:
    gains = [np.nan if grade is None else float(grade >= 1) for grade in grades]
    for text, metric, ranks in BINARY:
        agrees(text, metric, ranks, grades, gains)


@given(GRADES)
def test_average_precision_agrees_within_a_list_that_has_all(grades: list[int | None]) -> None:
    gains = [np.nan if grade is None else float(grade >= 1) for grade in grades]
    if 1.0 in gains:  # else ours is undefined, and there a person looks at one document
        agrees("AP", cwl.APCWLMetric(), len(gains), grades, gains)


IR_MEASURES = [
    *("RBP(rel=1)", "RBP(p=0.5,rel=2)", "BPM(T=2,min_rel=0,max_rel=4)@10", "SDCG(max_rel=4)@10"),
    *("INST(T=2,max_rel=4)", "INST(max_rel=5,min_rel=1)", "INSQ(max_rel=4)"),
    *(
        "NERR8(max_rel=4)@10",
        "NERR9(max_rel=4,min_rel=1)@5",
        "NERR10(p=0.8,max_rel=4)",
        "NERR11(T=2,max_rel=4)",
    ),
]


@given(RUNS, JUDGMENTS)
@settings(max_examples=15)
def test_text_forms_of_ir_measures_agree(run: Any, judged: Any) -> None:
    if not set(run) & set(judged):
        return
    logging.getLogger("ir_measures.cwl_eval").disabled = True
    peers = {text: measure_called(text) for text in IR_MEASURES}
    # Its rule for ties is another.
    untied = {
        query: {document: -position for position, document in enumerate(sorted(documents, key=documents.get))}
        for query, documents in run.items()
    }
    result = evaluate(judged, untied, IR_MEASURES)
    values = list(ir_measures.cwl_eval.iter_calc(list(peers.values()), judged, untied))
    assert len(values) == len(peers) * len(judged)
    for one in values:
        text = next(text for text, peer in peers.items() if peer == one.measure)
        assert result.value(text, one.query_id) == pytest.approx(one.value, abs=1e-9), (text, one.query_id)


INPUT_ORDER = integration.Idealist(Conventions(ties="input-order"))
USER_MODELS = [
    *(
        ir_measures.RBP(rel=1),
        ir_measures.RBP(rel=2, p=0.5),
        ir_measures.SDCG(max_rel=4) @ 3,
        ir_measures.SDCG(max_rel=2, min_rel=1) @ 20,
    ),
    *(
        ir_measures.NERR8(max_rel=4) @ 3,
        ir_measures.NERR9(max_rel=4) @ 5,
        ir_measures.NERR10(max_rel=4),
        ir_measures.NERR10(max_rel=3, p=0.5),
        ir_measures.NERR11(max_rel=4),
    ),
    *(
        ir_measures.INST(max_rel=4),
        ir_measures.INST(max_rel=2, T=2.0),
        ir_measures.INSQ(max_rel=4),
        ir_measures.INSQ(max_rel=1, T=2.5),
    ),
    *(ir_measures.BPM(max_rel=4) @ 3, ir_measures.BPM(max_rel=2, T=2.0) @ 20),
]


@given(RUNS, JUDGMENTS)
@settings(max_examples=40)
@pytest.mark.filterwarnings("ignore")
def test_values_of_ir_measures_agree(run: Any, judged: Any) -> None:
    same(ir_measures.cwl_eval, INPUT_ORDER, USER_MODELS, judged, run)


def test_what_user_models_expect_agrees_with_ir_measures() -> None:
    run, judged = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 1, "c": 2}}
    measures = [ir_measures.INSQ(max_rel=2), ir_measures.BPM(max_rel=2) @ 2, ir_measures.NERR10(max_rel=2)]
    for own, ours in zip(
        ir_measures.cwl_eval.iter_calc(measures, judged, run),
        integration.provider.iter_calc(measures, judged, run),
        strict=True,
    ):
        assert ours._fields == own._fields
        assert ours[:2] == own[:2]
        # cwl_eval lets some people go on behind the last of its 1,000 ranks.
        assert ours[2:] == pytest.approx(own[2:], rel=1e-2)
