"""Samples of queries and the votes on them: traffic counts once."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from idealist import Votes, evaluate, gsb
from idealist.data.columns import Columns
from idealist.data.weight_reading import read_weights
from idealist.errors import InputError
from idealist.plan import sample_queries
from idealist.votes.vote_table import read_votes

SAMPLES = 500


class Shop:
    """600 queries with heavy-tailed traffic; the more traffic, the more often the candidate is worse."""

    def __init__(self) -> None:
        rng = np.random.default_rng(11)
        self.traffic = np.ceil(10 * rng.lognormal(0, 1.2, 600))
        worse = np.clip(0.15 + 0.15 * np.log(self.traffic / 10), 0.02, 0.9)
        self.votes = np.where(rng.random(600) < worse, -1, rng.integers(0, 2, 600))
        self.kinds = np.where(rng.random(600) < 0.3, "brand", "plain")
        self.queries = [f"q{number}" for number in range(600)]
        self.table = Columns(
            {"query": self.queries, "traffic": self.traffic.tolist(), "kind": self.kinds.tolist()}
        )
        self.row = {query: row for row, query in enumerate(self.queries)}

    def truth(self, by: str | None) -> float:
        weights = self.traffic if by else np.ones(600)
        return float((weights * self.votes).sum() / weights.sum())

    def voted(self, by: str | None, stratify: str | None, seed: int) -> dict[str, list[Any]]:
        """The rows of a sample, as `plan sample` writes them, and the votes on them."""
        drawn = sample_queries(self.table, 90, by=by, stratify=stratify, seed=seed)
        rows = [self.row[one.query] for one in drawn]
        return {
            **{name: [column[row] for row in rows] for name, column in self.table.columns.items()},
            "sampling_probability": [one.probability for one in drawn],
            "sampling_weight": [one.weight for one in drawn],
            "vote": self.votes[rows].tolist(),
        }


def estimate(votes: Votes) -> float:
    """Σ wx / Σ w, which GSB is where every query has one vote."""
    weights = votes.weights or [1.0] * len(votes)
    return sum(w * x for w, x in zip(weights, votes.values, strict=True)) / sum(weights)


@pytest.mark.parametrize("stratify", [None, "kind"])
@pytest.mark.parametrize("by", ["traffic", None])
def test_gsb_of_a_sample_is_unbiased(by: str | None, stratify: str | None) -> None:
    shop = Shop()
    found = [estimate(read_votes(shop.voted(by, stratify, seed))) for seed in range(SAMPLES)]
    error = np.mean(found) - shop.truth(by)
    assert abs(error) < 3 * np.std(found, ddof=1) / SAMPLES**0.5
    assert gsb(shop.voted(by, stratify, 0), rounds=100).value == pytest.approx(found[0])


def test_traffic_again_would_count_twice() -> None:
    """What was estimated when the column traffic was the weight of queries drawn by traffic."""
    shop = Shop()
    votes = [shop.voted("traffic", None, seed) for seed in range(100)]
    twice = [
        estimate(read_votes({name: column for name, column in one.items() if "sampling" not in name}))
        for one in votes
    ]
    assert np.mean(twice) < shop.truth("traffic") - 0.1


@pytest.mark.parametrize("stratify", [None, "kind"])
def test_a_uniform_sample_weighed_by_traffic_has_unbiased_totals(stratify: str | None) -> None:
    """Σ wx and Σ w, with w = traffic / sampling_probability, are those of all queries on average. Their ratio is
    not quite: where few queries have most of the traffic it is biased, by about 0.025 with 90 of these 600 queries and by
    0.005 with 300. Samples drawn by traffic have no such bias, as Σ w is the same in all of them."""
    shop = Shop()
    found = []
    for seed in range(SAMPLES):
        votes = read_votes(shop.voted(None, stratify, seed), weight_by="traffic")
        assert votes.weights is not None
        signed = [w * x for w, x in zip(votes.weights, votes.values, strict=True)]
        found.append((sum(signed), sum(votes.weights)))
    totals = np.array([(shop.traffic * shop.votes).sum(), shop.traffic.sum()])
    errors = np.mean(found, axis=0) - totals
    assert (np.abs(errors) < 3 * np.std(found, axis=0, ddof=1) / SAMPLES**0.5).all()


def test_a_sample_is_weighed_by_its_own_weight() -> None:
    sample = {
        "query": ["a", "b", "c"],
        "traffic": [90, 5, 3],
        "weight": [7, 7, 1],
        "sampling_probability": [1, 0.5, 0.3],
        "sampling_weight": [90, 10, 10],
        "vote": ["bad", "good", "same"],
    }
    result = gsb(sample)
    assert result.value == pytest.approx((10 - 90) / 110)
    assert "weighted by column sampling_weight; without weights GSB is 0.0000" in result.notes
    by_traffic = gsb(sample, weight_by="traffic")
    assert by_traffic.value == pytest.approx((5 / 0.5 - 90) / (90 + 10 + 3 / 0.3))
    assert "column traffic, divided by sampling_probability" in " ".join(by_traffic.notes)
    assert read_votes(sample, columns={"weight": "weight"}).weights == pytest.approx([7, 14, 1 / 0.3])
    assert read_votes(sample, columns={"weight": ""}).weights is None


def test_the_weight_is_named_even_where_all_are_equal() -> None:
    votes = {"query": [1, 2], "vote": [1, 0], "Traffic": [4, 4]}
    assert "weighted by column Traffic, which is the same for all" in gsb(votes).notes
    both = {**votes, "weight": [1, 3]}
    assert gsb(both).value == 0.25
    assert "weighted by column weight; without weights GSB is 0.5000" in gsb(both).notes


@pytest.mark.parametrize(
    ("columns", "chosen", "message"),
    [
        (
            {"traffic": [1], "sampling_probability": [0.5]},
            None,
            "sampling_probability, but no sampling_weight",
        ),
        (
            {"weight": [1], "sampling_probability": [0.5]},
            None,
            "sampling_probability, but no sampling_weight",
        ),
        ({"traffic": [1], "sampling_probability": [0.5]}, "traffic", "but no sampling_weight"),
        ({"traffic": [1], "sampling_weight": [2]}, "traffic", "sampling_weight, but no sampling_probability"),
        ({"traffic": [1], "probability": [0.5]}, None, "look like a sample without its weights"),
        (
            {"traffic": [1], "sampling_probability": [0], "sampling_weight": [1]},
            "traffic",
            "sampling_probability must be above 0",
        ),
    ],
)
def test_a_sample_that_lacks_a_column_is_refused(
    columns: dict[str, list[Any]], chosen: str | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_votes({"query": ["q"], "vote": ["good"], **columns}, weight_by=chosen)
    with pytest.raises(InputError, match=message):
        read_weights({"query": ["q"], **columns}, column=chosen)


def test_votes_weighed_by_a_sample_beside_them(tmp_path: Path) -> None:
    drawn = sample_queries(Columns({"query": ["a", "b", "c"], "traffic": [8, 1, 1]}), 2, by="traffic", seed=3)
    first, other = drawn
    assert (first.query, first.weight, other.weight) == ("a", 8, 2)  # a for sure, the other stands for two
    votes = {"query": ["a", other.query], "vote": ["good", "bad"]}
    result = gsb(votes, weights=drawn)
    assert result.value == pytest.approx((8 - 2) / 10)
    path = tmp_path / "queries.csv"
    path.write_text("query,traffic\na,3\nb,1\nc,1\nd,5\n")
    result = gsb(votes, weights=path)
    assert result.value == pytest.approx((3 - 1) / 4)
    assert f"weighted by column traffic of {path}; without weights GSB is 0.0000" in result.notes
    assert "2 queries have a weight but no votes, not counted" in result.notes
    with pytest.raises(InputError, match=r"query 'b' has no weight in the weights given, but is voted on"):
        gsb({"query": ["a", "b"], "vote": [1, 1]}, weights={"a": 1})
    with pytest.raises(InputError, match="both weights and the column traffic were given"):
        read_votes({**votes, "traffic": [1, 1]}, columns={"weight": "traffic"}, weights={"a": 1})
    with pytest.raises(InputError, match="the column of weights is named twice"):
        read_votes({**votes, "traffic": [1, 1]}, columns={"weight": "traffic"}, weight_by="traffic")


def test_from_plan_sample_to_gsb_and_evaluate(idealist: Any, tmp_path: Path) -> None:
    shop = Shop()
    queries, sample, votes = (tmp_path / name for name in ("queries.csv", "sample.csv", "votes.csv"))
    with queries.open("w", newline="") as opened:
        rows = csv.writer(opened)
        rows.writerow(["query", "traffic"])
        rows.writerows(zip(shop.queries, shop.traffic, strict=True))
    done = idealist("plan", "sample", queries, "-n", "300", "--by", "traffic", "-o", sample)
    assert done.returncode == 0, done.stderr
    drawn = list(csv.DictReader(sample.read_text().splitlines()))
    with votes.open("w", newline="") as opened:
        table = csv.DictWriter(opened, [*drawn[0], "vote"])
        table.writeheader()
        table.writerows({**row, "vote": shop.votes[shop.row[row["query"]]]} for row in drawn)
    found = json.loads(idealist("gsb", votes, "--format", "json").stdout)
    weights = [float(row["sampling_weight"]) for row in drawn]
    signs = [int(shop.votes[shop.row[row["query"]]]) for row in drawn]
    expected = sum(w * x for w, x in zip(weights, signs, strict=True)) / sum(weights)
    assert found["value"] == pytest.approx(expected)
    # Half of the queries were drawn, those with much traffic for sure: the estimate is near the truth.
    assert found["value"] == pytest.approx(shop.truth("traffic"), abs=0.05)
    assert any(note.startswith("weighted by column sampling_weight") for note in found["notes"])

    judged, run = tmp_path / "qrels", tmp_path / "run"
    judged.write_text("".join(f"{row['query']} 0 d 1\n" for row in drawn))
    run.write_text(
        "".join(f"{row['query']} Q0 {'xd'[s > 0]} 1 1 r\n" for row, s in zip(drawn, signs, strict=True))
    )
    done = idealist("evaluate", judged, run, "-m", "RR", "--weights", sample, "--format", "json")
    mean = json.loads(done.stdout)["summary"][0]["mean"]
    assert mean == pytest.approx(sum(w for w, s in zip(weights, signs, strict=True) if s > 0) / sum(weights))
    in_python = evaluate(
        {row["query"]: {"d": 1} for row in drawn}, {row["query"]: {"d": 1.0} for row in drawn}, "RR",
        weights=sample_queries(Columns({"query": shop.queries, "traffic": shop.traffic.tolist()}), 300, by="traffic"),
    )  # fmt: skip
    assert list(in_python.weights or ()) == pytest.approx(
        [weight for _, weight in sorted(zip((row["query"] for row in drawn), weights, strict=True))]
    )
