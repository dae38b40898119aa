"""Measures of items against twins written from their definitions."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy as scipy_entropy
from sklearn.metrics.pairwise import cosine_distances, euclidean_distances
from support.item_tables import (
    CONVENTIONS,
    Shown,
    Table,
    as_items,
    check_bounds,
    check_each_query_alone,
    entropy,
    in_two_orders,
    item_tasks,
    mean,
    named_shares,
    raw_values,
    shown,
)
from support.strategies import DOCUMENTS

from idealist import Conventions, InputError, UnknownMeasure, evaluate
from idealist.data.items import Items
from idealist.measures import parse

K = 3
LOG2 = [1 / math.log2(rank + 1) for rank in range(1, 20)]
Twin = Callable[[Shown, Table], float]


def popularity_share(document: str, table: Table, smoothing: float = 0.0) -> float:
    counts: dict[str, float] = table["popularity"]
    return (counts[document] + smoothing) / sum(count + smoothing for count in counts.values())


def likely(relevance: str, document: str, one: Shown) -> float:
    grade = one.grades.get(document, 0)
    if relevance == "none":
        return 1.0
    if relevance == "binary":
        return float(grade >= 1)
    return float(2.0 ** max(grade, 0) - 1) / 2**4


def rank_of_popularity(document: str, table: Table) -> int:
    """How many items are more popular."""
    counts = table["popularity"]
    return sum(count > counts[document] for count in counts.values())


def distance(kind: str, one: str, other: str, table: Table) -> float:
    if kind == "jaccard":
        first, second = set(table["category"][one]), set(table["category"][other])
        return 1 - len(first & second) / len(first | second) if first | second else 0.0
    a, b = table["vector"][one], table["vector"][other]
    if kind == "euclidean":
        return math.dist(a, b)
    lengths = math.hypot(*a) * math.hypot(*b)
    return 1 - sum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 1.0


def ild(kind: str) -> Twin:
    def twin(one: Shown, table: Table) -> float:
        top = one.list[:K]
        return mean([distance(kind, a, b, table) for i, a in enumerate(top) for b in top[i + 1 :]])

    return twin


def eild(kind: str, relevance: str) -> Twin:
    def twin(one: Shown, table: Table) -> float:
        top = one.list[:K]
        if len(top) < 2:
            return math.nan
        total = 0.0
        for i, a in enumerate(top):
            weights = {
                b: LOG2[max(1, j - i) - 1] * likely(relevance, b, one) for j, b in enumerate(top) if j != i
            }
            if sum(weights.values()) > 0:
                far = sum(weight * distance(kind, a, b, table) for b, weight in weights.items())
                total += LOG2[i] * likely(relevance, a, one) * far / sum(weights.values())
        return total / sum(LOG2[: len(top)])

    return twin


def expected(novelty: Callable[[str, Table], float], relevance: str) -> Twin:
    def twin(one: Shown, table: Table) -> float:
        top = one.list[:K]
        worth = [LOG2[r] * likely(relevance, d, one) * novelty(d, table) for r, d in enumerate(top)]
        return sum(worth) / sum(LOG2[: len(top)]) if top else math.nan

    return twin


def calibration(one: Shown, table: Table) -> float:
    history = [document for document, grade in one.grades.items() if grade >= 1]
    p = named_shares(history, table["category"], [1.0] * len(history))
    q = named_shares(one.list[:K], table["category"], [1.0] * len(one.list[:K]))
    if not p or not q:
        return math.nan
    return sum(share * math.log(share / (0.99 * q.get(name, 0) + 0.01 * share)) for name, share in p.items())


def category_coverage(one: Shown, table: Table) -> float:
    everything = {name for names in table["category"].values() for name in names}
    seen = {name for document in one.list[:K] for name in table["category"][document]}
    return len(seen) / len(everything) if everything else 0.0


def category_entropy(one: Shown, table: Table) -> float:
    top = one.list[:K]
    shares = named_shares(top, table["category"], [1.0] * len(top))
    return entropy(list(shares.values())) if shares else math.nan


def surprise(one: Shown, table: Table) -> float:
    return mean(
        [float(one.grades.get(d, 0) >= 1 and rank_of_popularity(d, table) >= K) for d in one.list[:K]]
    )


def information(smoothing: float) -> Callable[[str, Table], float]:
    return lambda document, table: -math.log2(popularity_share(document, table, smoothing))


TWINS: dict[str, Twin] = {
    "Popularity@3": lambda one, table: mean([table["popularity"][d] for d in one.list[:K]]),
    "TailShare(head=0.25)@3": lambda one, table: mean(
        [float(rank_of_popularity(d, table) >= 0.25 * len(DOCUMENTS)) for d in one.list[:K]]
    ),
    "Novelty@3": lambda one, table: mean([information(0)(d, table) for d in one.list[:K]]),
    "Novelty(smoothing=0.5)@3": lambda one, table: mean([information(0.5)(d, table) for d in one.list[:K]]),
    "EPC(users=7)@3": expected(lambda d, table: 1 - table["popularity"][d] / 7, "binary"),
    "EPC@3": expected(lambda d, t: 1 - t["popularity"][d] / max(t["popularity"].values()), "binary"),
    "EPC(users=7,relevance=graded)@3": expected(lambda d, t: 1 - t["popularity"][d] / 7, "graded"),
    "EFD(relevance=none)@3": expected(information(0), "none"),
    "EFD(smoothing=2)@3": expected(information(2), "binary"),
    "Serendipity@3": surprise,
    "ILD@3": ild("cosine"),
    "ILD(distance=euclidean)@3": ild("euclidean"),
    "ILD(distance=jaccard)@3": ild("jaccard"),
    "EILD@3": eild("cosine", "binary"),
    "EILD(relevance=graded,distance=jaccard)@3": eild("jaccard", "graded"),
    "EILD(relevance=none,distance=euclidean)@3": eild("euclidean", "none"),
    "CategoryCoverage@3": category_coverage,
    "CategoryEntropy@3": category_entropy,
    "Calibration@3": calibration,
}
POOLED = ["Coverage@3", "Gini@3", "Entropy@3"]
EVERY = [*TWINS, *POOLED]


@settings(max_examples=50)
@given(item_tasks())
def test_values_are_those_of_the_definitions(drawn: Any) -> None:
    task, table, conventions = drawn
    lists = shown(task, conventions)
    for text, twin in TWINS.items():
        got = raw_values(parse(text), task, as_items(table), conventions)
        wanted = [twin(one, table) for one in lists]
        assert got == pytest.approx(wanted, abs=1e-12, nan_ok=True), text


@settings(max_examples=50)
@given(item_tasks())
def test_pooled_values_are_those_of_the_definitions(drawn: Any) -> None:
    task, table, conventions = drawn
    for empty in ("zero", "skip"):
        lists = [
            one
            for one in shown(task, conventions)
            if empty == "zero" or any(grade > 0 for grade in one.grades.values())
        ]
        counts = dict.fromkeys(DOCUMENTS, 0)
        for one in lists:
            for document in one.list[:K]:
                counts[document] += 1
        n, total, each = len(counts), sum(counts.values()), list(counts.values())
        apart = sum(abs(a - b) for a in each for b in each)
        wanted = [
            sum(count > 0 for count in each) / n,
            apart / (2 * n * total) if total else math.nan,
            float(scipy_entropy(each, base=2)) if total else math.nan,
        ]
        rules = conventions.replace(empty=empty)
        result = evaluate(task[1], task[0], POOLED, items=as_items(table), conventions=rules)
        got = [result.aggregate(measure) for measure in POOLED]
        assert got == pytest.approx(wanted, abs=1e-12, nan_ok=True)


def test_a_query_by_itself_has_the_pooled_value_of_its_list() -> None:
    items, run = {"item": list("abcd")}, {"p": {"a": 2.0, "b": 1.0}, "q": {"c": 1.0}}
    for measure in POOLED:
        for query in run:
            alone = evaluate({query: {"a": 1}}, {query: run[query]}, measure, items=items)
            both = evaluate({"p": {"a": 1}, "q": {"a": 1}}, run, measure, items=items)
            assert both.value(measure, query) == pytest.approx(alone.aggregate(measure))


@settings(max_examples=50)
@given(item_tasks())
def test_bounds_hold(drawn: Any) -> None:
    check_bounds(drawn, EVERY)


@settings(max_examples=50)
@given(item_tasks())
def test_a_value_does_not_depend_on_other_queries(drawn: Any) -> None:
    check_each_query_alone(drawn, EVERY)


@settings(max_examples=50)
@given(item_tasks(), st.randoms())
def test_order_of_rows_does_not_matter(drawn: Any, mixer: random.Random) -> None:
    first, second = in_two_orders(drawn, EVERY, mixer)
    assert first.to_dict() == second.to_dict()
    for measure in POOLED:
        assert second.aggregate(measure) == pytest.approx(first.aggregate(measure), nan_ok=True, abs=1e-12)


def many(queries: int) -> tuple[Any, Any, Items]:
    rng = np.random.default_rng(0)
    items = Items(
        {
            "item": [str(i) for i in range(50)],
            "popularity": rng.integers(1, 6, 50).tolist(),
            "category": [f"c{i % 7}|c{i % 3}" for i in range(50)],
            "vector": rng.normal(size=(50, 5)).tolist(),
        }
    )
    run = {
        str(q): {str(d): float(rng.normal()) for d in rng.permutation(50)[: q % 20]} for q in range(queries)
    }
    return run, {query: {"1": 1, "2": 2} for query in run}, items


def test_queries_in_parts_have_the_same_values(monkeypatch: pytest.MonkeyPatch) -> None:
    run, judged, items = many(200)
    whole = evaluate(judged, run, EVERY, items=items).to_dict()
    monkeypatch.setattr("idealist.data.item_rankings.PART", 100)
    assert evaluate(judged, run, EVERY, items=items).to_dict() == whole


def test_eild_without_ranks_and_relevance_is_ild() -> None:
    run, judged, items = many(30)
    for kind in ("cosine", "euclidean", "jaccard"):
        plain, expected_one = (
            f"ILD(distance={kind})@5",
            f"EILD(relevance=none,discount=none,distance={kind})@5",
        )
        result = evaluate(judged, run, [plain, expected_one], items=items)
        assert result.by_query(expected_one) == pytest.approx(result.by_query(plain))


@pytest.mark.parametrize(
    ("kind", "pairwise"), [("cosine", cosine_distances), ("euclidean", euclidean_distances)]
)
def test_distances_are_those_of_scikit_learn(kind: str, pairwise: Any) -> None:
    run, judged, items = many(30)
    measure = f"ILD(distance={kind})@8"
    result = evaluate(judged, run, measure, items=items)
    for query, scores in run.items():
        top = sorted(scores, key=lambda document: -scores[document])[:8]
        if len(top) > 1:
            between = pairwise(items.vectors()[[int(document) for document in top]])
            wanted = between[np.triu_indices(len(top), 1)].mean()
            assert result.value(measure, query) == pytest.approx(wanted, abs=1e-7)


def test_values_of_other_packages() -> None:
    """rexmex 0.1.3: novelty([["a", "b"]], {"a": 8, "b": 2, …}, num_users=16, k=2) adds 1e-10 to every count and
    divides by the users, here as many as uses; 1 − intra_list_similarity of three vectors."""
    items = {"item": list("abc"), "popularity": [8, 2, 6], "vector": [[1, 2, 0], [0, 1, 1], [3, 0, 1]]}
    run, judged = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 1}}
    result = evaluate(judged, run, ["Novelty@2", "ILD@3"], items=items)
    assert result.mean("Novelty@2") == pytest.approx(1.9999999999549158, abs=1e-9)
    assert result.mean("ILD@3") == pytest.approx(1 - 0.4267754661651944, abs=1e-12)


@pytest.mark.parametrize("text", EVERY)
def test_a_list_without_documents(text: str) -> None:
    items = Items({"item": ["a"], "popularity": [1], "category": ["x"], "vector": [[1.0]]})
    run, judged = {"p": {"a": 1.0}}, {"p": {"a": 1.0}, "q": {"a": 1.0}}
    measure = parse(text)
    value = raw_values(measure, (run, judged), items, Conventions())[1]
    assert math.isnan(value) or value == 0


@pytest.mark.parametrize("ties", ["averaged", "optimistic", "pessimistic"])
@pytest.mark.parametrize("text", EVERY)
def test_ties_without_a_single_order_are_refused(text: str, ties: str) -> None:
    items = {"item": ["a"], "popularity": [1], "category": ["x"], "vector": [[1.0]]}
    with pytest.raises(InputError, match=r"ties|order"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, text, items=items, conventions=Conventions(ties=ties))


@pytest.mark.parametrize(
    ("text", "column"),
    [("Novelty", "popularity"), ("ILD", "vector"), ("CategoryCoverage", "category"), ("EPC", "popularity")],
)
def test_a_column_that_is_not_there_is_named(text: str, column: str) -> None:
    with pytest.raises(InputError, match=f"there is no column '{column}'") as caught:
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, text, items={"item": ["a"], "colour": ["red"]})
    assert "there are item, colour" in str(caught.value.hint)


@pytest.mark.parametrize("conventions", CONVENTIONS)
def test_a_document_without_an_item_is_named(conventions: Conventions) -> None:
    items = {"item": ["a"], "popularity": [1]}
    run, judged = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 1}}
    with pytest.raises(InputError, match="query 'q': document 'b' was retrieved"):
        evaluate(judged, run, "Popularity@2", items=items, conventions=conventions)
    assert (
        evaluate(judged, run, "Popularity@1", items=items, conventions=conventions).mean("Popularity@1") == 1
    )


def test_without_items_the_measure_says_what_it_needs() -> None:
    with pytest.raises(InputError, match="Novelty@10 needs a table of items"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "Novelty")


def test_counts_that_make_no_sense_are_refused() -> None:
    items = {"item": ["a", "b"], "popularity": [0, 5]}
    run, judged = {"q": {"a": 1.0}}, {"q": {"a": 1}}
    with pytest.raises(InputError, match="item 'a' was retrieved and has popularity 0"):
        evaluate(judged, run, "Novelty", items=items)
    with pytest.raises(InputError, match="item 'b' has popularity 5, above users=4"):
        evaluate(judged, run, "EPC(users=4)", items=items)
    with pytest.raises(InputError, match="grade 3, above max_grade=2"):
        evaluate({"q": {"a": 3}}, run, "EPC(relevance=graded,max_grade=2)", items=items)
    with pytest.raises(InputError, match="document 'z' was judged"):
        evaluate({"q": {"z": 3}}, run, "Calibration", items={**items, "category": ["x", "y"]})


def test_hints_lead_to_what_works() -> None:
    run, judged = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1}}
    items = {"item": ["a", "b"], "category": ["war", "drama"]}
    with pytest.raises(InputError, match=r"no column 'vector'.*\n.*ILD\(distance=jaccard\)@10"):
        evaluate(judged, run, "ILD@10", items=items)
    assert (
        evaluate(judged, run, "ILD(distance=jaccard)@10", items=items).mean("ILD(distance=jaccard)@10") == 1.0
    )
    for name in ("diversity@10", "Fairness@10", "popularity_bias@5"):
        with pytest.raises(UnknownMeasure) as caught:
            parse(name)
        suggested = [word for word in caught.value.hint.split() if "@" in word]
        assert suggested
        assert all(parse(word.rstrip(",;")) for word in suggested)
