"""A machine that says nothing of what people think changes nothing: values, intervals, p-values and verdicts stay those of
people, to the last digit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from pytest import approx

import idealist as il

Grades = dict[str, dict[str, int]]
QUERIES = [f"q{i:03}" for i in range(160)]
PEOPLE = QUERIES[:20]
DOCUMENTS = [f"d{i}" for i in range(8)]


def systems() -> dict[str, dict[str, dict[str, float]]]:
    """Two runs that order eight documents at random."""
    rng = np.random.default_rng(3)
    return {
        system: {q: dict(zip(DOCUMENTS, map(float, rng.permutation(8)), strict=True)) for q in QUERIES}
        for system in ("a", "b")
    }


def graded(queries: list[str], seed: int) -> Grades:
    """Grades that know nothing of anything."""
    rng = np.random.default_rng(seed)
    return {q: dict(zip(DOCUMENTS, rng.integers(0, 4, 8).tolist(), strict=True)) for q in queries}


RUNS, HUMAN = systems(), graded(PEOPLE, 1)
USELESS: dict[str, Grades] = {
    "random grades": graded(QUERIES, 5),
    "one grade for all": {q: dict.fromkeys(DOCUMENTS, 1) for q in QUERIES},
    "the opposite of people": {
        q: {d: 3 - g for d, g in its.items()} for q, its in {**graded(QUERIES, 6), **HUMAN}.items()
    },
    "no query that people did not judge": {q: dict(its) for q, its in HUMAN.items()},
}


@pytest.mark.parametrize("machine", USELESS.values(), ids=USELESS.keys())
@pytest.mark.parametrize("interval", ["best-third", "cautious", "student"])
@pytest.mark.parametrize("measure", ["nDCG@5", "RR", "RankingLoss"])
def test_the_verdict_is_that_of_people(machine: Grades, interval: str, measure: str) -> None:
    people = il.compare(HUMAN, RUNS, measure, interval=interval)
    both = il.compare(HUMAN, RUNS, measure, interval=interval, machine=machine)
    corrected, contrast = both["b", measure].corrected, people["b", measure]
    assert corrected is not None
    assert corrected.worth == corrected.weight == 0
    assert (corrected.value, corrected.human) == (contrast.difference, contrast.difference)
    assert corrected.interval == corrected.human_interval == contrast.interval
    assert corrected.p_value == contrast.p_value
    assert both.verdict().to_dict() == people.verdict().to_dict()
    assert "the machine's judgments add nothing: the corrected values are the human ones" in str(both)


@pytest.mark.parametrize("seed", range(20))
def test_random_grades_do_not_decide(seed: int) -> None:
    """Whatever correlation there is by chance."""
    people = il.compare(HUMAN, RUNS, "nDCG@5").verdict()
    both = il.compare(HUMAN, RUNS, "nDCG@5", machine=graded(QUERIES, 100 + seed)).verdict()
    assert people.outcome == both.outcome == "undecided"


def test_a_gate_is_that_of_people(idealist, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write_qrels(tmp_path / "people.qrels", HUMAN)
    write_qrels(tmp_path / "machine.qrels", USELESS["random grades"])
    for system, run in RUNS.items():
        write_run(tmp_path / f"{system}.run", run, system)
    keys = {"judgments": "people.qrels", "baseline": "a.run", "candidate": "b.run"}
    answers = []
    for more in ({}, {"machine": "machine.qrels"}):
        gate = tmp_path / "gate.toml"
        lines = {**keys, "measure": "nDCG@5", **more}
        gate.write_text("".join(f'{key} = "{value}"\n' for key, value in lines.items()), encoding="utf-8")
        done = idealist("gate", gate, "--format", "json")
        answers.append((done.returncode, json.loads(done.stdout)["verdict"]))
    assert answers[0] == answers[1]


def test_a_report_is_that_of_people() -> None:
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    people = il.report(HUMAN, RUNS, ["nDCG@5"]).verdicts["b"]
    both = il.report(HUMAN, RUNS, ["nDCG@5"], machine=USELESS["random grades"]).verdicts["b"]
    assert both == people


@pytest.mark.parametrize("measure", ["nDCG@5", "RR", "RankingLoss"])
@pytest.mark.parametrize("interval", ["best-third", "cautious", "student"])
def test_systems_exchanged_are_mirrored(measure: str, interval: str) -> None:
    """By a machine that is worth something: it is right in two of three queries."""
    human = {**graded(QUERIES, 7), **HUMAN}
    rng = np.random.default_rng(8)
    machine = {
        q: its if rng.random() < 0.67 else graded([q], i)[q] for i, (q, its) in enumerate(human.items())
    }
    people = {q: human[q] for q in QUERIES[:60]}
    there = il.compare(people, RUNS, measure, interval=interval, machine=machine)["b", measure]
    back = il.compare(people, RUNS, measure, interval=interval, machine=machine, baseline="b")["a", measure]
    assert there.correction is not None
    assert back.correction is not None
    assert there.correction.worth == approx(back.correction.worth)
    assert there.correction.value == approx(-back.correction.value)
    assert there.correction.interval is not None
    assert back.correction.interval is not None
    assert there.correction.interval.low == approx(-back.correction.interval.high, abs=1e-5)
    assert there.correction.interval.high == approx(-back.correction.interval.low, abs=1e-5)
    assert there.correction.p_value == approx(back.correction.p_value, abs=1e-5)


def write_qrels(path: Path, grades: Grades) -> None:
    rows = [f"{q} 0 {d} {g}\n" for q, its in grades.items() for d, g in its.items()]
    path.write_text("".join(rows), encoding="utf-8")


def write_run(path: Path, run: Mapping[str, Mapping[str, float]], system: str) -> None:
    rows = [f"{q} Q0 {d} 0 {score} {system}\n" for q, its in run.items() for d, score in its.items()]
    path.write_text("".join(rows), encoding="utf-8")
