"""Many systems by votes on pairs: strengths, ties, sides, groups."""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy.optimize import minimize

import idealist as il
from idealist.errors import InputError
from idealist.votes import rank_systems
from idealist.votes.davidson import Davidson
from idealist.votes.system_ranking import alike_groups

TRUE = {"bm25": 0.0, "dense": 0.4, "hybrid": 0.5, "rerank": 1.5}


def table(rows: list[tuple[object, str, str, str]]) -> dict[str, list[object]]:
    return {name: [row[at] for row in rows] for at, name in enumerate(("query", "left", "right", "winner"))}


def simulated(queries: int, seed: int, *, side: float = 0.0, nu: float = 0.6) -> dict[str, list[object]]:
    """Every ordered pair of the four systems once a query; a query shifts strengths a little."""
    random = np.random.default_rng(seed)
    rows: list[tuple[object, str, str, str]] = []
    for query in range(queries):
        shift = {name: random.normal(0, 0.3) for name in TRUE}
        for left, right in permutations(TRUE, 2):
            a, b = TRUE[left] + shift[left] + side, TRUE[right] + shift[right]
            chances = np.array([math.exp(a), nu * math.exp((a + b) / 2), math.exp(b)])
            rows.append((query, left, right, random.choice([left, "tie", right], p=chances / chances.sum())))
    return table(rows)


def test_two_systems_by_arithmetic() -> None:
    """Of two systems the likelihood fits the shares exactly: p_A/p_B is wins over losses, ν ties/√(wins·losses)."""
    rows: list[tuple[object, str, str, str]] = []
    rows += [(q, "x", "y", "x") for q in range(6)] + [(q, "y", "x", "tie") for q in range(2)]
    rows += [(q, "x", "y", "y") for q in range(3)]
    found = rank_systems(table(rows), side=False, ridge=1e-7)
    (pair,) = found.pairs
    assert math.exp(pair.difference) == approx(6 / 3, rel=1e-4)
    assert found.ties == approx(2 / math.sqrt(6 * 3), rel=1e-4)
    assert (pair.first_wins, pair.tie, pair.second_wins) == approx((6 / 11, 2 / 11, 3 / 11), rel=1e-4)


def test_the_side_by_arithmetic() -> None:
    """Equal systems, the left one wins twice as often: γ is 2 where the right one's share is set to 1."""
    rows: list[tuple[object, str, str, str]] = []
    for left, right in (("x", "y"), ("y", "x")):
        rows += [(q, left, right, "left") for q in range(20)] + [(q, left, right, "right") for q in range(10)]
    found = rank_systems(table(rows), ridge=1e-7)
    assert found.side == approx(2.0, rel=1e-4)
    assert found.pairs[0].difference == approx(0.0, abs=1e-6)


def test_without_ties_it_is_what_choix_gives() -> None:
    """choix 0.4.1, opt_pairwise(3, data, alpha=0.005): its penalty is alpha · Σ parameter²."""
    wins = {("x", "y"): 7, ("y", "x"): 3, ("y", "z"): 6, ("z", "y"): 4, ("x", "z"): 8, ("z", "x"): 2}
    rows = [(f"{a}{b}{n}", a, b, "left") for (a, b), count in wins.items() for n in range(count)]
    found = rank_systems(table(list(rows)), side=False, ridge=0.01)
    strengths = [found[name].strength for name in "xyz"]
    assert strengths == approx([0.739215, -0.148821, -0.590394], abs=1e-5)


@given(st.lists(st.integers(1, 9), min_size=18, max_size=18))
def test_the_likelihood_is_at_its_top(counts: list[int]) -> None:
    """The same parameters as a general optimiser finds for the likelihood written out."""
    cells = list(permutations(range(3), 2))
    table_of_counts = np.array(counts, dtype=float).reshape(6, 3)

    def loss(x: np.ndarray) -> float:
        total = 0.0
        for (left, right), (wins, ties, losses) in zip(cells, table_of_counts, strict=True):
            a, b = math.exp(x[left] + x[3]), math.exp(x[right])
            tie = math.exp(x[4]) * math.sqrt(a * b)
            whole = a + b + tie
            total -= wins * math.log(a / whole) + ties * math.log(tie / whole) + losses * math.log(b / whole)
        return total + 0.005 * float((x**2).sum())

    model = Davidson(cells, 3, ties=True, side=True, ridge=0.01)
    found = model.fit(table_of_counts[None])[0]
    best = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-8})
    assert loss(found) == approx(best.fun, abs=1e-7)
    assert found == approx(best.x, abs=1e-3)


