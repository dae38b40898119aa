"""The laws of `test_laws_of_verdicts`, with their numbers, for verdicts on what people said or did: votes at every door that
takes them, interleaved lists, and the two groups of an A/B test.

An outcome is +1 where the candidate won, −1 where it lost and 0 where it did neither: a vote, an impression with one click,
or a pair of users, of whom the one that the system did well for clicked.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idealist as il
from idealist.cli import main
from idealist.cli.gate_file import read_gate
from idealist.cli.gate_running import decide_gate
from idealist.clicks import analyse_interleaving
from idealist.data.workbench_files import Answer, StudyData, StudyItem

Table = Mapping[str, Sequence[Any]]
Record = dict[str, Any]
VoteDoor = Callable[[Path, Table], Record]
OutcomeDoor = Callable[[Sequence[int]], Record]

WORDS = {1: "good", 0: "same", -1: "bad"}


def written(folder: Path, table: Table) -> Path:
    path = folder / "votes.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return path


def by_gsb(_: Path, table: Table) -> Record:
    return il.gsb(dict(table)).verdict.to_dict()


def by_command(folder: Path, table: Table) -> Record:
    with redirect_stdout(io.StringIO()) as out:
        assert main(["gsb", str(written(folder, table)), "--format", "json"]) == 0
    record: Record = json.loads(out.getvalue())["verdict"]
    return record


def by_gate(folder: Path, table: Table) -> Record:
    written(folder, table)
    (folder / "gate.toml").write_text('votes = "votes.csv"\n')
    return decide_gate(read_gate(str(folder / "gate.toml")), 1).verdict.to_dict()


def by_report(_: Path, table: Table) -> Record:
    run, judged = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 0}}
    page = il.report(judged, {"old": run, "new": run}, "RR", votes=dict(table), rounds=10)
    assert page.gsb is not None
    return page.gsb.verdict.to_dict()


def by_study(_: Path, table: Table) -> Record:
    """The verdict of the workbench's page, in which every vote has a side: here in turns."""
    studies = pytest.importorskip("idealist.web.studies.study_results", reason="needs the extra web")
    votes = {word: number for number, word in WORDS.items()}
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    numbers = {query: number for number, query in enumerate(dict.fromkeys(table["query"]))}
    items = {
        row["query"]: StudyItem(
            numbers[row["query"]], row["query"], (), (), "right", row.get("segment"), None, None
        )
        for row in rows
    }
    answers = tuple(
        Answer(str(at), numbers[row["query"]], row["rater"], votes[row["vote"]], row["side"], at)
        for at, row in enumerate(rows)
    )
    data = StudyData(tuple(items.values()), answers, ())
    record: Record = studies.study_result(data, studies.report_settings()).verdict.to_dict()
    return record


VOTE_DOORS: dict[str, VoteDoor] = {
    "gsb": by_gsb,
    "command": by_command,
    "gate": by_gate,
    "report": by_report,
    "study": by_study,
}
every_vote_door = pytest.mark.parametrize("door", VOTE_DOORS.values(), ids=VOTE_DOORS)


def as_vote(outcomes: Sequence[int]) -> Record:
    result = il.gsb([WORDS[outcome] for outcome in outcomes])
    return {**result.verdict.to_dict(), "p": result.p_value}


def as_clicks(outcomes: Sequence[int], baseline: str = "old") -> Record:
    n = len(outcomes)
    log = {
        "impression": range(n),
        "query": ["q"] * n,
        "document": ["d"] * n,
        "position": [1] * n,
        "click": [abs(outcome) for outcome in outcomes],
        "credit:old": [float(outcome < 0) for outcome in outcomes],
        "credit:new": [float(outcome > 0) for outcome in outcomes],
    }
    (entry,) = analyse_interleaving(log, baseline=baseline).preferences
    return {**entry.verdict.to_dict(), "p": entry.p_value}


