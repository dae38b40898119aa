"""idealist doctor: what works here, and what to install for the rest."""

from __future__ import annotations

import json
import platform
import re
import tomllib
from typing import Any

import pytest
from conftest import ROOT

from idealist import __version__
from idealist.cli import installation
from idealist.cli.installation import (
    FEATURES,
    NOT_FEATURES,
    TOOLS,
    UNKNOWN,
    Feature,
    Installation,
    Library,
    installation_view,
    requirements_by_extra,
)

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]


def test_every_extra_is_described() -> None:
    assert set(FEATURES) == set(EXTRAS) - set(NOT_FEATURES)


def test_the_page_describes_them_too() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert [f"| `{extra}` | {about} |" for extra, about in FEATURES.items()] == [
        line for line in page.splitlines() if line.startswith("| `")
    ]


def test_libraries_are_those_of_the_package() -> None:
    assert {extra: sorted(asked) for extra, asked in requirements_by_extra().items()} == {
        extra: sorted(EXTRAS[extra]) for extra in FEATURES
    }


def test_the_command(idealist: Any) -> None:
    record = json.loads(idealist("doctor", "--format", "json").stdout)
    assert record["idealist"] == __version__
    assert record["python"].startswith(platform.python_version())
    assert int(record["threads"]) >= 1
    assert set(record["features"]) == {*FEATURES, *TOOLS}
    shown = idealist("doctor").stdout
    for name, feature in record["features"].items():
        line = f"pip install {name}" if name in TOOLS else f"pip install 'idealist[{name}]'"
        assert feature["install"] in (None, line)
        assert (line in shown) == (feature["install"] is not None)
    assert record["features"]["pytest"]["works"]


def test_tensorboardx_does_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"tensorboardX": "2.6"}
    monkeypatch.setattr(installation, "_version", there.get)
    features = {feature.name: feature for feature in installation.inspect_installation().features}
    board = features["torch tensorboard"]
    assert ([library.name for library in board.libraries], board.problems) == (["tensorboardX"], ())
    there.clear()
    features = {feature.name: feature for feature in installation.inspect_installation().features}
    assert features["torch tensorboard"].problems == ("torch is missing", "tensorboard is missing")


@pytest.mark.parametrize(
    ("installed", "problem"),
    [
        ("2.4", ""),
        ("2.13.0+cpu", ""),
        ("2.3.9", "torch 2.3.9 is older than 2.4"),
        (None, "torch is missing"),
    ],
)
def test_versions(installed: str | None, problem: str) -> None:
    assert Library("torch", "2.4", installed).problem == problem


def test_missing_libraries_are_one_list() -> None:
    # In a row of a table: "is missing" after each of eight would be two lines of a terminal longer.
    libraries = (Library("torch", "2.4", None), Library("numpy", "2", "1.9"), Library("onnx", None, None))
    feature = Feature("learn", "training", libraries, tuple(library.problem for library in libraries))
    text = installation_view(Installation({}, (feature,))).to_text()
    assert "missing: torch, onnx; numpy 1.9 is older than 2" in text


def test_what_is_missing_comes_last() -> None:
    missing, there = Library("torch", "2.4", None), Library("duckdb", "1.1", "2.0.0")
    features = (
        Feature("tables", "files", (there,), ()),
        Feature("learn", "training", (missing,), (missing.problem,)),
        Feature(
            "spark", "clusters", (there,), ("Java 17 or newer is missing",)
        ),  # which pip does not install
    )
    text = installation_view(Installation({"idealist": "1.0"}, features)).to_text()
    assert text.splitlines()[0] == "idealist  1.0"
    assert text.endswith("what is missing:\npip install 'idealist[learn]'  for training\n")
    assert re.search("spark +no +clusters +Java 17 or newer is missing", text)
    whole = installation_view(Installation({}, features[:1])).to_text()
    assert whole.endswith("everything is there\n")


def test_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    spark = {feature.name: feature for feature in installation.inspect_installation().features}["spark"]
    assert any(problem.startswith("Java 17 or newer is missing") for problem in spark.problems)


def test_neither_installed_nor_a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it does not say that everything works."""
    monkeypatch.setattr(installation, "_requirements", list)
    for feature in installation.inspect_installation().features:
        if feature.name in FEATURES:
            assert UNKNOWN in feature.problems


def test_nothing_prints_help(idealist: Any) -> None:
    """The bare command shows what there is, and is no error."""
    done = idealist()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == idealist("--help").stdout
    assert "  doctor " in done.stdout
    assert "  completion " in done.stdout
