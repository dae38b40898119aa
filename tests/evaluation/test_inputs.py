"""What one verb takes, all take: files, frames, dicts, lists, arrays and objects; whichever comes first."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import Command

import idealist as il
from idealist import InputError
from idealist.presets import find_conventions

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
    assert il.evaluate(run, judged, "RR").mean("RR") == 1 / 2
    assert il.compare({"old": run, "new": run}, judged, "RR")["new", "RR"].difference == 0
    assert il.explain(run, judged, "RR", query=query).value == 1 / 2
    assert il.why(run, judged, "RR", between=("idealist", "lightgbm")).value == 1 / 2
    assert find_conventions(run, judged, "RR", "0.5").observed == 0.5
    assert il.agree(run, run, "Overlap@2").mean("Overlap@2") == 1
    assert len(il.fuse({"one": run, "two": run})[query]) == 2


@pytest.mark.parametrize("form", ["paths", "texts", "objects", "frames"])
def test_either_comes_first_where_the_content_tells(form: str, files: tuple[Path, Path]) -> None:
    run, judged = pairs(files)[form]
    assert il.evaluate(judged, run, "RR").mean("RR") == 1 / 2
    assert il.evaluate(judged, {"new": run}, "RR")["new", "RR"] == 1 / 2
    assert il.evaluate(judged, [run], "RR").mean("RR") == 1 / 2
    assert il.explain(judged, run, "RR", query="q").value == 1 / 2
    assert il.why(judged, run, "RR", between=("idealist", "lightgbm")).value == 1 / 2


def test_several_runs_may_come_second() -> None:
    # Judgments are one mapping of numbers: what is named, or a list of mappings, can only be runs.
    lists = {"q": ["b", "a"]}  # as RUN ranks them
    for judged_first in (
        il.evaluate(JUDGED, {"old": RUN, "new": lists}, "RR"),
        il.evaluate(JUDGED, {"old": lists, "new": RUN}, "RR"),
    ):
        assert judged_first["old", "RR"] == judged_first["new", "RR"] == 1 / 2
    in_a_list = il.evaluate(JUDGED, [RUN, lists], "RR")
    assert in_a_list["run 1", "RR"] == in_a_list["run 2", "RR"] == 1 / 2
    assert il.compare(JUDGED, {"old": RUN, "new": lists}, "RR")["new", "RR"].difference == 0


def test_dicts_are_taken_in_order() -> None:
    # As a run, JUDGED puts a first, and RUN as judgments calls both relevant.
    assert il.evaluate(JUDGED, RUN, "RR").mean("RR") == 1


def test_files_have_names_of_their_own(files: tuple[Path, Path]) -> None:
    run, judged = files
    assert il.evaluate([run], judged, "RR").systems == ("new",)
    with pytest.raises(InputError, match="two runs are called 'new'"):
        il.evaluate([run, run], judged, "RR")
    with pytest.raises(InputError, match="there is no such file"):
        il.evaluate(run.with_name("other.run"), judged, "RR")


def test_columns_are_named_once_for_files_and_frames(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("uid,sku,s\nq,b,2\nq,a,1\n")
    columns = {"query": "uid", "document": "sku", "score": "s", "grade": "label"}
    judged = pl.DataFrame({"uid": ["q"], "sku": ["a"], "label": [1]})
    assert il.evaluate(tmp_path / "run.csv", judged, "RR", columns=columns).mean("RR") == 1 / 2
    runs = {"old": tmp_path / "run.csv", "new": tmp_path / "run.csv"}
    assert il.compare(runs, judged, "RR", columns=columns)["new", "RR"].value == 1 / 2
    assert il.explain(tmp_path / "run.csv", judged, "RR", query="q", columns=columns).value == 1 / 2


def test_conventions_by_name() -> None:
    run, judged = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 2}}
    named, stated = (
        il.evaluate(run, judged, "nDCG@10", conventions=one) for one in ("lightgbm", il.conventions.LIGHTGBM)
    )
    assert named.mean("nDCG@10") == stated.mean("nDCG@10")
    assert named.conventions == il.conventions.LIGHTGBM
    assert il.explain(run, judged, query="q", conventions="lightgbm").value == named.mean("nDCG@10")
    assert il.explain_grades([1, 2], conventions="gain=exp").value == named.mean("nDCG@10")
    with pytest.raises(InputError, match="did you mean lightgbm"):
        il.evaluate(run, judged, "nDCG@10", conventions="lightgmb")
    with pytest.raises(InputError, match="must be a Conventions object or text, not 7"):
        il.evaluate(run, judged, "nDCG@10", conventions=7)  # type: ignore[arg-type]


def test_measures_have_the_defaults_of_the_command() -> None:
    assert [str(one) for one in il.evaluate(RUN, JUDGED).measures][:3] == ["nDCG@10", "AP", "RR"]
    assert [str(one) for one in il.compare([RUN, RUN], JUDGED).measures] == ["nDCG@10", "AP", "P@10"]


def test_an_evaluation_is_asked_as_a_comparison_is() -> None:
    found = il.evaluate({"one": RUN}, JUDGED, "RR")
    assert found["one", "RR"] == found.mean("RR", "one") == 1 / 2
    with pytest.raises(InputError, match="is indexed by a system and a measure, in this order"):
        found["RR"]  # type: ignore[index]
    with pytest.raises(InputError, match=r"hint: evaluation\['one', 'RR'\]"):
        found["RR", "one"]


def test_lists_of_rows_are_answered_with_what_to_give() -> None:
    scored = namedtuple("scored", ["query_id", "doc_id", "score"])
    rows = [scored("q", "a", 1.5), scored("q", "b", 0.5)]
    with pytest.raises(InputError, match="a list of rows with the fields query_id, doc_id, score is neither"):
        il.evaluate(rows, JUDGED, "RR")
    with pytest.raises(InputError, match="a list of rows with the fields query_id, doc_id, score is neither"):
        il.evaluate(RUN, [row._asdict() for row in rows], "RR")


def test_the_command_takes_either_first(files: tuple[Path, Path], idealist: Command) -> None:
    run, judged = files
    expected = idealist("evaluate", judged, run, "-m", "RR").stdout
    assert idealist("evaluate", run, judged, "-m", "RR").stdout == expected
    table = idealist("explain", judged, run, "--query", "q").stdout
    assert idealist("explain", run, judged, "--query", "q").stdout == table
    done = idealist("evaluate", run, run, "-m", "RR")
    assert (done.returncode, done.stdout) == (2, "")


def test_grades_between_0_and_1_are_noted_where_they_do_not_reach_the_level() -> None:
    judged = {"q": {"a": 0.5, "b": 1.0, "c": 0.0}}
    result = il.evaluate({"q": ["a", "b"]}, judged, ["nDCG", "AP"])
    assert result.mean("AP") == 0.5  # b alone is relevant, at rank 2
    assert [note for note in result.notes if "between" in note] == [
        "1 grade between 0 and 1: not relevant in AP, where a grade of 1 or more is; level=… states another"
    ]
    assert il.evaluate({"q": ["a", "b"]}, judged, ["nDCG", "AP(level=0.5)"]).notes == ()
