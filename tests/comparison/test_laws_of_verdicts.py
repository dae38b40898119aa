"""Laws that hold for every verdict, whichever way it is asked for.

1. Information that says nothing changes nothing.
2. Noise ships nothing.
3. What does not differ is not undecided.
4. Better is never punished.
5. "Cannot tell" is not "passed".
6. What is planned is what decides.
7. The interval and the p-value beside it come from one method.
8. Exchange the two systems, and everything is mirrored.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idealist as il
from idealist import compare, evaluate
from idealist.cli.gate_file import read_gate
from idealist.cli.gate_running import decide_gate
from idealist.comparison import compare_evaluations
from idealist.comparison.verdict import Verdict
from idealist.integrations import pytest as plugin
from idealist.votes import gsb, gsb_from

Rows = dict[str, dict[str, float]]
# What a door is given: a folder for files, the baseline, the candidate, judgments, and the segment of every query.
Door = Callable[[Path, Rows, Rows, Rows, "dict[str, str] | None"], Verdict]


def by_compare(_: Path, old: Rows, new: Rows, judged: Rows, segments: Any = None) -> Verdict:
    return compare(judged, {"old": old, "new": new}, "RR@5", segments=segments).verdict()


def by_gate(folder: Path, old: Rows, new: Rows, judged: Rows, segments: Any = None) -> Verdict:
    for name, run in (("old", old), ("new", new)):
        rows = [
            f"{query} Q0 {document} 1 {score} {name}"
            for query in run
            for document, score in run[query].items()
        ]
        (folder / f"{name}.run").write_text("\n".join(rows) + "\n")
    rows = [f"{query} 0 {document} {grade}" for query in judged for document, grade in judged[query].items()]
    (folder / "judged.qrels").write_text("\n".join(rows) + "\n")
    gate = 'judgments = "judged.qrels"\nbaseline = "old.run"\ncandidate = "new.run"\nmeasure = "RR@5"\n'
    if segments is not None:
        lines = ["query,kind", *(f"{query},{kind}" for query, kind in segments.items())]
        (folder / "queries.csv").write_text("\n".join(lines) + "\n")
        gate += 'segments = "queries.csv"\nsegment_by = "kind"\n'
    (folder / "gate.toml").write_text(gate)
    return decide_gate(read_gate(str(folder / "gate.toml")), 1).verdict


def by_report(_: Path, old: Rows, new: Rows, judged: Rows, segments: Any = None) -> Verdict:
    page = il.report(judged, {"old": old, "new": new}, "RR@5", segments=segments, rounds=10)
    return page.verdicts["new"]


def by_plugin(_: Path, old: Rows, new: Rows, judged: Rows, segments: Any = None) -> Verdict:
    """The verdict, also of a test that fails: its message begins with it."""
    try:
        return plugin.assert_not_worse(judged, new, old, "RR@5", segments=segments)
    except AssertionError as error:
        verdict = by_compare(Path(), old, new, judged, segments)
        assert verdict.outcome in ("block", "undecided")
        assert verdict.line.split(":")[0] in str(error)
        return verdict


def by_workbench(_: Path, old: Rows, new: Rows, judged: Rows, segments: Any = None) -> Verdict:
    pairing = pytest.importorskip("idealist.web.comparing.pairing", reason="needs the extra web")
    found = pairing.verdict_of(compare(judged, {"old": old, "new": new}, "RR@5", segments=segments), "")
    assert isinstance(found, Verdict)
    return found


def by_saved(folder: Path, old: Rows, new: Rows, judged: Rows, segments: Any = None) -> Verdict:
    """Evaluations that were written, and are read again."""
    paths = [folder / "old.json", folder / "new.json"]
    for path, run in zip(paths, (old, new), strict=True):
        path.write_text(evaluate(judged, {path.stem: run}, "RR@5").to_json())
    saved = [il.evaluation.read_evaluation(path) for path in paths]
    return compare_evaluations(saved, segments=segments).verdict()


def by_votes(_: Path, old: Rows, new: Rows, judged: Rows, segments: Any = None) -> Verdict:
    return gsb_from(evaluate(judged, {"old": old, "new": new}, "RR@5"), "RR@5", segments=segments).verdict


DOORS: dict[str, Door] = {
    "compare": by_compare,
    "gate": by_gate,
    "report": by_report,
    "pytest": by_plugin,
    "workbench": by_workbench,
    "saved": by_saved,
}
every_door = pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
with_votes = pytest.mark.parametrize("door", [*DOORS.values(), by_votes], ids=[*DOORS, "votes"])


def queries(n: int) -> list[str]:
    return [f"q{at:04d}" for at in range(n)]


def judgments(n: int) -> Rows:
    """The relevant document of every query, and five that are not."""
    return {query: {"a": 1.0} | {f"x{at}": 0.0 for at in range(1, 6)} for query in queries(n)}


def run_of(ranks: Any) -> Rows:
    """The relevant document at these ranks, from 1; 6: not at all."""
    return {
        query: {("a" if at == rank else f"x{at}"): float(-at) for at in range(1, 6)}
        for query, rank in zip(queries(len(ranks)), ranks, strict=True)
    }


def numbers(verdict: Verdict) -> tuple[Any, ...]:
    return verdict.outcome, verdict.value, verdict.interval


@every_door
def test_1_a_segment_column_that_says_nothing_changes_nothing(door: Door, tmp_path: Path) -> None:
    judged, old, new = judgments(60), run_of([2] * 60), run_of([1] * 50 + [3] * 10)
    one = dict.fromkeys(judged, "all")
    assert numbers(door(tmp_path, old, new, judged, one)) == numbers(door(tmp_path, old, new, judged, None))


def test_1_an_empty_segment_column_changes_nothing() -> None:
    judged = judgments(60)
    runs = {"old": run_of([2] * 60), "new": run_of([1] * 50 + [3] * 10)}
    empty = {"query": list(judged), "segment": [""] * len(judged)}
    compared = compare(judged, runs, "RR@5", segments=empty)
    assert numbers(compared.verdict()) == numbers(compare(judged, runs, "RR@5").verdict())
    assert "no query has a segment: the column is empty" in compared.notes


def test_1_a_guard_that_cannot_be_computed_changes_nothing() -> None:
    judged = {query: {"a": 1, "b": 0} for query in queries(60)}
    runs = {
        "old": {q: {"b": 2.0, "z": 1.0} for q in judged},
        "new": {q: {"a": 2.0, "b": 1.0} for q in judged},
    }
    at_hand = evaluate(judged, runs, "P@2")
    elsewhere = compare_evaluations(at_hand.replaced(runs={})).verdict()
    assert [guard.answer for guard in elsewhere.guards if guard.name == "equally judged"] == ["cannot tell"]
    assert numbers(elsewhere) == numbers(compare_evaluations(at_hand).verdict(guards=()))


def test_1_a_machine_that_guesses_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    everything = judgments(80)
    human = {query: everything[query] for query in list(everything)[:20]}
    guessed = {
        query: {document: float(rng.integers(0, 2)) for document in row} for query, row in everything.items()
    }
    runs = {"old": run_of(rng.integers(1, 6, 80)), "new": run_of(rng.integers(1, 4, 80))}
    alone = compare(human, runs, "RR@5").verdict()
    assert numbers(compare(human, runs, "RR@5", machine=guessed).verdict()) == numbers(alone)


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 100])
def test_2_noise_ships_nothing(n: int) -> None:
    """Two systems with values of one distribution: at most 5.5 % are better, and two standard errors."""
    rng, samples, better = np.random.default_rng(2), 150, 0
    judged = judgments(n)
    for _ in range(samples):
        old, new = (run_of(rng.integers(1, 7, n)) for _ in range(2))
        verdict = compare(judged, {"old": old, "new": new}, "RR@5", tests=()).verdict(guards=())
        better += verdict.reason == "better"
    assert better / samples <= 0.055 + 2 * (0.055 * 0.945 / samples) ** 0.5


@with_votes
def test_3_what_does_not_differ_is_unchanged(door: Door, tmp_path: Path) -> None:
    old = run_of([1, 2, 3, 6] * 3)
    verdict = door(tmp_path, old, {query: dict(row) for query, row in old.items()}, judgments(12), None)
    assert (verdict.outcome, verdict.exit_code) == ("unchanged", 0)
    assert verdict.line.startswith("UNCHANGED: the lists of all ")


@with_votes
def test_3_what_differs_is_not_unchanged(door: Door, tmp_path: Path) -> None:
    """Other documents at the end of every list, and no value differs."""
    old = run_of([1, 2, 3, 4] * 3)
    other = {
        query: {("z" if document == "x5" else document): score for document, score in row.items()}
        for query, row in old.items()
    }
    assert door(tmp_path, old, other, judgments(12), None).outcome != "unchanged"


@every_door
def test_4_better_is_never_punished(door: Door, tmp_path: Path) -> None:
    """Held-out items alone are judged: the more of them a system finds, the more of its documents are judged."""
    n, outcomes = 200, []
    held_out: Rows = {query: {"a": 1} for query in queries(n)}
    old = run_of([2] * 80 + [6] * 120)
    for gained in (20, 60, 120):
        new = run_of([2] * 80 + [1] * gained + [6] * (120 - gained))
        outcomes.append(door(tmp_path, old, new, held_out, None).outcome)
    assert outcomes == ["ship"] * 3


@every_door
def test_5_a_collapsed_segment_is_not_passed(door: Door, tmp_path: Path) -> None:
    """300 queries; all three of vip fall from 1 to 0, the others gain 1/2."""
    judged = judgments(300)
    segments = {query: "vip" if at < 3 else "rest" for at, query in enumerate(judged)}
    old, new = run_of([1] * 3 + [2] * 297), run_of([6] * 3 + [1] * 297)
    verdict = door(tmp_path, old, new, judged, segments)
    assert verdict.outcome == "undecided"
    (guard,) = (guard for guard in verdict.guards if guard.name == "segments")
    assert (guard.answer, guard.stops) == ("cannot tell", True)
    assert guard.message.startswith("vip lost in each of its 3 queries")


def test_5_a_collapsed_segment_of_votes_is_not_passed() -> None:
    votes = [
        {"query": f"q{at}", "vote": "bad" if at < 3 else "good", "segment": "vip" if at < 3 else "rest"}
        for at in range(300)
    ]
    verdict = gsb(votes).verdict
    assert verdict.outcome == "undecided"
    (guard,) = (guard for guard in verdict.guards if guard.name == "segments")
    assert (guard.answer, guard.stops) == ("cannot tell", True)


@every_door
def test_5_ruined_queries_are_not_passed(door: Door, tmp_path: Path) -> None:
    judged = judgments(200)
    old, new = run_of([1] * 20 + [2] * 180), run_of([6] * 20 + [1] * 180)
    verdict = door(tmp_path, old, new, judged, None)
    assert (verdict.outcome, verdict.reason) == ("undecided", "better, but large losses failed")


def test_6_what_is_needed_is_said_for_the_rule_that_decides() -> None:
    rng = np.random.default_rng(6)
    verdict = compare(
        judgments(40), {"old": run_of(rng.integers(1, 6, 40)), "new": run_of(rng.integers(1, 5, 40))}, "RR@5"
    ).verdict()
    assert verdict.outcome == "undecided"
    assert verdict.needed is not None
    assert "more queries would decide with 80 % power" in verdict.line


def test_7_interval_and_p_value_agree() -> None:
    rng = np.random.default_rng(7)
    for n in (5, 12, 40):
        for _ in range(25):
            runs = {"old": run_of(rng.integers(1, 6, n)), "new": run_of(rng.integers(1, 5, n))}
            contrast = compare(judgments(n), runs, "RR@5", tests=())["new", "RR@5"]
            assert contrast.interval is not None
            assert contrast.p_value is not None
            assert (contrast.p_value < 0.05) == (0 not in contrast.interval)


@every_door
def test_8_exchange_mirrors_everything(door: Door, tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    for n in (10, 60):
        judged, old, new = judgments(n), run_of(rng.integers(2, 6, n)), run_of(rng.integers(1, 4, n))
        one, other = door(tmp_path, old, new, judged, None), door(tmp_path, new, old, judged, None)
        assert one.interval is not None
        assert other.interval is not None
        assert one.value == pytest.approx(-other.value)
        assert tuple(one.interval) == pytest.approx((-other.interval.high, -other.interval.low), abs=1e-4)
        assert (one.reason == "better") == (other.reason == "worse")


def test_8_votes_are_mirrored() -> None:
    for good, same, bad in ((30, 5, 10), (8, 40, 2), (12, 0, 12)):
        one, other = (gsb(good=g, same=same, bad=b) for g, b in ((good, bad), (bad, good)))
        assert one.interval is not None
        assert other.interval is not None
        assert tuple(one.interval) == pytest.approx((-other.interval.high, -other.interval.low), abs=1e-6)
        assert one.p_value == pytest.approx(other.p_value)


def test_laws_are_numbered() -> None:
    numbered = sorted(
        {int(name.split("_")[1]) for name in globals() if name.startswith("test_") and name[5].isdigit()}
    )
    assert all(after - before == 1 for before, after in pairwise(numbered))
    assert numbered == list(range(1, 9))
