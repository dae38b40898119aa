"""The guard on judged documents: it asks whether those that are not judged could turn the verdict, and nothing else."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from idealist import InputError, compare, evaluate
from idealist.comparison import compare_evaluations
from idealist.comparison.unjudged import unjudged_documents
from idealist.comparison.verdict import Guard, Verdict
from idealist.evaluation import read_evaluation

QUERIES = [f"q{at:03d}" for at in range(100)]


def ranked(*documents: str) -> dict[str, float]:
    return {document: -rank for rank, document in enumerate(documents, 1)}


def judged_guard(verdict: Verdict) -> Guard:
    (guard,) = (guard for guard in verdict.guards if guard.name == "equally judged")
    return guard


def test_recommenders_that_find_more_held_out_items_ship() -> None:
    """Where only positives are judged, the share of judged documents is that of hits: 2,000 users, +0.035 to +0.270."""
    rng = np.random.default_rng(1)
    held_out = {f"u{at:04d}": {"hit": 1} for at in range(2000)}

    def found_with(chance: float) -> dict[str, dict[str, float]]:
        return {
            user: ranked("x", "hit", "y") if hit else ranked("x", "y", "z")
            for user, hit in zip(held_out, rng.random(2000) < chance, strict=True)
        }

    old = found_with(0.3)
    for gain in (0.035, 0.073, 0.143, 0.270):
        found = compare(held_out, {"old": old, "new": found_with(0.31 + gain)}, "R@3")
        verdict = found.verdict()
        assert verdict.outcome == "ship", gain
        assert all(guard.passed for guard in verdict.guards)
        said = "no judgment is 0 or less, so judged@3 rises as a system gets better"
        assert sum(note.startswith(said) for note in found.notes) == 1
        assert not any("differs" in note for note in found.notes)


def test_success_that_rises_ships() -> None:
    """300 questions with one gold passage each, Success@3 .557 → .707: 167 and 212 hits; 30 lost and 75 won."""
    questions = {f"q{at:03d}": {"gold": 1} for at in range(300)}
    before = [True] * 167 + [False] * 133
    after = [False] * 30 + [True] * 137 + [True] * 75 + [False] * 58
    old, new = (
        {q: ranked("x", "gold") if hit else ranked("x", "y") for q, hit in zip(questions, hits, strict=True)}
        for hits in (before, after)
    )
    verdict = compare(questions, {"old": old, "new": new}, "Success@3").verdict()
    assert verdict.value == pytest.approx(0.15)
    assert verdict.outcome == "ship"


def pooled(share_of_old: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments of ten documents that the new system finds, and of so many of the ten that the old one finds; half of the
    new ones are relevant, and every other judged one of the old ones from its third on."""
    judgments = {
        query: {f"n{at}": at % 2 for at in range(10)}
        | {f"o{at}": int(at in (3, 5)) for at in range(share_of_old)}
        for query in QUERIES
    }
    runs = {
        "old": {query: ranked(*(f"o{at}" for at in range(10))) for query in QUERIES},
        "new": {query: ranked(*(f"n{at}" for at in range(10))) for query in QUERIES},
    }
    return judgments, runs


def test_unjudged_documents_that_could_turn_the_verdict_stop_it() -> None:
    """P@10 0.5 against 0.2 with four unjudged: at a rate of 0.75 all is equal. 7/16 of the judged ones are relevant."""
    judgments, runs = pooled(6)
    verdict = compare(judgments, runs, "P@10").verdict()
    guard = judged_guard(verdict)
    assert (verdict.outcome, guard.answer) == ("ship", "passed")
    rate = float(guard.message.split("would turn if ")[1].split(" %")[0])
    assert 65 <= rate <= 76
    assert guard.message.startswith("judged@10 0.60 and 1.00: 0.40 apart; the verdict would turn if ")
    assert guard.message.endswith(
        "of the unjudged documents down to rank 10 were relevant; 43.8 % of the judged ones there are"
    )
    stated = compare(judgments, runs, "P@10").verdict(unjudged_rate=0.9)
    assert (stated.outcome, judged_guard(stated).answer) == ("undecided", "failed")
    assert (
        "90 % is the rate that was stated; `idealist plan next` says what to judge"
        in judged_guard(stated).message
    )


