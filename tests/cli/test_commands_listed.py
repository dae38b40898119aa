"""A command is a module; `idealist --help` lists it."""

from __future__ import annotations

from conftest import ROOT

from idealist.cli.parser import COMMANDS

MODULES = ROOT / "src" / "idealist" / "cli" / "commands"


def test_every_command_is_listed() -> None:
    modules = {path.stem.replace("_", "-") for path in MODULES.iterdir()} - {"--init--", "--pycache--"}
    assert modules == set(COMMANDS), (
        "COMMANDS in src/idealist/cli/parser.py has the order of `idealist --help`"
    )
