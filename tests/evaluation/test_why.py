"""Why two tools disagree, and which conventions give a number."""

from __future__ import annotations

import json
from math import log2
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import tasks

from idealist import Conventions, InputError, evaluate, why
from idealist.conventions import CHOICES, PRESETS, parse_conventions
from idealist.evaluation import find_conventions
from idealist.measures import parse

# a and b are tied; r has nothing relevant; s is missing from the run.
RUN = {"q": {"b": 2.0, "a": 2.0, "c": 1.0}, "r": {"a": 1.0}}
JUDGED = {"q": {"a": 1, "b": 2}, "r": {"a": 0}, "s": {"a": 1}}
SECOND = 1 / log2(3)
GOOD, BAD = 2 + 1 * SECOND, 1 + 2 * SECOND  # the DCG of b, a and of a, b


def test_a_walk_step_by_step() -> None:
    found = why(JUDGED, RUN, between=("trec_eval-9,ties=id-ascending", "lightgbm"))
    assert found.value == pytest.approx(BAD / GOOD / 2)
    steps = {step.choice: step for step in found.steps}
    assert list(steps) == ["negative", "precision", "ties", "gain", "empty"]
    assert steps["ties"].change == pytest.approx((1 - BAD / GOOD) / 2)
    assert [move.query for move in steps["ties"].moved] == ["q"]
    assert steps["ties"].moved[0].after == 1
    assert not steps["gain"].moved  # the order is ideal by then
    assert (steps["gain"].before, steps["gain"].after) == ("linear", "exp")
    assert [(move.query, move.before, move.after) for move in steps["empty"].moved] == [("r", 0, 1)]
    assert found.last == 1


def test_what_a_tool_refuses_is_a_step_that_changes_nothing() -> None:
    found = why(JUDGED, RUN, between=("idealist", "trec_eval-10"))
    (refused,) = (step for step in found.steps if step.refused)
    assert refused.choice == "missing"
    assert refused.refused == "query 's' is judged but missing from the run"
    assert found.last == found.value
    back = why(JUDGED, RUN, between=("trec_eval-10", "recbole"))
    assert [(step.choice, step.refused is None) for step in back.steps if step.choice == "missing"] == [
        ("missing", False),
        ("missing", True),
    ]
    assert back.last == 1  # r and s are left out


def test_stated_parameters_stay() -> None:
    found = why(JUDGED, RUN, "nDCG(gain=linear)@10", between=("idealist", "ranklib"))
    assert "gain" not in [step.choice for step in found.steps]
    found = why(JUDGED, RUN, "Condensed(of=nDCG@10)", between=("idealist", "ranklib"))
    assert [(step.before, step.after) for step in found.steps if step.choice == "gain"] == [("linear", "exp")]


def test_parameters_of_one_measure_and_of_parts_are_steps() -> None:
    # Grades 2 and 1: 0.2 · (1 + 0.8), then halves of grades 0.2 · (1 + 0.4), then p=0.9: 0.1 · (1 + 0.45).
    run, judged = {"q": {"b": 2.0, "a": 1.0}}, {"q": {"b": 2, "a": 1}}
    found = why(judged, run, "rbp", between=("idealist", "trec_eval-10"))
    steps = [(step.choice, step.before, step.after) for step in found.steps if step.choice != "missing"]
    assert steps == [("scale", "stated", "judged"), ("RBP.p", "0.8", "0.9")]
    assert [step.value for step in found.steps[-2:]] == pytest.approx([0.28, 0.145])
    mixed = why(judged, run, "Mix(parts={nDCG@10:1})", between=("idealist", "ranklib"))
    assert [(step.before, step.after) for step in mixed.steps if step.choice == "gain"] == [("linear", "exp")]


TOOLS = [name for name, tool in PRESETS.items() if "error" not in tool.conventions.to_dict().values()]


@settings(max_examples=60)
@given(
    task=tasks(),
    measure=st.sampled_from(["nDCG@3", "AP@3", "RR"]),
    before=st.sampled_from(TOOLS),
    after=st.sampled_from(TOOLS),
)
def test_a_walk_leads_from_one_value_to_the_other(task: Any, measure: str, before: str, after: str) -> None:
    run, judged = task
    try:
        first, last = (
            evaluate(judged, run, measure, conventions=parse_conventions(name)).mean(measure)
            for name in (before, after)
        )
    except InputError:
        return  # no query in common
    found = why(judged, run, measure, between=(before, after))
    assert found.value == pytest.approx(first, nan_ok=True)
    assert found.last == pytest.approx(last, nan_ok=True)
    if first == first and last == last:
        changes = [step.change for step in found.steps]
        if all(change == change for change in changes):
            assert found.value + sum(changes) == pytest.approx(found.last, abs=1e-9)


@settings(max_examples=40)
@given(task=tasks(), data=st.data())
def test_what_was_computed_is_found(task: Any, data: Any) -> None:
    run, judged = task
    chosen = {
        name: data.draw(st.sampled_from([choice for choice in CHOICES[name][1] if choice != "error"]))
        for name in ("ties", "missing", "empty", "unjudged")
    }
    gain = data.draw(st.sampled_from(["linear", "exp", "binary"]))
    try:
        value = evaluate(
            judged, run, "nDCG@3", conventions=Conventions(**chosen, parameters={"gain": gain})
        ).mean("nDCG@3")
    except InputError:
        return
    if value != value:
        return
    search = find_conventions(judged, run, "nDCG@3", f"{value:.10f}")
    assert search.matches
    for finding in search.matches:
        again = evaluate(judged, run, "nDCG@3", conventions=finding.conventions).mean("nDCG@3")
        assert again == pytest.approx(value, abs=1e-9)


