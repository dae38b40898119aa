"""What does not differ is not undecided: identical lists are unchanged."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

from idealist import Conventions, InputError, compare, evaluate
from idealist.comparison import compare_evaluations
from idealist.comparison.verdict import Verdict
from idealist.evaluation import read_evaluation
from idealist.integrations.pytest import assert_not_worse

QUERIES = [f"q{at:02d}" for at in range(40)]
JUDGED = {query: {"a": 1, "b": 0} for query in QUERIES}


def run_of(*documents: str, scale: float = 1.0) -> dict[str, dict[str, float]]:
    """The same list for every query, best first."""
    return {
        query: {document: -scale * rank for rank, document in enumerate(documents, 1)} for query in QUERIES
    }


OLD = run_of("b", "a", "x", "y")


def verdict_of(new: Any, measures: Any = "RR", old: Any = OLD, **settings: Any) -> Verdict:
    return compare(JUDGED, {"old": old, "new": new}, measures, **settings).verdict()


def test_a_copy_is_unchanged() -> None:
    verdict = verdict_of(run_of("b", "a", "x", "y"))
    assert (verdict.outcome, verdict.exit_code, verdict.guards) == ("unchanged", 0, ())
    assert verdict.line == "UNCHANGED: the lists of all 40 queries are the same"


def test_scores_do_not_matter() -> None:
    assert verdict_of(run_of("b", "a", "x", "y", scale=3.0)).outcome == "unchanged"


def test_lists_that_differ_with_equal_values_go_by_the_interval() -> None:
    other = OLD | dict.fromkeys(QUERIES[:12], run_of("b", "a", "y", "x")["q00"])
    verdict = verdict_of(other)
    assert verdict.outcome == "undecided"
    assert "in 0 of 40 queries a value differs, but in 12 the lists do" in verdict.remark


def test_lists_are_compared_down_to_where_the_measures_look() -> None:
    deeper = run_of("b", "a", "y", "x")
    verdict = verdict_of(deeper, "RR@2")
    assert verdict.reason == "the lists of all 40 queries are the same down to rank 2"
    assert verdict_of(deeper, ["RR@2", "P@3"]).outcome == "undecided"
    assert verdict_of(deeper, ["RR@2", "AP"]).outcome == "undecided"


def test_a_value_that_differs_is_a_change() -> None:
    better = OLD | {"q00": run_of("a", "b", "x", "y")["q00"]}
    verdict = verdict_of(better)
    assert verdict.outcome == "undecided"
    assert "lists" not in verdict.remark


@pytest.mark.parametrize(
    ("ties", "outcome"),
    [("id-descending", "unchanged"), ("input-order", "undecided"), ("averaged", "unchanged")],
)
def test_ties_stand_as_the_conventions_order_them(ties: str, outcome: str) -> None:
    """The same tied documents in another order of rows: another list only where that order counts."""
    tied = {query: {"b": 2.0, "x": 1.0, "y": 1.0} for query in QUERIES}
    turned = {query: {"b": 2.0, "y": 1.0, "x": 1.0} for query in QUERIES}
    assert verdict_of(turned, old=tied, conventions=Conventions(ties=ties)).outcome == outcome


def test_tied_sets_that_differ_are_other_lists() -> None:
    tied = {query: {"b": 2.0, "x": 1.0, "y": 1.0} for query in QUERIES}
    other = {query: {"b": 2.0, "x": 1.0, "z": 1.0} for query in QUERIES}
    verdict = verdict_of(other, old=tied, conventions=Conventions(ties="averaged"))
    assert "in 40 the lists do" in verdict.remark


def test_a_missing_query_is_an_empty_list() -> None:
    some = {query: OLD[query] for query in QUERIES[1:]}
    assert verdict_of(dict(some), old=some).outcome == "unchanged"


def test_a_margin_of_a_segment_is_no_floor() -> None:
    segment = {query: "a" if at < 3 else "b" for at, query in enumerate(QUERIES)}
    found = compare(JUDGED, {"old": OLD, "new": dict(OLD)}, "RR", segments=segment)
    assert found.verdict(guard_margins={"segments": "1%"}).outcome == "unchanged"
    with pytest.raises(InputError, match="no measure or segment 'vip' was compared"):
        found.verdict(guard_margins={"vip": "1%"})


def test_saved_evaluations_know_the_content_of_runs(tmp_path: Path) -> None:
    runs = {"same": dict(OLD), "other": run_of("b", "a", "y", "x")}
    outcomes = {}
    for name, run in {"old": OLD, **runs}.items():
        (tmp_path / f"{name}.json").write_text(evaluate(JUDGED, {name: run}, "RR").to_json())
    old = read_evaluation(tmp_path / "old.json")
    for name in runs:
        verdict = compare_evaluations([old, read_evaluation(tmp_path / f"{name}.json")]).verdict()
        outcomes[name] = verdict.outcome
    assert outcomes == {"same": "unchanged", "other": "undecided"}
    assert "in 0 of 40 queries a value differs; whether lists do is not known" in verdict.remark


def test_evaluations_of_this_process_and_of_another() -> None:
    old, new = (
        evaluate(JUDGED, {"old": OLD}, "RR"),
        evaluate(JUDGED, {"new": run_of("b", "a", "x", "y", scale=2)}, "RR"),
    )
    assert compare_evaluations([old, new]).verdict().outcome == "unchanged"
    assert assert_not_worse(run=new, baseline=old, measure="RR").outcome == "unchanged"
    sent = [pickle.loads(pickle.dumps(evaluation)) for evaluation in (old, new)]
    assert (
        "is not known" in compare_evaluations(sent).verdict().remark
    )  # scores differ, and the lists stayed behind


def test_a_file_that_changed_since_is_not_looked_at(tmp_path: Path) -> None:
    lines = [f"{query} Q0 {document} 1 {score}" for query in OLD for document, score in OLD[query].items()]
    for name in ("old", "new"):
        (tmp_path / f"{name}.run").write_text("".join(f"{line} {name}\n" for line in lines))
    found = compare(JUDGED, [tmp_path / "old.run", tmp_path / "new.run"], "RR")
    (tmp_path / "new.run").write_text("q00 Q0 z 1 1 new\n")
    assert "is not known" in found.verdict().remark


def test_a_machine_s_queries_have_lists_too() -> None:
    human = {query: JUDGED[query] for query in QUERIES[:30]}
    other = OLD | dict.fromkeys(QUERIES[35:], run_of("a", "b", "x", "y")["q00"])
    for new, outcome in ((dict(OLD), "unchanged"), (other, "undecided")):
        found = compare(human, {"old": OLD, "new": new}, "RR", machine=JUDGED)
        assert found["new", "RR"].wins == 0
        assert found.verdict().outcome == outcome


def test_a_floor_still_decides(idealist: Any, shop: Path, tmp_path: Path) -> None:
    for name in ("shop.qrels", "queries.csv", "a.run"):
        shutil.copy(shop / name, tmp_path)
    shutil.copy(shop / "a.run", tmp_path / "base.run")
    gate = 'judgments = "shop.qrels"\nbaseline = "base.run"\ncandidate = "a.run"\n'
    (tmp_path / "gate.toml").write_text(gate)
    done = idealist("gate", tmp_path / "gate.toml")
    assert done.returncode == 0
    assert "UNCHANGED: the lists of all 40 queries are the same down to rank 10\n" in done.stdout
    (tmp_path / "gate.toml").write_text(gate + "[guards]\njudged_floor = 0.9\n")
    done = idealist("gate", tmp_path / "gate.toml")
    assert done.returncode == 3
    assert (
        "UNDECIDED: the lists of all 40 queries are the same down to rank 10, but enough judged failed"
        in done.stdout
    )


def waits(by: float) -> dict[str, list[Any]]:
    """Latencies of both systems on every query; the new one takes so many ms longer."""
    old = [100.0 + at for at in range(len(QUERIES))]
    return {
        "query": [*QUERIES, *QUERIES],
        "system": ["old"] * len(QUERIES) + ["new"] * len(QUERIES),
        "latency_ms": [*old, *(wait + by for wait in old)],
    }


def test_numbers_beside_the_same_lists_are_guards_still() -> None:
    """The same lists in less time are unchanged; in 50 ms more of 119.5 they are worse by more than 5 %."""
    copied, margins = run_of("b", "a", "x", "y"), {"latency_ms": "5%", "P@1": "1%"}
    runs, measures = {"old": OLD, "new": copied}, ["RR", "P@1", "latency_ms"]

    def verdict(by: float) -> Verdict:
        compared = compare(JUDGED, runs, measures, numbers=waits(by))
        return compared.verdict(guard_margins=margins)

    quicker, slower = verdict(-10), verdict(50)
    assert (quicker.outcome, quicker.reason) == ("unchanged", "the lists of all 40 queries are the same")
    assert [str(guard) for guard in quicker.guards] == ["passed  other measures: P@1, latency_ms"]
    assert slower.outcome == "undecided"
    assert slower.reason == "the lists of all 40 queries are the same, but other measures failed"
    assert [guard.answer for guard in slower.guards] == ["failed"]
    assert verdict(0).guards == ()  # nothing differs at all


def test_the_same_lists_keep_every_margin_where_numbers_decide() -> None:
    """40 queries alone leave room for a loss of more than 1 %; but the lists are the same."""
    runs = {"old": OLD, "new": run_of("b", "a", "x", "y")}
    compared = compare(JUDGED, runs, ["latency_ms", "RR"], numbers=waits(-10))
    verdict = compared.verdict("latency_ms", guard_margins={"RR": "1%"})
    assert verdict.outcome == "ship" or "RR" not in verdict.reason
    assert ("other measures", "passed") in [(guard.name, guard.answer) for guard in verdict.guards]
    assert "lists" not in verdict.remark


def test_equal_values_of_other_lists_beside_numbers_that_differ() -> None:
    other = OLD | dict.fromkeys(QUERIES[:12], run_of("b", "a", "y", "x")["q00"])
    compared = compare(JUDGED, {"old": OLD, "new": other}, ["RR", "latency_ms"], numbers=waits(-10))
    assert "in 0 of 40 queries a value of RR differs, but in 12 the lists do" in compared.verdict().remark


def test_numbers_alone_have_no_lists() -> None:
    verdict = compare(numbers=waits(0) | {"success": [1.0] * 80}, measures="success").verdict()
    assert verdict.outcome == "undecided"
    assert "in 0 of 40 queries a number differs" in verdict.remark
    assert "lists" not in verdict.remark
