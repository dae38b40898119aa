"""A command is a module; `idealist --help` lists it."""

from __future__ import annotations

from conftest import ROOT, Command

from idealist.cli.parser import COMMANDS, GROUPS, summary_of

MODULES = ROOT / "src" / "idealist" / "cli" / "commands"


def test_every_command_is_listed() -> None:
    modules = {path.stem.replace("_", "-") for path in MODULES.iterdir()} - {"--init--", "--pycache--"}
    assert modules == set(COMMANDS), "GROUPS in src/idealist/cli/parser.py has the order of `idealist --help`"
    assert len(set(COMMANDS)) == len(COMMANDS)


def test_the_help_lists_commands_in_groups(idealist: Command) -> None:
    """A heading, and below it a command a line with its summary."""
    shown = idealist("--help", COLUMNS="200").stdout
    for heading, names in GROUPS.items():
        lines = "".join(f"  {name:<16}{summary_of(name)}\n" for name in names)
        assert f"\n\n{heading}:\n{lines}" in shown
