"""Ids of data sets, without the library that has them; tests/integrations has the tests with it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from idealist import InputError, MissingDependency, evaluate, read_judgments
from idealist.cli.gate_file import Gate
from idealist.data.detection import names_of_source
from idealist.data.ir_datasets import with_part
from idealist.data.source_names import Source, is_elsewhere, parse_source
from idealist.projects.project import Project


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    for call in (
        lambda: read_judgments("ir_datasets:vaswani"),
        lambda: evaluate("ir_datasets:vaswani", {"q": ["a"]}, "AP"),
        lambda: evaluate({"q": ["a"]}, "ir_datasets:vaswani", "AP"),
    ):
        with pytest.raises(MissingDependency, match="hint: pip install ir-datasets, or name a file"):
            call()


def test_an_id_is_parsed_without_the_library() -> None:
    text = "ir_datasets:msmarco-passage/dev::qrels"
    assert parse_source(text) == Source(text, text, None, "msmarco-passage/dev")
    assert parse_source(text).name == "msmarco-passage/dev"
    assert names_of_source(text) is None
    assert with_part(text, "run") == text
    assert with_part("ir_datasets:vaswani", "run") == "ir_datasets:vaswani::scoreddocs"


def test_a_gate_takes_what_is_no_path_as_it_is(tmp_path: Path) -> None:
    named = {
        "judgments": "ir_datasets:vaswani",
        "baseline": "http://127.0.0.1:8765/projects/1::runs/a",
        "candidate": "b.run",
    }
    gate = Gate(Project(str(tmp_path / "gate.toml"), "", named), named, {})
    assert gate.path("judgments") == named["judgments"]
    assert gate.path("baseline") == named["baseline"]
    assert gate.path("candidate") == str(tmp_path / "b.run")


def test_a_file_is_a_file_whatever_it_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_elsewhere("ir_datasets:x")
    Path("ir_datasets:x").write_text("q 0 d 1\n")
    assert not is_elsewhere("ir_datasets:x")
    assert parse_source("ir_datasets:x").path == "ir_datasets:x"
    with pytest.raises(InputError, match="there is no such file"):
        read_judgments("ir_dataset:x")
