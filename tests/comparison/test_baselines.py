"""The baseline by its name, its file, or as the run itself."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import idealist as il
from idealist import InputError

JUDGED = {f"q{number}": {"a": 1} for number in range(4)}
OLD = {query: {"b": 2.0, "a": 1.0} for query in JUDGED}
NEW = {query: {"a": 2.0, "b": 1.0} for query in JUDGED}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, run in (("old", OLD), ("new", NEW)):
        il.write_run(il.Run(run), tmp_path / f"{name}.run")
    return tmp_path


@pytest.mark.parametrize("verb", [il.compare, il.report])
def test_by_name_file_or_object(verb: Any, folder: Path) -> None:
    files: list[Any] = [folder / "old.run", str(folder / "new.run")]
    for stated in ("new", "new.run", folder / "new.run", str(folder / "new.run"), il.read_run(files[1])):
        made = verb(JUDGED, files, "RR", baseline=stated)
        assert (made if verb is il.compare else made.comparison).baseline == "new"


def test_the_very_object_that_is_compared() -> None:
    frame = il.Run(NEW).to_frame("pyarrow")
    lists = {query: ["a", "b"] for query in JUDGED}
    named = il.Run(NEW, name="other")
    for run, name in ((NEW, "run 2"), (frame, "run 2"), (lists, "run 2"), (named, "other")):
        assert il.compare(JUDGED, [OLD, run], "RR", baseline=run).baseline == name
        assert il.compare(JUDGED, {"first": OLD, "second": run}, "RR", baseline=run).baseline == "second"
    contrast = il.compare(JUDGED, [OLD, NEW], "RR", baseline=NEW)["run 1", "RR"]
    assert contrast.difference == 0.5 - 1.0


def test_of_evaluations(folder: Path) -> None:
    evaluation = il.evaluate(JUDGED, [folder / "old.run", folder / "new.run"], "RR")
    saved = folder / "evaluation.json"
    saved.write_text(evaluation.to_json())
    for made in (evaluation, il.evaluation.read_evaluation(saved), pickle.loads(pickle.dumps(evaluation))):
        for stated in ("new", folder / "new.run", il.read_run(folder / "new.run")):
            assert il.comparison.compare_evaluations(made, baseline=stated).baseline == "new"


def test_what_is_not_among_the_runs(folder: Path) -> None:
    files = [folder / "old.run", folder / "new.run"]
    with pytest.raises(
        InputError, match=r"the baseline '.*third.run' is not among the runs\nhint: name one of"
    ):
        il.compare(JUDGED, files, "RR", baseline=folder / "third.run")
    with pytest.raises(InputError, match=r"the baseline, a dict, is not one of the runs"):
        il.compare(JUDGED, [OLD, NEW], "RR", baseline=dict(OLD))
    with pytest.raises(InputError, match=r"the baseline 'third' is not among the runs"):
        il.compare(JUDGED, files, "RR", baseline=il.Run(NEW, name="third"))
    with pytest.raises(InputError, match=r"'new' has other documents or scores than the run of this name"):
        il.compare(JUDGED, files, "RR", baseline=il.Run(OLD, name="new"))
    with pytest.raises(InputError, match="only one system"):
        il.compare(JUDGED, NEW, "RR", baseline=NEW)


def test_a_file_of_several_systems_is_no_name(folder: Path) -> None:
    table = folder / "systems.csv"
    rows = [f"{name},q0,a,{score}" for name, score in (("x", 1), ("y", 2))]
    table.write_text("\n".join(["system,query,document,score", *rows, ""]))
    with pytest.raises(InputError, match="is not among the runs\nhint: name one of: x, y"):
        il.compare(JUDGED, table, "RR", baseline=table)
    assert il.compare(JUDGED, table, "RR", baseline="y").baseline == "y"
