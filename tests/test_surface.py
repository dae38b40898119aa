"""Each public name is a promise."""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import ROOT

import idealist
from idealist.measures import registry

SOURCE = ROOT / "src"
PACKAGES = [
    ".".join(stub.relative_to(SOURCE).parent.parts)
    for stub in sorted((SOURCE / "idealist").rglob("__init__.pyi"))
]


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_are_those_of_the_stub(package: str) -> None:
    """The stub that type checkers read says each name once; it is what is there, and what is completed."""
    module = importlib.import_module(package)
    stub = Path(str(module.__file__) + "i").read_text(encoding="utf-8")
    said = [
        str(alias.asname)
        for node in ast.parse(stub).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    assert sorted(said) == module.__all__ == dir(module)
    for name in said:
        with contextlib.suppress(idealist.MissingDependency):  # which says what it needs
            getattr(module, name)


def test_public_names_are_documented() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    text = " ".join(page.read_text(encoding="utf-8") for page in pages)
    measures = {cls.__name__ for cls in registry().values()}
    names = [name for name in idealist.__all__ if name not in measures]
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


def test_every_measure_is_public() -> None:
    """What is missing from the stub is shown as the lines that belong there."""
    missing = [
        cls for cls in registry().values() if getattr(idealist.measures, cls.__name__, None) is not cls
    ]
    lines = [f"from {cls.__module__} import {cls.__name__} as {cls.__name__}" for cls in missing]
    assert not lines, "add to src/idealist/measures/__init__.pyi, then run make format:\n" + "\n".join(lines)


def test_the_root_has_what_most_programs_need() -> None:
    """Verbs, data, errors and the twenty best-known measures; everything else is in a package, under one name."""
    names = {name for name in idealist.__all__ if not isinstance(getattr(idealist, name), ModuleType)}
    assert len(names) <= 45
    assert len(names & {cls.__name__ for cls in registry().values()}) == 20
    for module in set(idealist.__all__) - names:
        assert getattr(idealist, module).__name__ == f"idealist.{module}"


def test_errors_are_one_tree() -> None:
    assert idealist.InputError.__bases__ == (idealist.IdealistError, ValueError)
    assert issubclass(idealist.UnknownMeasure, idealist.InputError)
    assert idealist.MissingDependency.__bases__ == (idealist.IdealistError, ImportError)
    error = idealist.InputError("wrong", source="x.run", line=3, hint="mend it")
    assert str(error) == "x.run, line 3: wrong\nhint: mend it"


def test_errors_travel_between_processes() -> None:
    for cls in (idealist.InputError, idealist.UnknownMeasure):
        error = cls("wrong", source="x.run", line=3, hint="mend it")
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert type(again) is cls
            assert (str(again), again.source, again.line) == (str(error), "x.run", 3)


def test_arguments_under_other_names_are_refused_with_ours() -> None:
    votes: dict[str, Any] = {"good": 20, "same": 10, "bad": 10}
    with pytest.raises(
        idealist.InputError,
        match=r"^gsb: there is no argument method\nhint: it is called interval: interval='tango'$",
    ):
        idealist.gsb(**votes, method="tango")  # type: ignore[call-arg]
    with pytest.raises(
        idealist.InputError,
        match=r"^bootstrap_interval: there is no argument resamples\nhint: it is called rounds",
    ):
        idealist.statistics.bootstrap_interval([0.0, 1.0], resamples=10)  # type: ignore[call-arg]
    assert idealist.gsb(**votes, interval="agresti-min").method == "agresti-min"


def test_moved_names_and_names_of_other_tools_are_errors_that_say_the_name_here() -> None:
    with pytest.raises(AttributeError, match=r"'needed_queries': it is idealist\.plan\.needed_queries$"):
        _ = idealist.statistics.needed_queries  # type: ignore[attr-defined]
    for name, here in (
        ("MAP", "AP()"),
        ("nDCG", "NDCG()"),
        ("MRR", "RR()"),
        ("HitRate", "Success()"),
        ("ndcg", "NDCG"),
        ("NERR8", "measures.NERR8"),
        ("nerr8", "measures.NERR8"),
        ("Evaluation", "evaluation.Evaluation"),
        ("read_clicks", "data.read_clicks"),
    ):
        with pytest.raises(AttributeError, match=rf"{name!r}: it is idealist\.{re.escape(here)}$"):
            getattr(idealist, name)
    with pytest.raises(AttributeError, match=r"has no attribute 'evalaute'$"):  # Python adds: did you mean
        _ = idealist.evalaute  # type: ignore[attr-defined]


def test_a_package_without_its_stubs_says_what_is_missing(tmp_path: Path) -> None:
    """Programs that are packed into one file may lack whatever is no module."""
    source = Path(idealist.__file__).parent
    copy = tmp_path / "idealist"
    copy.mkdir()
    for path in [*source.glob("*.py"), source / "base", source / "kernels"]:
        (copy / path.name).symlink_to(path)
    done = subprocess.run(
        [sys.executable, "-c", "import idealist"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    said = done.stderr.splitlines()[-1]
    assert said.startswith("ImportError: idealist: its list of public names is missing")
    assert "--collect-all idealist" in said
