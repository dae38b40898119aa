"""What to judge next: against bounds by brute force, and against random queries on TREC Robust 2003."""

from __future__ import annotations

import itertools
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.planned_runs import JUDGED, RUNS, cut_runs

from idealist import InputError, evaluate, read_judgments, read_run
from idealist.data import RunFile
from idealist.measures import parse
from idealist.plan.open_documents import next_documents, open_differences


def dcg(documents: dict[str, float], grades: dict[str, int], k: int) -> float:
    order = sorted(documents, key=lambda doc: -documents[doc])
    value = parse(f"DCG@{k}")([grades.get(doc, 0) for doc in order]) if order else 0.0
    return float(value)


@given(RUNS, RUNS, JUDGED, st.integers(1, 4))
def test_moves_add_up_to_the_width_of_all_possible_differences(
    one: dict[str, dict[str, float]],
    other: dict[str, dict[str, float]],
    judged: dict[str, dict[str, int]],
    k: int,
) -> None:
    moves: dict[str, float] = defaultdict(float)
    for found in next_documents(judged, {"one": one, "other": other}, k=k):
        moves[found.query] += found.move
    widths, known_differences = [], []
    for query in ("q1", "q2"):
        known = judged.get(query, {})
        unjudged = sorted({*one[query], *other[query]} - set(known))
        differences = []
        for grades in itertools.product([0, 1], repeat=len(unjudged)):
            everything = {**known, **dict(zip(unjudged, grades, strict=True))}
            differences.append(dcg(other[query], everything, k) - dcg(one[query], everything, k))
        known_differences.append(differences[0])
        widths.append(max(differences) - min(differences))
        assert moves[query] == pytest.approx(widths[-1], abs=1e-12)
    (whole,) = open_differences(judged, {"one": one, "other": other}, k=k)
    assert whole.reach == pytest.approx(sum(widths) / 2, abs=1e-12)
    assert whole.judged == pytest.approx(sum(known_differences) / 2, abs=1e-12)


@given(RUNS, RUNS, RUNS, JUDGED)
def test_more_runs_are_the_widest_of_pairs(one: Any, two: Any, three: Any, judged: Any) -> None:
    runs = {"one": one, "two": two, "three": three}
    got = {(found.query, found.document): found.move for found in next_documents(judged, runs, k=3)}
    widest: dict[tuple[str, str], float] = {}
    for a, b in itertools.combinations(runs, 2):
        for found in next_documents(judged, {a: runs[a], b: runs[b]}, k=3):
            key = found.query, found.document
            widest[key] = max(found.move, widest.get(key, 0.0))
    assert got == widest


def test_those_that_move_most_come_first_and_the_systems_are_named() -> None:
    one = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"a": 2.0}}
    other = {"q1": {"c": 3.0, "b": 2.0, "a": 1.0}, "q2": {"a": 2.0}}
    first, second = next_documents({"q2": {"a": 1}}, {"one": one, "other": other})
    # b has rank 2 in both, a rank 1 and 3: 1 − 1/2.
    assert (first.document, first.move, first.systems) == ("c", 1.0, ("one", "other"))
    assert (second.document, second.move, second.systems) == ("a", 0.5, ("other", "one"))
    assert next_documents({"q2": {"a": 1}}, {"one": one, "other": other}, n=1) == [first]
    assert [found.move for found in next_documents({}, [one, other], discount="none", k=1)] == [1.0, 1.0]


def test_ties_are_spread_over_queries() -> None:
    """All 40 documents of rank 1 move as much: the first 10 are not those of the first five queries."""
    one = {f"q{at:02}": {"a": 1.0} for at in range(20)}
    other = {f"q{at:02}": {"b": 1.0} for at in range(20)}
    first = next_documents({}, [one, other], n=10)
    assert len({found.query for found in first}) >= 7
    assert first == next_documents({}, [dict(reversed(one.items())), other], n=10)


def test_a_projection_by_hand() -> None:
    one = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"e": 1.0}}
    other = {"q1": {"c": 2.0, "d": 1.0}, "q2": {"f": 1.0}}
    runs = {"one": one, "other": other}
    low = 1 / np.log2(3)
    (got,) = open_differences({"q1": {"a": 1, "b": 0, "c": 2}}, runs)
    assert got.systems == ("one", "other")
    assert got.judged == pytest.approx((2 - 1) / 2)
    # one's judged documents weigh 1 and 1/log2(3) and have gained 1; other's weigh 1 and have gained 2.
    assert got.projected == pytest.approx((2 + 2 * (low + 1) - 1 - 1 / (1 + low)) / 2)
    assert got.unjudged == 3
    assert got.reach == pytest.approx((low + 1 + 1) / 2)
    assert open_differences({"q1": {"a": 1}}, runs)[0].projected is None  # nothing of the other is judged
    done = open_differences({"q1": dict.fromkeys("abcd", 1), "q2": {"e": 1, "f": -1}}, runs)[0]
    assert done.judged == done.projected == pytest.approx(-0.5)
    assert (done.unjudged, done.reach) == (0, 0.0)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="only one run was given"):
        next_documents({"q": {"a": 1}}, {"q": {"a": 1.0}})
    with pytest.raises(InputError, match="the number of documents must be a whole number, 1 or more, not 0"):
        next_documents({}, [{"q": {"a": 1.0}}, {"q": {"b": 1.0}}], n=0)


