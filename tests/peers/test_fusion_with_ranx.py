"""ranx's fusion beside ours: the same values, and where not, both of them with the reason."""

from __future__ import annotations

import importlib
from math import log
from random import Random
from typing import Any

import pytest

from idealist import InputError
from idealist.fusion import Method, fuse

pytestmark = pytest.mark.filterwarnings("ignore")
ranx = pytest.importorskip("ranx", reason="make peers installs it")

Dicts = dict[str, dict[str, float]]


def random_runs(runs: int, *, queries: int = 8, documents: int = 30, seed: int = 0) -> list[Dicts]:
    """Each has some documents of each query, no two with the same score."""
    chance = Random(seed)

    def scored() -> dict[str, float]:
        found = chance.sample([f"d{number}" for number in range(documents + 10)], documents)
        scores = chance.sample(range(1, 10_000), documents)
        return {document: score / 100 for document, score in zip(found, scores, strict=True)}

    return [{f"q{query}": scored() for query in range(queries)} for _ in range(runs)]


def random_judgments(runs: list[Dicts], seed: int = 1) -> dict[str, dict[str, int]]:
    chance = Random(seed)
    judged: dict[str, dict[str, int]] = {}
    for query in runs[0]:
        found = sorted({document for run in runs for document in run[query]})
        judged[query] = {document: chance.randint(0, 2) for document in chance.sample(found, 25)}
        judged[query][found[0]] = 1
    return judged


def theirs(runs: list[Dicts], method: str, norm: str | None = None, **params: Any) -> Dicts:
    fused = ranx.fuse([ranx.Run(run) for run in runs], norm=norm, method=method, params=params)
    return {query: dict(documents) for query, documents in fused.to_dict().items()}


def same(mine: Any, other: Dicts) -> None:
    assert set(mine) == set(other)
    for query, documents in other.items():
        assert mine[query] == pytest.approx(documents, rel=1e-12, abs=1e-12), query


RUNS = random_runs(3)
JUDGED = random_judgments(RUNS)
NORMS = {
    "none": None,
    "min-max": "min-max",
    "min-max-inverted": "min-max-inverted",
    "max": "max",
    "sum": "sum",
    "z-score": "zmuv",
    "rank": "rank",
    "borda": "borda",
}


@pytest.mark.parametrize(
    ("method", "other"),
    [
        ("combsum", "sum"),
        ("combmnz", "mnz"),
        ("combanz", "anz"),
        ("combmax", "max"),
        ("combmin", "min"),
        ("combmed", "med"),
    ],
)
@pytest.mark.parametrize("norm", NORMS)
def test_combinations_under_every_normalisation(method: str, other: str, norm: str) -> None:
    same(fuse(RUNS, method, normalisation=norm), theirs(RUNS, other, NORMS[norm]))


@pytest.mark.parametrize("norm", ["min-max", "z-score", "sum"])
@pytest.mark.parametrize("method", ["wsum", "wmnz", "mixed"])
def test_weighted_methods(method: str, norm: str) -> None:
    weights = [0.5, 0.2, 0.3]
    same(
        fuse(RUNS, method, normalisation=norm, run_weights=weights),
        theirs(RUNS, method, NORMS[norm], weights=weights),
    )


@pytest.mark.parametrize(
    ("method", "parameters", "other", "params"),
    [
        ("rrf", {"k": 60}, "rrf", {"k": 60}),
        ("rrf", {"k": 7}, "rrf", {"k": 7}),
        ("isr", {}, "isr", {}),
        ("log_isr", {}, "log_isr", {}),
        ("logn_isr", {"sigma": 0.3}, "logn_isr", {"sigma": 0.3}),
        ("rbc", {"p": 0.8}, "rbc", {"phi": 0.8}),
        ("borda", {}, "bordafuse", {}),
        ("borda", {"run_weights": (0.5, 0.2, 0.3)}, "w_bordafuse", {"weights": [0.5, 0.2, 0.3]}),
    ],
)
def test_methods_that_look_at_ranks(method: str, parameters: Any, other: str, params: Any) -> None:
    same(fuse(RUNS, method, **parameters), theirs(RUNS, other, **params))


def test_gmnz() -> None:
    same(fuse(RUNS, "combgmnz", gamma=0.5), theirs(RUNS, "gmnz", "min-max", gamma=0.5))


def test_linear_interpolation_is_a_weighted_sum_of_two() -> None:
    same(fuse(RUNS[:2], "linear", alpha=0.3), theirs(RUNS[:2], "wsum", "min-max", weights=[0.3, 0.7]))


