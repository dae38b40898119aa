"""The value worked out by hand is the value evaluated."""

from __future__ import annotations

import itertools
from math import isnan, log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import GRADES, tasks

from idealist import CG, DCG, IDCG, NDCG, Conventions, InputError, evaluate, explain, explain_grades

CONVENTIONS = [
    Conventions(ties=ties, unjudged=unjudged, negative=negative, precision=precision)
    for ties, unjudged, negative, precision in itertools.product(
        ["id-descending", "id-ascending", "input-order", "averaged", "optimistic", "pessimistic"],
        ["not-relevant", "removed"],
        ["not-relevant", "unjudged", "keep"],
        ["double", "single"],
    )
]
MEASURES = [CG(k=3), DCG(), IDCG(k=2), NDCG(k=3), NDCG(gain="exp", discount="zipf", ideal="retrieved")]


@given(tasks(), st.sampled_from(CONVENTIONS), st.sampled_from(MEASURES))
def test_sums_are_what_evaluate_gives(task: Any, conventions: Conventions, measure: Any) -> None:
    run, judgments = task
    result = evaluate(run, judgments, measure, conventions=conventions)
    for query in result.queries:
        found = explain(run, judgments, query, measure, conventions=conventions)
        value = result.value(measure, query)
        assert found.value == value
        if isinstance(measure, IDCG):
            assert found.idcg == pytest.approx(value, abs=1e-12)
        elif isinstance(measure, NDCG):
            assert (found.dcg / found.idcg if found.idcg else 0.0) == pytest.approx(value, abs=1e-12)
        else:
            assert found.dcg == pytest.approx(value, abs=1e-12)
        assert sum(step.loss for step in found.steps) == pytest.approx(found.idcg - found.dcg, abs=1e-9)


@given(st.lists(st.one_of(st.none(), GRADES), max_size=8), st.sampled_from(MEASURES))
def test_grades_alone(grades: list[int | None], measure: Any) -> None:
    found = explain_grades(grades, measure)
    assert found.value == measure(grades)
    assert [step.rank for step in found.steps] == list(range(1, len(found.steps) + 1))


def test_by_hand() -> None:
    found = explain_grades([3, None, 2], "nDCG", judged=[3, 2, 1])
    first, second, third = found.steps
    assert first.found is not None
    assert (first.found.grade, first.found.gain, first.found.discount) == (3, 3, 1)
    assert second.found is not None
    assert second.found.grade is None
    assert second.loss == pytest.approx(2 / log2(3))
    assert third.found is not None
    assert third.found.running == pytest.approx(3 + 2 / 2)
    assert third.ideal is not None
    assert third.ideal.running == pytest.approx(3 + 2 / log2(3) + 1 / 2)


def test_documents_and_ideal_documents_are_named() -> None:
    run, judgments = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 3, "lost": 2}}
    found = explain(run, judgments, "q")
    assert [step.found.document for step in found.steps if step.found] == ["a", "b"]
    assert [step.ideal.document for step in found.steps if step.ideal] == ["b", "lost"]


def test_a_query_missing_from_the_run() -> None:
    run, judgments = {"q": {"a": 1.0}}, {"q": {"a": 1}, "r": {"a": 2}}
    found = explain(run, judgments, "r")
    assert (found.dcg, found.idcg, found.value) == (0, 2, 0)
    assert isnan(explain(run, judgments, "r", conventions=Conventions(missing="skip")).value)
    with pytest.raises(InputError, match="has grade 2, which the gain table lacks"):
        explain(run, judgments, "r", NDCG(gain={1: 1}), conventions=Conventions(missing="skip"))
    with pytest.raises(InputError, match="query 'r' is judged but missing"):
        explain(run, judgments, "r", conventions=Conventions(missing="error"))


def test_what_cannot_be_explained() -> None:
    run, judgments = {"q": {"a": 1.0}}, {"q": {"a": 1}}
    with pytest.raises(InputError, match="query 'x' is not judged\nhint: judged are, for example, 'q'"):
        explain(run, judgments, "x")
    with pytest.raises(InputError, match="AP is not a sum of discounted gains"):
        explain(run, judgments, "q", "AP")
    with pytest.raises(InputError, match="AP is not a sum"):
        explain_grades([1], "AP")


@pytest.mark.parametrize("ties", ["id-descending", "input-order", "averaged", "optimistic", "pessimistic"])
def test_a_long_ranking_is_worked_out_down_to_the_cutoff_only(
    ties: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 10,000 documents in groups of five with equal scores, the 15 down to the end of the group at rank 12."""
    from idealist.evaluation import explanation

    looked_at: list[Any] = []
    seen = explanation._seen

    def counted(entry: Any, of: Conventions) -> Any:
        looked_at.append(entry)
        return seen(entry, of)

    monkeypatch.setattr(explanation, "_seen", counted)
    run = {"q": {f"d{n}": float(n // 5) for n in range(10_000)}}
    judgments = {"q": {f"d{n}": n % 4 for n in range(9_000, 10_000)}}
    conventions = Conventions(ties=ties)
    found = explain(run, judgments, "q", "nDCG@12", conventions=conventions)
    assert len(looked_at) == 15
    # With averaged ties, the last group shares the places that it has within the cut-off.
    assert len(found.steps) == (15 if ties == "averaged" else 12)
    expected = evaluate(run, judgments, "nDCG@12", conventions=conventions).mean("nDCG@12")
    assert found.value == expected
    assert found.dcg / found.idcg == pytest.approx(expected)