def test_files_and_objects(shop: Path) -> None:
    judgments = read_judgments(shop / "shop.qrels")
    runs = [read_run(shop / "a.run"), read_run(shop / "b.run")]
    files = [RunFile(str(shop / "a.run")), RunFile(str(shop / "b.run"))]
    assert next_documents(judgments, files, n=5) == next_documents(judgments, runs, n=5)
    assert open_differences(judgments, files) == open_differences(judgments, runs)


class Trial:
    """Two runs whose pooled documents all have a grade, of which some are told."""

    def __init__(self, runs: dict[str, Any], judgments: dict[str, dict[str, float]]) -> None:
        self.runs = runs
        first = {(q, doc) for run in runs.values() for q, its in run.items() for doc in its}
        self.pool = sorted(first)
        self.grade = {pair: judgments.get(pair[0], {}).get(pair[1], 0.0) for pair in self.pool}
        self.truth = {measure: self.estimate(self.pool, measure) for measure in ("nDCG@10", "DCG@10")}

    def told(self, pairs: Any) -> dict[str, dict[str, float]]:
        grades: dict[str, dict[str, float]] = defaultdict(dict)
        for query, document in pairs:
            grades[query][document] = self.grade[query, document]
        return dict(grades)

    def estimate(self, pairs: Any, measure: str) -> float:
        """The difference as `compare` would print it from these judgments."""
        result = evaluate(self.told(pairs), self.runs, measure)
        one, other = self.runs
        return result.mean(measure, other) - result.mean(measure, one)

    def random_queries(
        self, known: set[tuple[str, str]], budget: int, generator: np.random.Generator
    ) -> set[tuple[str, str]]:
        """All documents of random queries, as many as the budget allows; only what these queries have."""
        queries = sorted({query for query, _ in self.pool})
        whole: set[tuple[str, str]] = set()
        for at in generator.permutation(len(queries)):
            its = {pair for pair in self.pool if pair[0] == queries[at]}
            budget -= len(its - known)
            if budget < 0 and whole:
                break
            whole |= its
        return whole

    def next_documents(self, known: set[tuple[str, str]], budget: int) -> set[tuple[str, str]]:
        found = next_documents(self.told(known), self.runs, n=budget)
        return known | {(one.query, one.document) for one in found}


@pytest.mark.slow
@pytest.mark.parametrize("known_share", [0.0, 1 / 3])
def test_next_is_better_than_random_queries_at_the_same_budget(robust: Path, known_share: float) -> None:
    """All pairs of six runs, 5 to 50 % of the pool judged more: errors in the mean difference, and its sign.

    DCG has to be projected: as it is judged, it falls short of the true difference by what is not judged.
    """
    generator = np.random.Generator(np.random.PCG64(11))
    judgments = read_judgments(robust / "qrels.gz").to_dict()
    errors: dict[str, list[float]] = defaultdict(list)
    signs: dict[str, list[bool]] = defaultdict(list)
    for pair in itertools.combinations(cut_runs(robust, 10).items(), 2):
        trial = Trial(dict(pair), judgments)
        for share in (0.05, 0.1, 0.2, 0.3, 0.5):
            order = generator.permutation(len(trial.pool))
            known = {trial.pool[at] for at in order[: round(known_share * len(order))]}
            budget = round(share * len(trial.pool))
            judged = trial.next_documents(known, budget)
            (projection,) = open_differences(trial.told(judged), trial.runs)
            assert projection.projected is not None
            at_random = [trial.random_queries(known, budget, generator) for _ in range(4)]
            for measure, estimate in (
                ("nDCG@10", trial.estimate(judged, "nDCG@10")),
                ("DCG@10", projection.projected),
            ):
                truth = trial.truth[measure]
                by_chance = [trial.estimate(pairs, measure) for pairs in at_random]
                errors[measure].append(abs(estimate - truth))
                errors[f"random {measure}"].append(float(np.mean([abs(x - truth) for x in by_chance])))
                signs[measure].append(estimate * truth > 0)
                signs[f"random {measure}"] += [x * truth > 0 for x in by_chance]
    for measure in ("nDCG@10", "DCG@10"):
        ours, theirs = np.array(errors[measure]), np.array(errors[f"random {measure}"])
        assert np.mean(ours < theirs) >= 0.8
        assert ours.mean() < 0.6 * theirs.mean()
        assert np.mean(signs[measure]) > np.mean(signs[f"random {measure}"])


def test_files_are_taken_as_evaluate_takes_them(shop: Path) -> None:
    runs = [shop / "a.run", shop / "b.run"]
    from_files = next_documents(shop / "people.qrels", runs, k=3)
    assert str(from_files) == str(next_documents(read_judgments(shop / "people.qrels"), runs, k=3))
