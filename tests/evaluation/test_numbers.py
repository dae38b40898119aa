"""Numbers per query that were measured elsewhere: compared as measures are."""

from __future__ import annotations

import json
from math import inf, isnan
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import Command

from idealist import compare, evaluate, report
from idealist.comparison import compare_evaluations
from idealist.data import read_numbers
from idealist.errors import InputError
from idealist.evaluation import read_evaluation
from idealist.measures import Column

QUERIES = [f"q{i}" for i in range(30)]
# b is 10 ms slower on every query but the last three, where it is 10 ms quicker; and always a tenth more faithful.
LONG: dict[str, list[Any]] = {
    "query": [*QUERIES, *QUERIES],
    "system": ["a"] * 30 + ["b"] * 30,
    "faithfulness": [0.5] * 30 + [0.6] * 30,
    "latency_ms": [100 + i for i in range(30)] + [100 + i + (10 if i < 27 else -10) for i in range(30)],
}
JUDGED = {query: {"d": 1} for query in QUERIES[:20]}
RUNS = {
    "a": {query: {"x": 2.0, "d": 1.0} for query in QUERIES[:20]},
    "b": {query: {"d": 2.0} for query in QUERIES[:20]},
}


def records() -> list[dict[str, Any]]:
    return [dict(zip(LONG, row, strict=True)) for row in zip(*LONG.values(), strict=True)]


def by_system() -> dict[str, dict[str, list[Any]]]:
    columns = ("query", "faithfulness", "latency_ms")
    return {
        system: {name: LONG[name][at : at + 30] for name in columns} for system, at in (("a", 0), ("b", 30))
    }


@pytest.mark.parametrize(
    "given",
    [
        LONG,
        records(),
        by_system(),
        pl.DataFrame(LONG),
        pd.DataFrame(LONG),
        pa.table(LONG),
        {name: pl.DataFrame(table) for name, table in by_system().items()},
        {name: pd.DataFrame(table).to_dict("records") for name, table in by_system().items()},
        read_numbers(LONG),
    ],
    ids=[
        "columns",
        "records",
        "by system",
        "polars",
        "pandas",
        "arrow",
        "frames",
        "records by system",
        "read",
    ],
)
def test_every_table_says_the_same(given: Any) -> None:
    compared = compare(numbers=given)
    latency = compared["b", "latency_ms"]
    assert latency.difference == pytest.approx((27 * 10 - 3 * 10) / 30)
    assert latency.gain == pytest.approx(-8)  # lower is better
    assert (latency.wins, latency.ties, latency.losses) == (3, 0, 27)
    assert compared["b", "faithfulness"].difference == pytest.approx(0.1)
    assert compared["b", "faithfulness"].measure.bounds == (0, 1)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_every_file_says_the_same(ending: str, tmp_path: Path) -> None:
    frame, path = pd.DataFrame(LONG), tmp_path / f"numbers.{ending}"
    if ending == "parquet":
        frame.to_parquet(path)
    elif ending == "xlsx":
        pytest.importorskip("openpyxl")
        frame.to_excel(path, index=False)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    assert compare(numbers=path)["b", "latency_ms"].gain == pytest.approx(-8)


def test_files_are_of_the_systems_that_they_are_named_after(tmp_path: Path) -> None:
    for name, table in by_system().items():
        pd.DataFrame(table).to_csv(tmp_path / f"{name}.csv", index=False)
    result = evaluate(numbers=[tmp_path / "a.csv", tmp_path / "b.csv"])
    assert result.systems == ("a", "b")
    assert result.mean("latency_ms", "a") == pytest.approx(sum(range(100, 130)) / 30)


def test_a_range_decides_by_which_interval() -> None:
    """With a range on both sides, as a measure; without one, Student's."""
    compared = compare(numbers=LONG)
    faithful, latency = compared["b", "faithfulness"], compared["b", "latency_ms"]
    assert faithful.bounded is not None
    assert latency.bounded is None
    assert latency.interval == latency.student
    between = compare(numbers=LONG, measures="latency_ms(low=0,high=1000)")["b", "latency_ms"]
    assert between.bounded is not None