def test_names_do_not_matter() -> None:
    votes = simulated(30, 1)
    renamed = {"bm25": "z", "dense": "y", "hybrid": "x", "rerank": "w", "tie": "tie"}
    other = {
        name: [renamed.get(str(cell), cell) for cell in cells] if name != "query" else cells
        for name, cells in votes.items()
    }
    first, second = rank_systems(votes, rounds=100), rank_systems(other, rounds=100)
    for name in TRUE:
        assert first[name].strength == approx(second[renamed[name]].strength)
    assert [entry.groups for entry in first.systems] == [entry.groups for entry in second.systems]


def test_what_was_put_in_is_found_again() -> None:
    found = rank_systems(simulated(400, 2, side=0.3), rounds=200)
    mean = sum(TRUE.values()) / 4
    for name, strength in TRUE.items():
        # Strengths that vary between queries by 0.3 are on average a little nearer to each other.
        assert found[name].strength == approx(strength - mean, abs=0.12)
    assert found.side is not None
    assert math.log(found.side) == approx(0.3, abs=0.06)
    assert found.ties == approx(0.6, abs=0.06)
    assert found["rerank"].groups == "a"
    assert found["rerank"].worst_rank == 1
    assert found["bm25"].best_rank > 2


def test_groups() -> None:
    assert alike_groups(list("xyz"), set()) == [("x", "y", "z")]
    assert alike_groups(list("xyz"), {("x", "y"), ("x", "z")}) == [("x",), ("y", "z")]
    assert alike_groups(list("wxyz"), {("w", "y"), ("w", "z"), ("x", "z")}) == [
        ("w", "x"),
        ("x", "y"),
        ("y", "z"),
    ]


@given(st.sets(st.sampled_from([(a, b) for a in "uvwxyz" for b in "uvwxyz" if a < b])))
def test_a_group_is_alike_and_every_alike_pair_shares_one(different: set[tuple[str, str]]) -> None:
    groups = alike_groups(list("uvwxyz"), different)
    for a in "uvwxyz":
        for b in "uvwxyz":
            if a < b:
                together = any(a in group and b in group for group in groups)
                assert together == ((a, b) not in different)


def test_systems_that_always_win_are_noted() -> None:
    rows = [(q, "a", "b", "a") for q in range(5)] + [(q, "b", "c", "c") for q in range(3)]
    rows += [(q, "c", "b", "b") for q in range(2)]
    found = rank_systems(table(list(rows)))
    assert any("a won every vote" in note for note in found.notes)
    assert math.isfinite(found["a"].strength)


def test_one_order_has_no_side_effect() -> None:
    found = rank_systems(table([(q, "a", "b", w) for q, w in enumerate("aab")]))
    assert found.side is None
    assert any("one order" in note for note in found.notes)


