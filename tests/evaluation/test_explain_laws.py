"""The value explained is the value evaluated, to the last bit, and what is shown beside it makes it up: for every measure of
one grade per document, under every convention and every tool's conventions."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import GRADES, tasks
from test_laws import EVERY, SOME

from idealist import Conventions, InputError, Run, evaluate, explain
from idealist.conventions import CHOICES, PRESETS
from idealist.evaluation import explain_grades
from idealist.evaluation.explanation import Explanation, can_explain
from idealist.measures import IDCG
from idealist.measures.families.incomplete import Sampled

# `Sampled` asks for lists of its own kind; see test_explain.py.
EXPLAINED = [measure for measure in EVERY if can_explain(type(measure)) and not isinstance(measure, Sampled)]
# Measures that are no sum over documents: they show their steps.
STEPS = {
    *("Accuracy", "AUC", "CoverageError", "EEL", "GAUC", "IPrec", "IPrecAvg", "NumRel", "RankingLoss"),
    *("RnDCG", "SetAP", "Utility", "YAAP", "pAUC"),
}
# Those that are as the measure that they are of, or a sum if ranks below the list add nothing.
EITHER = {
    "Residual",
    "Condensed",
    "Lower",
    "Upper",
    "Gap",
    *(f"Expected{of}" for of in ("Cost", "Depth", "TotalCost", "TotalUtility")),
}
ANY_CONVENTIONS = st.builds(
    Conventions, **{field: st.sampled_from(list(choices)) for field, (_, choices) in CHOICES.items()}
)
OF_TOOLS = st.sampled_from([preset.conventions for preset in PRESETS.values()])
# A query that every run has and that nothing is wrong with, so that what is wrong is about the other one.
SOUND = {"sound": {"d1": 2}}


def check_value(explanation: Explanation, value: float) -> None:
    measure, conventions = explanation.measure, explanation.conventions
    if isnan(value):
        assert isnan(explanation.value)
        assert "skip" in (conventions.empty, conventions.missing)
        return
    assert explanation.value == value
    if explanation.undefined:
        assert value == {"zero": 0, "one": 1}[conventions.empty]
    elif explanation.total is None:
        assert measure.name in STEPS | EITHER, measure
        assert explanation.steps
    else:
        assert measure.name not in STEPS, measure
        shown = explanation.ideal if isinstance(measure, IDCG) else explanation.ranking
        total = sum(document.contribution or 0.0 for document in shown)
        scale = max(1.0, abs(total))
        assert abs(explanation.total.value - total) <= 1e-12 * scale
        divisor = 1.0 if explanation.divisor is None else explanation.divisor.value
        assert abs((total / divisor if divisor else 0.0) - value) <= 1e-12 * scale
    for documents in (explanation.ranking, explanation.ideal):
        for document in documents:
            assert (document.contribution is None) == (explanation.total is None)
    assert explanation.total is not None or explanation.steps


def check_documents(explanation: Explanation, run: dict[str, float], judged: dict[str, float]) -> None:
    """Every document stands once, with its score and grade, at the next rank, in falling order of scores."""
    assert [document.rank for document in explanation.ranking] == [*range(1, len(explanation.ranking) + 1)]
    names = [document.document for document in explanation.ranking]
    assert len(set(names)) == len(names)
    for document in explanation.ranking:
        assert document.document is not None
        assert document.score == run[document.document]
        grade = judged.get(document.document)
        if grade is not None and grade < 0 and explanation.conventions.negative == "unjudged":
            grade = None
        assert document.grade == grade
    scores = [run[name] for name in names if name is not None]
    assert scores == sorted(scores, reverse=True)
    by_grade = ("optimistic", "pessimistic")
    if explanation.conventions.unjudged != "removed" and explanation.conventions.ties not in by_grade:
        expected = Run({"q": run}).ranking("q", explanation.conventions)
        assert names == expected[: len(names)]


@given(tasks(), st.one_of(ANY_CONVENTIONS, OF_TOOLS), SOME)
def test_explained_values_are_those_evaluated(task: Any, conventions: Conventions, random: Any) -> None:
    run, judgments = task
    query = random.choice(sorted(judgments))
    for measure in random.sample(EXPLAINED, 8):
        alone = {query: judgments[query], **SOUND}
        try:
            result = evaluate(alone, run | SOUND, measure, conventions=conventions)
        except InputError as error:
            if "query 'sound'" in error.message:
                continue  # it has no pair of a relevant document and another, which some measures ask for
            with pytest.raises(InputError) as again:
                explain(alone, run, measure, query=query, conventions=conventions)
            assert again.value.message == error.message
            continue
        explanation = explain(judgments, run, measure, query=query, conventions=conventions)
        assert explanation.measure == result.measures[0]
        value = result.by_query(explanation.measure).get(query, float("nan"))
        check_value(explanation, value)
        check_documents(explanation, run.get(query, {}), judgments[query])


@given(st.lists(st.one_of(st.none(), GRADES), max_size=8), st.one_of(ANY_CONVENTIONS, OF_TOOLS), SOME)
def test_grades_alone(grades: list[int | None], conventions: Conventions, random: Any) -> None:
    for measure in random.sample(EXPLAINED, 8):
        try:
            value = measure(grades, conventions=conventions)
        except InputError:
            with pytest.raises(InputError):
                explain_grades(grades, measure, conventions=conventions)
            continue
        check_value(explain_grades(grades, measure, conventions=conventions), value)


def test_every_explained_measure() -> None:
    """Each at least once, whatever the examples above were: tied, unjudged and lost documents, grades 0 to 4."""
    run = {"q": {"a": 8.0, "b": 8.0, "c": 7.0, "d": 6.0, "e": 6.0, "f": 6.0, "g": 5.0}}
    judgments = {"q": {"a": 1, "b": 2, "d": 0, "e": 4, "g": 1, "lost": 3}}
    for ties in ("id-descending", "averaged"):
        conventions = Conventions(ties=ties)
        for measure in EXPLAINED:
            if measure.averages_ties or ties != "averaged":
                value = evaluate(judgments, run, measure, conventions=conventions).value(measure, "q")
                explanation = explain(judgments, run, measure, query="q", conventions=conventions)
                check_value(explanation, value)
                assert explanation.ranking or measure.depth == 0
