"""Weights of queries: from tables, mappings and samples, in Python and in every command that measures runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars
import pytest

from idealist import compare, evaluate
from idealist.data.columns import Columns
from idealist.errors import InputError
from idealist.evaluation import read_evaluation
from idealist.plan import sample_queries
from idealist.votes import gsb_from

JUDGED = {"q1": {"a": 1}, "q2": {"a": 1}}
RUN = {"q1": {"a": 1.0}, "q2": {"b": 2.0, "a": 1.0}}  # RR 1 and 1/2
MEAN = (3 * 1 + 1 * 0.5) / 4
TABLE: dict[str, list[Any]] = {"query": ["q1", "q2", "q3"], "traffic": [3, 1, 9], "clicks": [1, 3, 0]}


def test_tables_mappings_and_samples_are_weights(tmp_path: Path) -> None:
    path = tmp_path / "queries.tsv"
    path.write_text("qid\ttraffic\nq1\t3\nq2\t1\n")
    drawn = sample_queries(Columns({"query": ["q1", "q2"], "traffic": [3, 1]}), 2, by="traffic")
    records = [{"query": "q1", "weight": 3}, {"query": "q2", "weight": 1}]
    for weights in (
        {"q1": 3, "q2": 1},
        TABLE,
        Columns(TABLE),
        polars.DataFrame(TABLE),
        path,
        str(path),
        drawn,
        records,
    ):
        result = evaluate(JUDGED, RUN, "RR", weights=weights)
        assert result.mean("RR") == MEAN
        assert any(note.endswith("effective sample size 1.6 of 2 queries") for note in result.notes)
    assert evaluate(JUDGED, RUN, "RR", weights=TABLE, weight_by="clicks").mean("RR") == (1 + 1.5) / 4
    profiles = {"query": ["q1", "q2"], "clicks": [1, 3], "weight": [3, 1]}
    assert evaluate(JUDGED, RUN, "RR", profiles=profiles).mean("RR") == MEAN
    chosen = evaluate(JUDGED, RUN, "RR", profiles=profiles, weight_by="clicks")
    assert chosen.mean("RR") == (1 + 1.5) / 4
    assert "weighted by column clicks of the profiles" in chosen.notes[0]
    assert not evaluate(JUDGED, RUN, "RR", profiles={"query": ["q1", "q2"], "traffic": [1, 2]}).weighted


def test_what_weighs_is_said_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "queries.csv"
    path.write_text("query,traffic\nq1,3\nq2,1\nq3,9\n")
    runs = {"old": RUN, "new": {query: {"a": 1.0} for query in RUN}}
    result = evaluate(JUDGED, runs, "RR", weights=path)
    label = f"column traffic of {path}"
    assert result.weighted_by == label
    assert result.notes == (
        f"weighted by {label}; effective sample size 1.6 of 2 queries",
        "1 query has a weight but no judgment, not counted",
    )
    saved = tmp_path / "evaluation.json"
    saved.write_text(result.to_json())
    assert read_evaluation(saved).weighted_by == label
    compared = compare(JUDGED, runs, "RR", weights=path)["new", "RR"]
    assert compared.difference == pytest.approx(1 - MEAN)
    voted = gsb_from(result, "RR", "new", "old")
    assert voted.value == pytest.approx(1 / 4)  # q2 is better, and has a quarter of the traffic
    assert f"weighted by {label}; without weights GSB is 0.5000" in voted.notes


@pytest.mark.parametrize(
    ("weights", "column", "message"),
    [
        (
            {"q1": 1},
            None,
            "query 'q2' has no weight in the weights given, but is judged\nhint: give it a weight",
        ),
        ({"query": ["q1"], "weight": [1]}, None, "query 'q2' has no weight in column weight"),
        ({"query": ["q1", "q2"], "clicks": [1, 1]}, None, "there is no column of weights"),
        (TABLE, "views", "there is no column 'views'\nhint: there are query, traffic, clicks"),
        ({"query": ["q1", "q2"], "weight": [1, -1]}, None, "row 2: weight must be 0 or more, not -1"),
        ({"query": ["q1", "q1"], "weight": [1, 2]}, None, "row 2: query 'q1' has the weight 2, but 1 before"),
        (
            {"query": ["q1", "q2", "q3"], "weight": [0, 0, 1]},
            None,
            "the weights add up to 0 over the queries",
        ),
        ({"q1": 1, "q2": 1}, "weight", "the column 'weight' was named, but the weights are not a table"),
        ([1, 2], None, "weights must be a mapping from queries to numbers, a table or a sample"),
        (None, "weight", "weight_by names the column 'weight'"),
    ],
)
def test_weights_that_cannot_be_used(weights: Any, column: str | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(JUDGED, RUN, "RR", weights=weights, weight_by=column)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
    (tmp_path / "old").write_text("q1 Q0 a 1 1 old\nq2 Q0 b 1 2 old\nq2 Q0 a 2 1 old\n")
    (tmp_path / "new").write_text("q1 Q0 a 1 1 new\nq2 Q0 a 1 1 new\n")
    (tmp_path / "queries.csv").write_text("query,traffic,clicks\nq1,3,1\nq2,1,3\n")
    return tmp_path


def test_commands_weigh_by_a_column(idealist: Any, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    said = "weighted by column traffic of queries.csv; effective sample size 1.6 of 2 queries"
    weights = ["--weights", "queries.csv"]
    done = idealist("evaluate", "qrels", "old", "-m", "RR", *weights)
    assert done.stdout.splitlines()[1].split() == ["RR", f"{MEAN:.4f}", "2"]
    assert said in done.stdout.splitlines()
    assert said not in done.stderr  # once
    assert f"note: {said}" in idealist("evaluate", "qrels", "old", "--format", "csv", *weights).stderr
    by_clicks = idealist("evaluate", "qrels", "old", "-m", "RR", *weights, "--weight-by", "clicks")
    assert by_clicks.stdout.splitlines()[1].split() == ["RR", "0.6250", "2"]  # (1 + 3/2) / 4
    profiled = idealist(
        "evaluate", "qrels", "old", "-m", "RR", "--profiles", "queries.csv", "--weight-by", "clicks"
    )
    assert profiled.stdout.splitlines()[1] == by_clicks.stdout.splitlines()[1]
    compared = idealist("compare", "qrels", "old", "new", "-m", "RR", *weights)
    assert f"note: {said}" in compared.stdout.splitlines()
    record = json.loads(
        idealist("compare", "qrels", "old", "new", "-m", "RR", *weights, "--format", "json").stdout
    )
    assert record["contrasts"][0]["difference"] == pytest.approx(1 - MEAN)
    voted = idealist("gsb", "--judgments", "qrels", "old", "new", "-m", "RR", *weights, "--format", "json")
    assert json.loads(voted.stdout)["value"] == pytest.approx(1 / 4)
    done = idealist("report", "qrels", "old", "new", "-m", "RR", "-m", "RR@1", *weights, "-o", "report.html")
    assert done.returncode == 0, done.stderr
    assert said in (files / "report.html").read_text()


def test_a_gate_weighs_by_a_column(idealist: Any, files: Path) -> None:
    rules = 'judgments = "qrels"\nbaseline = "old"\ncandidate = "new"\nmeasure = "RR"\n'
    (files / "gate.toml").write_text(f'{rules}weights = "queries.csv"\nweight_by = "clicks"\n')
    record = json.loads(idealist("gate", files / "gate.toml", "--format", "json").stdout)
    assert record["parts"][0]["baseline_value"] == pytest.approx((1 + 3 / 2) / 4)
    assert any(note.startswith("weighted by column clicks of ") for note in record["notes"])


def test_options_that_change_nothing(idealist: Any, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    lone = idealist("evaluate", "qrels", "old", "--weight-by", "traffic")
    assert (lone.returncode, "weight_by names the column 'traffic'" in lone.stderr) == (2, True)
    (files / "old.json").write_text(
        idealist("evaluate", "qrels", "old", "new", "-m", "RR", "--format", "json", "--by-query").stdout
    )
    saved = idealist("compare", "--evaluations", "old.json", "--weights", "queries.csv")
    assert (saved.returncode, "--weights changes nothing" in saved.stderr) == (2, True)
