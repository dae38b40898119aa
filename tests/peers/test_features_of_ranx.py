"""What the feature table says of ranx is what ranx does."""

from __future__ import annotations

from math import log2

import pytest
from support.feature_table import functions_in, said_of, works

pytestmark = pytest.mark.filterwarnings("ignore")
ranx = pytest.importorskip("ranx", reason="make peers installs it")


def test_ranx() -> None:
    judged = ranx.Qrels({"q1": {"a": 3, "b": 1}, "q2": {"a": 1, "b": 2, "c": 1}})
    run = ranx.Run({"q1": {"a": 1.0, "x": 2.0}, "q2": {"a": 3.0, "b": 2.0, "c": 1.0}})

    def measured(name: str) -> bool:
        return works(lambda: ranx.evaluate(judged, run, name))

    values = ranx.evaluate(judged, run, "ndcg", return_mean=False)
    first = ranx.Qrels({"q": {"a": 1}}), ranx.Run({"q": {"a": 1.0, "b": 1.0}})
    last = ranx.Qrels({"q": {"b": 1}}), ranx.Run({"q": {"a": 1.0, "b": 1.0}})
    averaged = pytest.approx((1 + 1 / log2(3)) / 2)
    assert said_of("ranx") == {
        "nDCG with grades": measured("ndcg"),
        "bpref": measured("bpref"),
        "RBP": measured("rbp.95"),
        "ERR": measured("err"),
        "alpha-nDCG": measured("alpha_ndcg"),
        "values of each query": len(values) == 2,
        "lists of different length": len(values) == 2,
        "ties averaged over all orders": ranx.evaluate(*first, "ndcg")
        == averaged
        == ranx.evaluate(*last, "ndcg"),
    } | functions_in(dir(ranx))
