"""A budget of judgments: how it is divided, what is drawn, and the way back to values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from pytest import approx

import idealist as il
from idealist.plan import draw_judgments

QUERIES = [f"q{i:02}" for i in range(20)]
# The first of b is the last of a; the machine gives 2 to half of the documents and 0 to the others.
A = {q: {f"d{j}": 10.0 - j for j in range(10)} for q in QUERIES}
B = {q: {f"d{j}": float(j) for j in range(10)} for q in QUERIES}
MACHINE = {q: {f"d{j}": 2 * (j % 2) for j in range(10)} for q in QUERIES}
RUNS = {"a": A, "b": B}


def test_the_budget_is_spent_to_the_last_document() -> None:
    for budget in (16, 50, 133):
        draw = draw_judgments(RUNS, MACHINE, budget, k=10)
        assert len(draw.to_judge) == sum(stratum.drawn for stratum in draw.strata) == budget
        assert all(stratum.probability == stratum.drawn / stratum.documents for stratum in draw.strata)
        assert sum(stratum.documents for stratum in draw.strata) == 200


def test_more_is_drawn_where_more_can_move() -> None:
    """Neyman: the number drawn goes with documents · effect · spread."""
    draw = draw_judgments(RUNS, MACHINE, 60)
    shares = {stratum.stratum: (stratum.effect, stratum.probability) for stratum in draw.strata}
    for label in ("0", "2"):
        probabilities = [p for name, (_, p) in shares.items() if name.startswith(label)]
        assert probabilities == sorted(probabilities)
    wish = [s.documents * s.effect * s.spread for s in draw.strata]
    for stratum, weight in zip(draw.strata, wish, strict=True):
        assert stratum.drawn == approx(60 * weight / sum(wish), abs=2.5)


def test_more_is_drawn_where_people_disagree_with_the_machine() -> None:
    """Where the machine says 0 people say 0; where it says 2 they say 0 or 3."""
    judged = {
        q: {f"d{j}": 0 if j % 2 == 0 else 3 * (i % 2) for j in range(6)} for i, q in enumerate(QUERIES[:4])
    }
    draw = draw_judgments(RUNS, MACHINE, 60, judged=judged)
    drawn = {label: sum(s.drawn for s in draw.strata if s.machine_grade == label) for label in (0, 2)}
    assert drawn[2] > 2 * drawn[0]
    known = [document for document in draw if document.grade is not None]
    assert len(known) == 24
    assert {document.inclusion_probability for document in known} == {1.0}


def test_the_same_seed_draws_the_same() -> None:
    first, again, other = (draw_judgments(RUNS, MACHINE, 40, seed=seed) for seed in (1, 1, 2))
    assert list(first) == list(again) != list(other)


def test_all_documents_judged_leave_no_error() -> None:
    draw = draw_judgments(RUNS, MACHINE, 10_000)
    assert len(draw) == 200
    assert draw.errors == {200: 0.0}
    half = draw_judgments(RUNS, MACHINE, 50)
    assert list(half.errors) == [50, 150]
    assert half.errors[50] > half.errors[150] > 0


def test_below_the_cut_off() -> None:
    assert sum(s.documents for s in draw_judgments(RUNS, MACHINE, 40, k=3).strata) == 120
    assert sum(s.documents for s in draw_judgments(RUNS, MACHINE, 40, k=3, below=True).strata) == 200


def test_grades_come_back_as_drawn_judgments() -> None:
    truth = {q: {f"d{j}": (i + j) % 3 for j in range(10)} for i, q in enumerate(QUERIES)}
    draw = draw_judgments(RUNS, MACHINE, 200)
    comparison = il.compare(draw.graded(truth), RUNS, "DCG@10", machine=MACHINE)
    expected = il.compare(truth, RUNS, "DCG@10")["b", "DCG@10"].difference
    assert comparison["b", "DCG@10"].difference == approx(expected)  # all were drawn
    with pytest.raises(il.InputError, match="was drawn and has no grade"):
        draw.graded({"q00": {"d0": 1}})


@pytest.mark.parametrize(
    ("runs", "machine", "budget", "message"),
    [
        (RUNS, MACHINE, 0, "budget"),
        (RUNS, MACHINE, 3, "too small for 2 grades"),
        ({"a": A}, MACHINE, 10, "only one run"),
        (RUNS, {"other": {"d0": 1}}, 10, "machine judged none"),
    ],
)
def test_what_cannot_be_drawn(runs: Any, machine: Any, budget: int, message: str) -> None:
    with pytest.raises(il.InputError, match=message):
        draw_judgments(runs, machine, budget)


def test_it_is_shown() -> None:
    draw = draw_judgments(RUNS, MACHINE, 50)
    assert repr(draw) == "<JudgmentDraw: 50 documents to judge, of 8 strata>"
    assert "100 more judgments would make it" in str(draw)
    assert draw.to_frame().height == 50


def test_the_command_writes_what_evaluate_reads(idealist: Command, shop: Path, tmp_path: Path) -> None:
    drawn, filled = tmp_path / "drawn.csv", tmp_path / "filled.csv"
    inputs = (
        shop / "people.qrels",
        shop / "a.run",
        shop / "b.run",
        "--machine",
        shop / "machine.qrels",
        "-k",
        "5",
    )
    done = idealist("plan", "next", *inputs, "--budget", "60", "-o", drawn)
    assert done.returncode == 0, done.stderr
    assert "60 documents to judge" in done.stdout
    truth = il.read_judgments(shop / "shop.qrels").to_dict()
    header, *rows = drawn.read_text(encoding="utf-8").splitlines()
    lines = [header]
    for row in rows:
        query, document, _, *others = row.split(",")
        lines.append(",".join([query, document, f"{truth[query][document]:g}", *others]))
    filled.write_text("\n".join(lines), encoding="utf-8")
    values = idealist("evaluate", filled, shop / "a.run", "-m", "DCG@5", "--machine", shop / "machine.qrels")
    assert values.returncode == 0, values.stderr
    assert "by 191 drawn documents and the machine" in values.stdout
    unfilled = idealist("evaluate", drawn, shop / "a.run", "-m", "DCG@5", "--machine", shop / "machine.qrels")
    assert unfilled.returncode == 2
    assert "was drawn and has no grade" in unfilled.stderr
    for wrong in (("--budget", "60"), ("--below",)):
        refused = idealist("plan", "next", *inputs[:3], *wrong)
        assert refused.returncode == 2
        assert "--machine" in refused.stderr