def test_unjudged_documents_that_are_as_good_as_judged_ones_turn_it() -> None:
    """With nothing judged but two of ten in the old list, and those relevant: the other eight may be."""
    judgments, runs = pooled(0)
    for documents in judgments.values():
        documents |= {
            "o0": 1,
            "o1": 1,
        }  # P@10 0.2 against 0.5; 7 of 12 judged ones are relevant: 0.2 + 0.8 · 7/12 = 0.67
    guard = judged_guard(compare(judgments, runs, "P@10").verdict())
    assert guard.answer == "failed"
    assert "58.3 % of the judged ones there are" in guard.message


def test_a_candidate_that_is_less_judged_is_not_held_back() -> None:
    judgments, runs = pooled(6)
    for documents in judgments.values():
        documents |= {"o0": 1, "o1": 1, "o2": 1, "o4": 1}  # P@10 0.6 with four unjudged
    found = compare(judgments, {"new": runs["new"], "old": runs["old"]}, "P@10")
    verdict = found.verdict()
    assert verdict.outcome == "ship"
    assert judged_guard(verdict).message.endswith(
        "would not turn if all unjudged documents down to rank 10 were relevant"
    )


def test_shares_that_are_low_for_both_are_named() -> None:
    judgments = {query: {"a": 1, "b": 0} for query in QUERIES}
    others = [f"x{at}" for at in range(19)]
    old = {query: ranked(*others[:10], "a", *others[10:]) for query in QUERIES}
    new = {query: ranked("a", *others) for query in QUERIES}
    for query in QUERIES[:10]:  # so that the new one does not win everywhere
        old[query], new[query] = new[query], old[query]
    found = compare(judgments, {"old": old, "new": new}, "RR@20")
    assert any(note.startswith("judged@20 is low: old 0.05, new 0.05; ") for note in found.notes)
    assert judged_guard(found.verdict()).message.startswith(
        "judged@20 0.05 and 0.05: 0.00 apart, low for both; "
    )


def test_saved_evaluations_answer_as_those_of_this_process_do(tmp_path: Path) -> None:
    judgments, runs = pooled(6)
    evaluation = evaluate(judgments, runs, ["P@10", "nDCG@10"])
    (tmp_path / "saved.json").write_text(evaluation.to_json())
    elsewhere = pickle.loads(pickle.dumps(evaluation))
    guards = [
        judged_guard(compare_evaluations(each).verdict())
        for each in (evaluation, read_evaluation(tmp_path / "saved.json"), elsewhere)
    ]
    assert guards[0] == guards[1] == guards[2]
    assert "would turn if" in guards[1].message
    damaged = evaluation.to_json().replace('"rankings": {"old": "', '"rankings": {"old": "AAAA')
    (tmp_path / "damaged.json").write_text(damaged)
    with pytest.raises(InputError, match="this evaluation cannot be read: the rankings of old are damaged"):
        read_evaluation(tmp_path / "damaged.json")


def test_what_cannot_be_computed_stops_nothing() -> None:
    judgments, runs = pooled(6)
    without_runs = evaluate(judgments, runs, "P@10").replaced(runs={})
    verdict = compare_evaluations(without_runs).verdict()
    guard = judged_guard(verdict)
    assert (verdict.outcome, guard.answer, guard.stops) == ("ship", "cannot tell", False)
    assert guard.message.startswith(
        "judged@10 0.60 and 1.00: 0.40 apart; whether that matters cannot be computed for P@10 here"
    )


