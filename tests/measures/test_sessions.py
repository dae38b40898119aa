"""Sessions, and topics asked in several ways, by arithmetic."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from idealist import InputError, compare, evaluate

# Two sessions: three queries, and one.
QUERIES: dict[str, list[Any]] = {
    "query": ["1", "2", "3", "4"],
    "session": ["s", "s", "s", "t"],
    "position": [1, 2, 3, 1],
}
RUN = {"1": ["a", "b", "c"], "2": ["a", "b"], "3": ["c"], "4": ["b", "a"]}
JUDGED = {"1": {"a": 2, "c": 1}, "2": {"b": 1}, "3": {"c": 3, "d": 1}, "4": {"a": 1}}


def aggregate(
    measure: str, table: Any = QUERIES, run: Any = RUN, judged: Any = JUDGED, **given: Any
) -> float:
    return evaluate(judged, run, measure, profiles=table, **given).aggregate(measure)


def test_session_dcg_discounts_ranks_and_queries() -> None:
    # Järvelin's DCG: rank 3 is divided by log2(3), ranks 1 and 2 by 1; the m-th query by 1 + log4(m).
    dcg = [2 + 1 / log(3, 2), 1, 3, 1]
    session = dcg[0] + dcg[1] / (1 + log(2, 4)) + dcg[2] / (1 + log(3, 4))
    assert aggregate("SessionDCG") == approx((session + dcg[3]) / 2)


def test_normalised_session_dcg_divides_by_the_ideal_lists() -> None:
    weight = [1, 1 / (1 + log(2, 4)), 1 / (1 + log(3, 4))]
    gained = (2 + 1 / log(3, 2)) + weight[1] * 1 + weight[2] * 3
    best = 3 + weight[1] * 1 + weight[2] * 4
    assert aggregate("nsDCG") == approx((gained / best + 1) / 2)


@given(
    p=st.floats(0.05, 0.95),
    balance=st.floats(0.05, 1),
    relevant=st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=1, max_size=4),
)
def test_session_rbp_is_the_formula(p: float, balance: float, relevant: list[list[bool]]) -> None:
    run = {str(m): [f"d{n}" for n in range(len(row))] for m, row in enumerate(relevant)}
    judged = {str(m): {f"d{n}": int(hit) for n, hit in enumerate(row)} for m, row in enumerate(relevant)}
    table = {
        "query": list(run),
        "session": ["s"] * len(run),
        "position": list(range(1, len(run) + 1)),
    }
    expected = (1 - p) * sum(
        ((p - balance * p) / (1 - balance * p)) ** m
        * sum((balance * p) ** n * hit for n, hit in enumerate(row))
        for m, row in enumerate(relevant)
    )
    assert aggregate(f"SessionRBP(p={p},balance={balance})", table, run, judged) == approx(
        expected, abs=1e-12
    )


@given(
    p=st.floats(0.05, 0.95),
    balance=st.floats(0.05, 0.95),
    relevant=st.lists(st.booleans(), min_size=1, max_size=4),
)
def test_session_rbp_is_where_its_user_stops(p: float, balance: float, relevant: list[bool]) -> None:
    """The user of the paper, walked step by step: after each document she goes on with p, and then to the next document
    of the list with b, to the next query with 1 − b. The measure is the chance that the document she stops at is
    relevant; here the first documents of three queries in a row are."""
    depth, queries = 400, 3
    visits = np.zeros((queries, depth))
    arrives = 1.0
    for query in range(queries):
        leaves = 0.0
        reached = arrives
        for rank in range(depth):
            visits[query, rank] = reached
            leaves += reached * p * (1 - balance)
            reached *= p * balance
        arrives = leaves
    stops = visits[:, : len(relevant)] * (1 - p)
    expected = float((stops * np.array(relevant)).sum())
    run = {str(m): [f"d{n}" for n in range(len(relevant))] for m in range(queries)}
    judged = {query: {f"d{n}": int(hit) for n, hit in enumerate(relevant)} for query in run}
    table = {"query": list(run), "session": ["s"] * queries, "position": list(range(1, queries + 1))}
    assert aggregate(f"sRBP(p={p},balance={balance})", table, run, judged) == approx(expected, abs=1e-9)


def test_session_rbp_of_balance_1_is_rbp_of_the_first_query() -> None:
    table = {"query": ["1", "2"], "session": ["s", "s"], "position": [1, 2]}
    run, judged = {"1": RUN["1"], "2": RUN["2"]}, {"1": JUDGED["1"], "2": JUDGED["2"]}
    rbp = evaluate(judged, run, "RBP(p=0.7)").value("RBP(p=0.7)", "1")
    assert aggregate("sRBP(p=0.7,balance=1)", table, run, judged) == approx(rbp)


def test_sessions_are_what_is_counted_and_compared() -> None:
    result = evaluate(JUDGED, RUN, "nsDCG", profiles=QUERIES)
    assert result.n("nsDCG") == 2
    other = {**RUN, "1": ["c", "b", "a"]}  # the best document of the first query falls to rank 3
    compared = compare(JUDGED, {"old": RUN, "new": other}, "nsDCG", profiles=QUERIES, baseline="old")
    contrast = compared["new", "nsDCG"]
    assert (contrast.n, contrast.wins, contrast.ties, contrast.losses) == (2, 0, 1, 1)
    means = [evaluate(JUDGED, run, "nsDCG", profiles=QUERIES).mean("nsDCG") for run in (RUN, other)]
    assert contrast.difference == approx(means[1] - means[0])


def test_sessions_without_gain_follow_the_conventions() -> None:
    judged = {**JUDGED, "4": {"a": 0}}
    session = aggregate("nsDCG", judged=judged, conventions="empty=skip")
    assert aggregate("nsDCG", judged=judged) == approx(session / 2)
    assert aggregate("nsDCG", judged=judged, conventions="empty=one") == approx((session + 1) / 2)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"query": ["1", "2", "3", "4"], "position": [1, 2, 3, 1]}, "no column 'session'"),
        ({"query": ["1", "2", "3", "4"], "session": list("ssst")}, "no column 'position'"),
        ({**QUERIES, "position": [1, 1, 3, 1]}, "'1' and '2' of session 's' both have position 1"),
        ({**QUERIES, "position": [1, 0, 3, 1]}, "position must be"),
        ({**QUERIES, "position": [1, None, 3, 1]}, "query '2' has no position"),
        ({**QUERIES, "session": ["s", "", "s", "t"]}, "query '2' has no session"),
    ],
)
def test_tables_that_name_no_sessions_are_refused(table: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(JUDGED, RUN, "SessionDCG", profiles=table)


def test_robustness_is_the_mean_of_the_lowest() -> None:
    topics = {"query": ["1", "2", "3", "4"], "topic": ["x", "x", "y", "y"]}
    run = {"1": ["a"], "2": ["b", "a"], "3": ["a"], "4": ["b"]}
    judged = {query: {"a": 1} for query in run}
    # nDCG is 1 and 1/log2(3) for x, 1 and 0 for y.
    assert aggregate("Robustness@10", topics, run, judged) == approx((1 / log(3, 2) + 0) / 2)
    assert aggregate("robustness_at_10", topics, run, judged) == aggregate(
        "Robustness@10", topics, run, judged
    )


def rank_change(o: int, n: int) -> float:
    """FollowIR: R_og > R_new gives MRR_og/MRR_new − 1, otherwise 1 − MRR_new/MRR_og, with MRR = 1/R."""
    return (1 / o) / (1 / n) - 1 if o > n else 1 - (1 / n) / (1 / o)


@given(st.permutations("abcdef"), st.permutations("abcdef"), st.integers(1, 6), st.integers(1, 6))
def test_pairwise_mrr_compares_ranks(before: list[str], after: list[str], first: int, second: int) -> None:
    run = {"1": before[:first], "2": after[:second]}
    judged = {"1": {"a": 1, "b": 2, "c": 1, "d": 0}, "2": {"a": 0, "b": 0, "c": 1, "d": 0}}
    table = {"query": ["1", "2"], "topic": ["t", "t"], "position": [1, 2]}

    def rank(order: list[str], document: str) -> int:
        return order.index(document) + 1 if document in order else len(order) + 1

    moves = [rank_change(rank(run["1"], d), rank(run["2"], d)) for d in "ab"]  # c and d did not change
    assert aggregate("p-MRR", table, run, judged) == approx(sum(moves) / 2)


def test_pairwise_mrr_of_files_reads_the_run(tmp_path: Any) -> None:
    (tmp_path / "run.txt").write_text("1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n2 Q0 b 1 2 r\n2 Q0 a 2 1 r\n")
    (tmp_path / "judged.txt").write_text("1 0 a 1\n1 0 b 1\n2 0 a 0\n2 0 b 1\n")
    (tmp_path / "topics.csv").write_text("query,topic,position\n1,t,1\n2,t,2\n")
    files = [str(tmp_path / name) for name in ("run.txt", "judged.txt", "topics.csv")]
    assert evaluate(files[1], files[0], "p-MRR", profiles=files[2]).aggregate("p-MRR") == 0.5