@pytest.mark.parametrize(
    ("votes", "message"),
    [
        (table([(1, "a", "a", "a")]), "'a' is shown beside itself"),
        (table([(1, "a", "b", "c")]), "winner is 'c', neither 'a' nor 'b' nor a tie"),
        (table([(1, "a", "b", "")]), "winner is empty"),
        (table([(1, "b", "a", "b")]), "a word for the right one and the name of the left one"),
        (table([(1, "x", "y", "tie")]), "every vote is a tie"),
        (
            table([(1, "x", "y", "x"), (1, "u", "v", "u")]),
            "no vote compares any of x and y with any of u and v",
        ),
        (
            {"query": [1], "left": ["a"], "winner": ["a"]},
            "there is no column 'right'\nhint: there are query, left, winner; votes on pairs have the columns .*=NAME",
        ),
        (table([]), "there are no votes"),
    ],
)
def test_bad_votes(votes: dict[str, list[object]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        rank_systems(votes)


def test_bad_settings() -> None:
    votes = simulated(3, 1)
    for settings in ({"ridge": 0}, {"rounds": 10}, {"confidence": 1.5}, {"seed": -1}):
        with pytest.raises(InputError):
            rank_systems(votes, **settings)


def test_forms_of_the_result() -> None:
    found = rank_systems(simulated(20, 3), rounds=100)
    assert str(found).splitlines()[0].split()[:2] == ["system", "strength"]
    assert repr(found).startswith("<SystemRanking: rerank > ")
    assert "<table" in found._repr_html_()
    assert found.to_frame("polars")["system"].to_list() == [entry.system for entry in found.systems]
    assert found.plot().axes


def test_the_command(idealist: Command, tmp_path: object) -> None:
    path = f"{tmp_path}/pairs.csv"
    votes = simulated(20, 4)
    lines = ["question,model_a,model_b,verdict"]
    columns = (votes[name] for name in ("query", "left", "right", "winner"))
    lines += [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    arguments = ["rank-systems", path, "--columns", "query=question,winner=verdict", "--rounds", "100"]
    done = idealist(*arguments, "--pairs")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].startswith("rerank")
    for kind in ("csv", "markdown", "latex", "html", "json"):
        assert "rerank" in idealist(*arguments, "--format", kind).stdout
    wrong = idealist("rank-systems", path)
    assert wrong.returncode == 2
    assert "there is no column" in wrong.stderr


@pytest.mark.slow
def test_groups_err_as_rarely_as_they_say() -> None:
    """Four equal systems on 40 queries whose votes go together: some pair differs in 5 % of trials, or fewer."""
    false_alarms = 0
    trials = 200
    for seed in range(trials):
        random = np.random.default_rng(seed)
        rows: list[tuple[object, str, str, str]] = []
        for query in range(40):
            shift = dict(zip("wxyz", random.normal(0, 0.8, 4), strict=True))
            for left, right in permutations("wxyz", 2):
                chance = 1 / (1 + math.exp(shift[right] - shift[left]))
                rows.append((query, left, right, "left" if random.random() < chance else "right"))
        found = rank_systems(table(rows), rounds=300, seed=seed)
        false_alarms += any(pair.differs for pair in found.pairs)
    assert false_alarms / trials <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / trials)


def test_it_is_public() -> None:
    assert il.votes.rank_systems is rank_systems


def test_a_query_of_weight_2_is_a_query_asked_twice() -> None:
    """Without a ridge, the strengths of weighted votes are those of votes that are repeated."""
    rows: list[tuple[object, str, str, str]] = [
        *(("q1", "x", "y", winner) for winner in ("x", "x", "y", "tie")),
        *(("q2", "x", "y", winner) for winner in ("y", "tie", "x", "y")),
    ]
    weighted = rank_systems(table(rows), side=False, ridge=1e-9, weights={"q1": 2.0, "q2": 1.0})
    repeated = rank_systems(table([*rows, *rows[:4]]), side=False, ridge=1e-9)
    assert [entry.strength for entry in weighted.systems] == approx(
        [entry.strength for entry in repeated.systems], abs=1e-5
    )
    assert "effective sample size 1.8 of 2 queries" in str(weighted)  # (2 + 1)²/(4 + 1)
    with pytest.raises(InputError, match="'q2' has no weight"):
        rank_systems(table(rows), weights={"q1": 1.0})


def test_gsb_says_what_to_do_with_votes_on_pairs(idealist: Command, tmp_path: Path) -> None:
    pairs = table([("q1", "x", "y", "left"), ("q2", "y", "z", "right")])
    with pytest.raises(
        InputError, match="votes on pairs of 3 systems: 'y' stands in the columns left and right"
    ) as error:
        il.gsb(pairs)
    assert "rank-systems" in error.value.hint
    path = tmp_path / "pairs.csv"
    path.write_text("query,model_a,model_b,winner\nq1,x,y,model_a\nq2,y,x,model_b\n", encoding="utf-8")
    refused = idealist("gsb", path)
    assert refused.returncode == 2
    assert "--candidate y" in refused.stderr  # of two systems, one may be the candidate
    weights = tmp_path / "weights.csv"
    weights.write_text("query,visits\nq1,3\nq2,1\n", encoding="utf-8")
    done = idealist("rank-systems", path, "--weights", weights, "--weight-by", "visits")
    assert done.returncode == 0, done.stderr
    assert "weighted by column visits" in done.stdout
