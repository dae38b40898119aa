"""Looks while judgments come in: intervals over queries in their order, false verdicts at any look, and the price."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from numpy.random import Generator
from numpy.typing import NDArray
from pytest import approx

import idealist as il
from idealist.comparison.comparing import read_query_order
from idealist.errors import InputError
from idealist.statistics.sequential_testing import OrderedMean

QUERIES = [f"q{at}" for at in range(200)]
SHUFFLED = [str(query) for query in np.random.default_rng(3).permutation(QUERIES)]
GAINS = np.clip(np.random.default_rng(0).normal(0.06, 0.15, 200), -0.15, 0.6)


def numbers(gains: NDArray[np.float64]) -> dict[str, list[object]]:
    """Of every query a number of the old system, 0.4, and of the new one, which is higher by its gain."""
    table: dict[str, list[object]] = {"query": [], "system": [], "accuracy": []}
    for query, gain in zip(QUERIES, gains.tolist(), strict=True):
        table["query"] += [query, query]
        table["system"] += ["old", "new"]
        table["accuracy"] += [0.4, 0.4 + gain]
    return table


def test_interval_and_p_value_are_those_of_the_order() -> None:
    compared = il.compare(numbers=numbers(GAINS), order=SHUFFLED)
    contrast = compared["new", "accuracy"]
    by_query = dict(zip(QUERIES, GAINS.tolist(), strict=True))
    mean = OrderedMean([by_query[query] for query in SHUFFLED], 1.0)
    assert contrast.paired.queries == tuple(SHUFFLED)
    assert contrast.interval is not None
    assert tuple(contrast.interval) == approx(tuple(mean.interval(0.95)), abs=1e-5)
    assert contrast.p_value == approx(mean.p_value())
    assert compared.verdict().outcome == "ship"
    assert "valid at every look" in compared.verdict().remark
    assert "by confidence sequence" in compared.verdict().line


def test_later_looks_keep_what_earlier_ones_said() -> None:
    """What was rejected once stays rejected: each interval lies within the ones before, and p never rises."""
    looks = [OrderedMean(GAINS[:n], 1.0) for n in (50, 100, 150, 200)]
    for before, after in pairwise(looks):
        earlier, later = before.interval(0.95), after.interval(0.95)
        assert earlier.low <= later.low + 1e-3
        assert earlier.high >= later.high - 1e-3
        assert before.p_value() >= after.p_value()


def test_it_is_mirrored_and_agrees_with_its_p_value() -> None:
    for shift in np.linspace(-0.06, 0.06, 13):
        mean, mirrored = OrderedMean(GAINS - 0.06 + shift, 1.0), OrderedMean(0.06 - shift - GAINS, 1.0)
        assert tuple(mean.interval(0.95)) == approx(tuple(-mirrored.interval(0.95)), abs=1e-5)
        assert (mean.p_value() < 0.05) == (0 not in mean.interval(0.95))


def test_the_price_is_said() -> None:
    remark = il.compare(numbers=numbers(GAINS), order=QUERIES).verdict().remark
    once = il.compare(numbers=numbers(GAINS))["new", "accuracy"].interval
    assert once is not None
    assert f"{once.low:.4f} to {once.high:.4f}" in remark
    assert "times as many queries" in remark


def test_orders() -> None:
    assert read_query_order(["b", "a"]) == {"b": 0, "a": 1}
    judged = {"query": ["a", "b", "a"], "time": [3, 2, 1]}
    assert read_query_order(judged) == {"b": 0, "a": 1}  # a is complete at 3
    with pytest.raises(InputError, match="the order has the query 'a' twice"):
        read_query_order(["a", "a"])
    with pytest.raises(InputError, match="the order of queries does not have 'q1'"):
        il.compare(numbers=numbers(GAINS), order=["q0"])
    judgments = {query: {"d": 1} for query in QUERIES}
    runs = {"old": {query: {"d": 1.0} for query in QUERIES}, "new": {query: {"d": 1.0} for query in QUERIES}}
    with pytest.raises(InputError, match="for judgments of people alone"):
        il.compare(judgments, runs, "RR", machine=judgments, order=QUERIES)


def test_segments_have_the_order_too() -> None:
    segments = {query: "odd" if at % 2 else "even" for at, query in enumerate(QUERIES)}
    compared = il.compare(numbers=numbers(GAINS), order=SHUFFLED)
    for name, (contrast,) in compared.segments(segments).items():
        assert contrast.paired.queries == tuple(query for query in SHUFFLED if segments[query] == name)


SHAPES: dict[str, Callable[[Generator], NDArray[np.float64]]] = {
    "normal": lambda random: random.normal(0.0, 0.15, 500).clip(-0.98, 0.98),
    "rare losses": lambda random: np.where(random.random(500) < 0.02, -0.98, 0.02),
    "rare wins": lambda random: np.where(random.random(500) < 0.02, 0.98, -0.02),
    "few differ": lambda random: random.choice([0.0, 0.5, -0.5], 500, p=[0.9, 0.05, 0.05]),
}


def test_what_an_order_takes_the_place_of() -> None:
    """The interval is the sequence, and of no number of queries is it known what they would show."""
    with pytest.raises(InputError, match="interval changes nothing with an order"):
        il.compare(numbers=numbers(GAINS), order=QUERIES, interval="student")
    assert il.compare(numbers=numbers(GAINS), order=QUERIES)["new", "accuracy"].detectable is None


def test_differences_that_change_over_time_are_remarked_on() -> None:
    """Gains of 0.2 in the first half and losses of 0.2 in the second: the first half alone rejects 0, and now it is the mean."""
    turned = np.array([0.2, 0.18] * 50 + [-0.2, -0.18] * 50)
    compared = il.compare(numbers=numbers(turned), order=QUERIES)
    contrast = compared["new", "accuracy"]
    assert contrast.interval is not None
    assert (contrast.p_value or 1) < 0.05
    assert 0 in contrast.interval
    assert "Differences changed over time" in compared.verdict().remark
    assert "changed over time" not in il.compare(numbers=numbers(GAINS), order=QUERIES).verdict().remark


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("margin", [0.0, 0.02])
def test_looking_after_every_query_finds_no_more(shape: str, margin: float) -> None:
    """Systems that are equal, or worse by the margin, looked at after each of 500 queries: the share of 400 samples in which
    some look finds otherwise, on either side."""
    random, samples = np.random.default_rng(5), 400
    wrong = sum(
        OrderedMean(SHAPES[shape](random) - margin, 1.0).p_value(-margin) < 0.05 for _ in range(samples)
    )
    assert wrong / samples <= 0.055


@pytest.mark.slow
def test_its_price_is_about_twice_the_queries() -> None:
    """Gains of 0.05 with a deviation of 0.2: 126 queries show them in 80 % of samples, by Student's test."""
    random = np.random.default_rng(6)
    found = [
        OrderedMean(random.normal(0.05, 0.2, 2 * 126).clip(-1, 1), 1.0).p_value() < 0.05 for _ in range(200)
    ]
    assert np.mean(found) >= 0.8


def test_the_command(idealist: Command, shop: Path, tmp_path: Path) -> None:
    order = tmp_path / "order.csv"
    queries = dict.fromkeys(
        line.split()[0] for line in (shop / "shop.qrels").read_text(encoding="utf-8").splitlines()
    )
    order.write_text("query\n" + "\n".join(queries) + "\n", encoding="utf-8")
    done = idealist("compare", shop / "shop.qrels", shop / "a.run", shop / "b.run", "--order", order)
    assert done.returncode == 0, done.stderr
    assert "confidence sequence" in done.stdout
