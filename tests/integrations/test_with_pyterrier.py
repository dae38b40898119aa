"""PyTerrier's Experiment with the measures of Idealist, through its provider for ir_measures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, RR, nDCG

from idealist import evaluate
from idealist.drop_ins.ir_measures import register

pytestmark = pytest.mark.filterwarnings("ignore")  # of PyTerrier and what it imports

TOPICS = pd.DataFrame({"qid": ["q1", "q2"], "query": ["red lipstick", "scarf"]})
QRELS = pd.DataFrame({"qid": ["q1", "q1", "q2"], "docno": ["a", "b", "c"], "label": [2, 1, 1]})
FIRST = {"q1": {"a": 2.0, "x": 1.5, "b": 1.0}, "q2": {"x": 2.0, "c": 1.0}}
SECOND = {"q1": {"x": 2.0, "b": 1.0}, "q2": {"c": 1.0}}
JUDGED = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    """As `register` leaves it, for one test."""
    before = list(ir_measures.DefaultPipeline.providers)
    register()
    yield
    ir_measures.DefaultPipeline.providers[:] = before


def results(run: dict[str, dict[str, float]]) -> Any:
    rows = [
        {"qid": query, "query": "", "docno": document, "score": score, "rank": rank}
        for query, scores in run.items()
        for rank, (document, score) in enumerate(scores.items())
    ]
    return pt.Transformer.from_df(pd.DataFrame(rows))


def test_an_experiment_has_our_values() -> None:
    table = pt.Experiment(
        [results(FIRST), results(SECOND)], TOPICS, QRELS, [nDCG @ 10, AP, RR], names=["first", "second"]
    )
    for name, run in (("first", FIRST), ("second", SECOND)):
        (row,) = table[table["name"] == name].to_dict("records")
        ours = evaluate(JUDGED, run, "nDCG@10, AP, RR")
        assert row["nDCG@10"] == pytest.approx(ours.mean("nDCG@10"))
        assert row["AP"] == pytest.approx(ours.mean("AP"))
        assert row["RR"] == pytest.approx(ours.mean("RR"))
    # By hand: RR of the first is (1 + 1/2) / 2, of the second (1/2 + 1) / 2; AP of the first ((1 + 2/3)/2 + 1/2) / 2.
    assert table["RR"].tolist() == pytest.approx([0.75, 0.75])
    assert table["AP"].tolist()[0] == pytest.approx((5 / 6 + 1 / 2) / 2)
