"""Made-up tables of items for the documents of `strategies`, and lists of what a run shows."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from hypothesis import strategies as st

from idealist import Conventions, Judgments, Measure, evaluate
from idealist.data import match
from idealist.data.items import Items
from idealist.data.needs import ITEMS
from idealist.evaluation import Evaluation
from support.strategies import DOCUMENTS, mixed, tasks

Task = tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]
Table = dict[str, dict[str, Any]]  # column: {document: cell}

REMOVED = [Conventions(unjudged="removed"), Conventions(unjudged="removed", negative="unjudged")]
CONVENTIONS = [
    Conventions(),
    Conventions(ties="id-ascending"),
    Conventions(negative="unjudged"),
    Conventions(negative="keep"),
    *REMOVED,
]


def random_table(seed: int) -> Table:
    rng = Random(seed)
    groups = [["a"], ["b"], ["c"], ["a", "b"]]
    return {
        "popularity": {document: rng.randint(1, 5) for document in DOCUMENTS},
        "category": {d: rng.sample(["war", "drama", "new", "é"], rng.randint(0, 3)) for d in DOCUMENTS},
        "vector": {document: [rng.randint(-2, 2) for _ in range(3)] for document in DOCUMENTS},
        "group": {document: rng.choice(groups) for document in DOCUMENTS},
    }


@st.composite
def item_tasks(draw: st.DrawFn) -> tuple[Task, Table, Conventions]:
    return draw(tasks()), random_table(draw(st.integers(0, 1000))), draw(st.sampled_from(CONVENTIONS))


def as_items(table: Table) -> Items:
    return Items({"item": DOCUMENTS, **{name: list(cells.values()) for name, cells in table.items()}})


class Shown:
    """What one query shows: its `list` of documents, best first, and the `grades` of its judged ones."""

    def __init__(self, task: Task, query: str, conventions: Conventions) -> None:
        run, judged = task
        self.grades = {
            document: grade
            for document, grade in judged[query].items()
            if grade >= 0 or conventions.negative != "unjudged"
        }
        scores = run.get(query, {})
        by_id = sorted(scores, key=lambda d: d.encode("utf-8", "surrogateescape"))
        if conventions.ties == "id-descending":
            by_id.reverse()
        order = sorted(by_id, key=lambda d: -scores[d])
        self.list = [d for d in order if conventions.unjudged != "removed" or d in self.grades]


def shown(task: Task, conventions: Conventions) -> list[Shown]:
    queries = sorted(task[1], key=lambda q: q.encode("utf-8", "surrogateescape"))
    return [Shown(task, query, conventions) for query in queries]


def raw_values(measure: Measure, task: Task, items: Items, conventions: Conventions) -> list[float]:
    rankings = match(Judgments(task[1]), task[0], conventions)
    rankings.tables = {ITEMS: items}
    return list(measure.values(rankings))


def mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else math.nan


def entropy(shares: list[float]) -> float:
    return -sum(share * math.log2(share) for share in shares if share > 0)


def named_shares(
    documents: list[str], column: dict[str, list[str]], weights: list[float]
) -> dict[str, float]:
    """The share of each name; a document of several names counts for each in part."""
    totals: dict[str, float] = {}
    for document, weight in zip(documents, weights, strict=True):
        for name in column[document]:
            totals[name] = totals.get(name, 0.0) + weight / len(column[document])
    whole = sum(totals.values())
    return {name: total / whole for name, total in totals.items()} if whole else {}


def check_bounds(drawn: tuple[Task, Table, Conventions], measures: list[str]) -> None:
    (run, judged), table, conventions = drawn
    for one in evaluate(judged, run, measures, items=as_items(table), conventions=conventions):
        low, high = one.measure.bounds
        assert low <= one.value <= high, one


def check_each_query_alone(drawn: tuple[Task, Table, Conventions], measures: list[str]) -> None:
    """A value does not depend on other queries."""
    (run, judged), table, conventions = drawn
    items = as_items(table)
    together = evaluate(judged, run, measures, items=items, conventions=conventions)
    for query in set(run) & set(judged):
        one_run, one_judged = {query: run[query]}, {query: judged[query]}
        alone = evaluate(one_judged, one_run, measures, items=items, conventions=conventions)
        for measure in measures:
            assert alone.value(measure, query) == together.value(measure, query), measure


def in_two_orders(
    drawn: tuple[Task, Table, Conventions], measures: list[str], mixer: Random
) -> tuple[Evaluation, Evaluation]:
    """The same task with its rows, and those of the items, in two orders."""
    (run, judged), table, conventions = drawn
    ids = list(DOCUMENTS)
    mixer.shuffle(ids)
    items = Items({**{name: [cells[d] for d in ids] for name, cells in table.items()}, "item": ids})
    mixed_run, mixed_judged = mixed(run, mixer), mixed(judged, mixer)
    return (
        evaluate(judged, run, measures, items=as_items(table), conventions=conventions),
        evaluate(mixed_judged, mixed_run, measures, items=items, conventions=conventions),
    )
