"""What a gate writes for CI: summaries, JUnit XML, annotations, and the action that asks for them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from idealist.cli.gate_outputs import annotation, junit_text

SHELL = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c"]


@pytest.fixture
def gate(shop: Path, tmp_path: Path) -> Path:
    """A gate that ships."""
    for name in ("shop.qrels", "a.run", "b.run"):
        shutil.copy(shop / name, tmp_path / name)
    path = tmp_path / "gate.toml"
    path.write_text(
        'judgments = "shop.qrels"\nbaseline = "a.run"\ncandidate = "b.run"\nguards.judged = false\n'
    )
    return path


def test_a_summary_is_added_to(idealist: Any, gate: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("# Before\n\n")
    shown = idealist("gate", gate, "--format", "markdown").stdout
    assert idealist("gate", gate, "--summary", summary).returncode == 0
    assert summary.read_text() == f"# Before\n\n{shown.rstrip()}\n\n"
    assert "### Verdict: ship" in shown


def test_junit(idealist: Any, gate: Path, shop: Path, tmp_path: Path) -> None:
    idealist("gate", gate, "--junit", tmp_path / "gate.xml")
    (suite,) = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == (str(len(suite)), "0", "0")
    assert suite[0].get("name") == "verdict"
    done = idealist("gate", shop / "gate.toml", "--junit", tmp_path / "gate.xml")  # over the one before
    assert done.returncode == 3
    (suite,) = ElementTree.parse(tmp_path / "gate.xml").getroot()
    failed = {case.get("name"): case.find("failure") for case in suite if case.find("failure") is not None}
    assert set(failed) == {"verdict", "equally judged"}
    assert failed["verdict"].get("message", "").startswith("UNDECIDED: better, but equally judged failed")  # type: ignore[union-attr]


def test_errors_are_no_pass(idealist: Any, gate: Path, tmp_path: Path) -> None:
    (tmp_path / "b.run").unlink()
    summary, junit, step = (tmp_path / name for name in ("summary.md", "gate.xml", "step.md"))
    done = idealist(
        "gate", gate, "--summary", summary, "--junit", junit, "--github", GITHUB_STEP_SUMMARY=str(step)
    )
    assert done.returncode == 2
    assert "### Verdict: none, the gate could not decide" in summary.read_text() == step.read_text()
    (suite,) = ElementTree.parse(junit).getroot()
    assert suite.get("errors") == "1"
    assert "there is no such file" in (suite[0].find("error").get("message") or "")  # type: ignore[union-attr]
    assert done.stderr.startswith("::error file=")
    assert "there is no such file" in done.stderr.splitlines()[0]


def test_annotations(idealist: Any, shop: Path, tmp_path: Path) -> None:
    step = tmp_path / "step.md"
    done = idealist("gate", shop / "gate.toml", "--github", "--format", "json", GITHUB_STEP_SUMMARY=str(step))
    lines = done.stderr.splitlines()
    errors = [line.split("::", 2)[2] for line in lines if line.startswith("::error")]
    assert errors[0].startswith("UNDECIDED: better")
    assert errors[1].startswith("equally judged: judged@10 0.67 and 1.00")
    assert done.stdout.startswith("{")
    assert step.read_text().startswith("### Verdict: undecided")


def test_github_elsewhere(idealist: Any, gate: Path) -> None:
    done = idealist("gate", gate, "--github", GITHUB_STEP_SUMMARY="")
    assert done.returncode == 2
    assert "--github is for GitHub Actions, and GITHUB_STEP_SUMMARY is not set" in done.stderr


@pytest.mark.parametrize("option", ["--summary", "--junit"])
def test_what_cannot_be_written(idealist: Any, gate: Path, tmp_path: Path, option: str) -> None:
    done = idealist("gate", gate, option, tmp_path / "none" / "file")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no folder" in done.stderr
    before = gate.read_bytes()
    done = idealist("gate", gate, option, gate)
    assert "this is one of the inputs" in done.stderr
    assert gate.read_bytes() == before
    before = (tmp_path / "a.run").read_bytes()
    done = idealist("gate", gate, option, tmp_path / "a.run")
    assert (done.returncode, "a.run: this is one of the inputs" in done.stderr) == (2, True)
    assert (tmp_path / "a.run").read_bytes() == before


def test_each_output_has_a_file_of_its_own(idealist: Any, gate: Path, tmp_path: Path) -> None:
    done = idealist("gate", gate, "--summary", tmp_path / "out", "--junit", tmp_path / "." / "out")
    assert (done.returncode, "this is the file of the summary too" in done.stderr) == (2, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("stream", ["", "2>&1"])
def test_a_reader_that_leaves_changes_no_verdict(gate: Path, tmp_path: Path, stream: str) -> None:
    """Nobody reads what is printed: the exit code and the files say what was decided all the same."""
    text = gate.read_text()
    gate.write_text(text.replace("a.run", "x").replace("b.run", "a.run").replace('"x"', '"b.run"'))
    command = f"{sys.executable} -m idealist gate {gate} --junit {tmp_path}/gate.xml {stream} | true"
    done = subprocess.run([*SHELL, command], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert ElementTree.parse(tmp_path / "gate.xml").getroot().get("failures") != "0"


@given(st.text(), st.text())
def test_whatever_names_hold(name: str, message: str) -> None:
    """An annotation is one line, with one command; XML can be read again."""
    line = annotation("error", name, message)
    assert len(line.splitlines()) == 1
    place, data = re.fullmatch(r"::error file=([^,:]*),title=idealist gate::(.*)", line).groups()  # type: ignore[union-attr]
    assert re.sub("%25|%3A|%2C|%0D|%0A", "", place + data).count("%") == 0
    (suite,) = ElementTree.fromstring(junit_text(name, [(name, "failure", message), ("x", "", message)]))
    assert [case.get("name") for case in suite][1] == "x"


# As GitHub starts a script.
by_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="the action is a script for bash")


def action_scripts() -> tuple[str, str]:
    """The scripts of action.yml: what installs, and what decides."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    installs, decides = re.findall(r"^      run: \|\n((?:        .*\n)+)", text, re.MULTILINE)
    return dedent(installs), dedent(decides)


