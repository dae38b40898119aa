"""Differences by people and a machine together: what verdicts go by, and whom the machine favours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytest import approx

import idealist as il


def made_up(favour: float) -> tuple[dict, dict, dict]:  # type: ignore[type-arg]
    """Two systems that people find alike but for noise; the machine follows people and favours b."""
    rng = np.random.default_rng(0)
    queries = [f"q{i:03}" for i in range(120)]
    runs: dict[str, dict[str, dict[str, float]]] = {"a": {}, "b": {}}
    human: dict[str, dict[str, int]] = {}
    machine: dict[str, dict[str, int]] = {}
    for query in queries:
        first, second = (int(x) for x in rng.integers(0, 4, 2))
        human[query] = {"x": first, "y": second, "z": 1}
        machine[query] = {**human[query], "y": 3 if rng.random() < favour else second}
        runs["a"][query] = {"x": 3.0, "z": 2.0, "y": 1.0}
        runs["b"][query] = {"y": 3.0, "z": 2.0, "x": 1.0}
    return runs, {query: human[query] for query in queries[:30]}, machine


def test_a_biased_machine_is_named_and_corrected() -> None:
    runs, human, machine = made_up(0.6)
    comparison = il.compare(human, runs, "nDCG@3", machine=machine)
    corrected = comparison["b", "nDCG@3"].corrected
    assert corrected is not None
    assert corrected.bias_interval is not None
    assert corrected.machine_interval is not None
    assert corrected.interval is not None
    assert corrected.machine_interval.low > 0  # by the machine alone, b is better
    assert 0 in corrected.interval
    assert corrected.bias_interval.low > 0
    assert any("the machine favours b over a by" in note for note in comparison.notes)


def test_the_verdict_goes_by_the_corrected_difference() -> None:
    runs, human, machine = made_up(0.0)
    contrast = il.compare(human, runs, "nDCG@3", machine=machine)["b", "nDCG@3"]
    verdict = il.compare(human, runs, "nDCG@3", machine=machine).verdict(margin=0.5)
    assert contrast.corrected is not None
    assert verdict.value == contrast.corrected.value != contrast.difference
    assert verdict.interval == contrast.corrected.interval
    assert verdict.method == "prediction-powered inference"
    assert not any("favours" in note for note in il.compare(human, runs, "nDCG@3", machine=machine).notes)


def test_contrasts_without_a_machine_have_no_correction() -> None:
    runs, human, _ = made_up(0.0)
    comparison = il.compare(human, runs, "nDCG@3")
    assert comparison["b", "nDCG@3"].corrected is None
    assert "corrected" not in str(comparison)
    assert "corrected" not in comparison["b", "nDCG@3"].to_dict()


def test_both_signs_of_a_measure_that_is_better_when_lower() -> None:
    runs, human, machine = made_up(0.0)
    comparison = il.compare(human, runs, ["RankingLoss"], machine=machine)
    contrast = comparison["b", "RankingLoss"]
    assert contrast.corrected is not None
    gain, interval, _ = contrast.decisive
    assert gain == approx(-contrast.corrected.value)
    assert interval is not None
    assert gain in interval


def test_the_command_prints_and_writes_all_forms(idealist, shop: Path) -> None:  # type: ignore[no-untyped-def]
    inputs = ("compare", shop / "people.qrels", shop / "a.run", shop / "b.run", "-m", "P@5")
    table = idealist(*inputs, "--machine", shop / "machine.qrels")
    assert table.returncode == 0, table.stderr
    assert "corrected: prediction-powered" in table.stdout
    assert "1 more human query" in table.stdout
    for form in ("markdown", "latex", "html", "csv", "json"):
        done = idealist(*inputs, "--machine", shop / "machine.qrels", "--format", form)
        assert done.returncode == 0, done.stderr
    assert '"corrected": {"value":' in done.stdout
    refused = idealist(*inputs, "--calibrate", "table")
    assert refused.returncode == 2
    assert "--machine FILE" in refused.stderr


@pytest.mark.parametrize("form", ["table", "csv", "json", "jsonl", "html"])
def test_evaluate_has_corrected_means_in_every_form(idealist, shop: Path, form: str) -> None:  # type: ignore[no-untyped-def]
    done = idealist(
        *("evaluate", shop / "people.qrels", shop / "a.run", "-m", "AP", "--machine", shop / "machine.qrels"),
        *("--format", form),
    )
    assert done.returncode == 0, done.stderr
    assert "bias_low" in done.stdout if form == "csv" else "corrected" in done.stdout


def test_a_gate_goes_by_both_kinds_of_judgments(idealist, shop: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    keys = {
        "judgments": str(shop / "people.qrels"),
        "baseline": str(shop / "a.run"),
        "candidate": str(shop / "b.run"),
        "machine": str(shop / "machine.qrels"),
        "measure": "P@5",
    }
    gate = tmp_path / "gate.toml"
    gate.write_text("".join(f'{key} = "{value}"\n' for key, value in keys.items()), encoding="utf-8")
    done = idealist("gate", gate)
    assert done.returncode in (0, 3), done.stderr
    assert "prediction-powered inference" in done.stdout
    gate.write_text(gate.read_text(encoding="utf-8") + 'calibrate = "magic"\n', encoding="utf-8")
    refused = idealist("gate", gate)
    assert refused.returncode == 2
    assert "isotonic" in refused.stderr


def test_a_report_has_the_corrected_differences(shop: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    inputs = [shop / "a.run", shop / "b.run"]
    page = il.report(shop / "people.qrels", inputs, ["nDCG@5"], machine=shop / "machine.qrels")
    assert page.comparison is not None
    assert page.comparison["b", "nDCG@5"].corrected is not None
    assert "corrected: prediction-powered" in page.html
    drawn = il.data.DrawnJudgments(
        {
            q: {d: (g, 0.5) for d, g in its.items()}
            for q, its in il.read_judgments(shop / "people.qrels").items()
        }
    )
    assert "drawn documents" in il.report(drawn, inputs, ["DCG@5"], machine=shop / "machine.qrels").html


def test_measures_of_richer_judgments_are_refused(shop: Path) -> None:
    with pytest.raises(il.InputError, match="a machine's judgments have one grade a document"):
        il.evaluate(shop / "subtopics.qrels", shop / "a.run", "alpha_nDCG@5", machine=shop / "machine.qrels")


def test_a_pooled_measure_names_what_to_compare_by() -> None:
    runs, human, _ = made_up(0.0)
    for pooled, instead in (("nAUC(of=RR)", "RR"), ("GAUC", "AUC")):
        with pytest.raises(il.InputError, match="no mean difference that could be tested") as refused:
            il.compare(human, runs, pooled)
        assert refused.value.hint is not None
        assert f"compare by {instead}, which has one" in refused.value.hint
    notes = il.compare(human, runs, ["RR", "GAUC"]).notes
    assert any("GAUC has no mean over queries: it is not compared, AUC can be" in note for note in notes)
