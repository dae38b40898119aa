"""What Tab offers: by itself, and in the shells that are installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from idealist.cli import FOREIGN
from idealist.cli.commands.completion import SCRIPTS
from idealist.cli.completing import answer, candidates
from idealist.cli.parser import COMMANDS, command_parser
from idealist.conventions import PRESETS


def texts(*words: str) -> list[str]:
    return [text for text, _ in candidates(words)]


def test_commands() -> None:
    assert texts("") == list(COMMANDS)
    assert texts("ev") == ["evaluate"]
    assert texts("--v") == ["--version"]
    assert texts("help", "ev") == ["evaluate"]
    assert "queries" in texts("help", "plan", "")
    assert texts("nothing", "") == []


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in FOREIGN])
def test_every_option_of_every_command(command: str) -> None:
    _, parser = command_parser(command)
    options = [
        option
        for action in parser._actions
        for option in action.option_strings
        if action.help != "==SUPPRESS=="
    ]
    assert texts(command, "-") == options


@pytest.mark.parametrize("command", FOREIGN)
def test_command_lines_of_others_have_files(command: str) -> None:
    assert texts(command, "") == []


def test_values_of_options() -> None:
    assert texts("gate", "--format", "j") == ["json"]
    assert texts("evaluate", "q.qrels", "-m", "nDC") == ["nDCG", "nDCGRel"]
    assert texts("compare", "--conventions", "trec") == ["trec_eval-9", "trec_eval-10"]
    assert texts("why", "q.qrels", "a.run", "--between", "") == list(PRESETS)
    assert texts("why", "q.qrels", "a.run", "--between", "ranx", "rank") == ["ranklib", "rank_metrics"]
    assert texts("why", "q.qrels", "a.run", "--between", "ranx", "spark", "") == []


def test_values_behind_a_sign() -> None:
    assert texts("gate", "--format=j") == ["--format=json"]
    assert texts("compare", "--conventions=trec") == [
        "--conventions=trec_eval-9",
        "--conventions=trec_eval-10",
    ]
    assert texts("evaluate", "--weights=") == texts("evaluate", "--nothing=") == []


def test_files_come_from_the_shell() -> None:
    assert texts("evaluate", "") == []
    assert texts("evaluate", "--weights", "") == []
    assert texts("evaluate", "--by-query", "") == []


def test_parts() -> None:
    assert texts("plan", "ne") == ["next"]
    assert "--budget" in texts("plan", "next", "--")
    assert texts("completion", "") == ["bash", "zsh", "fish"]


def test_answers() -> None:
    """bash has no descriptions; zsh has them behind a colon, fish behind a tab."""
    assert answer("bash", ["ga"]) == "gate\n"
    about = "decide whether a change may ship, by a file of rules (for CI)"
    assert answer("zsh", ["ga"]) == f"gate:{about}\n"
    assert answer("fish", ["ga"]) == f"gate\t{about}\n"


def test_the_command(idealist: Any) -> None:
    for shell, script in SCRIPTS.items():
        assert idealist("completion", shell).stdout == script
        assert idealist("completion", shell, "--complete", "ga").stdout == answer(shell, ["ga"])
    done = idealist("completion", "tcsh")
    assert (done.returncode, "tcsh" in done.stderr) == (2, True)


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`idealist` on the path, and a file to be completed."""
    program = tmp_path / "bin" / "idealist"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m idealist "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("evaluate --form", "--format\n"),
        ("evaluate -m nDCGR", "nDCGRel\n"),
        ("gate --format = j", "json\n"),  # as it takes words apart
        ("evaluate --conventions =", "\n".join(PRESETS) + "\n"),
        ("evaluate ''", ""),
        ("gat", "gate\n"),
    ],
)
def test_bash(command: Path, words: str, expected: str) -> None:
    (command / "script").write_text(SCRIPTS["bash"])
    code = f'. ./script; COMP_WORDS=(idealist {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _idealist; printf "%s\\n" "${{COMPREPLY[@]}}"'
    assert run("bash", "--noprofile", "--norc", "-c", code) == (expected or "\n")
    assert "-o default" in run("bash", "--norc", "-c", ". ./script; complete -p idealist")  # files otherwise


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish(command: Path) -> None:
    (command / "script.fish").write_text(SCRIPTS["fish"])
    (command / "some.run").touch()
    fish = ("fish", "--no-config", "-c")
    assert run(*fish, "source script.fish; complete -C 'idealist evaluate -m nDCGR'").startswith("nDCGRel\t")
    assert run(*fish, "source script.fish; complete -C 'idealist gat'").startswith("gate\tdecide whether")
    assert (
        run(*fish, "source script.fish; complete -C 'idealist evaluate som'").split("\t")[0].strip()
        == "some.run"
    )


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh(command: Path) -> None:
    """With `_describe` and `_files` in the place of those that a terminal is needed for."""
    (command / "script").write_text(SCRIPTS["zsh"])
    stubs = "compdef() { :; }; _describe() { print -l -- ${(P)2}; }; _files() { print files; }; . ./script; "
    zsh = ("zsh", "-f", "-c")
    assert run(*zsh, stubs + "words=(idealist evaluate -m nDCGR); CURRENT=4; _idealist").startswith(
        "nDCGRel:"
    )
    assert run(*zsh, stubs + "words=(idealist evaluate ''); CURRENT=3; _idealist") == "files\n"
