"""Raters as a model: what it finds again, what crowd-kit finds, and what it says of bad input."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from pytest import approx
from scipy.optimize import minimize

import idealist as il
from idealist.errors import InputError
from idealist.votes import rater_model
from idealist.votes.label_models import LabelModel

SKILLS = {"ann": 0.8, "ben": 0.6, "cleo": 0.7, "dan": 0.75, "eve": 0.65}
NAMES = list(SKILLS)


def made_up(seed: int = 12, items: int = 200) -> list[tuple[int, str, int, int]]:
    """Item, rater, label and truth: half of the items are of class 0, errors fall on either other class alike."""
    r = random.Random(seed)
    rows = []
    for item in range(items):
        truth = r.choice([0, 0, 1, 2])
        for name, skill in SKILLS.items():
            if r.random() < 0.15 and name != "ann":
                continue
            label = truth if r.random() < skill else r.choice([x for x in range(3) if x != truth])
            rows.append((item, name, label, truth))
    return rows


def label_model(rows: list[tuple[int, str, int, int]], items: int = 200) -> LabelModel:
    columns = [row[0] for row in rows], [NAMES.index(row[1]) for row in rows], [row[2] for row in rows]
    return LabelModel(*columns, items=items, raters=len(NAMES), classes=3)


def graded(rows: list[tuple[int, str, int, int]], *, answers: bool = False) -> dict[str, list[object]]:
    table: dict[str, list[object]] = {
        "query": [row[0] for row in rows],
        "rater": [row[1] for row in rows],
        "grade": [row[2] for row in rows],
    }
    return table | ({"anchor": [row[3] for row in rows]} if answers else {})


def test_dawid_and_skene_as_crowd_kit() -> None:
    """crowd-kit 1.4.2, DawidSkene(n_iter=2000, tol=1e-9), on the same labels."""
    fit = label_model(made_up()).fit("dawid-skene", smoothing=0.0, near=1e-12)
    assert fit.shares == approx([0.5777, 0.2173, 0.20501], abs=2e-5)
    # By true class the labels that were given.
    ann = [[0.7075, 0.1481, 0.1444], [0.2624, 0.6070, 0.1307], [0.0696, 0.3539, 0.5765]]
    dan = [[0.8089, 0.1040, 0.0871], [0.0000, 0.9268, 0.0732], [0.0956, 0.2385, 0.6659]]
    assert fit.confusions[0] == approx(np.array(ann), abs=1e-4)
    assert fit.confusions[3] == approx(np.array(dan), abs=1e-4)
    assert fit.beliefs[0] == approx([0.00209, 0.00015, 0.99776], abs=2e-5)
    assert fit.beliefs[2] == approx([0.95021, 0.0, 0.04979], abs=2e-5)


def test_one_coin_is_at_the_top_of_its_likelihood() -> None:
    """The same as a general optimiser finds for the likelihood written out, over skills and shares."""
    rows = made_up(items=60)
    model = label_model(rows, items=60)

    def loss(x: np.ndarray) -> float:
        skills = 1 / (1 + np.exp(-x[:5]))
        shares = np.exp(np.append(x[5:], 0.0))
        scores = np.tile(np.log(shares / shares.sum()), (60, 1))
        for item, name, label, _ in rows:
            skill = skills[NAMES.index(name)]
            scores[item] += [math.log(skill if label == true else (1 - skill) / 2) for true in range(3)]
        return -float(np.logaddexp.reduce(scores, axis=1).sum())

    fit = model.fit("one-coin", smoothing=0.0, near=1e-13)
    skills = fit.confusions[:, 0, 0]
    start = np.concatenate([np.log(skills / (1 - skills)), np.log(fit.shares[:2] / fit.shares[2])])
    assert -fit.log_likelihood == approx(loss(start), abs=1e-4)
    best = minimize(loss, start + 0.1, method="BFGS")
    assert loss(start) == approx(best.fun, abs=1e-3)


def test_raters_who_agree_are_right() -> None:
    table = {"query": [1, 1, 2, 2], "rater": ["x", "y"] * 2, "vote": ["good", "good", "bad", "bad"]}
    for model in ("dawid-skene", "one-coin"):
        found = rater_model(table, model=model, smoothing=0.0, rounds=0)
        assert [record.accuracy for record in found.raters] == approx([1.0, 1.0])
        assert found.value == approx(0.0, abs=1e-9)
        assert found.interval is None


def test_skills_and_shares_are_found_again() -> None:
    found = rater_model(graded(made_up(3, 800)), model="one-coin", rounds=60)
    for name, skill in SKILLS.items():
        record = found[name]
        assert record.accuracy == approx(skill, abs=0.05)
        assert record.interval is not None
        assert record.interval.low - 0.02 < skill < record.interval.high + 0.02
    assert [entry.share for entry in found.classes] == approx([0.5, 0.25, 0.25], abs=0.05)
    assert found.value == approx(0.25 + 0.5, abs=0.1)  # the mean grade


def test_a_model_beats_the_majority_where_most_guess() -> None:
    """Two raters who know among three who guess: the model finds out whom to believe; answers check it."""
    r = random.Random(4)
    table: dict[str, list[object]] = {"query": [], "rater": [], "grade": [], "anchor": []}
    for item in range(300):
        truth = r.randint(0, 1)
        for name, skill in (("know1", 0.95), ("know2", 0.95), ("g1", 0.5), ("g2", 0.5), ("g3", 0.5)):
            for column, cell in (
                ("query", item),
                ("rater", name),
                ("grade", truth if r.random() < skill else 1 - truth),
                ("anchor", truth if item < 200 else None),
            ):
                table[column].append(cell)
    found = rater_model(table, rounds=0)
    assert found.known == 200
    assert found.model_right > 185 > 175 > found.majority_right
    assert found["know1"].accuracy > 0.9
    assert found["g1"].accuracy < 0.6
    assert found["know1"].right / found["know1"].known == approx(0.95, abs=0.04)


def test_votes_with_known_answers(shop: Path) -> None:
    found = rater_model(shop / "votes.csv", rounds=30)
    assert (found.kind, found.known, len(found.items)) == ("vote", 3, 43)
    assert (found["ben"].right, found["ben"].known) == (1, 3)
    assert [entry.label for entry in found.classes] == ["good", "same", "bad"]
    assert found.value == approx(found.classes[0].share - found.classes[2].share)
    assert found.value == approx(rater_model(il.read_votes(shop / "votes.csv"), rounds=0).value)


def test_machines_are_raters_among_others() -> None:
    judgments = {
        "ann": {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 1}},
        "gpt": {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 1}},
        "ben": {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1}},
    }
    found = rater_model(judgments, machines=["gpt"], rounds=0)
    assert [record.machine for record in found.raters] == [False, False, True]
    assert "machine" in str(found)


def test_labels_that_nobody_shares_say_nothing_of_a_rater() -> None:
    """A rater with a thousand items of her own: her accuracy, and that of the others, is of the shared ones."""
    rows = made_up(6, 60)
    alone = [(1000 + item, "ben", item % 3, 0) for item in range(1000)]
    shared, both = (rater_model(graded(table), rounds=0) for table in (rows, rows + alone))
    for name in NAMES:
        assert both[name].accuracy == approx(shared[name].accuracy)
    assert any("1,000 of 1,060 items have a single label" in note for note in both.notes)


def test_two_raters_are_not_enough() -> None:
    table = {"query": [1, 1, 2, 2], "rater": ["x", "y"] * 2, "grade": [0, 1, 1, 1]}
    assert any("no item has three labels" in note for note in rater_model(table, rounds=0).notes)
    assert not any("three labels" in note for note in rater_model(graded(made_up(1, 20)), rounds=0).notes)


def test_the_seed_says_it_all() -> None:
    table = graded(made_up(5, 60))
    first, second, other = (rater_model(table, rounds=40, seed=seed) for seed in (1, 1, 2))
    assert first == second
    assert first["ann"].interval != other["ann"].interval


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"query": [1, 2], "rater": ["x", "x"], "grade": [0, 1]}, "there is one rater only, 'x'"),
        ({"query": [1, 2], "rater": ["x", "y"], "grade": [0, 1]}, "no item has labels of two raters"),
        ({"query": [1, 1], "rater": ["x", "y"], "grade": [1, 1]}, "every label is '1'"),
        ({"query": [1, 1], "grade": [0, 1]}, "there is no column 'rater'"),
        ({"query": [1, 1], "vote": ["good", "bad"]}, "do not say who gave them"),
        ({"query": [1, 1], "rater": ["x", "x"], "grade": [0, 1]}, "rater 'x' gave query '1' two labels"),
        ({"query": [1, 1], "rater": ["x", "y"], "grade": [0, "high"]}, "grade is 'high', not a number"),
    ],
)
def test_bad_labels(table: dict[str, list[object]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        rater_model(table)


def test_bad_settings() -> None:
    table = graded(made_up(items=10))
    with pytest.raises(InputError, match="no rater is called 'gpt'"):
        rater_model(table, machines=["gpt"])
    with pytest.raises(InputError, match="the model"):
        rater_model(table, model="glad")
    with pytest.raises(InputError, match="smoothing"):
        rater_model(table, smoothing=-1)


def test_forms_of_the_result(shop: Path) -> None:
    found = rater_model(shop / "votes.csv", rounds=30)
    assert str(found).startswith("rater")
    assert repr(found) == "<RaterModel: dawid-skene; 3 raters, 43 items, 129 votes>"
    assert "<table" in found._repr_html_()
    assert found.to_frame("polars")["rater"].to_list() == ["ann", "ben", "cleo"]
    assert found.plot().axes


def test_the_command(idealist: Command, shop: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    done = idealist("raters", shop / "votes.csv", "--rounds", 30, "-o", labels, "--confusions")
    assert done.returncode == 0, done.stderr
    assert "known answers: 3/3 right by the model" in done.stdout
    lines = labels.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "query,document,label,probability,majority,answer"
    assert len(lines) == 44
    assert (
        '"model": "one-coin"'
        in idealist(
            "raters", shop / "votes.csv", "--model", "one-coin", "--rounds", 0, "--format", "json"
        ).stdout
    )
    alone = idealist("raters", shop / "shop.qrels")
    assert alone.returncode == 2
    assert "one rater only" in alone.stderr
    both = idealist("raters", shop / "shop.qrels", shop / "subtopics.qrels", "--rounds", 0)
    assert both.returncode == 0
    assert "760 items" in both.stdout


@pytest.mark.slow
def test_intervals_of_accuracy_cover() -> None:
    """Five raters on 200 items of three classes, by the one-coin model: its intervals of each accuracy and of the
    mean grade hold what the items' truth says in at least 90 % of trials."""
    inside = total = mean_inside = 0
    trials = 60
    for seed in range(trials):
        found = rater_model(graded(made_up(seed)), model="one-coin", rounds=100, seed=seed)
        for name, skill in SKILLS.items():
            interval = found[name].interval
            assert interval is not None
            inside += skill in interval
            total += 1
        assert found.interval is not None
        mean_inside += 0.75 in found.interval
    assert inside / total >= 0.9
    assert mean_inside / trials >= 0.88