def test_a_number_is_found() -> None:
    # One of three queries: r is empty, s is missing.
    search = find_conventions(JUDGED, RUN, "nDCG@10", f"{BAD / GOOD / 3:.4f}")
    assert dict(search.matches[0].choices) == {"ties": "id-ascending"}
    assert not search.tools
    search = find_conventions(JUDGED, RUN, "nDCG@10", "1.000")
    assert search.tools == ("lightgbm", "xgboost", "recbole")
    # Skipping r and s gives 1 of 1; all three at 1 needs empty=one and s skipped.
    assert {"missing": "skip", "empty": "skip"} in [dict(one.choices) for one in search.matches]


def test_the_last_digit_says_how_near_it_must_be() -> None:
    value = 1 / 3  # of three queries, one is perfect
    assert find_conventions(JUDGED, RUN, "nDCG@10", "0.33").matches[0].value == pytest.approx(value)
    assert dict(find_conventions(JUDGED, RUN, "nDCG@10", "0.33").matches[0].choices) == {}
    assert dict(find_conventions(JUDGED, RUN, "nDCG@10", 0.3333).matches[0].choices) == {}
    assert not find_conventions(JUDGED, RUN, "nDCG@10", "0.330").matches
    assert all(one.value > 0.99 for one in find_conventions(JUDGED, RUN, "nDCG@10", "1").matches)
    nearest = find_conventions(JUDGED, RUN, "nDCG@10", "0.330").nearest
    assert nearest.value == pytest.approx(value)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (
            lambda: find_conventions(JUDGED, RUN, "nDCG@10", "much"),
            "the observed value must be a number, not 'much'",
        ),
        (
            lambda: find_conventions(JUDGED, RUN, "nDCG@10", "nan"),
            "the observed value must be a number, not 'nan'",
        ),
        (lambda: find_conventions(JUDGED, RUN, "NumRet", "3"), "NumRet has no mean over queries"),
        (lambda: why(JUDGED, RUN, between=("lucene", "ranx")), "no conventions are called 'lucene'"),
        (lambda: why({"x": {"a": 1}}, RUN, between=("idealist", "ranx")), "no query in common"),
        (
            lambda: why(JUDGED, RUN, "official", between=("idealist", "ranx")),
            "no measure is called 'official'",
        ),
        (lambda: why(JUDGED, RUN, "nDCG@10 AP", between=("idealist", "ranx")), "'10 AP'"),
        (lambda: why(JUDGED, RUN, between=("idealist",)), "between must name two conventions"),  # type: ignore[arg-type]
        (lambda: why(JUDGED, RUN, between=None), "between must name two conventions"),  # type: ignore[arg-type]
        (lambda: why(JUDGED, RUN, between=(3, 4)), "conventions must be a Conventions object or text, not 3"),  # type: ignore[arg-type]
    ],
)
def test_bad_questions(ask: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        ask()


def test_why_on_the_command_line(idealist: Any, shop: Any) -> None:
    files = [shop / "shop.qrels", shop / "a.run"]
    done = idealist("why", *files, "--between", "trec_eval-9", "lightgbm")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[:6] == ["choice", "from", "to", "nDCG@10", "change", "n"]
    assert lines[1].split() == ["trec_eval-9", "0.7581", "39"]
    assert any(line.startswith("gain") and "cheap-lipstick 0.5787 → 0.4514" in line for line in lines)
    record = json.loads(
        idealist("why", *files, "--between", "trec_eval-9", "lightgbm", "--format", "json").stdout
    )
    assert record["to"]["value"] == pytest.approx(
        record["from"]["value"] + sum(step["change"] for step in record["steps"])
    )
    done = idealist("why", *files, "--between", "trec_eval-9", "lightgbm", "--by-query", "--format", "csv")
    assert len(done.stdout.splitlines()) == 1 + sum(len(step["moved"]) for step in record["steps"])


def test_observed_on_the_command_line(idealist: Any, shop: Any) -> None:
    files = [shop / "shop.qrels", shop / "a.run"]
    done = idealist("why", *files, "--observed", "0.7935")
    assert "ties input-order · gain exp · missing skip" in done.stdout, done.stderr
    assert "tools whose conventions give 0.7935: lightgbm, xgboost, ranklib" in done.stdout
    done = idealist("why", *files, "--observed", "0.1111", "--format", "json")
    record = json.loads(done.stdout)
    assert record["found"] == []
    assert record["nearest"]["value"] > 0.1112
    for wrong in (["--observed", "x"], [], ["--between", "ranx"], ["--observed", "0.5", "--by-query"]):
        done = idealist("why", *files, *wrong)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


def test_every_alternative_is_one(shop: Any) -> None:
    from idealist.evaluation.convention_search import ALTERNATIVES, RANKING

    for name, choices in RANKING.items():
        assert set(choices) | {"error"} >= set(CHOICES[name][1])
    for name, choices in ALTERNATIVES.items():
        for choice in choices:
            for measure in ("nDCG@10", "AP", "IPrec@0.1"):
                parse(measure, defaults={name: choice})