@by_bash
@pytest.mark.parametrize(
    ("requirement", "installed"), [("source", "/actions/idealist"), ("idealist==0.1.0", "idealist==0.1.0")]
)
def test_the_action_installs_itself(tmp_path: Path, requirement: str, installed: str) -> None:
    (tmp_path / "python").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "python").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    variables = {"REQUIREMENT": requirement, "GITHUB_ACTION_PATH": "/actions/idealist", "PATH": path}
    done = subprocess.run(
        [*SHELL, action_scripts()[0]], env=variables, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"-m pip install --quiet {installed}\n"


@by_bash
@pytest.mark.parametrize(
    ("change", "allow", "code", "outcome"),
    [
        ("", "false", 0, "ship"),
        ("guards.judged_floor = 0.9\n", "false", 3, "undecided"),
        ("guards.judged_floor = 0.9\n", "true", 0, "undecided"),
        ("margn = 1\n", "true", 2, "error"),
    ],
)
def test_the_action(gate: Path, tmp_path: Path, change: str, allow: str, code: int, outcome: str) -> None:
    gate.write_text(gate.read_text() + change)
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    # A link would not know the packages of its environment.
    (bin_folder / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (bin_folder / "python").chmod(0o755)
    output = tmp_path / "output"
    environment = {
        **os.environ,
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "GATE": str(gate),
        "JUNIT": str(tmp_path / "gate of today.xml"),
        "ALLOW_UNDECIDED": allow,
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "step.md"),
    }
    script = action_scripts()[1]
    done = subprocess.run([*SHELL, script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert output.read_text() == f"outcome={outcome}\n"
    assert (tmp_path / "gate of today.xml").exists()
