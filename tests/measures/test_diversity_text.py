"""Measures of subtopics by their names in other tools, and parameters that cannot be right."""

from __future__ import annotations

import pytest

from idealist import InputError
from idealist.measures import parse


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alpha-nDCG(alpha=1.5)@10", "alpha must be from 0 to 1, not 1.5"),
        ("ERR-IA(alpha=-0.1)", "alpha must be from 0 to 1, not -0.1"),
        ("NRBP(alpha=nan)", "alpha must be a number, not 'nan'"),
        ("NRBP(beta=1.5)", "beta must be above 0 and at most 1, not 1.5\nhint: here it is a probability"),
        ("nNRBP(beta=0)", "beta must be above 0 and at most 1000000, not 0"),
        ("D#-nDCG(gamma=2)", "gamma must be from 0 to 1, not 2"),
        ("alpha-DCG(norm=ideal)", "norm must be bound or none, not 'ideal'"),
        ("NRBP@10", "NRBP has no cut-off"),
        ("alpha_nDCG(judged_only=True)@10", "judged_only is a convention here"),
        ("IA(of=nonsense)", "no measure is called 'nonsense'"),
        ("IA(of=nDCG(gain=x))", "gain='x' is unknown"),
        ("IA(of=alpha-nDCG@5)", "alpha-nDCG@5 cannot be made intent-aware"),
        ("IA(of=IA)", "IA(of=nDCG@10) cannot be made intent-aware"),
        ("IA(of=AP)@5", "IA has no cut-off"),
    ],
)
def test_bad_parameters(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("α_nDCG(alpha=0.5)@10", "alpha-nDCG@10"),
        ("α-nDCG@5", "alpha-nDCG@5"),
        ("alpha_DCG@10", "alpha-DCG@10"),
        ("alpha-nDCG@20", "alpha-nDCG@20"),
        ("err-ia@20", "ERR-IA@20"),
        ("nERR_IA@7", "nERR-IA@7"),
        ("NRBP(alpha=0.5,beta=0.5)", "NRBP"),
        ("nNRBP(beta=0.8)", "nNRBP(beta=0.8)"),
        ("AP_IA", "AP-IA"),
        ("MAP-IA", "AP-IA"),
        ("P_IA@10", "P-IA@10"),
        ("P_IA_5", "P-IA@5"),
        ("strec@10", "StRecall@10"),
        ("I-rec@10", "StRecall@10"),
        ("D#-nDCG(gamma=0.5)@10", "D#-nDCG@10"),
        ("IA(of=ndcg_cut_10)", "IA(of=nDCG@10)"),
        (
            "IA( of = nDCG( gain = {0:0,1:2}, discount=rbp(0.8) ) @ 5 )",
            "IA(of=nDCG(gain={0:0,1:2},discount=rbp(0.8))@5)",
        ),
    ],
)
def test_names(theirs: str, ours: str) -> None:
    assert str(parse(theirs)) == ours
    assert parse(ours) == parse(theirs)
