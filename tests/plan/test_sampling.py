"""Samples of queries against their probabilities."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealist import InputError
from idealist.data.columns import Columns
from idealist.plan.query_sampling import allocate, sample_queries


def rows(**columns: list[Any]) -> Columns:
    length = len(next(iter(columns.values())))
    return Columns({"query": [f"q{at}" for at in range(length)], **columns})


def shares(table: Columns, n: int, draws: int, **how: Any) -> tuple[dict[str, float], dict[str, float]]:
    """How often each query was drawn, and how often it should have been."""
    counts: Counter[str] = Counter()
    expected: dict[str, float] = {}
    for seed in range(draws):
        drawn = sample_queries(table, n, seed=seed, **how)
        assert len({one.query for one in drawn}) == n
        counts.update(one.query for one in drawn)
        expected.update({one.query: one.probability for one in drawn})
    return {query: counts[query] / draws for query in counts}, expected


@pytest.mark.parametrize(
    ("traffic", "n"), [([5, 1, 1, 2, 3, 8, 1, 1], 3), ([100, 1, 1, 1, 1, 1], 2), ([1, 1, 1, 1], 2)]
)
def test_traffic_proportional_probabilities(traffic: list[int], n: int) -> None:
    found, expected = shares(rows(traffic=traffic), n, 3000, by="traffic")
    assert sum(expected.values()) == pytest.approx(n)
    for query, probability in expected.items():
        assert found[query] == pytest.approx(probability, abs=0.03)
    if max(traffic) * n < sum(traffic):
        assert expected == pytest.approx({f"q{at}": n * x / sum(traffic) for at, x in enumerate(traffic)})


def test_plain_sample_is_as_probable_for_all() -> None:
    found, expected = shares(rows(traffic=[9] * 10), 3, 3000)
    assert set(expected.values()) == {0.3}
    assert all(share == pytest.approx(0.3, abs=0.03) for share in found.values())


def test_strata_get_their_parts() -> None:
    table = rows(kind=["head"] * 30 + ["tail"] * 69 + ["rare"])
    drawn = sample_queries(table, 10, stratify="kind")
    assert Counter(one.stratum for one in drawn) == {"head": 3, "tail": 6, "rare": 1}
    by_stratum = {one.stratum: one.probability for one in drawn}
    assert by_stratum == pytest.approx({"head": 3 / 30, "tail": 6 / 69, "rare": 1.0})
    assert sum(one.weight for one in drawn) == pytest.approx(100)


@pytest.mark.parametrize(
    "how", [{}, {"by": "traffic"}, {"stratify": "kind"}, {"by": "traffic", "stratify": "kind"}]
)
def test_weights_estimate_without_bias(how: dict[str, str]) -> None:
    """The mean over 4,000 samples of Σ weight · value is the total it estimates."""
    generator = np.random.Generator(np.random.PCG64(5))
    traffic, values = generator.integers(1, 50, 40), generator.random(40)
    table = rows(traffic=traffic.tolist(), kind=[str(x) for x in generator.integers(0, 3, 40)])
    value_of = {f"q{at}": value for at, value in enumerate(values)}
    truth = float((values * (traffic if "by" in how else 1)).sum())
    estimates = [
        sum(one.weight * value_of[one.query] for one in sample_queries(table, 8, seed=seed, **how))
        for seed in range(4000)
    ]
    error = np.std(estimates) / np.sqrt(len(estimates))
    assert abs(np.mean(estimates) - truth) < 4 * error


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=30), st.integers(1, 30), st.integers(0, 5))
def test_samples_are_whole_whatever_the_traffic(traffic: list[int], n: int, seed: int) -> None:
    table, possible = rows(traffic=traffic), sum(size > 0 for size in traffic)
    if n > possible:
        with pytest.raises(InputError):
            sample_queries(table, n, by="traffic", seed=seed)
        return
    drawn = sample_queries(table, n, by="traffic", seed=seed)
    assert len({one.query for one in drawn}) == n
    assert all(0 < one.probability <= 1 for one in drawn)
    assert all(traffic[int(one.query[1:])] > 0 for one in drawn)


def test_order_of_rows_changes_nothing_and_the_seed_does() -> None:
    table = rows(traffic=list(range(1, 51)), kind=list("ab") * 25)
    backwards = Columns({name: values[::-1] for name, values in table.columns.items()})
    for how in ({}, {"by": "traffic", "stratify": "kind"}):
        assert sample_queries(table, 9, seed=3, **how) == sample_queries(backwards, 9, seed=3, **how)
        assert sample_queries(table, 9, seed=3, **how) != sample_queries(table, 9, seed=4, **how)


@given(st.lists(st.tuples(st.floats(0.01, 1000), st.integers(1, 30)), min_size=1, max_size=8), st.data())
def test_parts_add_up_within_their_limits(groups: list[tuple[float, int]], data: Any) -> None:
    totals, most = [total for total, _ in groups], [limit for _, limit in groups]
    n = data.draw(st.integers(len(groups), sum(most)))
    parts = allocate(n, totals, most)
    assert sum(parts) == n
    assert all(1 <= part <= limit for part, limit in zip(parts, most, strict=True))
    exact = [n * total / sum(totals) for total in totals]
    if all(1 <= x <= limit for x, limit in zip(exact, most, strict=True)):
        assert all(abs(part - x) < 1 for part, x in zip(parts, exact, strict=True))


@pytest.mark.parametrize(
    ("columns", "how", "message"),
    [
        ({"traffic": [1, 2]}, {"n": 3}, "3 queries were requested, but there are 2"),
        ({"traffic": [1, 0]}, {"n": 2, "by": "traffic"}, "there are 1; 1 have no traffic"),
        ({"traffic": [1, -2]}, {"n": 1, "by": "traffic"}, "row 2: traffic must be 0 or more, not -2"),
        ({"traffic": [0, 0]}, {"n": 1, "by": "traffic"}, "adds up to 0"),
        ({"traffic": ["1", "many"]}, {"n": 1, "by": "traffic"}, "row 2: traffic is 'many'"),
        ({"kind": ["a", ""]}, {"n": 1, "stratify": "kind"}, "row 2: kind is empty"),
        ({"kind": ["a", "b"]}, {"n": 1, "stratify": "kind"}, "1 queries are too few for 2 strata"),
        ({"kind": ["a", "b"]}, {"n": 1, "stratify": "land"}, "no column 'land'"),
        ({"kind": ["a", "b"]}, {"n": 1, "by": "traffic"}, "no column 'traffic'"),
        ({"kind": ["a", "b"]}, {"n": 0}, "the number of queries must be a whole number, 1 or more, not 0"),
        ({"kind": ["a", "b"]}, {"n": 1, "seed": -1}, "the seed must be a whole number, 0 or more, not -1"),
    ],
)
def test_bad_tables(columns: dict[str, list[Any]], how: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sample_queries(rows(**columns), **how)


def test_a_query_twice() -> None:
    with pytest.raises(InputError, match="row 2: query 'x' has two rows"):
        sample_queries(Columns({"query": ["x", "x"]}), 1)
