"""Samples of documents: what is drawn and how probably, their judgments, and intervals on TREC Robust 2003."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.planned_runs import JUDGED, RUNS, cut_runs

from idealist import InputError, evaluate, read_judgments
from idealist.data import SampledJudgments
from idealist.data.columns import Columns
from idealist.plan.document_samples import (
    SampledDocument,
    grade_sample,
    pool_documents,
    sample_documents,
    sampling_errors,
)
from idealist.statistics import mean_interval
from idealist.statistics.mean_estimates import estimate_mean

LONG = {"q": {f"d{at:03}": -float(at) for at in range(100)}}


def test_strata_sizes_and_probabilities() -> None:
    sample = sample_documents(LONG, {10: 1, 50: 0.3, 100: 0.11})
    sizes = Counter(one.stratum for one in sample)
    drawn = Counter(one.stratum for one in sample if one.sampled)
    assert sizes == {"1": 10, "2": 40, "3": 50}
    assert drawn == {"1": 10, "2": 12, "3": 6}  # 0.11 · 50 is rounded up
    assert {one.stratum: one.probability for one in sample} == {"1": 1.0, "2": 12 / 40, "3": 6 / 50}
    for one in sample:
        rank = int(one.document[1:]) + 1
        assert one.stratum == ("1" if rank <= 10 else "2" if rank <= 50 else "3")


def test_two_of_a_stratum_where_it_has_two() -> None:
    sample = sample_documents(LONG, {1: 0.1, 3: 0.1, 100: 0.001})
    assert Counter(one.stratum for one in sample if one.sampled) == {"1": 1, "2": 2, "3": 2}


def test_the_best_rank_in_any_run_counts() -> None:
    backwards = {"q": {document: -score for document, score in LONG["q"].items()}}
    sample = sample_documents([LONG, backwards], {10: 1, 60: 0.1})
    top = {int(one.document[1:]) for one in sample if one.stratum == "1"}
    assert top == {*range(10), *range(90, 100)}
    assert len(sample) == 100


@given(st.lists(RUNS, min_size=1, max_size=3), JUDGED, st.integers(0, 3))
def test_a_sample_is_the_pool_in_strata(runs: list[Any], judged: Any, seed: int) -> None:
    strata = {2: 1.0, 5: 0.5}
    got = sample_documents(runs, strata, judged=judged, seed=seed)
    assert got == sample_documents(runs[::-1], {5: 0.5, 2: 1.0}, judged=judged, seed=seed)
    pool = pool_documents(runs, 5, seed=seed)
    assert {
        q: [one.document for one in its] for q, its in itertools.groupby(got, lambda one: one.query)
    } == pool
    for one in got:
        assert (one.stratum == "0") == (one.document in judged.get(one.query, {}))
        assert one.sampled or one.stratum == "2"


def test_every_document_is_drawn_as_often_as_its_probability_says() -> None:
    counts: Counter[str] = Counter()
    together = 0
    for seed in range(3000):
        drawn = {
            one.document
            for one in sample_documents({"q": dict(list(LONG["q"].items())[:10])}, {2: 1, 10: 0.3}, seed=seed)
            if one.sampled
        }
        counts.update(drawn)
        together += {"d002", "d003"} <= drawn
    assert counts["d000"] == counts["d001"] == 3000
    for at in range(2, 10):  # ⌈0.3 · 8⌉ = 3 of 8
        assert counts[f"d{at:03}"] / 3000 == pytest.approx(3 / 8, abs=0.035)
    assert together / 3000 == pytest.approx(3 / 8 * 2 / 7, abs=0.025)


def test_the_order_does_not_tell_who_was_drawn_nor_the_rank() -> None:
    sample = sample_documents(LONG, {100: 0.5})
    drawn = [float(one.sampled) for one in sample]
    assert abs(np.corrcoef(drawn, range(100))[0, 1]) < 0.3
    assert abs(np.corrcoef([int(one.document[1:]) for one in sample], range(100))[0, 1]) < 0.3


def test_grades_go_into_the_sample() -> None:
    sample = [
        SampledDocument("q", "a", "1", 1.0, True),
        SampledDocument("q", "b", "2", 0.5, True),
        SampledDocument("q", "c", "2", 0.5, False),
    ]
    graded = grade_sample(sample, {"q": {"a": 2, "b": -1, "c": 3}})  # c was not drawn: its grade is not used
    assert graded["q"] == {"a": ("1", 2.0), "b": ("2", 0.0), "c": ("2", None)}
    table = Columns(
        {
            "query": ["q"] * 3,
            "document": ["a", "b", "c"],
            "stratum": ["1", "2", "2"],
            "probability": ["1.0", "0.5", "0.5"],
            "sampled": ["1", "1", "0"],
        }
    )
    assert grade_sample(table, {"q": {"a": 2, "b": 0}})["q"] == graded["q"]
    assert grade_sample(sample, {"q": {"a": 2}}, ungraded=0)["q"] == graded["q"]
    with pytest.raises(
        InputError, match="1 documents of the sample have no grade, such as query 'q', document 'b'"
    ):
        grade_sample(sample, {"q": {"a": 2}})
    with pytest.raises(InputError, match="in the sample twice"):
        grade_sample([*sample, sample[0]], {"q": {"a": 2, "b": 0}})
    with pytest.raises(InputError, match="the sample is empty"):
        grade_sample([], {"q": {"a": 2}})
    with pytest.raises(InputError, match="the grade of ungraded documents must be 0 or more, not -1"):
        grade_sample(sample, {"q": {"a": 2}}, ungraded=-1)


@pytest.mark.parametrize(
    ("strata", "message"),
    [
        ({}, "strata must be a mapping"),
        ([(10, 1)], "strata must be a mapping"),
        ({10: 0}, "the share of the stratum down to 10 must be above 0 and at most 1, not 0"),
        ({10: 1.5}, "the share of the stratum down to 10 must be above 0 and at most 1, not 1.5"),
        ({0: 1}, "the depth of a stratum must be a whole number, 1 or more, not 0"),
        ({2.5: 1}, "the depth of a stratum must be a whole number, 1 or more, not 2.5"),
    ],
)
def test_bad_strata(strata: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sample_documents(LONG, strata)


def test_a_sampling_error_by_hand() -> None:
    """Two of three documents of stratum 2 are drawn: without either of them the value is known by definition."""
    everything = {"a": ("1", 1), "b": ("2", 1), "c": ("2", 0), "d": ("2", None)}
    runs: dict[str, Any] = {
        "one": {"q": {"c": 4.0, "b": 3.0, "a": 2.0, "d": 1.0}},
        "other": {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}},
    }
    values = [
        evaluate(SampledJudgments({"q": {**everything, left: ("2", None)}}), runs, "infNDCG@2").by_query(
            "infNDCG@2", name
        )["q"]
        for name in runs
        for left in ("b", "c")
    ]
    sample = SampledJudgments({"q": everything})
    one, other = sampling_errors(sample, runs, "infNDCG@2")
    # (1 − 2/3) · 1/2 · Σ(x − x̄)², which for two is (x₁ − x₂)²/2
    assert one.error == pytest.approx(abs(values[0] - values[1]) / 12**0.5)
    assert other.error == pytest.approx(abs(values[2] - values[3]) / 12**0.5)
    assert one.share is None  # one query
    (difference,) = sampling_errors(sample, runs, "infNDCG@2", baseline="one")
    changes = values[2] - values[0], values[3] - values[1]
    assert difference.error == pytest.approx(abs(changes[0] - changes[1]) / 12**0.5)
    assert difference.value == pytest.approx(other.value - one.value)
    whole = SampledJudgments({"q": {"a": ("1", 1), "b": ("2", 1), "c": ("2", 0)}})
    assert [found.error for found in sampling_errors(whole, runs, "infNDCG@2")] == [0.0, 0.0]


def test_bad_sampling_errors() -> None:
    sample = SampledJudgments({"q": {"a": ("1", 1)}})
    with pytest.raises(InputError, match="nDCG@10 of SampledJudgments has no sampling error"):
        sampling_errors(sample, {"q": {"a": 1.0}}, "nDCG@10")
    with pytest.raises(InputError, match="the baseline 'x' is not among the runs"):
        sampling_errors(sample, {"q": {"a": 1.0}}, "infNDCG", baseline="x")


MEASURES = {"xinfAP": "AP", "infNDCG": "nDCG", "infNDCG@20": "nDCG@20"}
# By design, the least that intervals of means cover when queries are drawn too. The thin one falls short of 93 %
# by its bias; docs/planning.md has the numbers, and those of two thinner ones.
LEAST = {"20:1,50:0.5,100:0.2": 0.925, "10:1,50:0.3,100:0.1": 0.88}


class Draws:
    """Values of three Robust runs from many samples, and from the whole pool: by measure, draw, run and query."""

    def __init__(self, folder: Path, draws: int, strata: str) -> None:
        pairs = [part.split(":") for part in strata.split(",")]
        self.strata = {int(depth): float(share) for depth, share in pairs}
        self.runs = dict(list(cut_runs(folder, 100).items())[1:4])
        judgments = read_judgments(folder / "qrels.gz").to_dict()
        self.grades = {
            query: {document: max(judgments.get(query, {}).get(document, 0.0), 0.0) for document in documents}
            for query, documents in pool_documents(self.runs, 100).items()
        }
        self.truth = self._values(self.grades, list(MEASURES.values()))
        values = [self._values(self.sample(seed), list(MEASURES)) for seed in range(draws)]
        self.values = np.array(values).swapaxes(0, 1)

    def sample(self, seed: int) -> SampledJudgments:
        return grade_sample(sample_documents(self.runs, self.strata, seed=seed), self.grades)

    def _values(self, judgments: Any, measures: list[str]) -> Any:
        result = evaluate(judgments, self.runs, measures)
        return np.array(
            [[list(result.by_query(measure, name).values()) for name in self.runs] for measure in measures]
        )


@cache
def drawn(folder: Path, strata: str) -> Draws:
    return Draws(folder, 40, strata)


def covered(values: Any, truth: float) -> float:
    """How many of the rows have an interval with the truth in it."""
    intervals = [mean_interval(row) for row in values.tolist()]
    return float(np.mean([one is not None and one.low <= truth <= one.high for one in intervals]))


@pytest.mark.slow
@pytest.mark.parametrize("strata", LEAST)
def test_intervals_have_the_sampling_of_documents_in_them(robust: Path, strata: str) -> None:
    """With the queries fixed, and with 50 queries drawn from them as well, each with a sample of its own.

    The means are too high, by 0.01 to 0.02: a query of whose relevant documents few were drawn seems to have few.
    So intervals of means cover the truth less often than what the estimates are on average; those of differences
    hold for both designs.
    """
    draws = drawn(robust, strata)
    generator = np.random.Generator(np.random.PCG64(5))
    queries = draws.values.shape[-1]
    chosen = (
        generator.integers(0, queries, (1500, 50)),
        generator.integers(0, draws.values.shape[1], (1500, 50)),
    )
    for at in range(len(MEASURES)):
        for run in range(3):
            values, truth = draws.values[at, :, run], draws.truth[at, run].mean()
            assert 0 < values.mean() - truth < 0.03
            assert covered(values, truth) >= 0.93
            assert covered(values[chosen[1], chosen[0]], truth) >= LEAST[strata]
            assert covered(values[chosen[1], chosen[0]], values.mean()) >= 0.935
        for one, other in itertools.combinations(range(3), 2):
            values = draws.values[at, :, other] - draws.values[at, :, one]
            truth = (draws.truth[at, other] - draws.truth[at, one]).mean()
            assert abs(values.mean() - truth) < 0.008
            assert covered(values, truth) >= 0.93
            assert covered(values[chosen[1], chosen[0]], truth) >= 0.93


@pytest.mark.slow
def test_the_sampling_error_is_the_spread_over_samples(robust: Path) -> None:
    draws = drawn(robust, "10:1,50:0.3,100:0.1")
    sample, names = draws.sample(0), list(draws.runs)
    for at, measure in enumerate(("xinfAP", "infNDCG")):
        ratios = []
        for run, one in enumerate(sampling_errors(sample, draws.runs, measure)):
            student = estimate_mean(draws.values[at, 0, run].tolist())
            assert student is not None
            assert one.value == pytest.approx(student.mean)
            assert one.share == pytest.approx((one.error / student.error) ** 2)
            ratios.append(one.error / draws.values[at, :, run].mean(-1).std(ddof=1))
        for one in sampling_errors(sample, draws.runs, measure, baseline=names[0]):
            changes = draws.values[at, :, names.index(one.system)] - draws.values[at, :, 0]
            ratios.append(one.error / changes.mean(-1).std(ddof=1))
        assert 0.8 < np.mean(ratios) < 1.3
