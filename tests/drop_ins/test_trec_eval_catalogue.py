"""trec_eval's measures, as the program itself lists them."""

from __future__ import annotations

from ctypes import POINTER, Structure, c_char_p, c_int

import pytest
from support import trec_eval_library

from idealist.drop_ins.trec_eval.measure_catalogue import (
    UnfitRequest,
    atof,
    atol,
    columns,
    requested,
    supported_measures,
    supported_nicknames,
)
from idealist.measures import parse


class Nickname(Structure):
    _fields_ = [("name", c_char_p), ("measures", POINTER(c_char_p))]


LIBRARY = trec_eval_library.LIBRARY
shows_measures = pytest.mark.skipif(
    not hasattr(LIBRARY, "te_num_trec_measures"), reason="this build hides what it has"
)


@shows_measures
def test_the_order_is_trec_evals() -> None:
    count = c_int.in_dll(LIBRARY, "te_num_trec_measures").value
    listed = (POINTER(trec_eval_library.Program) * count).in_dll(LIBRARY, "te_trec_measures")
    assert supported_measures(9) == tuple(one.contents.name.decode() for one in listed)


@shows_measures
def test_sets_are_trec_evals() -> None:
    count = c_int.in_dll(LIBRARY, "te_num_trec_measure_nicknames").value
    for one in (Nickname * count).in_dll(LIBRARY, "te_trec_measure_nicknames"):
        names, at = set(), 0
        while name := one.measures[at]:
            names.add(name.decode())
            at += 1
        assert set(supported_nicknames(9)[one.name.decode()]) == names


@pytest.mark.parametrize("version", [9, 10])
def test_every_measure_has_columns_and_ours_beside_it(version: int) -> None:
    for column in columns(supported_measures(version), version):
        assert (column.measure is None) == (column.base in ("runid", "relstring"))
        if column.measure is not None:
            assert column.measure.aggregate == column.summary, column


def test_what_differs_from_our_usual_parameters() -> None:
    def measure(request: str, version: int = 9, level: int = 1) -> object:
        return columns([request], version, level)[0].measure

    assert measure("iprec_at_recall.0.3") == parse("IPrec(cut=nine-tenths)@0.3")
    assert measure("iprec_at_recall.0.3", 10) == parse("IPrec(cut=nearest)@0.3")
    assert measure("Rprec_mult.2", 10) == parse("RprecMult(cut=nine-tenths)@2")
    assert measure("rbp", 10) == parse("RBP(p=0.9)")
    assert measure("rbp.p=0.5", 10) == parse("RBP(p=0.5)")
    assert measure("map", level=2) == parse("AP(level=2)")
    assert measure("ndcg", level=2) == parse("nDCG")
    assert measure("set_F.4") == parse("F(beta=2)")
    assert measure("utility.2,-1,0,0") == parse("utility_2,-1,0,0")
    assert measure("iprec_at_recall.3") is None


def test_parameters_given_first_count() -> None:
    assert requested(["P.5", "P.10", "map.3", "official"])["P"] == "5"
    assert [column.name for column in columns(["P.5", "P.10", "map.3"])] == ["map", "P_5"]


@pytest.mark.parametrize("request_text", ["nosuch", "P.", "dcg", ""])
def test_unknown_measures(request_text: str) -> None:
    with pytest.raises(UnfitRequest) as refused:
        columns([request_text])
    assert refused.value.status == 1


@pytest.mark.parametrize(
    "request_text", ["P.0", "P.-1", "P.x", "P.3,3", "iprec_at_recall.1,1.0", "ndcg.1", "G.1=2=3"]
)
def test_unfit_parameters(request_text: str) -> None:
    with pytest.raises(UnfitRequest) as refused:
        columns([request_text])
    assert refused.value.status == 2


def test_numbers_of_c() -> None:
    assert [atol(text) for text in ("12", " +3x", "-4", "9" * 30, "", "1e2")] == [12, 3, -4, 2**63 - 1, 0, 1]
    assert [
        atof(text) for text in (".5", "5.", "-1e2x", "0x1.8p1", "INF", "-infinity", "1e999", "x", ".")
    ] == [*(0.5, 5.0, -100.0, 3.0, float("inf"), float("-inf"), float("inf"), 0.0, 0.0)]
    assert atof("nan") != atof("nan")
