"""What a machine's judgments said is kept: in files, over several evaluations, and by segment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest import approx

import idealist as il

QUERIES = [f"q{i:02}" for i in range(40)]
SEGMENTS = {query: "even" if int(query[1:]) % 2 == 0 else "odd" for query in QUERIES}


def task() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    rng = np.random.default_rng(5)
    human = {q: {f"d{j}": int(rng.integers(0, 3)) for j in range(8)} for q in QUERIES}
    machine = {
        q: {d: min(2, g + int(rng.random() < 0.2)) for d, g in its.items()} for q, its in human.items()
    }
    runs = {
        name: {q: {d: g + noise * float(rng.normal()) for d, g in its.items()} for q, its in human.items()}
        for name, noise in (("good", 0.5), ("bad", 3.0))
    }
    return runs, {q: human[q] for q in QUERIES[:20]}, machine


def drawn(human: dict[str, Any]) -> il.data.DrawnJudgments:
    return il.data.DrawnJudgments({q: {d: (its[d], 0.5) for d in list(its)[::2]} for q, its in human.items()})


@pytest.mark.parametrize("design", ["queries", "documents"])
@pytest.mark.parametrize("calibrate", [None, "table"])
def test_a_saved_evaluation_has_the_machine(tmp_path: Path, design: str, calibrate: str | None) -> None:
    runs, human, machine = task()
    judged = human if design == "queries" else drawn(human)
    result = il.evaluate(judged, runs, ["DCG@5", "P@3"], machine=machine, calibrate=calibrate)
    path = tmp_path / "saved.json"
    path.write_text(result.to_json(), encoding="utf-8")
    again = il.evaluation.read_evaluation(path)
    for system in runs:
        for measure in ("DCG@5", "P@3"):
            assert again.corrected()[system, measure] == result.corrected()[system, measure]


def test_evaluations_of_two_days_are_compared_by_the_same_machine() -> None:
    runs, human, machine = task()
    both = il.compare(human, runs, "nDCG@5", machine=machine)["bad", "nDCG@5"].corrected
    days = [il.evaluate(human, {name: run}, "nDCG@5", machine=machine) for name, run in runs.items()]
    assert il.comparison.compare_evaluations(days)["bad", "nDCG@5"].corrected == both
    fewer = il.evaluate(human, {"bad": runs["bad"]}, "nDCG@5", machine={q: machine[q] for q in QUERIES[:30]})
    different = il.comparison.compare_evaluations([days[0], fewer])
    assert different["bad", "nDCG@5"].corrected is None
    assert any("different machine judgments" in note for note in different.notes + different.evaluation.notes)


@pytest.mark.parametrize("design", ["queries", "documents"])
def test_segments_are_corrected_by_their_own_queries(design: str) -> None:
    """A segment's corrected mean is that of an evaluation of its queries alone, where grades are not calibrated."""
    runs, human, machine = task()
    judged = human if design == "queries" else drawn(human)
    result = il.evaluate(judged, {"good": runs["good"]}, "DCG@5", machine=machine)
    parts = il.comparison.segments(result, "DCG@5", SEGMENTS)
    assert set(parts.corrected) == {"even", "odd"}
    if design == "queries":
        even = {q: human[q] for q in human if SEGMENTS[q] == "even"}
        of_even = {q: machine[q] for q in machine if SEGMENTS[q] == "even"}
        alone = il.evaluate(even, {"good": runs["good"]}, "DCG@5", machine=of_even)
        assert parts.corrected["even"] == alone.corrected()["good", "DCG@5"]
    else:
        values = result.by_query("DCG@5")
        of_segment = [value for query, value in values.items() if SEGMENTS[query] == "even"]
        assert parts.corrected["even"].value == approx(float(np.mean(of_segment)))
    assert "corrected" in str(parts)


def test_p_values_of_corrected_differences_are_adjusted_for_all_of_them() -> None:
    """Two measures and two segments: six tests; Holm multiplies the smallest p by six."""
    runs, human, machine = task()
    comparison = il.compare(human, runs, ["nDCG@5", "P@3"], machine=machine, segments=SEGMENTS)
    contrasts = [*comparison, *(contrast for part in comparison.segments().values() for contrast in part)]
    corrected = [contrast.corrected for contrast in contrasts]
    p_values = [estimate.p_value for estimate in corrected if estimate is not None]
    adjusted = [estimate.p_adjusted for estimate in corrected if estimate is not None]
    assert len(p_values) == 6
    assert adjusted == approx(il.statistics.adjust(p_values, "holm"))
    assert min(adjusted) == approx(6 * min(p_values))
    shown = comparison.to_text(show_all=True)
    assert "all queries" in shown
    assert "p (Holm): adjusted for all of them" in shown
    again = comparison.segments(SEGMENTS)["even"][0].corrected
    assert again == comparison.segments()["even"][0].corrected


def test_the_commands_correct_segments(idealist: Any, shop: Path, tmp_path: Path) -> None:
    machine = il.read_judgments(shop / "machine.qrels")
    table = tmp_path / "segments.csv"
    rows = [f"{query},{'long' if query.count('-') > 1 else 'short'}" for query in machine]
    table.write_text("\n".join(["query,segment", *rows]), encoding="utf-8")
    inputs = (shop / "people.qrels", shop / "a.run", shop / "b.run", "-m", "nDCG@5", "--machine")
    done = idealist("compare", *inputs, shop / "machine.qrels", "--segments", table)
    assert done.returncode == 0, done.stderr
    assert "all queries" in done.stdout
    csv = idealist("compare", *inputs, shop / "machine.qrels", "--segments", table, "--format", "csv")
    assert "corrected_p_adjusted" in csv.stdout
    means = idealist(
        "evaluate", *inputs, shop / "machine.qrels", "--profiles", table, "--segment-by", "segment"
    )
    assert means.returncode == 0, means.stderr
    assert "corrected" in means.stdout.partition("segment")[2]
