"""What one verb takes, all take: files, frames, dicts, lists, arrays and objects, judgments
first. What clearly stands in the other's place is an error that says so."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import Command

import idealist as il
from idealist import InputError
from idealist.evaluation import find_conventions

# The relevant document of q stands at rank 2.
RUN, JUDGED = {"q": {"b": 2.0, "a": 1.0}}, {"q": {"a": 1, "b": 0}}
RUN_FRAME = pl.DataFrame({"query": ["q", "q"], "document": ["b", "a"], "score": [2.0, 1.0]})
JUDGED_FRAME = pl.DataFrame({"query": ["q", "q"], "document": ["a", "b"], "grade": [1, 0]})


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "new.run").write_text("q Q0 b 1 2.0 x\nq Q0 a 2 1.0 x\n")
    (tmp_path / "x.qrels").write_text("q 0 a 1\nq 0 b 0\n")
    return tmp_path / "new.run", tmp_path / "x.qrels"


def pairs(files: tuple[Path, Path]) -> dict[str, tuple[Any, Any]]:
    run, judged = files
    return {
        "paths": (run, judged),
        "texts": (str(run), str(judged)),
        "objects": (il.Run(RUN), il.Judgments(JUDGED)),
        "dicts": (RUN, JUDGED),
        "lists": ({"q": ["b", "a"]}, {"q": ["a"]}),
        "frames": (RUN_FRAME, JUDGED_FRAME),
        "arrays": (np.array([[1.0, 2.0]]), np.array([[1, 0]])),
    }


@pytest.mark.parametrize("form", ["paths", "texts", "objects", "dicts", "lists", "frames", "arrays"])
def test_every_verb_takes_every_form(form: str, files: tuple[Path, Path]) -> None:
    run, judged = pairs(files)[form]
    query = "0" if form == "arrays" else "q"
    assert il.evaluate(judged, run, "RR").mean("RR") == 1 / 2
    assert il.compare(judged, {"old": run, "new": run}, "RR")["new", "RR"].difference == 0
    assert il.explain(judged, run, "RR", query=query).value == 1 / 2
    assert il.why(judged, run, "RR", between=("idealist", "lightgbm")).value == 1 / 2
    assert find_conventions(judged, run, "RR", "0.5").observed == 0.5
    assert il.evaluation.agree(run, run, "Overlap@2").mean("Overlap@2") == 1
    assert len(il.fuse({"one": run, "two": run})[query]) == 2


VERBS: dict[str, Callable[[Any, Any], Any]] = {
    "evaluate": lambda first, second: il.evaluate(first, second, "RR"),
    "evaluate by name": lambda first, second: il.evaluate(first, {"new": second}, "RR"),
    "compare": lambda first, second: il.compare(first, {"old": second, "new": second}, "RR"),
    "explain": lambda first, second: il.explain(first, second, "RR", query="q"),
    "why": lambda first, second: il.why(first, second, "RR", between=("idealist", "lightgbm")),
    "find_conventions": lambda first, second: find_conventions(first, second, "RR", "0.5"),
    "report": lambda first, second: il.report(first, second, "RR"),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("form", ["paths", "texts", "objects", "frames", "whole arrays"])
def test_runs_first_are_an_error_that_says_so(form: str, verb: str, files: tuple[Path, Path]) -> None:
    forms = {**pairs(files), "whole arrays": (np.array([[0.1, 0.9]]), np.array([[1, 0]]))}
    run, judged = forms[form]
    with pytest.raises(InputError, match=r"judgments come first") as refused:
        VERBS[verb](run, judged)
    assert form == "whole arrays" or "run" in refused.value.message


def test_dicts_are_an_error_where_numbers_leave_no_doubt() -> None:
    scored = {"q": {"a": 2.5, "b": 0.25, "c": 0.5}}
    for graded in ({"q": {"a": 1, "b": 0, "c": 0}}, {"new": {"q": {"a": 1, "b": 0, "c": 0}}}):
        with pytest.raises(InputError, match="scores and grades in each other's place"):
            il.evaluate(scored, graded, "nDCG")
    # Real-valued grades are none, nor are whole scores; nor is anything that says what it is.
    whole = {"q": {"a": 3, "b": 2, "c": 1}}
    assert il.evaluate(scored, whole, "nDCG").mean("nDCG") < 1
    shared = {"q": {"a": 0, "b": 1, "c": 1}}
    assert il.evaluate(il.Judgments(scored), shared, "nDCG").mean("nDCG") < 1


def test_what_may_be_the_other_way_round_is_noted() -> None:
    scored, whole = {"q": {"a": 2.5, "b": 0.25, "c": 0.5}}, {"q": {"a": 2, "b": 0, "c": 1}}
    noted = [note for note in il.evaluate(scored, whole, "nDCG").notes if "judgments come first" in note]
    assert noted == [
        "grades have fractions and scores are small whole numbers: judgments come first, evaluate(judgments, runs, …)"
    ]
    assert not il.evaluate(whole, scored, "nDCG").notes
    assert not il.evaluate(il.Judgments(scored), whole, "nDCG").notes
    arrays = np.array([[2.5, 0.25, 0.5]]), np.array([[2.0, 0.0, 1.0]])
    assert any("judgments come first" in note for note in il.evaluate(*arrays, "nDCG").notes)


@pytest.mark.parametrize("form", ["paths", "texts", "objects", "dicts", "frames"])
def test_runs_as_three_arguments_are_an_error_that_says_what_to_write(
    form: str, files: tuple[Path, Path]
) -> None:
    """As in compare(a, b, judgments)."""
    run, judged = pairs(files)[form]
    with pytest.raises(
        InputError, match=r"judgments come first|compare\(judgments, runs, measures\): several"
    ):
        il.compare(run, run, judged)


def test_arguments_under_the_names_of_other_tools() -> None:
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"qrels": JUDGED, "runs": RUN}, "judgments=…"),
        ({"judgments": JUDGED, "run": RUN}, "runs=…"),
        ({"judgments": JUDGED, "runs": RUN, "metrics": "RR"}, "measures='RR'"),
    )
    for arguments, ours in cases:
        for verb in (il.evaluate, il.compare, il.report):
            with pytest.raises(InputError, match=ours):
                verb(**arguments)
    with pytest.raises(
        InputError, match=r"explain: there is no argument measures\nhint: it is called measure"
    ):
        il.explain(JUDGED, RUN, measures="RR", query="q")  # type: ignore[call-arg]


def test_a_measure_alone_takes_one_list() -> None:
    assert il.RR(k=2)([0, 1]) == 1 / 2
    with pytest.raises(InputError, match=r"RR@2\(grades\) takes one list") as refused:
        il.RR(k=2)([0.3, 0.7], [1, 0])
    assert "evaluate([grades], [scores], 'RR@2')" in refused.value.hint


def test_several_runs_by_name_or_in_a_list() -> None:
    lists: dict[str, Any] = {"q": ["b", "a"]}  # as RUN ranks them
    for judged_first in (
        il.evaluate(JUDGED, {"old": RUN, "new": lists}, "RR"),
        il.evaluate(JUDGED, {"old": lists, "new": RUN}, "RR"),
    ):
        assert judged_first["old", "RR"] == judged_first["new", "RR"] == 1 / 2
    in_a_list = il.evaluate(JUDGED, [RUN, lists], "RR")
    assert in_a_list["run 1", "RR"] == in_a_list["run 2", "RR"] == 1 / 2
    assert il.compare(JUDGED, {"old": RUN, "new": lists}, "RR")["new", "RR"].difference == 0


def test_dicts_that_may_be_either_are_taken_in_order() -> None:
    # As a run, JUDGED puts a first, and RUN as judgments calls both relevant.
    assert il.evaluate(JUDGED, RUN, "RR").mean("RR") == 1 / 2
    assert il.evaluate(RUN, JUDGED, "RR").mean("RR") == 1


def test_files_have_names_of_their_own(files: tuple[Path, Path]) -> None:
    run, judged = files
    assert il.evaluate(judged, [run], "RR").systems == ("new",)
    with pytest.raises(InputError, match="two runs are called 'new'"):
        il.evaluate(judged, [run, run], "RR")
    with pytest.raises(InputError, match="there is no such file"):
        il.evaluate(judged, run.with_name("other.run"), "RR")


def test_columns_are_named_once_for_files_and_frames(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("uid,sku,s\nq,b,2\nq,a,1\n")
    columns = {"query": "uid", "document": "sku", "score": "s", "grade": "label"}
    judged = pl.DataFrame({"uid": ["q"], "sku": ["a"], "label": [1]})
    assert il.evaluate(judged, tmp_path / "run.csv", "RR", columns=columns).mean("RR") == 1 / 2
    runs = {"old": tmp_path / "run.csv", "new": tmp_path / "run.csv"}
    assert il.compare(judged, runs, "RR", columns=columns)["new", "RR"].value == 1 / 2
    assert il.explain(judged, tmp_path / "run.csv", "RR", query="q", columns=columns).value == 1 / 2


def test_conventions_by_name() -> None:
    run, judged = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 2}}
    named, stated = (
        il.evaluate(judged, run, "nDCG@10", conventions=one) for one in ("lightgbm", il.conventions.LIGHTGBM)
    )
    assert named.mean("nDCG@10") == stated.mean("nDCG@10")
    assert named.conventions == il.conventions.LIGHTGBM
    assert il.explain(judged, run, query="q", conventions="lightgbm").value == named.mean("nDCG@10")
    assert il.evaluation.explain_grades([1, 2], conventions="gain=exp").value == named.mean("nDCG@10")
    with pytest.raises(InputError, match="did you mean lightgbm"):
        il.evaluate(judged, run, "nDCG@10", conventions="lightgmb")
    with pytest.raises(InputError, match="must be a Conventions object or text, not 7"):
        il.evaluate(judged, run, "nDCG@10", conventions=7)  # type: ignore[arg-type]


def test_measures_have_the_defaults_of_the_command() -> None:
    assert [str(one) for one in il.evaluate(JUDGED, RUN).measures][:3] == ["nDCG@10", "AP", "RR"]
    assert [str(one) for one in il.compare(JUDGED, [RUN, RUN]).measures] == ["nDCG@10", "AP", "P@10"]


def test_an_evaluation_is_asked_as_a_comparison_is() -> None:
    found = il.evaluate(JUDGED, {"one": RUN}, "RR")
    assert found["one", "RR"] == found.mean("RR", "one") == 1 / 2
    with pytest.raises(InputError, match="is indexed by a system and a measure, in this order"):
        found["RR"]  # type: ignore[index]
    with pytest.raises(InputError, match=r"hint: evaluation\['one', 'RR'\]"):
        found["RR", "one"]


def test_lists_of_rows_are_answered_with_what_to_give() -> None:
    scored = namedtuple("scored", ["query_id", "doc_id", "score"])
    rows = [scored("q", "a", 1.5), scored("q", "b", 0.5)]
    with pytest.raises(InputError, match="a list of rows with the fields query_id, doc_id, score is neither"):
        il.evaluate(JUDGED, rows, "RR")
    with pytest.raises(InputError, match="a list of rows with the fields query_id, doc_id, score is neither"):
        il.evaluate([row._asdict() for row in rows], RUN, "RR")


@pytest.mark.parametrize(
    "command", [["evaluate"], ["explain", "--query", "q"], ["compare"], ["why", "--observed", "1"]]
)
def test_runs_first_are_an_error_of_the_command(
    command: list[str], files: tuple[Path, Path], idealist: Command
) -> None:
    run, judged = files
    name, *options = command
    done = idealist(name, run, judged, *([judged] if name == "compare" else []), *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert "new.run, line 1: expected 4 columns, found 6" in done.stderr
    assert "judgments come first: JUDGMENTS RUN in commands" in done.stderr


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("--metric", "--metric is called --measure"),
        ("--metrics=RR", "--metrics is called --measure"),
        ("--qrels", "--qrels is called JUDGMENTS, the first argument"),
    ],
)
def test_options_under_the_names_of_other_tools(
    option: str, hint: str, files: tuple[Path, Path], idealist: Command
) -> None:
    run, judged = files
    assert f"hint: {hint}\n" in idealist("evaluate", judged, run, option, "RR").stderr


def test_grades_between_0_and_1_are_noted_where_they_do_not_reach_the_level() -> None:
    judged = {"q": {"a": 0.5, "b": 1.0, "c": 0.0}}
    result = il.evaluate(judged, {"q": ["a", "b"]}, ["nDCG", "AP"])
    assert result.mean("AP") == 0.5  # b alone is relevant, at rank 2
    assert [note for note in result.notes if "between" in note] == [
        "1 grade between 0 and 1: not relevant in AP, where a grade of 1 or more is; level=… states another"
    ]
    assert il.evaluate(judged, {"q": ["a", "b"]}, ["nDCG", "AP(level=0.5)"]).notes == ()
