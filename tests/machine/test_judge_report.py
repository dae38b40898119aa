"""The report on a judge: every number against arithmetic or another library, and what it says of its use."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from pytest import approx
from support.rag24 import noisy_ranking, read_grades, shared_grades

import idealist as il
from idealist.machine.judge_agreement import kendall_tau, tau_ap, weighted_kappa

# Six queries; people call half of the documents relevant, the machine also some of the others.
HUMAN = {f"q{i}": {"a": 2, "b": 0, "c": i % 2, "d": 1} for i in range(8)}
MANY = {f"q{i}": {"a": i / 31} for i in range(31)}
MACHINE = {f"q{i}": {"a": 2, "b": int(i % 4 == 0), "c": 1, "d": 2 if i == 3 else 1} for i in range(8)}


def test_the_table_of_both_judges_counts_pairs() -> None:
    report = il.machine.report(HUMAN, MACHINE)
    # b: 6 zeros stay, 2 become one; c: 4 zeros become one, 4 ones stay; d: 7 stay, 1 becomes two; a: 8 stay.
    assert report.confusion == ((6, 6, 0), (0, 11, 1), (0, 0, 8))
    assert (report.pairs, report.queries) == (32, 8)
    raw = report.coefficient("raw")
    assert raw is not None
    assert raw.value == approx(25 / 32)


def test_coefficients_are_those_of_other_formulas() -> None:
    report = il.machine.report(HUMAN, MACHINE)
    table = np.array(report.confusion, dtype=float)
    p, rows, columns = table / 32, table.sum(1) / 32, table.sum(0) / 32
    chance = float((rows * columns).sum())
    values = {coefficient.name: coefficient.value for coefficient in report.agreement}
    assert values["Cohen κ"] == approx((np.trace(p) - chance) / (1 - chance))
    squares = np.subtract.outer(range(3), range(3)) ** 2
    assert values["weighted κ"] == approx(1 - (squares * p).sum() / (squares * np.outer(rows, columns)).sum())
    pi = (rows + columns) / 2
    expected = float((pi * (1 - pi)).sum()) / 2
    assert values["AC1"] == approx((np.trace(p) - expected) / (1 - expected))


def test_agreement_on_trec_rag_2024_is_that_of_scikit_learn(rag24: Path) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    human, machine = shared_grades(rag24)
    report = il.machine.report(human, machine)
    pairs = [(human[q][d], machine[q][d]) for q in human for d in human[q]]
    first, second = zip(*pairs, strict=True)
    values = {coefficient.name: coefficient.value for coefficient in report.agreement}
    assert values["Cohen κ"] == approx(metrics.cohen_kappa_score(first, second))
    assert values["weighted κ"] == approx(metrics.cohen_kappa_score(first, second, weights="quadratic"))


def test_a_machine_that_says_the_same_as_people() -> None:
    report = il.machine.report(HUMAN, HUMAN)
    assert all(coefficient.value == 1 for coefficient in report.agreement)
    assert report.overall.over == 0
    assert "may stand in for people's" in report.use


def test_a_machine_that_guesses_is_not_to_be_measured_with() -> None:
    rng = np.random.default_rng(0)
    human, machine = (
        {f"q{i}": {f"d{j}": int(rng.integers(0, 2)) for j in range(30)} for i in range(40)} for _ in range(2)
    )
    assert "do not measure with them" in il.machine.report(human, machine).use


def test_over_rating_by_grade_and_by_column() -> None:
    documents = {"document": ["a", "b", "c", "d"], "length": [10, 20, 30, 40], "kind": ["x", "x", "y", "y"]}
    report = il.machine.report(HUMAN, MACHINE, documents=documents)
    zero = report.by_grade[0]
    assert (zero.n, zero.lower) == (12, 0)
    assert (zero.over, zero.higher) == approx((0.5, 0.5))
    (length, lengths), (kind, kinds) = report.by_column
    assert (length, kind) == ("length", "kind")
    assert [rating.kind for rating in lengths] == ["10", "20", "30", "40"]
    assert [rating.over for rating in kinds] == [approx(2 / 16), approx(5 / 16)]


def test_many_numbers_are_cut_into_quarters() -> None:
    human = {f"q{i}": {f"d{j}": 0 for j in range(20)} for i in range(6)}
    machine = {f"q{i}": {f"d{j}": int(j >= 10) for j in range(20)} for i in range(6)}
    table = {"document": [f"d{j}" for j in range(20)], "length": [float(j) for j in range(20)]}
    ((_, quarters),) = il.machine.report(human, machine, documents=table, by="length").by_column
    assert [rating.over for rating in quarters] == [0, 0, 1, 1]
    assert quarters[0].kind == "0 to 4.75"


def test_whom_the_machine_favours(rag24: Path) -> None:
    human, machine = shared_grades(rag24)
    runs = {"people": noisy_ranking(human, 2.0, 1), "imitator": noisy_ranking(machine, 1.0, 2)}
    (order,) = il.machine.report(human, machine, runs).orders
    assert [system.system for system in order.favoured] == ["people", "imitator"]
    people, imitator = order.systems
    assert people.favour is not None
    assert people.favour < 0
    assert imitator.favour == approx(-people.favour)
    assert "the machine favours imitator" in il.machine.report(human, machine, runs).use


def test_orders_of_systems_against_scipy() -> None:
    from scipy.stats import kendalltau

    rng = np.random.default_rng(1)
    for _ in range(20):
        a, b = rng.integers(0, 6, 8), rng.integers(0, 6, 8)
        assert kendall_tau(a, b) == approx(kendalltau(a, b).statistic, nan_ok=True)
    # Yilmaz et al.: swapping the two at the top costs more than swapping the two at the bottom.
    assert tau_ap([4, 3, 2, 1], [3, 4, 2, 1]) == approx(2 / 3 * (0 + 1 + 1) - 1)
    assert tau_ap([4, 3, 2, 1], [4, 3, 1, 2]) == approx(2 / 3 * (1 + 1 + 2 / 3) - 1)
    assert tau_ap([1, 2, 3], [3, 2, 1]) == -1


def test_one_grade_only_has_no_kappa() -> None:
    report = il.machine.report({"q": {"a": 1}}, {"q": {"a": 1}})
    assert [coefficient.name for coefficient in report.agreement] == ["raw"]
    assert "too few" in report.use
    assert np.isnan(weighted_kappa([[5.0, 0.0], [0.0, 0.0]]))


def test_the_same_machine_asked_again() -> None:
    again = {query: {**documents, "a": 1} for query, documents in MACHINE.items()}
    report = il.machine.report(HUMAN, MACHINE, repeat=again)
    assert report.repeated == 32
    assert report.repeat[0].value == approx(24 / 32)


def test_sides_swapped() -> None:
    """Of four pairs shown both ways round two have the same answer; of seven decided votes four are for the left."""
    votes = {
        "query": ["1", "1", "2", "2", "3", "3", "4", "4", "5"],
        "side": ["left", "right"] * 4 + ["left"],
        "vote": ["good", "good", "good", "bad", "bad", "same", "good", "good", "good"],
        "rater": ["model"] * 9,
    }
    swapped = il.machine.report(HUMAN, MACHINE, swapped=votes).swapped
    assert swapped is not None
    assert (swapped.pairs, swapped.same) == (4, 0.5)
    assert swapped.first == approx(4 / 7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"machine": {"other": {"a": 1}}}, "no pair of query and document in common"),
        ({"repeat": {"q0": {"zzz": 1}}}, "repeated ones have no pair"),
        ({"by": "length"}, "no table of documents"),
        ({"documents": {"document": ["zzz"], "length": [1]}}, "none of those that both judged"),
        ({"documents": {"document": ["a"], "length": [1]}, "by": ["width"]}, "width"),
        ({"swapped": {"query": ["1"], "vote": ["good"]}}, "on which side"),
        ({"swapped": {"query": ["1"], "vote": ["good"], "side": ["left"]}}, "both ways round"),
        ({"confidence": 2}, "confidence"),
        ({"human": MANY, "machine": MANY}, "31 different grades"),
    ],
)
def test_what_cannot_be_reported_on(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(il.InputError, match=message):
        il.machine.report(**{"human": HUMAN, "machine": MACHINE, **arguments})  # type: ignore[arg-type]


def test_it_is_shown_and_drawn() -> None:
    runs = {"one": {"q1": {"a": 1.0}}, "two": {"q1": {"b": 1.0}}}
    report = il.machine.report(HUMAN, MACHINE, runs)
    assert repr(report) == "<JudgeReport: 78 % agreement; 32 pairs, 8 queries>"
    assert "human ↓ machine →" in str(report)
    assert report.to_frame().columns == ["part", "name", "kind", "value", "low", "high"]
    for kind in ("confusion", "bias"):
        assert report.plot(kind).axes
    with pytest.raises(il.InputError, match="no runs"):
        il.machine.report(HUMAN, MACHINE).plot("bias")


def test_the_command_in_every_form(idealist: Command, shop: Path, tmp_path: Path) -> None:
    inputs = (shop / "people.qrels", shop / "machine.qrels", shop / "a.run", shop / "b.run")
    for form in ("table", "markdown", "latex", "html", "csv", "json"):
        done = idealist("judge-report", *inputs, "--format", form)
        assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["use"]
    figure = tmp_path / "confusion.svg"
    drawn = idealist("judge-report", *inputs[:2], "--figure", figure)
    assert drawn.returncode == 0, drawn.stderr
    assert figure.read_text(encoding="utf-8").startswith("<svg")
    refused = idealist("judge-report", *inputs[:2], "--figure", figure)
    assert refused.returncode == 2
    assert "exists" in refused.stderr
    assert idealist("judge-report", *inputs[:2], "-m", "AP").returncode == 2


def test_the_data_of_trec_is_read_as_it_is(idealist: Command, rag24: Path) -> None:
    assert len(read_grades(rag24 / "human.qrels.gz")) == 43
    done = idealist("judge-report", rag24 / "human.qrels.gz", rag24 / "machine.qrels.gz")
    assert "10,284 pairs of 43 queries" in done.stdout
