"""Names that other tools have for measures, with their parameters."""

from __future__ import annotations

import re

import pytest

from idealist import DCG, NDCG, RR, F, Hits, InputError, Measure, P, R, Success
from idealist.measures import IDCG, parse, parse_all
from idealist.measures.families.binary import Unjudged
from idealist.measures.families.counts import NumRelRet, NumRet
from idealist.measures.families.gain import RNDCG, BinG, G, NDCGRel
from idealist.measures.families.incomplete import InfAP
from idealist.measures.families.means import GMAP, GMBpref
from idealist.measures.families.pairs import Accuracy, Bpref
from idealist.measures.families.recall_levels import IPrec, IPrecAvg, RelP, RprecMult
from idealist.measures.families.sets import YAAP, SetAP, Utility


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        # trec_eval, as it prints and as it is asked
        ("iprec_at_recall_0.10", IPrec(recall=0.1)),
        ("iprec_at_recall.0.10", IPrec(recall=0.1)),
        ("iprec_at_recall_.10", IPrec(recall=0.1)),
        ("iprec_at_recall_1", IPrec(recall=1)),
        ("Rprec_mult_0.20", RprecMult(multiple=0.2)),
        ("Rprec_mult.2", RprecMult(multiple=2)),
        ("relative_P_10", RelP(k=10)),
        ("relative_P.10", RelP(k=10)),
        ("set_relative_P", RelP()),
        ("11pt_avg", IPrecAvg()),
        ("11pt_avg.0.2,0.5,0.8", IPrecAvg(points=(0.2, 0.5, 0.8))),
        ("set_map", SetAP()),
        ("set_F_4", F(beta=2)),
        ("set_F.0.25", F(beta=0.5)),
        ("set_P", P()),
        ("set_recall", R()),
        ("utility", Utility()),
        ("utility_2,-1,0,0", Utility(coefficients=(2, -1, 0, 0))),
        ("utility.1.5,-1,0,0", Utility(coefficients=(1.5, -1, 0, 0))),
        ("yaap", YAAP()),
        ("unj_10", Unjudged(k=10)),
        ("unj.5", Unjudged(k=5)),
        ("dcg", DCG()),
        ("ideal_dcg", IDCG()),
        ("ndcg_rel", NDCGRel()),
        ("Rndcg", RNDCG()),
        ("G", G()),
        ("binG", BinG()),
        ("bpref", Bpref()),
        ("gm_map", GMAP()),
        ("gm_bpref", GMBpref()),
        ("infAP", InfAP()),
        ("success_5", Success(k=5)),
        # ir_measures
        ("IPrec@0.1", IPrec(recall=0.1)),
        ("IPrec(rel=2)@0.5", IPrec(recall=0.5, level=2)),
        ("IPrec(recall=0.5)", IPrec(recall=0.5)),
        ("SetP", P()),
        ("SetP(rel=2)", P(level=2)),
        ("SetR", R()),
        ("SetF", F()),
        ("SetF(beta=4)", F(beta=2)),
        ("SetF(rel=2, beta=4.0)", F(beta=2, level=2)),
        ("SetAP(rel=2)", SetAP(level=2)),
        ("SetRelP", RelP()),
        ("BPref", Bpref()),
        ("Bpref(rel=2)", Bpref(level=2)),
        ("infAP(rel=2)", InfAP(level=2)),
        ("Accuracy(rel=2)@10", Accuracy(level=2, k=10)),
        ("NumRet", NumRet()),
        ("NumRet(rel=1)", NumRelRet()),
        ("NumRet(rel=2)", NumRelRet(level=2)),
        ("Precision@5", P(k=5)),
        ("Recall@5", R(k=5)),
        # ranx
        ("hits@5", Hits(k=5)),
        ("hit_rate@5", Success(k=5)),
        ("recall@5", R(k=5)),
        ("mrr@5", RR(k=5)),
        ("dcg@5", DCG(k=5)),
        ("dcg_burges", DCG(gain="exp")),
        ("ndcg_burges@5", NDCG(k=5, gain="exp")),
    ],
)
def test_names_of_every_tool(text: str, measure: Measure) -> None:
    assert parse(text) == measure
    assert parse_all(text) == (measure,)


def test_what_stands_behind_the_at() -> None:
    assert str(IPrec(recall=0.25, level=2)) == "IPrec(level=2)@0.25"
    assert str(RprecMult(multiple=2)) == "RprecMult@2"
    assert str(Utility(coefficients=(2, -1, 0, 0))) == "Utility(coefficients=[2,-1,0,0])"
    assert str(F(k=5, beta=2)) == "F(beta=2)@5"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("iprec_at_recall.10", "recall must be from 0 to 1, not 10"),
        ("IPrec@1.5", "recall must be from 0 to 1, not 1.5"),
        ("IPrec@half", "recall must be a number, not 'half'"),
        ("IPrec(recall=0.1)@0.2", "recall appears twice"),
        ("IPrec(cut=up)@0.1", "cut must be ceiling, nearest or nine-tenths, not 'up'"),
        ("Rprec_mult_0", "multiple must be above 0 and at most 1000000, not 0"),
        ("P_0.5", "k must be a whole number, 1 or more, not '0.5'"),
        ("bpref_10", "Bpref has no cut-off"),
        ("utility.1,-1", "coefficients must hold 4 numbers, not 2"),
        ("set_F_0", "beta² must be above 0"),
        ("NumRet(level=2)", "NumRet has no parameter 'level'"),
        ("P_", "no measure is called 'P_'"),
        ("_10", "no measure is called '_10'"),
        ("10", "no measure is called '10'"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.compile(message, re.DOTALL)):
        parse(text)
    with pytest.raises(InputError):
        parse_all(text)


def test_several_at_once_as_trec_eval_asks_for_them() -> None:
    from idealist.measures import parse_all

    assert parse_all("P.5,10") == parse_all("P@5 P@10")
    assert parse_all("ndcg_cut_5,10,20 map") == parse_all("nDCG@5 nDCG@10 nDCG@20 AP")
    assert parse_all("nDCG(gain=exp)@5,10") == parse_all("nDCG(gain=exp)@5 nDCG(gain=exp)@10")
    assert parse_all("iprec_at_recall.0.1,0.2") == parse_all("IPrec@0.1 IPrec@0.2")
    assert parse_all("utility.1,-1,0,0") == (parse("Utility"),)
    assert parse_all(["P@5", "RR"]) == parse_all("P@5,RR")
    with pytest.raises(InputError, match=r"k='5,x'|no measure is called 'x'"):
        parse_all("P.5,x")


def test_levels_and_primes() -> None:
    assert parse("map@100-l2") == parse("AP(level=2)@100")
    assert parse("mrr-l3") == parse("RR(level=3)")
    assert parse("nDCG'@10") == parse("nDCG′@10") == parse("Condensed(of=nDCG@10)")
    assert parse("Compat(p=0.8,normalize=True)") == parse("Compat(p=0.8)")
    assert parse("rbp_resid_0.80") == parse("Residual(of=RBP(p=0.8))")
    with pytest.raises(InputError, match="nDCG has no parameter 'level'"):
        parse("ndcg@10-l2")


def test_every_set_of_trec_eval_can_be_read() -> None:
    from idealist.measures import parse_all
    from idealist.measures.naming import NICKNAMES

    for name, members in NICKNAMES.items():
        found = parse_all(name)
        assert len(found) == len(members.split()), name
