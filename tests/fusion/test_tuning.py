"""Parameters chosen on judged queries, where the answer is known."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from idealist import InputError, evaluate
from idealist.fusion import Method, fuse, tune_fusion
from idealist.fusion.methods import simplex

Dicts = dict[str, dict[str, float]]

QUERIES = [f"q{number}" for number in range(10)]
# The one run has the relevant document first, the other last.
GOOD: Dicts = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in QUERIES}
BAD: Dicts = {query: {"c": 3.0, "b": 2.0, "a": 1.0} for query in QUERIES}
JUDGED = {query: {"a": 1, "b": 0} for query in QUERIES}


def noisy(seed: int, queries: int = 30) -> tuple[list[Dicts], dict[str, dict[str, int]]]:
    """Two runs of twenty documents, a good and a worse one, whose scores are the grades and some noise."""
    chance = Random(seed)
    judged = {f"q{q}": {f"d{d:02}": int(chance.random() < 0.3) for d in range(20)} for q in range(queries)}
    runs = [
        {
            query: {d: grade + chance.gauss(0, noise) for d, grade in of.items()}
            for query, of in judged.items()
        }
        for noise in (0.8, 1.5)
    ]
    return runs, judged


def test_the_weights_that_are_right_everywhere() -> None:
    tuned = tune_fusion(JUDGED, [GOOD, BAD], "wsum", "RR")
    assert tuned.method.run_weights == (0.6, 0.4)  # type: ignore[attr-defined] # the most even ones that do
    assert (tuned.best.value, tuned.cross_validated) == (1.0, 1.0)
    assert dict(tuned.singles) == pytest.approx({"run 1": 1, "run 2": 1 / 3})
    assert len(tuned.candidates) == 11
    by_weights = {one.method.run_weights: one.value for one in tuned.candidates}  # type: ignore[attr-defined]
    # All scores are equal at a half, and a is the last by its id.
    assert by_weights[0.5, 0.5] == by_weights[0.0, 1.0] == pytest.approx(1 / 3)
    assert by_weights[1.0, 0.0] == by_weights[0.7, 0.3] == 1.0
    assert [fold.queries for fold in tuned.folds] == [2] * 5
    assert {fold.chosen for fold in tuned.folds} == {"wsum(run_weights=0.6:0.4), min-max"}


def test_values_are_those_of_the_fused_runs() -> None:
    runs, judged = noisy(0)
    tuned = tune_fusion(judged, runs, "rrf", "AP", grid={"k": [1, 10, 100]})
    for one in tuned.candidates:
        assert one.value == pytest.approx(evaluate(judged, fuse(runs, one.method), "AP").mean("AP"))
    assert tuned.best.value == max(one.value for one in tuned.candidates)
    assert tuned.fuse(runs) == fuse(runs, tuned.method)


def test_cross_validation_by_hand() -> None:
    """Each fold's queries are measured with the k that is best on the others."""
    runs, judged = noisy(1)
    tuned = tune_fusion(judged, runs, "rrf", "AP", grid={"k": [1, 10, 100]}, folds=3, seed=4)
    values = {k: evaluate(judged, fuse(runs, "rrf", k=k), "AP").by_query("AP") for k in (1, 10, 100)}
    order = sorted(judged)
    Random(4).shuffle(order)
    held_out = []
    for fold in range(3):
        inside = order[fold::3]
        others = [query for query in order if query not in inside]
        best = max(values, key=lambda k: sum(values[k][query] for query in sorted(others)))
        held_out += [values[best][query] for query in inside]
        assert tuned.folds[fold].chosen == f"rrf(k={best})"
    assert tuned.cross_validated == pytest.approx(sum(held_out) / len(held_out))


def test_learned_methods_are_fitted_on_the_other_folds() -> None:
    runs, judged = noisy(2)
    tuned = tune_fusion(judged, runs, "posfuse", "AP", folds=3, seed=1)
    order = sorted(judged)
    Random(1).shuffle(order)
    held_out: dict[str, float] = {}
    for fold in range(3):
        inside = order[fold::3]
        learned = Method.parse("posfuse").fit({q: of for q, of in judged.items() if q not in inside}, runs)
        values = evaluate(judged, fuse(runs, learned), "AP").by_query("AP")
        held_out |= {query: values[query] for query in inside}
    assert tuned.cross_validated == pytest.approx(sum(held_out.values()) / len(judged))
    assert tuned.fuse(runs) == fuse(runs, Method.parse("posfuse").fit(judged, runs))


@pytest.mark.parametrize("name", Method.all())
def test_every_method_can_be_tuned(name: str) -> None:
    runs, judged = noisy(3, queries=6)
    tuned = tune_fusion(judged, runs, name, folds=2)
    assert 0 < tuned.cross_validated <= 1
    assert tuned.fuse(runs).ranking("q0")


def test_normalisation_is_tuned_like_a_parameter() -> None:
    runs, judged = noisy(4)
    tuned = tune_fusion(judged, runs, "combsum", grid={"normalisation": ["min-max", "z-score", "rank"]})
    assert [one.normalisation for one in tuned.candidates] == ["min-max", "z-score", "rank"]
    assert tuned.fuse(runs) == fuse(runs, "combsum", normalisation=tuned.best.normalisation)


def test_the_same_seed_gives_the_same() -> None:
    runs, judged = noisy(5)
    assert tune_fusion(judged, runs, "wsum", seed=3) == tune_fusion(judged, runs, "wsum", seed=3)


def test_a_measure_whose_lower_values_are_better() -> None:
    # c is not judged: it stands first in the bad run, and last in the good one.
    tuned = tune_fusion(JUDGED, [GOOD, BAD], "wsum", "Unjudged@1")
    assert tuned.best.value == tuned.cross_validated == 0.0
    assert tuned.method.run_weights == (0.6, 0.4)  # type: ignore[attr-defined]


def test_weights_of_a_simplex() -> None:
    for runs, count in ((2, 11), (3, 66), (4, 286), (5, 126), (6, 252)):
        weights = simplex(runs)
        assert len(weights) == len(set(weights)) == count
        assert all(sum(one) == pytest.approx(1) and min(one) >= 0 for one in weights)
    assert simplex(2)[0] == (0.5, 0.5)
    with pytest.raises(InputError, match="too many weights to try for 40 runs"):
        simplex(40)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"folds": 1}, "folds must be a whole number, 2 or more, not 1"),
        ({"folds": 11}, "10 judged queries cannot be dealt into 11 folds"),
        ({"grid": {"k": []}}, "for k"),
        ({"grid": {"k": 60}}, "list of values for k, not 60"),
        ({"grid": {"q": [1]}}, "no parameter 'q'"),
        ({"grid": {"run_weights": [(1, 2, 3)]}}, "3 weights for 2 runs"),
        ({"measure": "GMAP"}, "not a mean over queries"),
        ({"normalisation": "max"}, "changes nothing"),
    ],
)
def test_what_cannot_be_tuned(more: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        tune_fusion(JUDGED, [GOOD, BAD], **more)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    tune_fusion(
        JUDGED, [GOOD, BAD], "posfuse", folds=2, progress=lambda done, steps: told.append((done, steps))
    )
    assert told == [(1, 3), (2, 3), (3, 3)]