def test_what_decides_nothing_cannot_be_turned() -> None:
    judgments, runs = pooled(6)
    few = {query: judgments[query] for query in QUERIES[:3]}
    verdict = compare(few, runs, "P@10").verdict()
    assert (verdict.outcome, judged_guard(verdict).stops) == ("undecided", False)
    assert judged_guard(verdict).message.endswith("nothing is decided that they could turn")


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "P@10", "RBP(p=0.8)", "ERR@10", "R@10"])
def test_values_at_a_rate(measure: str) -> None:
    """At no rate they are those that were measured, at any they rise; of P@10, by rate · unjudged/10."""
    judgments, runs = pooled(6)
    result = evaluate(judgments, runs, [measure, "P@10"])
    goal = result.measures[0]
    documents = unjudged_documents(result, goal, result.systems, 10)
    assert documents is not None
    values = [[np.mean(list(side.values())) for side in documents.values(rate)] for rate in (0.0, 0.5, 1.0)]
    assert values[0] == pytest.approx([result.mean(goal, system) for system in result.systems])
    assert values[0][0] < values[1][0] < values[2][0]
    if measure == "P@10":
        assert values[2] == pytest.approx([0.2 + 0.4, 0.5])
        assert values[1][0] == pytest.approx(0.2 + 0.4 / 2, abs=0.02)


def test_a_measure_of_more_than_grades_is_not_guessed() -> None:
    judgments, runs = pooled(6)
    result = evaluate(judgments, runs, ["bpref", "P@10"])
    bpref = result.measures[0]
    assert unjudged_documents(result, bpref, result.systems, 10) is None


def test_rates_in_commands_and_gates(idealist: Any, shop: Path, tmp_path: Path) -> None:
    asked = ("compare", shop / "shop.qrels", shop / "a.run", shop / "b.run", "-m", "nDCG@10", "--gate")
    assert idealist(*asked).returncode == 3
    assert idealist(*asked, "--unjudged-rate", "0.3").returncode == 0
    wrong = idealist(*asked, "--unjudged-rate", "3")
    assert wrong.returncode == 2
    assert "the rate of relevant documents among unjudged ones" in wrong.stderr
    gate = (
        f'judgments = "{shop}/shop.qrels"\nbaseline = "{shop}/a.run"\ncandidate = "{shop}/b.run"\n[guards]\n'
    )
    for rate, code in (("0.3", 0), ("2", 2)):
        (tmp_path / "gate.toml").write_text(f"{gate}unjudged_rate = {rate}\n")
        assert idealist("gate", tmp_path / "gate.toml").returncode == code
    with pytest.raises(InputError, match="the rate of relevant documents among unjudged ones"):
        compare(shop / "shop.qrels", [shop / "a.run", shop / "b.run"], "RR").verdict(unjudged_rate=-0.1)


def test_numbers_of_further_queries_leave_the_guard_as_it_is() -> None:
    """30 queries are judged, latencies are known of 60: what is not judged may turn the verdict as before."""
    judged = {query: {"a": 1, "b": 0} for query in QUERIES[:30]}
    runs = {
        "old": {query: ranked("x", "y", "a") for query in QUERIES[:60]},  # x and y are not judged
        "new": {query: ranked("a", "b") for query in QUERIES[:60]},
    }
    waits = {
        "query": QUERIES[:60] * 2,
        "system": ["old"] * 60 + ["new"] * 60,
        "latency_ms": [float(100 + at) for at in range(60)] * 2,
    }
    alone = compare(judged, runs, "P@2").verdict()
    beside = compare(judged, runs, ["P@2", "latency_ms"], numbers=waits).verdict()
    assert judged_guard(alone).answer == "failed"
    assert judged_guard(beside) == judged_guard(alone)
    assert (beside.outcome, beside.value, beside.interval) == (alone.outcome, alone.value, alone.interval)
    copied = {"old": runs["old"], "new": runs["old"]}
    same = compare(judged, copied, ["P@2", "latency_ms"], numbers=waits).verdict()
    assert same.line == "UNCHANGED: the lists of all 30 queries are the same down to rank 2"
