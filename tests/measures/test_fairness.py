"""Measures of fairness against twins written from their definitions."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise, permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.special import rel_entr
from support.item_tables import (
    Shown,
    Table,
    as_items,
    check_bounds,
    check_each_query_alone,
    in_two_orders,
    item_tasks,
    named_shares,
    raw_values,
    shown,
)
from support.strategies import DOCUMENTS

from idealist import Conventions, InputError, Judgments, evaluate
from idealist.data import match
from idealist.data.items import Items
from idealist.measures import parse

K = 3
LOG2 = [1 / math.log2(rank + 1) for rank in range(1, 20)]
ZIPF = [1 / rank for rank in range(1, 20)]
GIVEN = {"a": 0.2, "b": 0.3, "c": 0.5}
Twin = Callable[[Shown, Table], float]


def of_table(table: Table) -> dict[str, float]:
    return named_shares(DOCUMENTS, table["group"], [1.0] * len(DOCUMENTS))


def cut(weights: list[float], length: int, k: int | None) -> list[float]:
    """The exposure of so many ranks, none below k."""
    return [weight if k is None or rank <= k else 0.0 for rank, weight in enumerate(weights[:length], 1)]


def sums(documents: list[str], table: Table, weights: list[float]) -> dict[str, float]:
    totals: dict[str, float] = {}
    for document, weight in zip(documents, weights, strict=True):
        for name in table["group"][document]:
            totals[name] = totals.get(name, 0.0) + weight / len(table["group"][document])
    return totals


def group_exposure(one: Shown, table: Table) -> float:
    top = one.list[:K]
    if not top or not any("b" in names for names in table["group"].values()):
        return math.nan
    return named_shares(top, table["group"], ZIPF[: len(top)]).get("b", 0.0)


def parity(k: int | None) -> Twin:
    def twin(one: Shown, table: Table) -> float:
        size = sums(one.list, table, [1.0] * len(one.list))
        seen = sums(one.list, table, cut(LOG2, len(one.list), k))
        means = [seen[name] / size[name] for name in size]
        return min(means) / max(means) if means else math.nan

    return twin


def to_utility(one: Shown, table: Table) -> float:
    gains = [max(one.grades.get(document, 0), 0) for document in one.list]
    utility = sums(one.list, table, [float(gain) for gain in gains])
    seen = sums(one.list, table, cut(LOG2, len(one.list), K))
    ratios = [seen[name] / utility[name] for name in utility if utility[name] > 0]
    return min(ratios) / max(ratios) if ratios and max(ratios) > 0 else math.nan


def awrf(target: Callable[[Table], dict[str, float]], k: int | None) -> Twin:
    def twin(one: Shown, table: Table) -> float:
        top = one.list[:k]
        if not top:
            return math.nan
        p, t = named_shares(top, table["group"], LOG2[: len(top)]), target(table)
        names = sorted({*p, *t})
        distance = jensenshannon([p.get(n, 0) for n in names], [t.get(n, 0) for n in names], base=2)
        return 1 - float(distance) ** 2

    return twin


def kl(p: dict[str, float], t: dict[str, float]) -> float:
    return float(sum(rel_entr(share, t[name]) for name, share in p.items()))


def ndkl(target: Callable[[Table], dict[str, float]], k: int | None) -> Twin:
    def twin(one: Shown, table: Table) -> float:
        top = one.list[:k]
        prefixes = [
            kl(named_shares(top[:r], table["group"], [1.0] * r), target(table))
            for r in range(1, len(top) + 1)
        ]
        weighted = sum(weight * apart for weight, apart in zip(LOG2, prefixes, strict=False))
        return weighted / sum(LOG2[: len(top)]) if top else math.nan

    return twin


def skews(one: Shown, table: Table, smoothing: float) -> list[float]:
    top, target = one.list[:K], of_table(table)
    counts = sums(top, table, [1.0] * len(top))
    whole = len(top) + smoothing * len(target)
    shares = {name: (counts.get(name, 0.0) + smoothing) / whole for name in target}
    return [math.log(share / target[name]) for name, share in shares.items() if share > 0]


TWINS: dict[str, Twin] = {
    "ExposureParity": parity(None),
    "ExposureParity@3": parity(K),
    "ExposureToUtility@3": to_utility,
    "AWRF": awrf(of_table, None),
    "AWRF@3": awrf(of_table, K),
    "NDKL": ndkl(of_table, None),
    "NDKL@3": ndkl(of_table, K),
    "MaxSkew@3": lambda one, table: max(skews(one, table, 0)) if one.list else math.nan,
    "MaxSkew(smoothing=0.5)@3": lambda one, table: max(skews(one, table, 0.5)) if one.list else math.nan,
    "MinSkew(smoothing=0.5)@3": lambda one, table: min(skews(one, table, 0.5)) if one.list else math.nan,
}
OF_ABC = {
    "GroupExposure(group=b,discount=zipf)@3": group_exposure,
    "AWRF(target={a:0.2,b:0.3,c:0.5})@3": awrf(lambda table: GIVEN, K),
    "NDKL(target={a:0.2,b:0.3,c:0.5})": ndkl(lambda table: GIVEN, None),
}


def with_all_groups(table: Table) -> Table:
    """The same table, with each of the groups a, b and c in it."""
    return {**table, "group": {**table["group"], "9": ["a"], "10": ["b"], "d1": ["c"]}}


@settings(max_examples=60)
@given(item_tasks())
def test_values_are_those_of_the_definitions(drawn: Any) -> None:
    task, table, conventions = drawn
    lists = shown(task, conventions)
    for text, twin in TWINS.items():
        got = raw_values(parse(text), task, as_items(table), conventions)
        assert got == pytest.approx([twin(one, table) for one in lists], abs=1e-12, nan_ok=True), text
    table = with_all_groups(table)
    for text, twin in OF_ABC.items():
        got = raw_values(parse(text), task, as_items(table), conventions)
        assert got == pytest.approx([twin(one, table) for one in lists], abs=1e-12, nan_ok=True), text


def deserved(grades: list[float], weights: list[float]) -> list[float]:
    """The mean exposure of every document over all orders in which no grade stands above a higher one."""
    totals, orders = [0.0] * len(grades), 0
    for order in permutations(range(len(grades))):
        if all(grades[a] >= grades[b] for a, b in pairwise(order)):
            orders += 1
            for rank, document in enumerate(order):
                totals[document] += weights[rank]
    return [total / orders for total in totals]


@settings(max_examples=60)
@given(item_tasks(), st.sampled_from([None, 1, 3]))
def test_expected_exposure_loss_is_that_of_the_definition(drawn: Any, k: int | None) -> None:
    task, _, conventions = drawn
    rankings = match(Judgments(task[1]), task[0], conventions)
    halves = cut([0.5**rank for rank in range(30)], 30, k)
    for level in (1, 2):
        wanted = []
        for one in shown(task, conventions):
            relevant = [document for document, grade in one.grades.items() if grade >= level][:6]
            if len(relevant) < sum(grade >= level for grade in one.grades.values()):
                return  # too many orders to go through
            shares = deserved([one.grades[document] for document in relevant], halves)
            target = dict(zip(relevant, shares, strict=True))
            seen = dict(zip(one.list, halves, strict=False))
            wanted.append(sum((seen.get(d, 0) - target.get(d, 0)) ** 2 for d in {*seen, *target}))
        got = list(parse("EEL").replace(k=k, level=level).values(rankings))
        assert got == pytest.approx(wanted, abs=1e-12)


def test_expected_exposure_of_graded_documents() -> None:
    """Two documents of grade 2 share 1 and 1/2, one of grade 1 has 1/4."""
    measure = parse("EEL")
    assert measure([2, 2, 1]) == pytest.approx((1 - 0.75) ** 2 + (0.5 - 0.75) ** 2)
    assert measure([1, 2, 2]) == pytest.approx((1 - 0.25) ** 2 + (0.5 - 0.75) ** 2 + (0.25 - 0.75) ** 2)


EVERY = list(TWINS)


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
def test_order_of_rows_does_not_matter(drawn: Any, mixer: Random) -> None:
    first, second = in_two_orders(drawn, EVERY, mixer)
    for one, other in zip(first, second, strict=True):
        # The target is a sum over the items in their order.
        assert (one.query, one.measure) == (other.query, other.measure)
        assert one.value == pytest.approx(other.value, abs=1e-12)


def test_queries_in_parts_have_the_same_values(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(1)
    items = Items({"item": [str(i) for i in range(40)], "group": [rng.choice("xyz") for _ in range(40)]})
    run = {
        str(q): {str(d): rng.random() for d in rng.sample(range(40), rng.randint(0, 12))} for q in range(80)
    }
    judged = {query: {str(d): rng.randint(0, 3) for d in range(0, 40, 3)} for query in run}
    whole = evaluate(judged, run, EVERY, items=items).to_dict()
    monkeypatch.setattr("idealist.data.item_rankings.PART", 60)
    assert evaluate(judged, run, EVERY, items=items).to_dict() == whole


@pytest.mark.parametrize("text", EVERY)
@pytest.mark.parametrize("ties", ["averaged", "optimistic", "pessimistic"])
def test_ties_without_a_single_order_are_refused(text: str, ties: str) -> None:
    items = {"item": ["x"], "group": ["a"]}
    with pytest.raises(InputError, match=r"ties|order"):
        evaluate({"q": {"x": 1}}, {"q": {"x": 1.0}}, text, items=items, conventions=Conventions(ties=ties))


def test_any_column_may_hold_the_groups() -> None:
    items = {"item": ["x", "y"], "maker": ["m", "n"], "group": ["a", "a"]}
    run, judged, measure = {"q": {"x": 2.0, "y": 1.0}}, {"q": {"x": 1}}, "GroupExposure(column=maker,group=n)"
    wanted = LOG2[1] / (LOG2[0] + LOG2[1])
    assert evaluate(judged, run, measure, items=items).mean(measure) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("GroupExposure", "GroupExposure needs group"),
        ("GroupExposure(group=z)", "names group 'z', which no item is in"),
        ("AWRF(column=maker)", "there is no column 'maker'"),
        ("AWRF(target={a:0.5,z:0.5})", "the target names group 'z', which no item is in"),
        ("AWRF(target={a:0.5,b:0.6})", r"the shares add up to 1\.1, not to 1"),
        ("AWRF(target={a:-0.5,b:1.5})", "the share of 'a' must be 0 or more, not -0.5"),
        ("AWRF(target={a})", "'a' in a target is not name:share"),
        ("AWRF(target={a:0.5,a:0.5})", "the target has 'a' twice"),
        ("AWRF(target=even)", "target must be a table of shares, not 'even'"),
        ("NDKL(target={a:1})", r"query 'q' has a document of group 'b', for which the target of .* is 0"),
        ("MaxSkew(target={a:1})", r"query 'q' has a document of group 'b', for which the target of .* is 0"),
        ("MinSkew@1", "MinSkew@1 is infinite for query 'q': a group has no document there"),
        ("AWRF(discount=[1,-1])", "the discount of rank 2, -1, is negative"),
        ("MinSkew(smoothing=-1)", "smoothing must be from 0 to 1000000, not -1"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, message: str) -> None:
    items = {"item": ["x", "y"], "group": ["a", "b"]}
    with pytest.raises(InputError, match=message):
        evaluate({"q": {"x": 1}}, {"q": {"x": 2.0, "y": 1.0}}, text, items=items)


def test_a_name_that_cannot_be_written_is_refused() -> None:
    from idealist.measures.families.fairness import GroupExposure

    with pytest.raises(InputError, match="cannot be part of a measure's text form"):
        GroupExposure(group="a,b")
