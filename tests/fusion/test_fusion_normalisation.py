"""Every normalisation by hand."""

from __future__ import annotations

from math import inf, nan, sqrt

import pytest
from pytest import approx

from idealist import InputError
from idealist.fusion import NORMALISATIONS, fuse

SCORES: dict[str, float] = {"a": 7, "b": 3, "c": 2}
EQUAL: dict[str, float] = {"a": 2, "b": 2}
# Of the second run there is only what it takes to have one; x is in it alone.
OTHER = {"x": 1.0, "y": 0.5}

BY_HAND = {
    "none": {"a": 7, "b": 3, "c": 2},
    "min-max": {"a": 1, "b": 1 / 5, "c": 0},
    "min-max-inverted": {"a": 0, "b": 4 / 5, "c": 1},
    "max": {"a": 1, "b": 3 / 7, "c": 2 / 7},
    "sum": {"a": 5 / 6, "b": 1 / 6, "c": 0},
    # The mean is 4; squares of 3, 1 and 2 make 14, a third of which is the variance.
    "z-score": {"a": 3 / sqrt(14 / 3), "b": -1 / sqrt(14 / 3), "c": -2 / sqrt(14 / 3)},
    "rank": {"a": 1, "b": 2 / 3, "c": 1 / 3},
}
OF_EQUAL = {"none": 2, "min-max": 1, "min-max-inverted": 1, "max": 1, "sum": 1 / 2, "z-score": 0}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name: str) -> None:
    # Each document is in one run alone, so that its sum is its score.
    fused = fuse([{"q": SCORES}, {"q": OTHER}], "combsum", normalisation=name)["q"]
    assert {document: fused[document] for document in SCORES} == pytest.approx(BY_HAND[name])


@pytest.mark.parametrize("name", OF_EQUAL)
def test_equal_scores(name: str) -> None:
    fused = fuse([{"q": EQUAL}, {"q": OTHER}], "combsum", normalisation=name)["q"]
    assert (fused["a"], fused["b"]) == (OF_EQUAL[name], OF_EQUAL[name])


def test_rank_and_borda_of_equal_scores_go_by_id() -> None:
    fused = fuse([{"q": EQUAL}, {"q": OTHER}], "combsum", normalisation="rank")["q"]
    assert (fused["b"], fused["a"]) == (1, 1 / 2)


def test_borda_gives_every_document_something() -> None:
    # Five documents. Of the three: 1, 4/5, 3/5, and 1/2 - 2/10 for the others; of the two: 1, 4/5, and 1/2 - 1/10.
    fused = fuse([{"q": SCORES}, {"q": OTHER}], "combsum", normalisation="borda")["q"]
    assert fused == pytest.approx(
        {"a": 1 + 2 / 5, "b": 4 / 5 + 2 / 5, "c": 3 / 5 + 2 / 5, "x": 3 / 10 + 1, "y": 3 / 10 + 4 / 5}
    )
    # And each document counts as if every run had it.
    assert fuse([{"q": SCORES}, {"q": OTHER}], "combmnz", normalisation="borda")["q"]["a"] == pytest.approx(
        2 * 7 / 5
    )


def test_max_of_zeros_is_zero() -> None:
    zeros = {"a": 0.0, "b": 0.0}
    fused = fuse([{"q": zeros}, {"q": OTHER}], "combsum", normalisation="max")["q"]
    assert (fused["a"], fused["b"]) == (0, 0)


@pytest.mark.parametrize("name", NORMALISATIONS)
def test_a_query_that_a_run_lacks_is_that_of_the_others(name: str) -> None:
    lacking = fuse(
        [{"q": SCORES}, {"q": OTHER, "r": SCORES}, {"q": OTHER, "r": {}}], "combsum", normalisation=name
    )
    alone = fuse([{"r": SCORES}, {"z": OTHER}], "combsum", normalisation=name)
    assert lacking["r"] == pytest.approx(alone["r"])


@pytest.mark.parametrize("name", ["min-max", "min-max-inverted", "max", "sum", "z-score"])
def test_infinite_scores_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="query 'q' of run 2 has an infinite score"):
        fuse([{"q": SCORES}, {"q": {"a": inf, "b": 1.0}}], "combsum", normalisation=name)
    fused = fuse([{"q": SCORES}, {"q": {"a": inf, "b": 1.0}}], "combsum", normalisation="rank")["q"]
    assert fused["a"] == 2


def test_infinite_scores_that_cancel_are_refused() -> None:
    with pytest.raises(InputError, match="query 'r' no score"):
        fuse([{"q": SCORES, "r": {"a": inf}}, {"r": {"a": -inf}}], "combsum", normalisation="none")


def test_negative_scores_have_no_max() -> None:
    with pytest.raises(InputError, match="query 'r' of run 1 has no score above 0"):
        fuse([{"q": SCORES, "r": {"a": -1.0}}, {"q": OTHER}], "combsum", normalisation="max")


def test_scores_too_far_apart() -> None:
    with pytest.raises(InputError, match="too far apart"):
        fuse([{"q": {"a": 1.7e308, "b": -1.7e308}}, {"q": OTHER}], "combsum")


def test_names_that_others_use() -> None:
    runs = [{"q": SCORES}, {"q": OTHER}]
    for ours, other in [
        ("min-max", "min_max"),
        ("z-score", "zmuv"),
        ("min-max-inverted", "min_max_inverted"),
    ]:
        assert fuse(runs, "combsum", normalisation=ours) == fuse(runs, "combsum", normalisation=other)
    with pytest.raises(InputError, match="no normalisation 'minimum'") as caught:
        fuse(runs, "combsum", normalisation="minimum")
    assert all(name in caught.value.hint for name in NORMALISATIONS)


def test_methods_that_look_at_ranks_take_none() -> None:
    runs = [{"q": SCORES}, {"q": OTHER}]
    with pytest.raises(InputError, match="changes nothing"):
        fuse(runs, "rrf", normalisation="min-max")
    assert fuse(runs, "rrf", normalisation="none") == fuse(runs, "rrf")


def test_nan_is_refused_at_the_door() -> None:
    with pytest.raises(InputError, match="nan"):
        fuse([{"q": {"a": nan}}, {"q": OTHER}], "combsum")


def test_z_scores_of_equal_scores_are_zero_whatever_they_are() -> None:
    """The mean of three 0.7 is not 0.7, in doubles."""
    fused = fuse(
        [{"q": {"a": 0.7, "b": 0.7, "c": 0.7}}, {"q": {"x": 1.0, "y": 2.0}}],
        "combsum",
        normalisation="z-score",
    )
    assert {document: fused["q"][document] for document in "abc"} == {"a": 0.0, "b": 0.0, "c": 0.0}


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_z_scores_of_very_large_and_small_scores(size: float) -> None:
    run = {"q": {"a": 3 * size, "b": size}}
    fused = fuse([run, {"q": {"x": 1.0, "y": 2.0}}], "combsum", normalisation="z-score")
    assert [fused["q"]["a"], fused["q"]["b"]] == approx([1.0, -1.0])