def test_better_and_range_go_by_the_name_unless_they_are_stated() -> None:
    assert (Column("answer_relevancy").better, Column("answer_relevancy").bounds) == ("higher", (0, 1))
    assert (Column("p95_latency").better, Column("p95_latency").bounds) == ("lower", (0, inf))
    assert Column("steps").better == "neither"
    assert Column("time_to_clicked_ms").better == "neither"  # clicked and ms disagree
    stars = Column("stars", better="higher", low=1, high=5)
    assert (stars.better, stars.bounds, str(stars)) == ("higher", (1, 5), "stars(better=higher,low=1,high=5)")
    assert Column("hallucination_rate", better="lower").bounds == (0, 1)
    with pytest.raises(InputError, match="low must be below high"):
        Column("stars", low=5, high=1)


def test_a_column_without_a_better_side_has_no_verdict_and_that_is_said() -> None:
    table = {"query": ["q", "r"] * 2, "system": ["a", "a", "b", "b"], "steps": [1, 2, 3, 4]}
    compared = compare(numbers=table)
    assert any("steps(better=higher) or (better=lower) says it" in note for note in compared.evaluation.notes)
    with pytest.raises(InputError, match="no value of steps is better"):
        compared.verdict()
    assert compare(numbers=table, measures="steps(better=lower)")["b", "steps"].gain == -2


def test_a_range_of_the_name_alone_is_given_up_and_that_is_said() -> None:
    percent = {**LONG, "faithfulness": [50.0] * 30 + [60.0] * 30}
    compared = compare(numbers=percent, measures="faithfulness")
    assert compared["b", "faithfulness"].bounded is None
    assert any("numbers from 50 to 60: its range is not 0 to 1" in note for note in compared.evaluation.notes)
    with pytest.raises(
        InputError, match=r"row 1: faithfulness is 50 for query 'q0' of 'a', outside of 0 to 2"
    ):
        compare(numbers=percent, measures="faithfulness(low=0,high=2)")


def test_true_and_false_lie_between_0_and_1() -> None:
    table = {"query": ["q", "r"] * 2, "system": ["a", "a", "b", "b"], "liked": [True, False, True, True]}
    compared = compare(numbers=table, measures="liked(better=higher)")
    assert compared["b", "liked"].difference == 0.5
    assert compared["b", "liked"].measure.bounds == (0, 1)
    text = {**table, "liked": ["true", "False", "TRUE", "true"]}
    assert compare(numbers=text, measures="liked(better=higher)")["b", "liked"].difference == 0.5


def test_beside_runs() -> None:
    """20 judged queries, 30 with numbers: each column over its own."""
    compared = compare(JUDGED, RUNS, "RR", numbers=LONG)
    assert list(map(str, compared.measures)) == ["RR", "faithfulness", "latency_ms"]
    assert (compared["b", "RR"].n, compared["b", "latency_ms"].n) == (20, 30)
    assert compared["b", "RR"].difference == pytest.approx(0.5)
    assert compared["b", "latency_ms"].gain == pytest.approx(-8)
    assert len(compared.evaluation.queries) == 30
    first = compare(JUDGED, RUNS, ["latency_ms", "RR"], numbers=LONG)
    assert list(map(str, first.measures)) == ["latency_ms", "RR"]
    assert first.verdict().outcome == "block"  # 8 of about 115 ms slower
    assert "judged" not in " ".join(guard.name for guard in first.verdict().guards)


def test_runs_measured_beside_numbers_are_as_without_them() -> None:
    """Values, ties, judged shares and where they are from, though there are more queries."""
    tied = {"a": {q: {"x": 1.0, "d": 1.0} for q in QUERIES[:20]}, "b": RUNS["b"]}
    alone, beside = evaluate(JUDGED, tied, "RR"), evaluate(JUDGED, tied, "RR", numbers=LONG)
    assert beside.by_query("RR", "a") == alone.by_query("RR", "a")
    assert beside.ties("RR", "a") == alone.ties("RR", "a")
    assert beside.ties_by_query("RR", "a") == alone.ties_by_query("RR", "a")
    assert (beside.judged, beside.missing["a"]) == (alone.judged, alone.missing["a"])
    assert not beside.bounded("latency_ms", "a")
    assert beside.provenance is not None
    assert [table.kind for table in beside.provenance.numbers] == ["numbers"]


