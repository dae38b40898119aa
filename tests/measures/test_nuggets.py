"""Nugget scores, as the organisers of TREC 2024 RAG define them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from idealist import InputError, evaluate
from idealist.data import GroupedJudgments, read_groups

# Four nuggets, two of them vital: support, partial support, support, no support.
ASSIGNED = {"n1": 2, "n2": 1, "n3": 2, "n4": 0}
WEIGHTS = {"n1": 1.0, "n2": 1.0, "n3": 0.5, "n4": 0.5}
SCORES = {
    "all_score": (1 + 0.5 + 1 + 0) / 4,
    "strict_all_score": 2 / 4,
    "vital_score": (1 + 0.5) / 2,
    "strict_vital_score": 1 / 2,
    "weighted_score": (1 + 0.5 + 0.5 * 1) / 3,
    "strict_weighted_score": (1 + 0.5 * 1) / 3,
}


@pytest.mark.parametrize("name", SCORES)
def test_scores_of_one_answer(name: str) -> None:
    judged = GroupedJudgments({"q": {n: {"answer": g} for n, g in ASSIGNED.items()}}, weights={"q": WEIGHTS})
    assert evaluate(judged, {"q": {"answer": 1.0}}, name).mean(name) == approx(SCORES[name])


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=5), st.integers(1, 3)
)
def test_a_list_supports_what_any_of_its_documents_does(grades: list[list[int]], k: int) -> None:
    judged = GroupedJudgments(
        {"q": {f"n{i}": {f"d{j}": g for j, g in enumerate(row)} for i, row in enumerate(grades)}}
    )
    run = {"q": ["d0", "d1", "d2"]}
    expected = sum(max(row[:k]) / 2 for row in grades) / len(grades)
    assert evaluate(judged, run, f"Nuggets@{k}").mean(f"Nuggets@{k}") == approx(expected)


def test_tables_say_how_important_a_nugget_is(tmp_path: Path) -> None:
    file = tmp_path / "nuggets.csv"
    rows = [f"q,{n},answer,{grade},{'vital' if WEIGHTS[n] == 1 else 'okay'}" for n, grade in ASSIGNED.items()]
    file.write_text("\n".join(["query,nugget,document,grade,importance", *rows]) + "\n")
    assert read_groups(file).weights("q") == WEIGHTS
    assert evaluate(file, {"q": {"answer": 1.0}}, "vital_score").mean("vital_score") == 0.75


def test_importance_must_be_one_for_a_nugget() -> None:
    table = {
        "query": ["q", "q"],
        "nugget": ["n", "n"],
        "document": ["a", "b"],
        "grade": [1, 2],
        "importance": ["vital", "okay"],
    }
    with pytest.raises(InputError, match="'n' of query 'q' has the importance okay, and another one above"):
        read_groups(table)
    with pytest.raises(InputError, match="importance is 'nice', not a number"):
        read_groups({**table, "importance": ["nice", "nice"]})


def test_grades_above_the_scale_are_refused() -> None:
    with pytest.raises(InputError, match="grade 3"):
        evaluate(GroupedJudgments({"q": {"n": {"a": 3}}}), {"q": {"a": 1.0}}, "Nuggets")
