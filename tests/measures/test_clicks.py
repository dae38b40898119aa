"""Measures of click logs, against sums written from the definition."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations
from math import log2
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import DOCUMENTS, QUERIES, runs

from idealist import Conventions, Run, evaluate
from idealist.data import read_clicks
from idealist.measures import parse

MEASURES = [
    *("IPS-DCG", "IPS-DCG@3", "IPS-DCG(discount=zipf,eta=0.5,clip=0.4)", "IPS-DCG(eta=0)@5"),
    *("SNIPS-DCG", "SNIPS-DCG@2", "SNIPS-DCG(clip=0.5)", "ClippedClicks(clip=0.3)", "ClippedClicks"),
]
ROWS = st.lists(
    st.tuples(
        st.sampled_from(QUERIES),
        st.sampled_from(DOCUMENTS),
        st.integers(1, 6),
        st.integers(0, 5),
        st.sampled_from([0.1, 0.3, 0.5, 1.0]),
    ),
    min_size=1,
    unique_by=lambda row: row[:3],
)
COLUMNS = ["query", "document", "position", "clicks", "propensity"]


def table(rows: Any, names: list[str] = COLUMNS) -> dict[str, list[Any]]:
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def expected(text: str, ranking: list[str], rows: Any, logged: bool) -> float:
    """0 where it is undefined, as empty=zero has it."""
    measure: Any = parse(text)
    weights: dict[str, float] = defaultdict(float)
    clipped = every = 0.0
    for document, position, clicks, propensity in rows:
        p = propensity if logged else (1 / position) ** measure.eta
        weights[document] += clicks / max(p, measure.clip)
        every += clicks
        clipped += clicks * (p < measure.clip)
    if measure.name == "ClippedClicks":
        return clipped / every if every else 0.0
    discount = (lambda rank: 1 / rank) if measure.discount == "zipf" else (lambda rank: 1 / log2(rank + 1))
    shown = enumerate(ranking[: measure.k or 99], 1)
    found = sum(weights[document] * discount(rank) for rank, document in shown if document in weights)
    if measure.name == "IPS-DCG":
        return found
    return found / sum(weights.values()) if every else 0.0


@given(runs(), ROWS, st.booleans(), st.randoms())
def test_every_value_is_the_definition(run: Any, rows: Any, logged: bool, random: Any) -> None:
    judged: dict[str, dict[str, float]] = {query: {} for query in {*QUERIES, *run}}
    log = table(rows, COLUMNS if logged else COLUMNS[:4])
    result = evaluate(judged, run, MEASURES, clicks=log)
    kept = Run(run)
    for query in judged:
        ranking = kept.ranking(query) if query in run else []
        its_rows = [row[1:] for row in rows if row[0] == query]
        for text in MEASURES:
            got = result.value(text, query)
            assert got == pytest.approx(expected(text, ranking, its_rows, logged)), (text, query)
            low, high = parse(text).bounds
            assert low <= got <= high
        if query in run:
            alone = evaluate({query: {}}, {query: run[query]}, MEASURES, clicks=log)
            assert all(alone.value(text, query) == result.value(text, query) for text in MEASURES)
    random.shuffle(rows)
    again = evaluate(judged, run, MEASURES, clicks=table(rows, COLUMNS if logged else COLUMNS[:4]))
    for value in again:
        assert value.value == pytest.approx(result.value(value.measure, value.query))


def test_averaged_ties_are_the_mean_over_all_orders() -> None:
    log = {"query": ["q"] * 3, "document": ["a", "b", "d"], "position": [1, 2, 3], "clicks": [1, 5, 2]}
    run = {"q": {"a": 1, "b": 1, "c": 1, "d": 0}}
    for text in ("IPS-DCG", "SNIPS-DCG@2"):
        averaged = evaluate({"q": {}}, run, text, clicks=log, conventions=Conventions(ties="averaged"))
        values = [
            evaluate(
                {"q": {}}, {"q": {**{d: -rank for rank, d in enumerate(order)}, "d": -9}}, text, clicks=log
            ).mean(text)
            for order in permutations("abc")
        ]
        assert averaged.mean(text) == pytest.approx(sum(values) / 6)
        ends = [
            evaluate({"q": {}}, run, text, clicks=log, conventions=Conventions(ties=ties)).mean(text)
            for ties in ("pessimistic", "optimistic")
        ]
        assert ends == pytest.approx([min(values), max(values)])


def test_clicks_at_several_positions_add_up() -> None:
    # Once at position 1, once at 2: 1/1 + 1/(1/2) = 3, at rank 1.
    log = [{"query": "q", "document": "a", "position": position} for position in (1, 2)]
    assert evaluate({"q": {}}, {"q": {"a": 1}}, "IPS-DCG", clicks=log).mean("IPS-DCG") == 3.0


def test_queries_without_rows_are_undefined() -> None:
    log = {"query": ["q"], "document": ["a"], "position": [1], "clicks": [0]}
    run: Any = {"q": {"a": 1}, "p": {"a": 1}}
    skip = Conventions(empty="skip")
    result = evaluate({"q": {"a": 1}, "p": {"a": 1}}, run, MEASURES, clicks=log, conventions=skip)
    assert result.by_query("IPS-DCG") == {"q": 0.0}  # shown, and not clicked
    assert result.by_query("SNIPS-DCG") == {}


def test_read_clicks(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("qid,doc_id,Rank,Clicks,propensity\nq,a,1,2,0.5\nq,a,2,0,1\n")
    log = read_clicks(path)
    assert list(log.rows("q")) == [("a", 1, 2.0, 0.5), ("a", 2, 0.0, 1.0)]
    assert read_clicks(log) is log
    assert evaluate({"q": {}}, {"q": {"a": 1}}, "IPS-DCG", clicks=path).mean("IPS-DCG") == 4.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,document\nq,a\n", "log.csv: there is no column 'position'"),
        (
            "query,document,position\nq,a,0\n",
            "log.csv, line 2: position must be a whole number, 1 or more, not 0",
        ),
        ("query,document,position\nq,a,1.5\n", "line 2: position must be a whole number, 1 or more, not 1.5"),
        ("query,document,position\nq,a,x\n", "line 2: position is 'x', not a number"),
        ("query,document,position\nq,,1\n", "line 2: document is empty"),
        ("query,document,position,clicks\nq,a,1,1\nq,b,1,-1\n", "line 3: clicks must be 0 or more, not -1"),
        (
            "query,document,position,propensity\nq,a,1,0\n",
            "line 2: propensity must be above 0 and at most 1, not 0",
        ),
        (
            "query,document,position,propensity\nq,a,1,1.1\n",
            "line 2: propensity must be above 0 and at most 1, not 1.1",
        ),
        ("query,document,position,propensity\nq,a,1,\n", "line 2: propensity is empty"),
        (
            "query,document,position\nq,a,1\nq,b,2\nq,a,1\n",
            "line 4: query 'q', document 'a' at position 1 appears twice, first on line 2\n",
        ),
        ("query,document,position\n", "the click log has no rows"),
    ],
)
def test_bad_logs(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_clicks(path)


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("IPS-DCG(eta=-1)", 1, r"eta must be from 0 to 1000000, not -1"),
        ("IPS-DCG(clip=2)", 1, "clip must be from 0 to 1, not 2"),
        ("IPS-DCG(eta=1000)", 9, "position 9 has no propensity with eta=1000"),
        ("SNIPS-DCG(eta=100)", 1000, "weigh more than a number can hold"),
    ],
)
def test_bad_parameters(text: str, position: int, message: str) -> None:
    log = {"query": ["q"], "document": ["a"], "position": [position], "clicks": [1e20]}
    with pytest.raises(ValueError, match=message):
        evaluate({"q": {}}, {"q": {"a": 1}}, text, clicks=log)


def test_a_log_is_needed() -> None:
    with pytest.raises(ValueError, match="IPS-DCG needs a click log"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, "IPS-DCG")
