"""Values by people and a machine together: which queries count where, calibration, and what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from pytest import approx

import idealist as il
from idealist.evaluation.machine_values import calibrations, fitted_grades

# A document each; the machine judges q0 … q29, people q0 … q9. The run has it at rank 1, 2, 3 or 4.
QUERIES = [f"q{i}" for i in range(30)]
HUMAN = {query: {"a": 1} for query in QUERIES[:10]}
MACHINE = {query: {"a": 1 if i % 3 else 0, "b": 1 - (1 if i % 3 else 0)} for i, query in enumerate(QUERIES)}
RUN = {q: {"a": 4.5 - i % 4, "b": 4.0, "c": 3.0, "d": 2.0} for i, q in enumerate(QUERIES)}


def test_values_stay_those_of_people() -> None:
    plain, both = il.evaluate(HUMAN, RUN, "RR"), il.evaluate(HUMAN, RUN, "RR", machine=MACHINE)
    assert both.by_query("RR") == plain.by_query("RR")
    assert plain.machine is None
    assert both.machine is not None
    corrected = both.corrected()["run", "RR"]
    assert corrected.human == plain.mean("RR")
    assert (corrected.n, corrected.unlabelled) == (10, 20)
    assert corrected.machine == approx(il.evaluate(MACHINE, RUN, "RR").mean("RR"))


def test_means_of_a_machine_that_agrees_are_those_of_all_queries() -> None:
    truth = {query: {"a": 1} for query in QUERIES}
    result = il.evaluate(HUMAN, RUN, "RR", machine=truth).corrected()
    assert result["run", "RR"].value == approx(il.evaluate(truth, RUN, "RR").mean("RR"), abs=0.01)
    assert "RR" in str(result)
    assert result.to_frame().height == 1
    assert repr(result) == "<CorrectedMeans: 1 corrected mean>"


def test_weights_go_with_queries_of_both_kinds() -> None:
    weights = dict.fromkeys(QUERIES, 2.0)
    weighted = il.evaluate(HUMAN, RUN, "RR", machine=MACHINE, weights=weights).corrected()["run", "RR"]
    plain = il.evaluate(HUMAN, RUN, "RR", machine=MACHINE).corrected()["run", "RR"]
    assert weighted.value == approx(plain.value)
    assert weighted.machine == approx(plain.machine)


def test_an_evaluation_with_a_machine_can_be_sent_to_other_processes() -> None:
    result = il.evaluate(HUMAN, RUN, "RR", machine=MACHINE)
    copied = pickle.loads(pickle.dumps(result))
    assert copied.corrected()["run", "RR"] == result.corrected()["run", "RR"]


def test_counts_have_no_corrected_mean() -> None:
    corrected = il.evaluate(HUMAN, RUN, ["RR", "NumRet"], machine=MACHINE).corrected()
    assert [str(measure) for _, measure in corrected] == ["RR"]
    with pytest.raises(il.InputError, match="no corrected mean of NumRet"):
        corrected["run", "NumRet"]


def test_notes_on_what_is_missing() -> None:
    notes = il.evaluate(HUMAN, RUN, "RR", machine={q: {"a": 1} for q in QUERIES[:8]}).notes
    assert any("2 queries that people judged have no machine judgment" in note for note in notes)
    assert any("adds nothing" in note or "add nothing" in note for note in notes)
    partly = il.evaluate(HUMAN, RUN, "RR", machine=MACHINE).notes
    assert any("people judged 50 % of the machine's 20 documents" in note for note in partly)


def test_no_shared_pair_is_an_error() -> None:
    with pytest.raises(il.InputError, match="no pair of query and document in common") as refused:
        il.evaluate(HUMAN, RUN, "RR", machine={"topic-1": {"a": 1}})
    assert "same ids" in str(refused.value)
    with pytest.raises(il.InputError, match="no pair"):
        il.evaluate(HUMAN, RUN, "RR", machine={"q0": {"z": 1}})


def test_calibrating_takes_a_machine_and_two_queries() -> None:
    with pytest.raises(il.InputError, match="there are none"):
        il.evaluate(HUMAN, RUN, "RR", calibrate="table")
    with pytest.raises(il.InputError, match="needs two queries"):
        il.evaluate({"q0": {"a": 1}}, RUN, "RR", machine=MACHINE, calibrate="table")
    with pytest.raises(il.InputError, match="isotonic"):
        il.evaluate(HUMAN, RUN, "RR", machine=MACHINE, calibrate="magic")


def test_grades_of_a_query_are_calibrated_by_others() -> None:
    """Only q4's people think that the machine's 2 is a 0: no fit that is used for q4 knows that."""
    human = il.Judgments({f"q{i}": {"a": 3 if i != 4 else 0} for i in range(10)})
    machine = il.Judgments({f"q{i}": {"a": 2} for i in range(12)})
    fits = calibrations(human, machine, "table")
    assert sorted(query for fit in fits for query in fit.queries) == sorted(human)
    for fit in fits:
        expected = 3.0 if "q4" in fit.queries else 21 / 8  # seven times 3 and once 0
        assert fit.grades == {2.0: expected}
        assert fit.applied(machine)["q11"] == {"a": expected}


def test_a_grade_that_was_not_seen_has_the_nearest() -> None:
    human, machine = (
        il.Judgments({"q1": {"a": 1}, "q2": {"a": 2}}),
        il.Judgments({"q1": {"a": 1}, "q2": {"a": 1}}),
    )
    fit = calibrations(human, machine, "isotonic")[0]
    assert fit.applied(il.Judgments({"q": {"x": 3, "y": 0}}))["q"] == {"x": 2.0, "y": 2.0}


def test_isotonic_pools_what_falls() -> None:
    assert fitted_grades([(0, 1), (1, 0), (2, 3)], "isotonic") == {0: 0.5, 1: 0.5, 2: 3}


def test_calibrated_values_are_measured(shop: Path) -> None:
    how = {"machine": shop / "machine.qrels", "calibrate": "isotonic"}
    result = il.evaluate(shop / "people.qrels", [shop / "a.run", shop / "b.run"], "nDCG@5", **how)  # type: ignore[arg-type]
    estimate = result.corrected()["a", "nDCG@5"]
    assert (estimate.n, estimate.unlabelled) == (20, 20)
    assert estimate.interval is not None
    assert estimate.value in estimate.interval


def test_corrected_means_and_differences_have_the_same_fields() -> None:
    runs = {
        "a": RUN,
        "b": {query: dict(reversed(list(documents.items()))) for query, documents in RUN.items()},
    }
    compared = il.compare(HUMAN, runs, "RR", machine=MACHINE)
    mean, contrast = compared.evaluation.corrected()["a", "RR"], compared["b", "RR"].corrected
    assert contrast is not None
    assert type(mean) is type(contrast)
    assert set(mean.to_dict()) == set(contrast.to_dict())