def as_users(outcomes: Sequence[int], baseline: str = "old") -> Record:
    n = len(outcomes)
    log = {
        "user": range(2 * n),
        "group": ["old"] * n + ["new"] * n,
        "clicked": [
            *(int(outcome < 0) for outcome in outcomes),
            *(int(outcome > 0) for outcome in outcomes),
        ],
    }
    found = il.comparison.ab(log, baseline=baseline, margin=0.02)
    return {**found.verdict.to_dict(), "p": found.differences[0].p_value}


OUTCOME_DOORS: dict[str, OutcomeDoor] = {
    "gsb": as_vote,
    "interleave": as_clicks,
    "ab": as_users,
}
every_door = pytest.mark.parametrize("door", OUTCOME_DOORS.values(), ids=OUTCOME_DOORS)


def votes_of(outcomes: Sequence[int], raters: int = 1, **columns: Sequence[Any]) -> dict[str, list[Any]]:
    """Votes of all raters on every query, who agree; on the two sides in turns."""
    table = {
        "query": [f"q{at:03}" for at in range(len(outcomes))],
        "vote": [WORDS[outcome] for outcome in outcomes],
        "side": [("left", "right")[at // 2 % 2] for at in range(len(outcomes))],
        **columns,
    }
    several = {name: [cell for cell in cells for _ in range(raters)] for name, cells in table.items()}
    return {**several, "rater": [f"r{at}" for _ in outcomes for at in range(raters)]}


def numbers(record: Record) -> tuple[Any, ...]:
    return record["outcome"], record["value"], record["interval"]["low"], record["interval"]["high"]


MIXED = [1, 0, 1, -1, 0, 1, 1, 0, 1, 0] * 12


@every_vote_door
def test_every_door_says_the_same(door: VoteDoor, tmp_path: Path) -> None:
    table = votes_of(MIXED, raters=3)
    assert door(tmp_path, table) == by_gsb(tmp_path, table)
    assert door(tmp_path, table)["outcome"] == "ship"


@every_vote_door
def test_1_columns_that_say_nothing_change_nothing(door: VoteDoor, tmp_path: Path) -> None:
    plain = votes_of(MIXED)
    for column in ({"segment": ["all"] * 120}, {"segment": [None] * 120}):
        assert numbers(door(tmp_path, votes_of(MIXED, **column))) == numbers(door(tmp_path, plain))
    weighted = votes_of(MIXED, weight=[7] * 120)
    if door is not by_study:
        assert numbers(door(tmp_path, weighted)) == pytest.approx(numbers(door(tmp_path, plain)))


@pytest.mark.slow
@every_door
def test_2_noise_ships_nothing(door: OutcomeDoor) -> None:
    """Two systems that win equally often: at most 5.5 % are better, and two standard errors."""
    rng, samples = np.random.default_rng(2), 150
    drawn = rng.choice([-1, 0, 1], p=[0.3, 0.4, 0.3], size=(samples, 30))
    better = sum(door(outcomes.tolist())["reason"] == "better" for outcomes in drawn)
    assert better / samples <= 0.055 + 2 * (0.055 * 0.945 / samples) ** 0.5


@pytest.mark.parametrize("door", [as_vote, as_clicks])
def test_2_few_outcomes_ship_nothing(door: OutcomeDoor) -> None:
    """Four wins and no loss: 2/2⁴ = 0.125, and hardly less where a dozen did neither."""
    for outcomes in ([1] * 4, [1] * 4 + [0] * 12):
        found = door(outcomes)
        assert found["outcome"] == "undecided"
        assert found["p"] > 0.05


@every_door
def test_4_better_is_never_punished(door: OutcomeDoor) -> None:
    for wins in (40, 70, 100):
        assert door([1] * wins + [0] * (100 - wins))["reason"] == "better"


@every_vote_door
def test_4_votes_that_all_agree_pass_every_guard(door: VoteDoor, tmp_path: Path) -> None:
    record = door(tmp_path, votes_of([1] * 60, raters=3, segment=["x", "y", "z"] * 20))
    assert record["outcome"] == "ship"
    assert [guard["answer"] for guard in record["guards"]] == ["passed"] * len(record["guards"])


@every_vote_door
def test_5_a_collapsed_segment_is_not_passed(door: VoteDoor, tmp_path: Path) -> None:
    table = votes_of([1] * 297 + [-1] * 3, segment=["rest"] * 297 + ["vip"] * 3)
    record = door(tmp_path, table)
    assert (record["outcome"], record["reason"]) == ("undecided", "better, but segments cannot tell")
    (guard,) = (guard for guard in record["guards"] if guard["name"] == "segments")
    assert (guard["answer"], guard["stops"]) == ("cannot tell", True)
    assert guard["message"].startswith("vip lost in each of its 3 queries, −1.0000")


def test_5_votes_beside_runs_are_not_passed_where_a_segment_collapsed(tmp_path: Path) -> None:
    """What ships by its measure, in a gate and in a report, with such votes as a guard."""
    queries = [f"q{at}" for at in range(60)]
    old = {query: {"y": 2.0, "x": 1.0} for query in queries}
    new = {query: {"x": 2.0, "y": 1.0} for query in queries}
    judged = {query: {"x": 1} for query in queries}
    table = votes_of([1] * 297 + [-1] * 3, segment=["rest"] * 297 + ["vip"] * 3)
    page = il.report(judged, {"old": old, "new": new}, "RR", votes=table, rounds=10)
    for name, run in (("old", old), ("new", new)):
        il.write_run(run, tmp_path / f"{name}.run")
    il.write_judgments(judged, tmp_path / "judged.qrels")
    written(tmp_path, table)
    (tmp_path / "gate.toml").write_text(
        'judgments = "judged.qrels"\nbaseline = "old.run"\ncandidate = "new.run"\nmeasure = "RR"\nvotes = "votes.csv"\n'
    )
    for verdict in (page.verdicts["new"], decide_gate(read_gate(str(tmp_path / "gate.toml")), 1).verdict):
        assert (verdict.outcome, verdict.reason) == ("undecided", "better, but votes cannot tell")


@every_door
def test_6_what_is_needed_is_said_for_the_rule_that_decides(door: OutcomeDoor) -> None:
    """Of 40 outcomes 12 are wins and 8 losses; with as many more of their kind as are needed, it is decided."""
    outcomes = [1] * 12 + [-1] * 8 + [0] * 20
    found = door(outcomes)
    assert found["outcome"] == "undecided"
    assert found["needed"] > 0
    many = outcomes * (1 + 2 * found["needed"] // len(outcomes))
    assert door(many)["outcome"] == "ship"


@every_door
def test_7_interval_and_p_value_agree(door: OutcomeDoor) -> None:
    rng = np.random.default_rng(7)
    for n in (5, 12, 40):
        for outcomes in rng.choice([-1, 0, 1], p=[0.15, 0.35, 0.5], size=(10, n)).tolist():
            found = door(outcomes)
            low, high = found["interval"]["low"], found["interval"]["high"]
            assert (found["p"] < 0.05) == (not low <= 0 <= high)


def exchanged(door: OutcomeDoor, outcomes: Sequence[int]) -> Record:
    """The verdict on the baseline, beside the candidate."""
    if door is as_clicks:
        return as_clicks(outcomes, "new")
    if door is as_users:
        return as_users(outcomes, "new")
    return door([-outcome for outcome in outcomes])


@every_door
def test_8_exchange_mirrors_everything(door: OutcomeDoor) -> None:
    for good, same, bad in ((30, 5, 10), (8, 40, 2), (12, 0, 12), (5, 20, 40)):
        outcomes = [1] * good + [0] * same + [-1] * bad
        one, other = door(outcomes), exchanged(door, outcomes)
        assert one["value"] == pytest.approx(-other["value"])
        assert one["interval"]["low"] == pytest.approx(-other["interval"]["high"], abs=1e-4)
        assert one["interval"]["high"] == pytest.approx(-other["interval"]["low"], abs=1e-4)
        assert one["p"] == pytest.approx(other["p"])
        assert (one["reason"] == "better") == (other["reason"] == "worse")
