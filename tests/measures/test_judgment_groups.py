"""Judgment groups, against a twin that takes every group's judgments as if they were all there is."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import DOCUMENTS, GRADES, QUERIES, SCORES, check_only_the_query_matters

from idealist import Conventions, InputError, evaluate
from idealist.data import GroupedJudgments
from idealist.measures import parse

MEASURES = [
    "AP-AvgJG",
    "AP-AvgJG@3",
    "AP-AvgJG(level=2)",
    "P-AvgJG@1",
    "P-AvgJG@5",
    "P-AvgJG(level=2)@3",
    "RprecMult-AvgJG",
    "RprecMult-AvgJG(multiple=0.2)",
    "RprecMult-AvgJG(multiple=1.5,level=2)",
]
Groups = dict[str, dict[str, float]]

one_query = st.dictionaries(
    st.sampled_from(["ann", "bob", "ü", "10"]),
    st.dictionaries(st.sampled_from(DOCUMENTS), GRADES | st.just(0.5), max_size=8),
    min_size=1,
)
judged_queries = st.dictionaries(st.sampled_from(QUERIES), one_query, min_size=1)
runs = st.dictionaries(
    st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCUMENTS), SCORES), min_size=1
)


def ranked(run: dict[str, float]) -> list[str]:
    return sorted(run, key=lambda d: (run[d], d.encode("utf-8", "surrogateescape")), reverse=True)


def twin(text: str, groups: Groups, order: list[str]) -> float:
    measure: Any = parse(text)
    total, defined = 0.0, False
    for documents in groups.values():
        relevant = {d for d, grade in documents.items() if grade >= measure.level}
        value = None
        if measure.name == "AP-AvgJG" and relevant:
            at = [rank for rank, d in enumerate(order, 1) if d in relevant]
            at = [rank for rank in at if measure.k is None or rank <= measure.k]
            value = sum(number / rank for number, rank in enumerate(at, 1)) / len(relevant)
        elif measure.name == "P-AvgJG":
            value = len(relevant & set(order[: measure.k])) / measure.k
        elif measure.name == "RprecMult-AvgJG":
            rank = math.floor(measure.multiple * len(relevant) + 0.9)
            value = len(relevant & set(order[:rank])) / rank if rank else None
        defined |= value is not None
        total += value or 0.0
    return total / len(groups) if defined else math.nan


@given(runs, judged_queries)
def test_values_are_the_twin_s(run: Any, judged: dict[str, Groups]) -> None:
    query = next(iter(judged))
    run.setdefault(query, {})
    result = evaluate(GroupedJudgments(judged), run, MEASURES, conventions=Conventions(empty="one"))
    for text in MEASURES:
        for name, groups in judged.items():
            expected = twin(text, groups, ranked(run.get(name, {})))
            got = result.value(text, name)
            assert 0 <= got <= 1
            assert got == pytest.approx(1.0 if math.isnan(expected) else expected, abs=1e-12), (text, name)


@given(runs, judged_queries, st.randoms())
def test_other_queries_and_the_order_of_rows_do_not_matter(
    run: Any, judged: dict[str, Groups], random: Any
) -> None:
    check_only_the_query_matters(run, judged, GroupedJudgments, MEASURES, random)


def test_a_group_without_relevant_documents_counts_0() -> None:
    judged = GroupedJudgments({"q": {"ann": {"a": 1}, "bob": {"a": 0}}})
    assert evaluate(judged, {"q": {"a": 1.0}}, "map_avgjg").mean("map_avgjg") == 1 / 2


def test_removed_is_what_the_group_itself_did_not_judge() -> None:
    # ann never saw x: without it, a is at rank 1 for her, and at rank 2 for bob.
    judged = GroupedJudgments({"q": {"ann": {"a": 1}, "bob": {"x": 0, "a": 1}}})
    run = {"q": {"x": 2.0, "a": 1.0}}
    removed = Conventions(unjudged="removed")
    assert evaluate(judged, run, "map_avgjg", conventions=removed).mean("map_avgjg") == (1 + 1 / 2) / 2
    assert evaluate(judged, run, "map_avgjg").mean("map_avgjg") == (1 / 2 + 1 / 2) / 2


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("map_avgjg", "AP-AvgJG"),
        ("P_avgjg_5", "P-AvgJG@5"),
        ("P_avgjg.30", "P-AvgJG@30"),
        ("Rprec_mult_avgjg(multiple=0.2)", "RprecMult-AvgJG@0.2"),
        ("Rprec_mult_avgjg_0.20", "RprecMult-AvgJG@0.2"),
    ],
)
def test_trec_eval_s_names(theirs: str, ours: str) -> None:
    assert str(parse(theirs)) == ours


def test_what_cannot_be_right_is_refused() -> None:
    with pytest.raises(InputError, match="AP-AvgJG needs judgments by subtopic or group"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "map_avgjg")
    with pytest.raises(InputError, match=r"multiple must be above 0 and at most 1000000, not 0"):
        parse("Rprec_mult_avgjg(multiple=0)")
    judged = GroupedJudgments({"q": {"ann": {"a": 1}}})
    with pytest.raises(InputError, match="no closed form for averaged ties"):
        evaluate(judged, {"q": {"a": 1.0}}, "map_avgjg", conventions=Conventions(ties="averaged"))


@pytest.mark.parametrize(
    ("measure", "ann", "bob"),
    [("AP-AvgJG", 1.0, 0.5), ("P-AvgJG@1", 1.0, 0.0), ("RprecMult-AvgJG@1", 1.0, 0.0)],
)
def test_groups_count_by_their_weights(measure: str, ann: float, bob: float) -> None:
    groups = {
        "ann": {"a": 1, "b": 0},
        "bob": {"a": 0, "b": 1},
        "cy": {"a": 0},
    }  # cy: nothing is relevant, so 0
    run = {"q": {"a": 2.0, "b": 1.0}}
    weighted = GroupedJudgments({"q": groups}, weights={"q": {"ann": 3, "bob": 1, "cy": 4}})
    assert evaluate(weighted, run, measure).value(measure, "q") == (3 * ann + bob) / 8
    assert evaluate(GroupedJudgments({"q": groups}), run, measure).value(measure, "q") == (ann + bob) / 3