def test_a_guard_with_a_margin() -> None:
    better = {**LONG, "faithfulness": [0.1] * 30 + [0.9] * 30}
    compared = compare(numbers=better, measures=["faithfulness", "latency_ms"])
    assert compared.verdict(guard_margins={"latency_ms": "15%"}).outcome == "ship"
    strict = compared.verdict(guard_margins={"latency_ms": "2%"})
    assert strict.outcome == "undecided"
    # All of its interval is worse than 2 % of 114.5; a loss is above 0 where lower is better, as in tables.
    assert (
        "latency_ms is worse by more than 2.2900, 2 % of the baseline (8.0000, interval"
        in strict.guards[0].message
    )


def test_weights_and_segments() -> None:
    weights = {query: 1.0 if at < 27 else 0.0 for at, query in enumerate(QUERIES)}
    segments = {query: "last" if at >= 27 else "rest" for at, query in enumerate(QUERIES)}
    compared = compare(numbers=LONG, measures="latency_ms", weights=weights)
    assert compared["b", "latency_ms"].difference == pytest.approx(10)
    by = compare(numbers=LONG, measures="latency_ms", segments=segments).segments()
    assert by["last"][0].difference == pytest.approx(-10)
    beside = compare(JUDGED, RUNS, "RR", numbers=LONG, weights=weights)
    assert beside["b", "latency_ms"].difference == pytest.approx(10)
    with pytest.raises(InputError, match="no weight"):
        compare(JUDGED, RUNS, "RR", numbers=LONG, weights=dict.fromkeys(QUERIES[:20], 1))


def test_saved_and_read_again(tmp_path: Path) -> None:
    for result in (evaluate(numbers=LONG), evaluate(JUDGED, RUNS, "RR", numbers=LONG)):
        path = tmp_path / "saved.json"
        path.write_text(result.to_json(), encoding="utf-8")
        again = read_evaluation(path)
        assert again.to_dict() == result.to_dict()
        assert again.measures == result.measures
        assert again.provenance == result.provenance
        assert again.measure_of("latency_ms").bounds == (0, inf)
        assert compare_evaluations(again)["b", "latency_ms"].gain == pytest.approx(-8)


def test_evaluations_of_numbers_alone_are_joined() -> None:
    one, two = (evaluate(numbers={name: table}) for name, table in by_system().items())
    assert compare_evaluations([one, two])["b", "latency_ms"].gain == pytest.approx(-8)


def test_the_digest_is_of_the_numbers_whatever_their_order() -> None:
    turned = [dict(reversed(record.items())) for record in reversed(records())]
    assert read_numbers(turned).provenance().sha256 == read_numbers(LONG).provenance().sha256
    other = {**LONG, "latency_ms": [*LONG["latency_ms"][:-1], 0]}
    assert read_numbers(other).provenance().sha256 != read_numbers(LONG).provenance().sha256


def test_what_is_not_defined_is_left_out_and_said() -> None:
    for hole in (None, float("nan"), "", "NaN"):
        holed = {**LONG, "latency_ms": [*LONG["latency_ms"][:-1], hole]}
        compared = compare(numbers=holed, measures="latency_ms")
        assert compared["b", "latency_ms"].n == 29
        notes = " ".join(compared.evaluation.notes)
        assert "latency_ms of b is not defined for 1 query, such as 'q29', left out" in notes
        assert isnan(compared.evaluation.value("latency_ms", "q29", "b"))


def test_a_row_that_the_candidate_lacks_fails_its_guard() -> None:
    short = {name: column[:-1] for name, column in LONG.items()}
    verdict = compare(numbers=short).verdict()
    assert "1 query of a missing from b, such as 'q29'" in str(verdict.guards)


