"""The chance that a launch decision ships: by the rule itself, on samples drawn from a pilot."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

from idealist import InputError, evaluate, gsb
from idealist.plan import LaunchRule, launch_power
from idealist.show.plan_tables import launch_view

QUERIES = [f"q{at:02}" for at in range(60)]


def table() -> dict[str, list[Any]]:
    rng = random.Random(3)
    columns: dict[str, list[Any]] = {"query": [], "system": [], "quality": [], "latency_ms": []}
    for query in QUERIES:
        level, wait = rng.uniform(0.3, 0.7), rng.gauss(500, 30)
        for system in ("old", "new"):
            columns["query"].append(query)
            columns["system"].append(system)
            columns["quality"].append(min(1.0, max(0.0, level + rng.gauss(0, 0.05))))
            columns["latency_ms"].append(wait + rng.gauss(0, 20))
    return columns


@pytest.fixture(scope="module")
def pilot() -> Any:
    return evaluate(numbers=table(), measures=["quality(low=0,high=1)", "latency_ms"])


GOAL = "quality(low=0,high=1)"
RULE = LaunchRule(margin=0.02, guard_margins={"latency_ms": "5%"}, losses=False)


def test_more_queries_and_larger_gains_ship_more(pilot: Any) -> None:
    def chance(n: int, gain: float) -> float:
        return launch_power(pilot, RULE, n=n, changes={GOAL: gain}, samples=30).chance

    assert chance(100, 0.2) >= 0.95
    assert chance(100, -0.2) == 0
    assert chance(20, 0.03) <= chance(200, 0.03)


def test_a_guard_that_breaks_its_margin_keeps_nearly_all_samples_back(pilot: Any) -> None:
    """Latency worse by 10 %, of which 5 % are allowed: whatever the measure gains."""
    harm = launch_power(pilot, RULE, n=100, changes={GOAL: 0.2, "latency_ms": -50}, samples=30)
    assert harm.chance == 0


def test_the_same_seed_gives_the_same_chance(pilot: Any) -> None:
    one, two = (launch_power(pilot, RULE, n=50, samples=10, seed=5) for _ in range(2))
    assert one == two


def test_weights_of_queries_are_the_gates(pilot: Any) -> None:
    """Alike, they change nothing; where few queries have most of the weight, what they show is little."""

    def chance(weights: dict[str, float] | None) -> float:
        measured = evaluate(numbers=table(), measures=[GOAL, "latency_ms"], weights=weights)
        return launch_power(measured, RULE, n=60, changes={GOAL: 0.1}, samples=20).chance

    plain = chance(None)
    assert plain > 0.8
    assert chance(dict.fromkeys(QUERIES, 7.0)) == plain
    assert chance({query: 1 / (1 + at) ** 1.5 for at, query in enumerate(QUERIES)}) < plain - 0.5


def test_shares_of_segments_are_the_gates(pilot: Any) -> None:
    """With the shares that they have in the pilot, segments change little; one of 5 queries that is half of the traffic does."""
    segments = {query: "rare" if at < 5 else "usual" for at, query in enumerate(QUERIES)}

    def chance(share: float) -> float:
        shares = {"rare": share, "usual": 1 - share}
        rule = RULE.replace(shares=shares, segments=segments)
        return launch_power(pilot, rule, n=60, changes={GOAL: 0.06}, samples=20).chance

    plain = launch_power(pilot, RULE, n=60, changes={GOAL: 0.06}, samples=20).chance
    assert chance(5 / 60) == pytest.approx(plain, abs=0.25)
    assert chance(0.5) < chance(5 / 60) - 0.3
    with pytest.raises(InputError, match="1 query cannot be of 2 segments"):
        launch_power(pilot, RULE.replace(shares={"rare": 1, "usual": 1}, segments=segments), n=1, samples=1)


def test_votes_decide_or_guard(pilot: Any) -> None:
    votes = gsb(good=60, same=80, bad=60)
    sure = launch_power(
        None, LaunchRule(votes_decide=True, margin=0.1), n=1, votes=votes, vote_items=2000, samples=30
    )
    assert sure.chance >= 0.9
    few = launch_power(
        None, LaunchRule(votes_decide=True, margin=0.1), n=1, votes=votes, vote_items=50, samples=30
    )
    assert few.chance < 0.5
    worse = launch_power(
        pilot,
        RULE.replace(votes_margin=0.05),
        n=100,
        votes=votes,
        vote_items=2000,
        changes={GOAL: 0.2, "votes": -0.3},
        samples=30,
    )
    assert worse.chance == 0


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"changes": {"cost": 1.0}}, "cost is not in the decision"),
        ({"n": 0}, "n must be a whole number"),
        ({"changes": {GOAL: float("nan")}}, "must be a number"),
    ],
)
def test_wrong_plans(pilot: Any, how: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        launch_power(pilot, RULE, **{"n": 10, "samples": 2, **how})


def test_on_the_command_line(idealist: Command, tmp_path: Path) -> None:
    columns = table()
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    (tmp_path / "numbers.csv").write_text(",".join(columns) + "\n" + "\n".join(rows) + "\n")
    (tmp_path / "votes.csv").write_text(
        "query,vote\n" + "".join(f"v{i},{['good', 'same', 'bad'][i % 3]}\n" for i in range(90))
    )
    (tmp_path / "gate.toml").write_text(
        'numbers = "numbers.csv"\nvotes = "votes.csv"\nbaseline = "old"\ncandidate = "new"\n'
        f'measure = "{GOAL}"\nmargin = 0.02\n[guards]\nvotes = 0.3\nmeasures = {{latency_ms = "5%"}}\n'
    )
    how = ["-n", 100, "--gain", 0.1, "--samples", 10, "--vote-items", 300]
    done = idealist("plan", "decision", tmp_path / "gate.toml", *how, "--format", "json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert [chance["n"] for chance in record["chances"]] == [100, 100]
    assert [chance["changes"] for chance in record["chances"]] == [{}, {"quality(low=0,high=1)": 0.1}]
    assert record["chances"][1]["chance"] >= 0.9
    text = idealist("plan", "decision", tmp_path / "gate.toml", *how).stdout
    assert "ships when equal" in text


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 200])
def test_a_system_at_a_guards_margin_ships_in_at_most_half_of_alpha(pilot: Any, n: int) -> None:
    """The intersection–union test: what decides is far better, one guard loses exactly its margin, another nothing. At most
    2.5 % of 400 samples ship, and two standard errors."""
    mean = pilot.mean("latency_ms", "old")
    found = launch_power(
        pilot, RULE, n=n, changes={GOAL: 0.15, "latency_ms": -0.05 * mean}, samples=400, seed=1
    )
    assert found.chance <= 0.025 + 2 * (0.025 * 0.975 / 400) ** 0.5


@pytest.mark.parametrize(("samples", "said"), [(1, "; 1 sample each"), (2, "; 2 samples each")])
def test_samples_are_counted_in_words(pilot: Any, samples: int, said: str) -> None:
    assert said in launch_view([launch_power(pilot, RULE, n=20, samples=samples)], GOAL, 0).to_text()


def test_systems_that_do_not_differ_are_no_pilot() -> None:
    """They are unchanged; samples of them would be undecided for ever."""
    columns = table()
    columns["quality"][1::2] = columns["quality"][::2]
    same = evaluate(numbers=columns, measures=["quality(low=0,high=1)", "latency_ms"])
    with pytest.raises(InputError, match="is the same in both systems on every query of the pilot"):
        launch_power(same, RULE, n=50)
