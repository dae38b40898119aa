"""Two runs explained beside each other: what moved, and what it gained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from pytest import approx

import idealist as il

JUDGED = {"q": {"a": 3, "b": 1, "c": 0, "d": 2}}
OLD = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
NEW = {"q": {"d": 4.0, "a": 3.0, "b": 2.0}}


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "RR", "P@2", "RBP", "ERR", "DCG"])
def test_gains_of_documents_add_up_to_the_difference(measure: str) -> None:
    change = il.explain(JUDGED, {"old": OLD, "new": NEW}, measure, query="q")
    old, new = (il.evaluate(JUDGED, run, measure).mean(measure) for run in (OLD, NEW))
    assert change.earlier is not None
    assert (change.earlier.value, change.value) == (old, new)
    assert change.gain == new - old
    assert sum(one.gain or 0.0 for one in change.moved) == approx(new - old)


def test_what_moved_and_what_it_gained() -> None:
    """By P@2: d comes from below the cut-off to rank 1, and b leaves it; a moves within it. c is no part of either."""
    change = il.explain(JUDGED, [OLD, NEW], "P@2", query="q")
    assert [(one.document, one.old_rank, one.rank, one.gain) for one in change.moved] == [
        ("d", None, 1, 0.5),
        ("b", 2, None, -0.5),
        ("a", 1, 2, 0.0),
    ]
    assert [one.grade for one in change.moved] == [2, 1, 3]


def test_a_run_beside_itself_moved_nothing() -> None:
    change = il.explain(JUDGED, {"old": OLD, "new": OLD}, "AP", query="q")
    assert (change.moved, change.gain) == ((), 0.0)
    assert "no document changed its place" in str(change)


def test_one_run_is_explained_as_ever() -> None:
    explanation = il.explain(JUDGED, NEW, "AP", query="q")
    assert (explanation.earlier, explanation.gain, explanation.moved) == (None, None, ())
    beside = il.explain(JUDGED, {"old": OLD, "new": NEW}, "AP", query="q")
    assert (beside.ranking, beside.sums) == (explanation.ranking, explanation.sums)


def test_three_runs_are_too_many() -> None:
    with pytest.raises(
        il.InputError, match=r"3 runs were given, but this takes one, or an old and a new one"
    ):
        il.explain(JUDGED, {"a": OLD, "b": NEW, "c": OLD}, "AP", query="q")


def test_scores_that_were_not_given_are_not_invented() -> None:
    listed = il.explain(JUDGED, {"q": ["d", "a", "b"]}, "AP", query="q")
    assert [document.score for document in listed.ranking] == [None] * 3
    assert listed.value == il.explain(JUDGED, NEW, "AP", query="q").value
    assert "score" not in str(listed)
    assert "score" in str(il.explain(JUDGED, NEW, "AP", query="q"))
    runs: Any = {"old": {"q": ["a"]}, "new": NEW}
    both = il.explain(JUDGED, runs, "AP", query="q")
    assert both.earlier is not None
    assert both.earlier.ranking[0].score is None
    assert both.ranking[0].score == 4.0


def test_the_command_takes_two_runs(idealist: Command, shop: Path) -> None:
    files = [str(shop / name) for name in ("shop.qrels", "a.run", "b.run")]
    done = idealist("explain", *files, "--query", "red-lipstick", "-m", "RR")
    change = il.explain(files[0], files[1:], "RR", query="red-lipstick")
    assert change.earlier is not None
    assert f"a {change.earlier.value:.4f}, b {change.value:.4f}" in done.stdout
    assert "rank in a" in done.stdout


def test_hints_name_the_files_that_were_given(idealist: Command, shop: Path) -> None:
    judgments, run = str(shop / "shop.qrels"), str(shop / "a.run")
    done = idealist("explain", judgments, run)
    assert f"idealist explain {judgments} {run} --query ID" in done.stderr
