"""One launch decision from runs, numbers and votes: one outcome, first; and its record."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

QUERIES = [f"q{at:03}" for at in range(120)]
START = 'judgments = "j.qrels"\nbaseline = "old.run"\ncandidate = "new.run"\nmeasure = "RR"\n'


def places(run: dict[str, int], name: str) -> str:
    """A run of three documents with the relevant one at a place."""
    orders = {1: "xyz", 2: "yxz", 3: "yzx"}
    return "".join(
        f"{query} Q0 {document} {rank} {10 - rank} {name}\n"
        for query, place in run.items()
        for rank, document in enumerate(orders[place], 1)
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """`new` finds the relevant document first far more often; it is 1 % slower, and people like it."""
    rng = random.Random(7)
    (tmp_path / "j.qrels").write_text("".join(f"{q} 0 x 1\n{q} 0 y 0\n{q} 0 z 0\n" for q in QUERIES))
    old = {query: 1 + at % 3 for at, query in enumerate(QUERIES)}
    new = {query: 1 if at % 4 else old[query] for at, query in enumerate(QUERIES)}
    (tmp_path / "old.run").write_text(places(old, "old"))
    (tmp_path / "new.run").write_text(places(new, "new"))
    rows = ["query,system,latency_ms,success"]
    for at, query in enumerate(QUERIES):
        wait = rng.gauss(500, 40)
        rows.append(f"{query},old,{wait:.1f},{at % 2}")
        rows.append(f"{query},new,{wait + rng.gauss(5, 10):.1f},{int(at % 4 != 0)}")
    (tmp_path / "numbers.csv").write_text("\n".join(rows) + "\n")
    votes(tmp_path, 120, 100, 80)
    return tmp_path


def votes(folder: Path, good: int, same: int, bad: int) -> None:
    words = ["good"] * good + ["same"] * same + ["bad"] * bad
    (folder / "votes.csv").write_text("query,vote\n" + "".join(f"v{at},{w}\n" for at, w in enumerate(words)))


def decided(idealist: Command, folder: Path, text: str, *more: str) -> Any:
    (folder / "gate.toml").write_text(text)
    done = idealist("gate", folder / "gate.toml", "--format", "json", *more)
    assert done.stdout, done.stderr
    record = json.loads(done.stdout)
    assert done.returncode == record["verdict"]["exit_code"]
    return record


def guards(record: Any) -> dict[str, str]:
    return {guard["name"]: guard["answer"] for guard in record["verdict"]["guards"]}


ALL = 'numbers = "numbers.csv"\nvotes = "votes.csv"\n[guards]\nvotes = 0.1\nmeasures = {"latency_ms" = "5%", "P@1" = 0}\n'


def test_runs_numbers_and_votes_decide_together(idealist: Command, folder: Path) -> None:
    record = decided(idealist, folder, START + ALL)
    assert record["verdict"]["outcome"] == "ship"
    assert {"other measures", "votes"} <= {
        name for name, answer in guards(record).items() if answer == "passed"
    }
    assert [(part["part"], part["decides"]) for part in record["parts"]] == [
        ("RR", True),
        ("latency_ms", False),
        ("P@1", False),
        ("votes", False),
    ]
    text = idealist("gate", folder / "gate.toml").stdout.splitlines()
    assert text[0].startswith("SHIP: better")  # one outcome, first
    assert sum(line.startswith(("SHIP", "BLOCK", "UNDECIDED", "UNCHANGED")) for line in text) == 1


@pytest.mark.parametrize(
    ("harm", "failed"),
    [
        ({"latency_ms": '"0.1%"'}, "other measures"),
        ({"votes": "0.01"}, "votes"),
    ],
)
def test_a_guard_whose_margin_is_not_kept_holds_back(
    idealist: Command, folder: Path, harm: dict[str, str], failed: str
) -> None:
    """1 % slower is not shown to be within 0.1 %; 300 votes do not show a loss below 0.01."""
    latency, people = harm.get("latency_ms", '"5%"'), harm.get("votes", "0.1")
    votes(folder, 100, 100, 100)
    text = f'numbers = "numbers.csv"\nvotes = "votes.csv"\n[guards]\nvotes = {people}\nmeasures = {{"latency_ms" = {latency}}}\n'
    record = decided(idealist, folder, START + text)
    assert record["verdict"]["outcome"] == "undecided"
    assert failed in record["verdict"]["reason"]


def test_votes_that_speak_against_it_hold_back_without_a_margin(idealist: Command, folder: Path) -> None:
    """As with measures: without a margin, a guard must not be significantly worse."""
    votes(folder, 90, 100, 110)
    unsure = decided(idealist, folder, START + 'votes = "votes.csv"\n')
    assert (unsure["verdict"]["outcome"], guards(unsure)["votes"]) == ("ship", "passed")
    votes(folder, 20, 100, 180)
    against = decided(idealist, folder, START + 'votes = "votes.csv"\n')
    assert (against["verdict"]["outcome"], guards(against)["votes"]) == ("undecided", "failed")


def test_votes_decide_and_measures_guard(idealist: Command, folder: Path) -> None:
    text = START.replace("RR", "votes") + 'votes = "votes.csv"\nmargin = 0.1\n'
    record = decided(idealist, folder, text + '[guards]\nmeasures = ["RR"]\n')
    assert record["verdict"]["outcome"] == "ship"
    assert [(part["part"], part["decides"]) for part in record["parts"]] == [("votes", True), ("RR", False)]
    assert guards(record)["measures"] == "passed"
    turned = text.replace("old.run", "swap.run").replace("new.run", "old.run").replace("swap.run", "new.run")
    worse = decided(idealist, folder, turned + '[guards]\nmeasures = ["RR"]\n')
    assert (worse["verdict"]["outcome"], guards(worse)["measures"]) == ("undecided", "failed")


def test_numbers_alone(idealist: Command, folder: Path) -> None:
    text = 'numbers = "numbers.csv"\nbaseline = "old"\ncandidate = "new"\nmeasure = "success"\n'
    record = decided(idealist, folder, text + '[guards]\nmeasures = {"latency_ms(low=0,high=2000)" = "5%"}\n')
    first = record["parts"][0]
    assert first["difference"] == pytest.approx(0.25)  # 3 of 4 instead of 2 of 4
    assert record["parts"][1]["part"] == "latency_ms"


def test_a_table_for_each_side(idealist: Command, folder: Path) -> None:
    """The systems are those of the runs, whatever the files are called."""
    lines = (folder / "numbers.csv").read_text().splitlines()
    for side, system in (("before", "old"), ("after", "new")):
        rows = [line.replace(f",{system},", ",") for line in lines[1:] if f",{system}," in line]
        (folder / f"{side}.csv").write_text("query,latency_ms,success\n" + "\n".join(rows) + "\n")
    together = decided(idealist, folder, START + ALL)
    apart = decided(
        idealist,
        folder,
        START + ALL.replace('"numbers.csv"', '{baseline = "before.csv", candidate = "after.csv"}'),
    )
    assert apart["parts"] == together["parts"]


def test_votes_that_lost_a_segment_are_no_guard_that_passed(idealist: Command, folder: Path) -> None:
    """297 good, and all three of vip bad: by themselves undecided, and so beside what ships."""
    rows = [f"v{at},{'bad,vip' if at < 3 else 'good,rest'}\n" for at in range(300)]
    (folder / "votes.csv").write_text("query,vote,segment\n" + "".join(rows))
    record = decided(idealist, folder, START + 'votes = "votes.csv"\n')
    assert (record["verdict"]["outcome"], guards(record)["votes"]) == ("undecided", "cannot tell")
    assert record["verdict"]["reason"] == "better, but votes cannot tell"
    text = START + 'votes = "votes.csv"\n[columns]\n"votes.segment" = ""\n'
    assert decided(idealist, folder, text)["verdict"]["outcome"] == "ship"


def test_the_criterion_is_the_weighted_sum_of_every_query(idealist: Command, folder: Path) -> None:
    """RR − 0.001·latency_ms: its difference is the sum of theirs."""
    text = START.replace('"RR"', '"criterion"') + 'numbers = "numbers.csv"\n'
    record = decided(idealist, folder, text + '[criterion]\n"RR" = 1.0\n"latency_ms" = 0.001\n')
    (criterion,) = record["parts"]
    single = decided(
        idealist, folder, START + 'numbers = "numbers.csv"\n[guards]\nmeasures = ["latency_ms"]\n'
    )
    expected = single["parts"][0]["difference"] - 0.001 * single["parts"][1]["difference"]
    assert criterion["part"] == "criterion"
    assert criterion["difference"] == pytest.approx(expected)
    assert criterion["interval"][0] < expected < criterion["interval"][1]


def test_other_outputs_follow(idealist: Command, folder: Path) -> None:
    (folder / "gate.toml").write_text(START + ALL)
    done = idealist("gate", folder / "gate.toml", "--junit", folder / "g.xml", "--summary", folder / "s.md")
    assert done.returncode == 0
    junit = (folder / "g.xml").read_text()
    assert 'name="votes"' in junit
    assert 'failures="0"' in junit
    summary = (folder / "s.md").read_text()
    assert summary.startswith("### Verdict: ship")
    assert "GSB of 300 votes: 120 good, 100 same, 80 bad; margin 0.1000" in summary


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (START + 'numbers = "numbers.csv"\n', "numbers change nothing: no column of theirs is named"),
        (
            START.replace("RR", "votes") + 'votes = "votes.csv"\n',
            "judgments change nothing: no measure is named",
        ),
        (START + 'numbers = "numbers.csv"\n[guards]\nmeasures = ["cost"]\n', "no measure is called 'cost'"),
        (
            'numbers = "numbers.csv"\nbaseline = "old"\ncandidate = "newer"\nmeasure = "success"\n',
            "there are no numbers of the system 'newer'",
        ),
        (
            START.replace('"RR"', '"criterion"') + '[criterion]\n"NumRet" = 1.0\n',
            "NumRet has no mean over queries",
        ),
    ],
)
def test_wrong_decisions(idealist: Command, folder: Path, text: str, message: str) -> None:
    (folder / "gate.toml").write_text(text)
    done = idealist("gate", folder / "gate.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "hint:" in done.stderr


LOCKED = START + 'lock = "gate.lock"\n' + ALL


def test_a_lock_fixes_rules_and_baseline_of_all_parts(idealist: Command, folder: Path) -> None:
    (folder / "gate.toml").write_text(LOCKED)
    assert idealist("gate", folder / "gate.toml", "--update-lock").returncode == 0
    assert idealist("gate", folder / "gate.toml").returncode == 0
    (folder / "gate.toml").write_text(LOCKED.replace("votes = 0.1", "votes = 0.2"))
    done = idealist("gate", folder / "gate.toml")
    assert (done.returncode, "guards.votes is 0.2, and was 0.1" in done.stderr) == (2, True)
    (folder / "gate.toml").write_text(
        LOCKED.replace('votes = "votes.csv"\n', "").replace("votes = 0.1\n", "")
    )
    assert "votes is false, and was true" in idealist("gate", folder / "gate.toml").stderr
    (folder / "gate.toml").write_text(LOCKED)
    numbers = (folder / "numbers.csv").read_text()
    (folder / "numbers.csv").write_text(numbers.replace(",old,5", ",old,6"))
    assert "latency_ms of old is" in idealist("gate", folder / "gate.toml").stderr


def test_votes_alone_have_a_lock_of_their_rules(idealist: Command, folder: Path) -> None:
    text = 'votes = "votes.csv"\nmargin = 0.1\nlock = "gate.lock"\n'
    (folder / "gate.toml").write_text(text)
    assert idealist("gate", folder / "gate.toml", "--update-lock").stdout.endswith("the rules are locked\n")
    assert idealist("gate", folder / "gate.toml").returncode == 0
    (folder / "gate.toml").write_text(text.replace("0.1", "0.2"))
    assert "margin is 0.2, and was 0.1" in idealist("gate", folder / "gate.toml").stderr


def test_a_record_says_who_decided_what_by_which_rules(idealist: Command, folder: Path) -> None:
    path, gate = folder / "decision.json", folder / "gate.toml"
    gate.write_text(LOCKED)
    idealist("gate", gate, "--update-lock")
    done = idealist("gate", gate, "--record", path, "--by", "ann")
    assert done.returncode == 0
    record = json.loads(path.read_text())
    assert (record["by"], record["verdict"]["outcome"], record["gate"]) == ("ann", "ship", "gate.toml")
    assert set(record["inputs"]) == {"judgments", "baseline", "candidate", "numbers", "votes"}
    assert record["guards"]["votes"] == 0.1
    assert record["lock"]["sha256"]
    assert str(folder) not in path.read_text()  # names of files, not where they are
    checked = idealist("gate", gate, "--check-record", path)
    assert checked.returncode == 0
    assert "ship by ann at " in checked.stdout
    assert "fits rules and inputs; rules fixed beforehand by the lock" in checked.stdout


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: votes(folder, 1, 2, 3), "votes has changed (sha256 "),
        (lambda folder: (folder / "new.run").write_text("q000 Q0 x 1 1 new\n"), "candidate has changed"),
        (
            lambda folder: (folder / "gate.toml").write_text(LOCKED.replace("0.1", "0.3")),
            "guards.votes is 0.3, and was 0.1",
        ),
        (lambda folder: (folder / "gate.lock").write_text("{}"), "the lock has changed"),
        (
            lambda folder: (folder / "decision.json").write_text(
                (folder / "decision.json").read_text().replace('"ann"', '"ben"')
            ),
            "the record was changed after it was written",
        ),
    ],
)
def test_a_record_that_does_not_fit_any_more_says_so(
    idealist: Command, folder: Path, change: Any, said: str
) -> None:
    path, gate = folder / "decision.json", folder / "gate.toml"
    gate.write_text(LOCKED)
    idealist("gate", gate, "--update-lock")
    idealist("gate", gate, "--record", path, "--by", "ann")
    change(folder)
    done = idealist("gate", gate, "--check-record", path)
    assert (done.returncode, "does not fit any more" in done.stdout, said in done.stdout) == (1, True, True)


def test_records_are_not_written_over_by_accident(idealist: Command, folder: Path) -> None:
    path, gate = folder / "decision.json", folder / "gate.toml"
    gate.write_text(START)
    assert idealist("gate", gate, "--record", path, GITHUB_ACTOR="octocat").returncode == 0
    assert json.loads(path.read_text())["by"] == "octocat"
    assert idealist("gate", gate, "--record", path).returncode == 2
    assert idealist("gate", gate, "--record", path, "--force", "--by", "eve").returncode == 0
    assert idealist("gate", gate, "--record", folder / "j.qrels", "--force").returncode == 2
    assert "changes nothing without --record" in idealist("gate", gate, "--by", "eve").stderr
    for content in ("", "{}", "[]", '{"format": "idealist decision", "version": 1}', "\x00"):
        path.write_text(content)
        done = idealist("gate", gate, "--check-record", path)
        assert (done.returncode, "this is not a recorded decision" in done.stderr) == (2, True)


def test_what_does_not_fit_stands_on_lines_of_its_own(idealist: Command, folder: Path) -> None:
    path, gate = folder / "decision.json", folder / "gate.toml"
    gate.write_text(START)
    idealist("gate", gate, "--record", path)
    gate.write_text(START + "margin = 0.3\n")
    lines = idealist("gate", gate, "--check-record", path).stdout.splitlines()
    assert lines[0].endswith("does not fit any more:")
    assert lines[1:] == ["  margin is 0.3, and was null"]


@pytest.mark.parametrize("mode", ["--check-record", "--update-lock"])
def test_nothing_is_recorded_where_nothing_is_decided(idealist: Command, folder: Path, mode: str) -> None:
    (folder / "gate.toml").write_text(LOCKED)
    named = [mode, folder / "decision.json"] if mode == "--check-record" else [mode]
    done = idealist("gate", folder / "gate.toml", *named, "--record", folder / "other.json")
    assert done.returncode == 2
    assert f"--record changes nothing: {mode} decides nothing" in done.stderr


def test_the_same_lists_pass_where_something_else_decides(idealist: Command, folder: Path) -> None:
    """The candidate is a copy of the baseline, the numbers and votes are its own."""
    (folder / "new.run").write_text((folder / "old.run").read_text().replace(" old\n", " new\n"))
    margins = '[guards]\nmeasures = { RR = "1%" }\n'
    by_votes = decided(
        idealist, folder, START.replace('"RR"', '"votes"') + 'votes = "votes.csv"\nmargin = 0.1\n' + margins
    )
    assert (by_votes["verdict"]["outcome"], guards(by_votes)["measures"]) == ("ship", "passed")
    slower = decided(
        idealist, folder, START + 'numbers = "numbers.csv"\n[guards]\nmeasures = { latency_ms = "0.1%" }\n'
    )
    assert slower["verdict"]["reason"].startswith("the lists of all 120 queries are the same")
    assert guards(slower) == {"other measures": "failed"}
    allowed = decided(
        idealist, folder, START + 'numbers = "numbers.csv"\n[guards]\nmeasures = { latency_ms = "10%" }\n'
    )
    assert (allowed["verdict"]["outcome"], allowed["verdict"]["exit_code"]) == ("unchanged", 0)


def test_a_table_of_each_side_is_of_that_side(idealist: Command, folder: Path) -> None:
    rows = [f"{query},rag,{0.5 + at % 7 / 100}" for at, query in enumerate(QUERIES)]
    better = [f"{query},rag,{0.6 + at % 5 / 100}" for at, query in enumerate(QUERIES)]
    for name, lines in (("old.csv", rows), ("new.csv", better)):
        (folder / name).write_text("\n".join(["query,system,faithfulness", *lines]) + "\n")
    text = 'baseline = "before"\ncandidate = "after"\nmeasure = "faithfulness"\n'
    record = decided(idealist, folder, 'numbers = { baseline = "old.csv", candidate = "new.csv" }\n' + text)
    assert record["verdict"]["outcome"] == "ship"
    assert (record["parts"][0]["baseline"], record["parts"][0]["candidate"]) == ("before", "after")
    (folder / "gate.toml").write_text(
        'numbers = { baseline = "numbers.csv", candidate = "new.csv" }\n' + text
    )
    done = idealist("gate", folder / "gate.toml")
    assert done.returncode == 2
    assert "this table was given for 'baseline' alone, and has 2 systems: old, new" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (START.replace("RR", "RRR"), "gate.toml: no measure is called 'RRR'"),
        (START + '[guards]\nmeasures = { RR = "1%" }\n', "RR decides, so it is no guard"),
        (
            'numbers = "numbers.csv"\nbaseline = "old"\ncandidate = "old"\nmeasure = "success"\n',
            "gate.toml, line 3: baseline and candidate are both 'old'",
        ),
        (
            'numbers = "numbers.csv"\nbaseline = "old"\ncandidate = "new"\nmeasure = "succes"\n',
            "did you mean success?",
        ),
    ],
)
def test_what_cannot_be_decided_by_is_said(idealist: Command, folder: Path, text: str, said: str) -> None:
    (folder / "gate.toml").write_text(text)
    done = idealist("gate", folder / "gate.toml")
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_the_numbers_below_say_what_they_count(idealist: Command, folder: Path) -> None:
    """300 votes; and beside the difference of people the corrected one, where a machine's judgments add something."""
    (folder / "gate.toml").write_text(START + 'votes = "votes.csv"\n')
    assert "GSB of 300 votes: 120 good, 100 same, 80 bad" in idealist("gate", folder / "gate.toml").stdout
    judged = (folder / "j.qrels").read_text().splitlines(keepends=True)
    (folder / "machine.qrels").write_text("".join(judged))
    (folder / "j.qrels").write_text("".join(judged[: 3 * 30]))
    record = decided(idealist, folder, START + 'machine = "machine.qrels"\n')
    (part,) = record["parts"]
    assert part["corrected"]["difference"] == pytest.approx(record["verdict"]["value"])
    assert part["difference"] != pytest.approx(part["corrected"]["difference"])
    text = idealist("gate", folder / "gate.toml").stdout
    assert f"corrected difference {part['corrected']['difference']:.4f} (" in text
