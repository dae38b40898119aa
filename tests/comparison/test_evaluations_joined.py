"""Evaluations of several occasions, saved, read again and held against each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from idealist import Conventions, compare, evaluate, read_judgments, read_run
from idealist.comparison import compare_evaluations
from idealist.conventions import LIGHTGBM
from idealist.errors import InputError
from idealist.evaluation import Evaluation, join_evaluations, read_evaluation

JUDGED = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": 1}, "q3": {"b": 1}}
OLD = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 3.0, "c": 2.0}, "q3": {"a": 2.0, "b": 1.0}}
NEW = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0, "c": 2.0}}
MEASURES = ["nDCG@10", "AP", "NumRet", "GMAP"]


def measured(name: str, run: Any, judged: Any = JUDGED, measures: Any = MEASURES, **more: Any) -> Evaluation:
    return evaluate(judged, {name: run}, measures, **more)


def saved(result: Evaluation, path: Path) -> Evaluation:
    path.write_text(result.to_json(), encoding="utf-8")
    return read_evaluation(path)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"conventions": Conventions(missing="skip", empty="skip")},
        {"conventions": LIGHTGBM},
        {"weights": {"q1": 1, "q2": 2.5, "q3": 0.1}},
    ],
)
def test_what_was_saved_is_read_again(settings: Any, tmp_path: Path) -> None:
    result = evaluate(JUDGED, {"old": OLD, "new": NEW}, MEASURES, **settings)
    again = saved(result, tmp_path / "e.json")
    assert again.to_dict() == result.to_dict()
    assert again.summary() == result.summary()
    assert (again.systems, again.measures, again.queries) == (result.systems, result.measures, result.queries)
    assert again.conventions == result.conventions
    assert (again.notes, again.missing, again.judged) == (result.notes, result.missing, result.judged)
    assert again.provenance == result.provenance
    assert again.weighted == result.weighted
    for measure in ("nDCG@10", "AP"):
        assert again.mean(measure, "new") == result.mean(measure, "new")
        assert again.value(measure, "q1", "old") == result.value(measure, "q1", "old")
        assert again.weights_of(measure, "new") == result.weights_of(measure, "new")
    assert not again.bounded("AP", "old")
    first, second = json.loads(again.to_json()), json.loads(result.to_json())
    del first["ties"], second["ties"]
    assert first == second


def test_real_evaluations_are_compared_without_their_runs(shop: Path, tmp_path: Path) -> None:
    judgments = read_judgments(shop / "shop.qrels")
    a, b = read_run(shop / "a.run"), read_run(shop / "b.run")
    whole = compare(judgments, [a, b], ["nDCG@10", "AP"])
    apart = [
        saved(evaluate(judgments, one, ["nDCG@10", "AP"]), tmp_path / f"{one.name}.json") for one in (a, b)
    ]
    joined = compare_evaluations(apart)
    assert joined.to_dict() == whole.to_dict()
    assert compare_evaluations(apart, baseline="b").baseline == "b"


def test_pooled_values_are_kept(tmp_path: Path) -> None:
    items = [{"item": name} for name in "abcd"]
    result = measured("old", OLD, measures=["Coverage@10", "RR"], items=items)
    again = saved(result, tmp_path / "e.json")
    assert again.aggregate("Coverage@10") == result.aggregate("Coverage@10") == 3 / 4


def test_a_name_twice_is_refused() -> None:
    with pytest.raises(InputError, match="two systems are called 'old'"):
        compare_evaluations([measured("old", OLD), measured("old", NEW)])


def test_different_judgments_are_refused_unless_asked_for() -> None:
    other = {"q1": {"a": 1}, "q2": {"a": 2, "c": 1}}
    old, new = measured("old", OLD), measured("new", NEW, other)
    with pytest.raises(InputError, match="different judgments") as caught:
        compare_evaluations([old, new])
    message = str(caught.value)
    assert "5 rows of 3 queries" in message
    assert "3 rows of 2 queries" in message
    assert "2 queries in both" in message
    comparison = compare_evaluations([old, new], different_judgments=True)
    contrast = comparison["new", "AP"]
    assert contrast.n == 2
    assert contrast.difference == pytest.approx(new.mean("AP") - (0.5 + 1) / 2)
    assert any("judgments differ" in note for note in comparison.evaluation.notes)
    assert comparison.evaluation.provenance is not None
    assert comparison.evaluation.provenance.judgments is None


def test_the_same_queries_but_other_grades_are_different_judgments() -> None:
    other = {query: {document: grade + 1 for document, grade in its.items()} for query, its in JUDGED.items()}
    with pytest.raises(InputError, match="the queries are the same"):
        join_evaluations([measured("old", OLD), measured("new", NEW, other)])


def test_unknown_judgments_are_not_taken_for_the_same() -> None:
    old, new = measured("old", OLD), measured("new", NEW)
    new = new.replaced(provenance=None)
    with pytest.raises(InputError, match="not known"):
        compare_evaluations([old, new])
    assert len(compare_evaluations([old, new], different_judgments=True).systems) == 1


def test_other_conventions_and_weights_are_refused() -> None:
    old = measured("old", OLD)
    with pytest.raises(InputError, match="missing zero against skip"):
        compare_evaluations([old, measured("new", NEW, conventions=Conventions(missing="skip"))])
    with pytest.raises(InputError, match="different conventions: parameters"):
        compare_evaluations([old, measured("new", NEW, conventions=Conventions(parameters={"gain": "exp"}))])
    weighted = measured("new", NEW, weights={"q1": 1, "q2": 2, "q3": 3})
    with pytest.raises(InputError, match="queries have weights in one evaluation"):
        compare_evaluations([old, weighted])
    with pytest.raises(InputError, match="query 'q3' weighs 3 in one evaluation, 4 in another"):
        compare_evaluations([weighted, measured("old", OLD, weights={"q1": 1, "q2": 2, "q3": 4})])


def test_only_shared_measures_are_compared() -> None:
    joined = join_evaluations([measured("old", OLD), measured("new", NEW, measures=["AP", "RR"])])
    assert list(map(str, joined.measures)) == ["AP"]
    assert "RR was not measured for all systems: it is left out" in joined.notes
    with pytest.raises(InputError, match="no measure in common"):
        join_evaluations([measured("old", OLD), measured("new", NEW, measures="RR")])


def test_what_is_no_evaluation() -> None:
    wrong: Any = ["e.json"]
    with pytest.raises(InputError, match="read_evaluation reads a saved one"):
        compare_evaluations(wrong)
    with pytest.raises(InputError, match="no evaluation was given"):
        compare_evaluations([])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 0 d1 1", "this is not JSON"),
        ("[1, 2]", "not an evaluation of Idealist"),
        ('{"q": {"a": 1}}', "not an evaluation of Idealist"),
        ('{"format": "idealist evaluation", "version": 99}', "newer Idealist"),
        ('{"format": "idealist evaluation", "version": 1}', "lacks the values by query"),
        ('{"format": "idealist evaluation", "version": 1, "by_query": {}}', "'systems' is missing"),
    ],
)
def test_files_that_are_no_evaluations(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_evaluation(path)
    assert str(path) in str(caught.value)


def test_damaged_evaluations_are_refused(tmp_path: Path) -> None:
    whole = json.loads(measured("old", OLD).to_json())
    path = tmp_path / "e.json"
    for key in whole:
        damaged = {name: value for name, value in whole.items() if name != key}
        for record in (damaged, {**whole, key: 7}, {**whole, key: ["x"]}, {**whole, key: {"x": [1]}}):
            if key in ("ties", "version") or record.get(key) == whole[key]:
                continue
            path.write_text(json.dumps(record))
            try:
                read_evaluation(path)
            except InputError as error:
                assert str(path) in str(error)
    with pytest.raises(InputError, match="no such file"):
        read_evaluation(tmp_path / "none.json")


def test_the_command_compares_saved_evaluations(idealist: Any, shop: Path, tmp_path: Path) -> None:
    for name in "ab":
        done = idealist(
            *("evaluate", shop / "shop.qrels", shop / f"{name}.run", "-m", "nDCG@10", "-m", "AP"),
            *("--format", "json", "--by-query"),
        )
        (tmp_path / f"{name}.json").write_text(done.stdout)
    saved_files = ("--evaluations", tmp_path / "a.json", tmp_path / "b.json")
    direct = idealist(
        "compare", shop / "shop.qrels", shop / "a.run", shop / "b.run", "-m", "nDCG@10", "-m", "AP"
    )
    again = idealist("compare", *saved_files)
    assert (again.returncode, again.stdout) == (0, direct.stdout)
    only = json.loads(idealist("compare", *saved_files, "-m", "AP", "--format", "json").stdout)
    assert {one["measure"] for one in only["contrasts"]} == {"AP"}
    for more, message in (
        (("-m", "RR"), "RR was not measured for a"),
        (("--ties", "averaged"), "--ties changes nothing"),
        (("--conventions", "ranx"), "--conventions changes nothing"),
    ):
        done = idealist("compare", *saved_files, *more)
        assert done.returncode == 2
        assert message in done.stderr
    short = tmp_path / "short.qrels"
    short.write_text("".join((shop / "shop.qrels").read_text().splitlines(keepends=True)[:100]))
    done = idealist("evaluate", short, shop / "b.run", "-m", "AP", "--format", "json", "--by-query")
    (tmp_path / "c.json").write_text(done.stdout)
    differing = ("--evaluations", tmp_path / "a.json", tmp_path / "c.json")
    done = idealist("compare", *differing)
    assert done.returncode == 2
    assert f"{shop / 'shop.qrels'} has 760 rows of 40 queries" in done.stderr
    assert f"{short} has 100 rows" in done.stderr
    assert idealist("compare", *differing, "--different-judgments").returncode == 0
    done = idealist("compare", shop / "shop.qrels", "--evaluations", tmp_path / "a.json")
    assert done.returncode == 2
    done = idealist("compare", shop / "shop.qrels")
    assert done.returncode == 2
    assert "judgments and runs are needed" in done.stderr