@pytest.mark.parametrize(
    ("method", "parameters", "other", "more"),
    [
        ("mapfuse", {}, "mapfuse", {}),
        ("posfuse", {}, "posfuse", {}),
        ("slidefuse", {"window": 3}, "slidefuse", {"w": 3}),
        ("probfuse", {"segments": 7}, "probfuse", {"n_segments": 7}),
    ],
)
def test_methods_that_learn(method: str, parameters: Any, other: str, more: Any) -> None:
    fitted = Method.parse(method, **parameters).fit(JUDGED, RUNS)
    train = getattr(ranx.fusion, f"{other}_train")
    runs = [ranx.Run(run) for run in RUNS]
    segments = {key: value for key, value in more.items() if key == "n_segments"}
    learned = train(ranx.Qrels(JUDGED), runs, **segments)
    params = {"map_scores" if method == "mapfuse" else "probs": learned}
    params |= {key: value for key, value in more.items() if key == "w"}
    same(fuse(RUNS, fitted), theirs(RUNS, other, **params))


def test_bayesfuse_where_lists_fill_the_levels() -> None:
    # 30 documents end where a level ends; every level has some relevant documents, and some that are not.
    fitted = Method.parse("bayesfuse").fit(JUDGED, RUNS)
    learned = ranx.fusion.bayesfuse_train(ranx.Qrels(JUDGED), [ranx.Run(run) for run in RUNS])
    same(fuse(RUNS, fitted), theirs(RUNS, "bayesfuse", log_odds=learned))


# From here on: where the two differ, and why.


def test_segfuse_segments_have_the_sizes_of_the_paper() -> None:
    # The k-th segment has 10 · 2^(k-1) - 5 documents: 5, then 15. ranx ends the second one at rank 15. Relevant are
    # ranks 6 and 7 of 20: 2 of the 15 documents of the second segment, but 2 of ranx's 10.
    run = {"q": {f"d{rank:02}": 21.0 - rank for rank in range(1, 21)}}
    judged = {"q": {"d06": 1, "d07": 1}}
    fitted = Method.parse("segfuse").fit(judged, [run, run])
    learned = ranx.fusion.segfuse_train(ranx.Qrels(judged), [ranx.Run(run)] * 2)
    normalized = (20 - 6) / 19 - (20 - 20) / 19  # of d06, min-max
    assert fuse([run, run], fitted)["q"]["d06"] == pytest.approx(2 * 2 / 15 * (1 + normalized))
    assert theirs([run, run], "segfuse", "min-max", probs=learned)["q"]["d06"] == pytest.approx(
        2 * 2 / 10 * (1 + normalized)
    )


def test_segfuse_of_a_list_that_ends_within_a_segment() -> None:
    # One of the two documents is relevant. ranx takes it for one of five.
    run = {"q": {"a": 2.0, "b": 1.0}}
    judged = {"q": {"a": 1}}
    fitted = Method.parse("segfuse").fit(judged, [run, run])
    learned = ranx.fusion.segfuse_train(ranx.Qrels(judged), [ranx.Run(run)] * 2)
    assert fuse([run, run], fitted)["q"]["a"] == pytest.approx(2 * 1 / 2 * (1 + 1))
    assert theirs([run, run], "segfuse", "min-max", probs=learned)["q"]["a"] == pytest.approx(
        2 * 1 / 5 * (1 + 1)
    )


def test_bayesfuse_of_a_level_that_is_all_relevant() -> None:
    # The odds of a certainty are kept at 999 to 1, as those of the impossible at 1 to 999; ranx has 1000 to 1.
    run = {"q": {f"d{rank}": 6.0 - rank for rank in range(1, 6)}}
    judged = {"q": dict.fromkeys(run["q"], 1)}
    fitted = Method.parse("bayesfuse").fit(judged, [run, run])
    learned = ranx.fusion.bayesfuse_train(ranx.Qrels(judged), [ranx.Run(run)] * 2)
    assert fuse([run, run], fitted)["q"]["d1"] == pytest.approx(2 * log(999))
    assert theirs([run, run], "bayesfuse", log_odds=learned)["q"]["d1"] == pytest.approx(2 * log(1000))


def test_bayesfuse_of_a_list_that_ends_within_a_level() -> None:
    # Both documents are relevant: the chance is 2 of 2. ranx takes 2 of 5, as if three had been found wanting.
    run = {"q": {"a": 2.0, "b": 1.0}}
    judged = {"q": {"a": 1, "b": 1}}
    fitted = Method.parse("bayesfuse").fit(judged, [run, run])
    learned = ranx.fusion.bayesfuse_train(ranx.Qrels(judged), [ranx.Run(run)] * 2)
    assert fuse([run, run], fitted)["q"]["a"] == pytest.approx(2 * log(999))
    assert theirs([run, run], "bayesfuse", log_odds=learned)["q"]["a"] == pytest.approx(2 * log(0.4 / 0.6))


def test_min_max_of_a_single_document() -> None:
    # ranx divides 0 by 1e-9 and gives it 0, as if it had not been found; it is the best of its list, and has 1.
    runs: list[Dicts] = [{"q": {"a": 5.0}}, {"q": {"b": 3.0, "c": 2.0}}]
    assert fuse(runs, "combsum")["q"] == {"b": 1.0, "a": 1.0, "c": 0.0}
    assert theirs(runs, "sum", "min-max")["q"] == {"b": 1.0, "a": 0.0, "c": 0.0}


