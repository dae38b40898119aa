"""Values from drawn documents: unbiased over all samples, whatever the machine says; and what is refused."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from pytest import approx

import idealist as il
from idealist.evaluation.drawn_values import document_sum

HUMAN = {"q1": {"a": 3, "b": 0, "c": 1, "d": 2}, "q2": {"a": 0, "b": 2, "c": 0, "d": 1}}
MACHINE = {"q1": {"a": 1, "b": 3, "c": 1, "d": 2}, "q2": {"a": 2, "b": 2, "c": 3, "d": 0}}
RUN = {query: {"b": 4.0, "a": 3.0, "d": 2.0, "c": 1.0} for query in HUMAN}


@pytest.mark.parametrize("measure", ["DCG@3", "DCG(gain=exp)@2", "CG@2", "P@2", "Hits@3"])
def test_sums_are_right_in_the_mean_over_all_samples(measure: str) -> None:
    """Two of four documents are drawn of either query: the mean over all 36 samples is the value by all judgments."""
    pairs = list(combinations("abcd", 2))
    means, alone = [], []
    for first in pairs:
        for second in pairs:
            chosen = {"q1": first, "q2": second}
            drawn = {q: {d: (HUMAN[q][d], 0.5) for d in documents} for q, documents in chosen.items()}
            result = il.evaluate(il.data.DrawnJudgments(drawn), RUN, measure, machine=MACHINE)
            means.append(result.mean(measure))
            alone.append(result.corrected()["run", measure].human)
    truth = il.evaluate(HUMAN, RUN, measure).mean(measure)
    assert np.mean(means) == approx(truth)
    assert np.mean(alone) == approx(truth)


@pytest.mark.parametrize("measure", ["DCG@3", "P@2", "nDCG@3", "R@2", "nDCG(gain=exp)", "Hits"])
def test_all_documents_drawn_give_the_value_itself(measure: str) -> None:
    drawn = {q: {d: (grade, 1.0) for d, grade in its.items()} for q, its in HUMAN.items()}
    result = il.evaluate(il.data.DrawnJudgments(drawn), RUN, measure, machine=MACHINE)
    assert result.by_query(measure) == approx(il.evaluate(HUMAN, RUN, measure).by_query(measure))
    assert result.corrected()["run", measure].machine == approx(
        il.evaluate(MACHINE, RUN, measure).mean(measure)
    )


def test_the_best_order_of_parts_of_documents() -> None:
    """2.5 documents of grade 1: 1 + 1/log2(3) + half of 1/2."""
    norms = document_sum(il.measures.parse("nDCG@5")).norms([0.0, 1.0], np.array([[7.0, 2.5]]))
    assert norms[0] == approx(1 + 1 / np.log2(3) + 0.25)
    assert document_sum(il.measures.parse("nDCG@1")).norms([1.0, 2.0], np.array([[3.0, 0.5]]))[0] == approx(
        1 + 0.5
    )
    assert document_sum(il.measures.parse("R@5")).norms([0.0, 1.0], np.array([[7.0, 2.5]]))[0] == approx(2.5)


def test_a_stratified_sample_has_the_probabilities_of_its_strata() -> None:
    sample = il.data.SampledJudgments(
        {"q": {"a": ("1", 2), "b": ("2", 1), "c": ("2", None), "d": ("2", None)}}
    )
    drawn = il.data.DrawnJudgments.from_sample(sample)
    assert drawn["q"] == {"a": (2.0, 1.0), "b": (1.0, approx(1 / 3))}
    machine = {"q": {"a": 1, "b": 1, "c": 0, "d": 0}}
    assert il.evaluate(sample, {"q": {"b": 1.0}}, "Hits@1", machine=machine).mean("Hits@1") == approx(3.0)


def test_comparisons_go_by_estimates() -> None:
    rng = np.random.default_rng(0)
    queries = [f"q{i:02}" for i in range(30)]
    human = {q: {f"d{j}": int(rng.integers(0, 3)) for j in range(12)} for q in queries}
    machine = {
        q: {d: min(2, g + int(rng.integers(0, 2))) for d, g in its.items()} for q, its in human.items()
    }
    runs = {
        "good": {q: {d: g + float(rng.normal()) for d, g in its.items()} for q, its in human.items()},
        "bad": {q: {d: float(rng.normal()) for d in its} for q, its in human.items()},
    }
    drawn = {q: {d: (its[d], 0.5) for d in list(its)[::2]} for q, its in human.items()}
    comparison = il.compare(il.data.DrawnJudgments(drawn), runs, "DCG@5", machine=machine)
    contrast = comparison["bad", "DCG@5"]
    assert contrast.corrected is not None
    assert contrast.corrected.unit == "judgment"
    assert contrast.corrected.value == approx(contrast.difference)
    assert comparison.verdict().outcome == "block"
    assert "drawn documents" in str(comparison)


def test_what_cannot_be_estimated() -> None:
    drawn = il.data.DrawnJudgments({"q1": {"a": (1, 0.5)}})
    with pytest.raises(il.InputError, match="AP is not a sum over documents"):
        il.evaluate(drawn, RUN, "AP", machine=MACHINE)
    with pytest.raises(il.InputError, match="machine judged none of the queries"):
        il.evaluate(drawn, RUN, "P@2", machine={"other": {"a": 1}})


@pytest.mark.parametrize("probability", [0, -0.5, 1.5, float("nan"), "often"])
def test_probabilities_are_above_0_and_at_most_1(probability: object) -> None:
    with pytest.raises(il.InputError, match="inclusion probability"):
        il.data.DrawnJudgments({"q": {"a": (1, probability)}})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("q1,a,1,1.5", "line 2: the inclusion probability of document 'a' is 1.5"),
        ("q1,a,,0.5", "line 2: document 'a' was drawn and has no grade"),
        ("q1,a,1,0.5\nq1,a,2,0.5", "line 3: document 'a' appears twice"),
    ],
)
def test_files_that_are_wrong_name_the_line(tmp_path: Path, rows: str, message: str) -> None:
    path = tmp_path / "drawn.csv"
    path.write_text(f"query,document,grade,inclusion_probability\n{rows}\n", encoding="utf-8")
    with pytest.raises(il.InputError, match=message):
        il.data.read_drawn(path)


def test_the_command_reads_probabilities(idealist: Command, shop: Path, tmp_path: Path) -> None:
    human = il.read_judgments(shop / "shop.qrels")
    rows = [f"{q},{d},{g:g},0.5" for q, its in human.items() for d, g in sorted(its.items())[::2]]
    path = tmp_path / "drawn.csv"
    path.write_text("\n".join(["query,document,grade,inclusion_probability", *rows]), encoding="utf-8")
    done = idealist(
        *("evaluate", path, shop / "a.run", "-m", "DCG@10", "--machine", shop / "machine.qrels"),
    )
    assert done.returncode == 0, done.stderr
    assert "drawn documents" in done.stdout
    assert "more human judgments" in done.stdout