def test_text_beside_numbers_is_left_out_and_said() -> None:
    result = evaluate(numbers={**LONG, "answer": ["Bern"] * 60})
    assert "answer holds no number, but text such as 'Bern': it is left out" in result.notes


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("q1,b,n/a,80", "line 5: faithfulness of query 'q1' of 'b' is 'n/a', not a finite number"),
        ("q1,b,inf,80", "line 5: faithfulness of query 'q1' of 'b' is 'inf', not a finite number"),
        ("q1,a,0.5,80", "line 5: query 'q1' of 'a' appears twice, first on line 3"),
        (",b,0.5,80", "line 5: query is empty"),
        ("q1,,0.5,80", "line 5: system is empty"),
    ],
)
def test_errors_name_file_line_column_and_query(row: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(f"query,system,faithfulness,latency_ms\nq0,a,0.1,80\nq1,a,0.1,80\nq0,b,0.2,70\n{row}\n")
    with pytest.raises(InputError) as caught:
        compare(numbers=path)
    assert f"{path}, {message}" in str(caught.value)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"numbers": {"query": ["q"], "latency_ms": [1]}}, "no column 'system'"),
        ({"numbers": {"query": ["q"], "system": ["a"]}}, "no column of numbers"),
        ({"numbers": {"query": [], "system": [], "x": []}}, "no rows"),
        (
            {"numbers": LONG, "measures": "cost"},
            "hint: the columns of the numbers are faithfulness, latency_ms",
        ),
        ({"numbers": LONG, "measures": "nDCG@10"}, "nDCG@10 is not a column of the numbers"),
        ({"numbers": LONG, "measures": "latency_ms(best=low)"}, "does not say which value is better"),
        (
            {"numbers": LONG, "runs": {**RUNS, "c": RUNS["a"]}, "judgments": JUDGED},
            "no numbers of the system 'c'",
        ),
        (
            {"numbers": {**LONG, "AP": LONG["faithfulness"]}, "runs": RUNS, "judgments": JUDGED},
            "AP is a measure, and",
        ),
        (
            {"numbers": LONG, "runs": RUNS, "judgments": JUDGED, "measures": "latency_ms"},
            "only columns of numbers",
        ),
        ({"judgments": pl.DataFrame(LONG)}, "numbers per query is given as numbers=…"),
        ({"runs": pl.DataFrame(LONG), "judgments": JUDGED}, "numbers=… in Python"),
        ({"numbers": 5}, "not int"),
    ],
)
def test_refused_with_what_to_do(how: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        compare(**how)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 600  # no frame is in it


def test_the_report_shows_them() -> None:
    pytest.importorskip("matplotlib")
    alone = report(numbers=LONG)
    assert "latency_ms" in alone.html
    beside = report(JUDGED, RUNS, ["RR", "nDCG@10"], numbers=LONG)
    assert list(map(str, beside.evaluation.measures)) == ["RR", "nDCG@10", "faithfulness", "latency_ms"]


def test_on_the_command_line(idealist: Command, tmp_path: Path) -> None:
    path, saved = tmp_path / "answers.csv", tmp_path / "saved.json"
    pd.DataFrame(LONG).to_csv(path, index=False)
    done = idealist("compare", "--numbers", path, "--baseline", "b", "-m", "latency_ms", "--format", "json")
    record = json.loads(done.stdout)
    assert record["contrasts"][0]["difference"] == pytest.approx(-8)
    assert record["verdicts"]["a"]["outcome"] == "ship"
    saved.write_text(idealist("evaluate", "--numbers", path, "--format", "json", "--by-query").stdout)
    again = json.loads(
        idealist("compare", "--evaluations", saved, "-m", "latency_ms", "--format", "json").stdout
    )
    assert again["contrasts"][0]["difference"] == pytest.approx(8)
    saved.write_text(evaluate(JUDGED, RUNS, "RR", numbers=LONG).to_json())
    one = json.loads(idealist("compare", "--evaluations", saved, "-m", "RR", "--format", "json").stdout)
    assert one["measures"] == ["RR"]
    guarded = idealist("compare", "--numbers", path, "-m", "faithfulness", "--guard", "latency_ms=2%")
    assert "latency_ms is worse by more than" in guarded.stdout
    named = idealist("compare", "--numbers", path, "-m", "latency_ms", "--columns", "numbers.system=variant")
    assert "there is no column 'variant'" in named.stderr


def test_beside_saved_evaluations(idealist: Command, tmp_path: Path) -> None:
    path, saved = tmp_path / "answers.csv", tmp_path / "saved.json"
    pd.DataFrame(LONG).to_csv(path, index=False)
    saved.write_text(evaluate(JUDGED, RUNS, "RR").to_json())
    done = idealist("compare", "--evaluations", saved, "--numbers", path, "--format", "json")
    assert json.loads(done.stdout)["measures"] == ["RR", "faithfulness", "latency_ms"]


def test_a_table_given_for_a_system_is_of_that_system() -> None:
    """Whatever it calls it itself, as two runs of one service do; of several systems it cannot be."""
    tables = {system: table | {"system": ["rag"] * 30} for system, table in by_system().items()}
    assert compare(numbers=tables)["b", "latency_ms"].difference == pytest.approx(8)
    assert read_numbers(tables).systems == ("a", "b")
    with pytest.raises(InputError, match="given for 'b' alone, and has 2 systems: a, b"):
        read_numbers({"a": tables["a"], "b": LONG})


@pytest.mark.parametrize("cells", [[1, "x"] * 30, [object()] * 60], ids=["mixed", "objects"])
def test_a_frame_with_a_column_of_several_types(cells: list[Any]) -> None:
    with pytest.raises(InputError, match=r"the frame cannot be read: .*column note") as caught:
        compare(numbers=pd.DataFrame(LONG).assign(note=cells))
    assert "values of one type" in caught.value.hint


def test_what_has_no_range_says_so() -> None:
    """Student's interval allows for no failure that the sample lacks: that is said, and how to state a range."""
    table = LONG | {"quality": [0.5] * 60, "faithfulness": [0.4, 0.6] * 30}
    table["quality"] = [0.3 + at / 100 for at in range(30)] + [0.35 + at / 90 for at in range(30)]
    unknown = compare(numbers=table, measures="quality").verdict()
    assert unknown.method == "Student's t"
    assert unknown.remark == (
        "quality has no known range: failures that the queries do not show are not allowed for; "
        "quality(low=…,high=…) states it"
    )
    stated = compare(numbers=table, measures="quality(low=0,high=1)").verdict()
    assert "no known range" not in stated.remark
    chosen = compare(numbers=table, measures="quality", interval="student").verdict()
    assert chosen.remark == ""


def test_a_name_that_is_nearly_a_column() -> None:
    with pytest.raises(InputError) as caught:
        compare(numbers=LONG, measures="faithfulnes")
    assert (
        caught.value.hint
        == "did you mean faithfulness? the columns of the numbers are faithfulness, latency_ms"
    )


def test_a_column_that_is_the_same_everywhere_keeps_its_margin() -> None:
    """A price a request that did not change: there is no spread for Student's interval, and no loss."""
    table = LONG | {"cost": [0.02] * 60}
    compared = compare(numbers=table, measures=["faithfulness", "cost"])
    (guard, *_) = compared.verdict(guard_margins={"cost": "5%"}).guards
    assert str(guard) == "passed  other measures: cost"
    alone = compared.verdict("cost")
    assert (alone.outcome, alone.reason) == (
        "undecided",
        "no query differs, so that Student's t gives no interval",
    )
    dearer = compare(numbers=table | {"cost": [0.02] * 30 + [0.03] * 30}, measures=["faithfulness", "cost"])
    (guard, *_) = dearer.verdict(guard_margins={"cost": "5%"}).guards
    assert guard.answer == "failed"


def test_a_single_query_has_nothing_to_adjust_for() -> None:
    one = {"query": ["q", "q"], "system": ["a", "b"], "accuracy": [0.5, 0.6]}
    text = str(compare(numbers=one))
    assert "a single query: there is no interval and no test" in text
    assert "adjusted for" not in text
    two = {"query": ["q", "q", "r", "r"], "system": ["a", "b"] * 2, "accuracy": [0.5, 0.6, 0.3, 0.5]}
    assert "adjusted for the one test here" in compare(numbers=two).to_text(show_all=True)