def test_min_max_of_scores_that_lie_close_together() -> None:
    # ranx divides by 1e-9 at least: scores 2e-10 apart stay apart by 0.2, not by 1.
    runs: list[Dicts] = [{"q": {"a": 2e-10, "b": 0.0}}, {"q": {"b": 1.0, "a": 0.0}}]
    assert fuse(runs, "combsum")["q"] == {"b": 1.0, "a": 1.0}
    assert theirs(runs, "sum", "min-max")["q"]["a"] == pytest.approx(0.2)


def test_sum_normalisation_of_equal_scores() -> None:
    # Shares of a list add up to 1: two equal ones are a half each. ranx gives both 0.
    runs: list[Dicts] = [{"q": {"a": 5.0, "b": 5.0}}, {"q": {"c": 3.0, "d": 2.0}}]
    assert fuse(runs, "combsum", normalisation="sum")["q"] == {"c": 1.0, "b": 0.5, "a": 0.5, "d": 0.0}
    assert theirs(runs, "sum", "sum")["q"] == {"c": 1.0, "a": 0.0, "b": 0.0, "d": 0.0}


def test_max_normalisation_of_negative_scores() -> None:
    # Nothing sensible can be divided by a negative best; ranx divides by 1e-9.
    runs: list[Dicts] = [{"q": {"a": -1.0, "b": -2.0}}, {"q": {"b": 3.0, "a": 2.0}}]
    with pytest.raises(InputError, match="no score above 0"):
        fuse(runs, "combsum", normalisation="max")
    assert theirs(runs, "sum", "max")["q"]["a"] == pytest.approx(-1e9 + 2 / 3)


def test_combmin_of_large_scores() -> None:
    # A document that a run lacks has no score there; ranx takes a thousand million for it.
    runs: list[Dicts] = [{"q": {"a": 3e9, "b": 2e9}}, {"q": {"c": 1.0}}]
    assert fuse(runs, "combmin", normalisation="none")["q"] == {"a": 3e9, "b": 2e9, "c": 1.0}
    assert theirs(runs, "min")["q"] == {"a": 1e9, "b": 1e9, "c": 1.0}


def test_ties_within_a_run_stand_by_id() -> None:
    # Two documents share a score, so one of two orders must be chosen: by id, descending, whatever the order they
    # were given in. ranx keeps the order of its input, or of its sorting.
    first: list[Dicts] = [{"q": {"a": 1.0, "b": 1.0}}, {"q": {"c": 1.0}}]
    other: list[Dicts] = [{"q": {"b": 1.0, "a": 1.0}}, {"q": {"c": 1.0}}]
    assert fuse(first, "rrf") == fuse(other, "rrf")
    assert fuse(first, "rrf")["q"] == pytest.approx({"b": 1 / 61, "c": 1 / 61, "a": 1 / 62})
    assert theirs(first, "rrf") != theirs(other, "rrf")


def test_condorcet_counts_a_run_that_has_neither_document_for_neither() -> None:
    # One run of three prefers x, two know neither. ranx counts those two for whichever it compares second.
    runs: list[Dicts] = [{"q": {"x": 2.0, "y": 1.0}}, {"q": {"k": 1.0}}, {"q": {"k": 1.0}}]
    mine = fuse(runs, "condorcet")
    assert mine.ranking("q") == ["k", "x", "y"]
    _compare = importlib.import_module("ranx.fusion.condorcet")._compare
    missing = 1_000_000
    indices = [[0, 1], [missing, missing], [missing, missing]]
    assert _compare(0, 1, indices) == 1  # y before x
    assert _compare(1, 0, indices) == 1  # and x before y


def test_condorcet_where_majorities_are_clear() -> None:
    runs: list[Dicts] = [
        {"q": {"a": 3.0, "b": 2.0, "c": 1.0}},
        {"q": {"b": 3.0, "a": 2.0, "c": 1.0}},
        {"q": {"a": 3.0, "c": 2.0, "b": 1.0}},
    ]
    same(fuse(runs, "condorcet"), theirs(runs, "condorcet"))
    weights = (0.2, 0.6, 0.2)
    same(fuse(runs, "condorcet", run_weights=weights), theirs(runs, "w_condorcet", weights=list(weights)))


def test_a_query_that_one_run_lacks() -> None:
    runs: list[Dicts] = [{"q": {"a": 1.0}, "r": {"a": 1.0}}, {"q": {"b": 1.0}}]
    assert fuse(runs, "rrf")["r"] == {"a": 1 / 61}
    with pytest.raises(AssertionError, match="query ids do not match"):
        theirs(runs, "rrf")


def test_no_weights_are_lost_to_rounding() -> None:
    # 0.7 + 0.2 + 0.1 is not 1 for a computer, and ranx leaves such weights out: 66 there are in steps of 0.1.
    trials = importlib.import_module("ranx.fusion_optimization.optimize_weights")
    assert len(Method.parse("wsum").grid(3)["run_weights"]) == 66
    assert len(trials.get_trial_configs(trials.get_possible_weights(0.1), 3)) < 66
