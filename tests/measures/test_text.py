"""The text form, ours and other tools'."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import pytest

from idealist import (
    AP,
    DCG,
    NDCG,
    RR,
    F,
    InputError,
    Judged,
    Measure,
    P,
    R,
    Rankings,
    Rprec,
    Success,
    UnknownMeasure,
)
from idealist.measures import NumQ, NumRelRet, parse, parse_all
from idealist.measures.measure import parsed_before, registered
from idealist.measures.naming import REMEMBERED


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("nDCG", NDCG()),
        ("ndcg@10", NDCG(k=10)),
        ("NDCG@10", NDCG(k=10)),
        (" nDCG @ 10 ", NDCG(k=10)),
        ("nDCG (gain=exp) @ 3", NDCG(k=3, gain="exp")),
        ("nDCG(gain=exp)@10", NDCG(k=10, gain="exp")),
        ("nDCG(k=10, gain='exp')", NDCG(k=10, gain="exp")),
        ("nDCG(gain={0:0,1:3,2:9.5})@5", NDCG(k=5, gain={0: 0, 1: 3, 2: 9.5})),
        ("DCG(discount=[1,0.5],gain=exp)@2", DCG(k=2, gain="exp", discount=[1, 0.5])),
        ("DCG(discount=jarvelin)", DCG(discount="jarvelin(2)")),
        ("DCG(discount=rbp(0.80))", DCG(discount="rbp(0.8)")),
        # trec_eval
        ("ndcg_cut_10", NDCG(k=10)),
        ("ndcg_cut.10", NDCG(k=10)),
        ("map", AP()),
        ("map_cut_100", AP(k=100)),
        ("P_5", P(k=5)),
        ("recall_1000", R(k=1000)),
        ("recip_rank", RR()),
        ("Rprec", Rprec()),
        ("success_1", Success(k=1)),
        ("set_F", F()),
        ("num_rel_ret", NumRelRet()),
        ("num_q", NumQ()),
        # ir_measures
        ("AP(rel=2)@100", AP(k=100, level=2)),
        ("P(rel=2)@5", P(k=5, level=2)),
        ("nDCG(dcg='exp-log2')@10", NDCG(k=10, gain="exp")),
        ("nDCG(gains={1:5,2:9})", NDCG(gain={1: 5, 2: 9})),
        ("Judged@10", Judged(k=10)),
        ("NumRelRet(rel=2)", NumRelRet(level=2)),
        # ranx
        ("ndcg_burges@10", NDCG(k=10, gain="exp")),
        ("precision@5", P(k=5)),
        ("hit_rate@10", Success(k=10)),
        ("mrr@10", RR(k=10)),
        ("r-precision", Rprec()),
        ("f1@10", F(k=10)),
    ],
)
def test_names_of_every_tool(text: str, measure: Measure) -> None:
    assert parse(text) == measure


def test_canonical_text() -> None:
    assert str(NDCG(k=10, gain="exp")) == "nDCG(gain=exp)@10"
    assert str(AP(level=2.0)) == "AP(level=2)"
    assert str(P(level=0.1)) == "P(level=0.1)"
    assert str(NDCG(gain={2: 3, 1: 0.5})) == "nDCG(gain={1:0.5,2:3})"
    assert str(NDCG(discount=(1, 0.25))) == "nDCG(discount=[1,0.25])"
    assert repr(NDCG(k=10, gain="exp")) == "NDCG(k=10, gain='exp')"
    assert str(DCG(gain=abs)) == "DCG(gain=abs)"


def test_several_in_one_text() -> None:
    assert parse_all("nDCG(gain=exp,k=5) AP, P@5") == (NDCG(k=5, gain="exp"), AP(), P(k=5))
    assert parse_all(["AP", AP(), "map"]) == (AP(),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDGC@10", "no measure is called 'nDGC'.*did you mean nDCG"),
        ("prcision", "did you mean P"),
        ("zzz", "no measure is called 'zzz'.*idealist measures"),
        ("", "no measure is called ''"),
        ("nDCG@0", "the cut-off k must be a whole number, 1 or more, not 0"),
        ("P_0", "the cut-off k must be a whole number, 1 or more, not 0"),
        ("nDCG@-3", "the cut-off k must be a whole number, 1 or more, not -3"),
        ("nDCG@ten", "k must be a whole number, 1 or more, not 'ten'"),
        ("nDCG@", "no cut-off behind @"),
        ("nDCG(gain=exp", "a bracket is not closed"),
        ("nDCG(exp)", "'exp' is not name=value"),
        ("nDCG(level=2)", "nDCG has no parameter 'level'.*'k', 'gain', 'discount', 'ideal'"),
        ("nDCG(gain=cubic)", "gain='cubic' is unknown.*linear or exp"),
        ("nDCG(gain={1})", "'1' in a gain table is not grade:gain"),
        ("nDCG(gain={1:2,1:3})", "grade 1 twice"),
        ("nDCG(gain={})", "is not grade:gain"),
        ("nDCG(discount=log3)", "discount='log3' is unknown"),
        ("nDCG(discount=rbp)", "discount='rbp' is unknown"),
        ("nDCG(discount=rbp(1.5))", "p of rbp must lie between 0 and 1, not 1.5"),
        ("nDCG(discount=jarvelin(1))", "base of jarvelin must be above 1, not 1"),
        ("nDCG(discount=[1,x])", "discount="),
        ("nDCG(ideal=best)", "ideal must be judged or retrieved, not 'best'"),
        ("P(level=high)", "level must be a number, not 'high'"),
        ("P(level=nan)", "level must be a number, not 'nan'"),
        ("F(beta=0)", "beta must be above 0 and at most 1000000, not 0"),
        ("Rprec@5", "Rprec has no cut-off"),
        ("nDCG(k=5)@10", "k appears twice"),
        ("nDCG(k=5,cutoff=6)", "k appears twice"),
        ("nDCG(gain=exp,gain=linear)", "gain appears twice"),
        ("nDCG(discount=rbp(0.8)", "a bracket is not closed"),
        ("nDCG(discount=jarvelin(2)@10", "a bracket is not closed"),
        ("nDCG@1_0", "k must be a whole number, 1 or more, not '1_0'"),
        ("nDCG@+10", r"k must be a whole number, 1 or more, not '\+10'"),
        ("nDCG@１０", "k must be a whole number, 1 or more, not '１０'"),
        ("nDCG(gain='exp\")", "is unknown"),
        ("F(beta=1e200)", r"beta must be above 0 and at most 1000000, not 1e\+200"),
        ("nDCG(judged_only=True)@10", "a convention here.*unjudged=removed"),
        ("nDCG(dcg=exp2)", "dcg='exp2' is unknown"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.compile(message, re.DOTALL)):
        parse(text)


def test_unknown_measures_have_an_error_of_their_own() -> None:
    with pytest.raises(UnknownMeasure):
        parse("nope")
    with pytest.raises(InputError, match="not 3"):
        parse(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no measure was named"):
        parse_all([])


def test_two_measures_of_one_text_are_refused() -> None:
    measures = [DCG(gain=lambda grade: grade), DCG(gain=lambda grade: 10 * grade)]
    with pytest.raises(InputError, match="two different measures have the same text"):
        parse_all(measures)


def test_a_measure_of_ones_own_may_have_parameters_of_its_own() -> None:
    class Half(Measure):
        """Some share of the reciprocal rank."""

        name = "Half"
        bounds: ClassVar[tuple[float, float]] = (0.0, 0.5)
        share: float = 0.5

        def values(self, rankings: Rankings) -> Any:
            return RR().values(rankings) * self.share

    assert Half()([0, 1]) == 0.25
    assert str(Half(share=0.1)) == "Half(share=0.1)"


def test_arguments_are_checked_like_text() -> None:
    for discount in ({1: 1.0}, b"\x01", 3):
        with pytest.raises(InputError, match="is unknown"):
            DCG(discount=discount)  # type: ignore[arg-type]
    for k in (0, -1, 2.5, True, "x", 2**40):
        with pytest.raises(InputError, match="k"):
            NDCG(k=k)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="has no parameter 'cutoff'; its parameters are: k, gain"):
        NDCG(cutoff=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="at most 4 arguments"):
        NDCG(1, "exp", "log2", "judged", 5)  # type: ignore[call-arg]
    with pytest.raises(AttributeError, match="immutable"):
        NDCG().k = 3  # type: ignore[misc]
    with pytest.raises(InputError, match="the gain table must not be empty"):
        NDCG(gain={})


def test_numpy_numbers_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    assert NDCG(k=numpy.int64(5)) == NDCG(k=5)
    assert P(level=numpy.float32(2)) == P(level=2)
    assert NDCG()(numpy.array([3, 2, 1])) == 1.0


def test_signature_is_visible() -> None:
    from inspect import signature

    assert list(signature(NDCG).parameters) == ["k", "gain", "discount", "ideal"]


def test_a_text_means_the_class_that_has_its_name_now() -> None:
    """Parsing the same text again is quick, but a class that takes the name over is not overlooked."""
    names = registered()
    try:

        class First(Measure, name="Overtaken"):
            pass

        assert type(parse("Overtaken")) is First
        assert parse("Overtaken") is parse("Overtaken")

        class Second(Measure, name="Overtaken"):
            pass

        assert type(parse("Overtaken")) is Second
    finally:
        del names["Overtaken"]
        parsed_before().clear()
    with pytest.raises(UnknownMeasure):
        parse("Overtaken")


def test_texts_without_end_are_not_all_remembered() -> None:
    for k in range(1, 2 * REMEMBERED):
        parse(f"P@{k}")
    assert len(parsed_before()) <= REMEMBERED
