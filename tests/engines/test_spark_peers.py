"""Spark's RankingMetrics beside ours. A job takes long, so many queries go into each."""

from __future__ import annotations

from math import log2
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.scored_lists import ohsumed_lists

from idealist import evaluate
from idealist.conventions import SPARK

pyspark = pytest.importorskip("pyspark", reason="make test-engines installs it")
evaluation = pytest.importorskip("pyspark.mllib.evaluation", reason="make test-engines installs it")
evaluators = pytest.importorskip("pyspark.ml.evaluation", reason="make test-engines installs it")

pytestmark = pytest.mark.filterwarnings("ignore")
Rows = list[tuple[list[int], list[int]]]


def theirs(spark: Any, rows: list[Any], *cutoffs: int) -> dict[str, float]:
    metrics = evaluation.RankingMetrics(spark.sparkContext.parallelize(rows, 1).cache())
    values = {"AP": metrics.meanAveragePrecision}
    for k in cutoffs:
        values[f"nDCG@{k}"] = metrics.ndcgAt(k)
        values[f"AP@{k}"] = metrics.meanAveragePrecisionAt(k)
        values[f"P@{k}"] = metrics.precisionAt(k)
        values[f"R@{k}"] = metrics.recallAt(k)
    return values


def ours(rows: Rows, names: list[str]) -> dict[str, float]:
    run = {str(query): {document: -rank for rank, document in enumerate(ranked)} for query, (ranked, _) in enumerate(rows)}  # fmt: skip
    judged = {str(query): dict.fromkeys(relevant, 1) for query, (_, relevant) in enumerate(rows)}
    result = evaluate(judged, run, names, conventions=SPARK)
    return {name: result.mean(name) for name in names}


def random_rows(seed: int) -> Rows:
    """Some documents are relevant and not ranked; some queries have an empty list, or nothing relevant. The
    first has neither: Spark asks it for the types."""
    random = Random(seed)
    documents = range(20)
    return [([1], [1])] + [
        (random.sample(documents, random.randint(0, 15)), random.sample(documents, random.choice([0, 1, 3, 12])))
        for _ in range(300)
    ]  # fmt: skip


@given(seed=st.integers(0, 2**32))
@settings(max_examples=2)
def test_every_value(spark: Any, seed: int) -> None:
    rows = random_rows(seed)
    values = theirs(spark, rows, 1, 3, 10)
    assert ours(rows, list(values)) == pytest.approx(values, abs=1e-12)


def test_the_evaluator_of_data_frames(spark: Any) -> None:
    rows = [row for row in random_rows(1) if all(row)]
    frame = spark.createDataFrame(
        [([float(one) for one in ranked], [float(one) for one in relevant]) for ranked, relevant in rows],
        ["prediction", "label"],
    )
    names = {"AP": "meanAveragePrecision", "AP@3": "meanAveragePrecisionAtK", "nDCG@3": "ndcgAtK", "P@3": "precisionAtK", "R@3": "recallAtK"}  # fmt: skip
    values = {
        name: evaluators.RankingEvaluator(metricName=metric, k=3).evaluate(frame)
        for name, metric in names.items()
    }
    assert ours(rows, list(names)) == pytest.approx(values, abs=1e-12)


def test_a_document_listed_twice_counts_twice(spark: Any) -> None:
    values = theirs(spark, [([1, 1, 1], [1, 2])], 3)
    assert values["R@3"] == 3 / 2
    assert values["AP@3"] == (1 / 1 + 2 / 2 + 3 / 3) / 2
    assert values["nDCG@3"] == pytest.approx((1 + 1 / log2(3) + 1 / log2(4)) / (1 + 1 / log2(3)))  # 1.307
    # A dict cannot hold it twice, and a file that does is refused; once, the document counts once.
    assert ours([([1], [1, 2])], ["R@3", "AP@3"]) == {"R@3": 1 / 2, "AP@3": 1 / 2}


def test_grades_are_dropped_on_the_way_from_python(spark: Any) -> None:
    # In the worse order of grades 1 and 3. Spark's own nDCG would have the gain 2^grade - 1.
    values = theirs(spark, [([1, 2], [1, 2], [1.0, 3.0])], 2)
    assert values["nDCG@2"] == 1
    run, judged = {"q": {1: 2.0, 2: 1.0}}, {"q": {1: 1, 2: 3}}
    assert evaluate(judged, run, "nDCG@2", conventions=SPARK).mean("nDCG@2") == 1
    graded = evaluate(judged, run, "nDCG(gain=exp)@2", conventions=SPARK).mean("nDCG(gain=exp)@2")
    assert graded == pytest.approx((1 + 7 / log2(3)) / (7 + 1 / log2(3)))


def test_ohsumed(spark: Any, ohsumed: Path) -> None:
    rows: Rows = []
    for scores, grades in ohsumed_lists(ohsumed):
        ranked = sorted(range(len(scores)), key=lambda place: -scores[place])
        rows.append((ranked, [place for place, grade in enumerate(grades) if grade > 0]))
    values = theirs(spark, rows, 10)
    assert ours(rows, list(values)) == pytest.approx(values, abs=1e-12)
