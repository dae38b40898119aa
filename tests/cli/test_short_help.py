"""-h is a screen, --help everything."""

from __future__ import annotations

import argparse

import pytest
from conftest import Command
from test_options_alike import PARSERS

from idealist.cli.short_help import short_help


@pytest.mark.parametrize("command", PARSERS)
def test_a_screen(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of no more lines than a window has; what must be stated is there, with examples, and where the rest is."""
    monkeypatch.setenv("COLUMNS", "100")
    parser = PARSERS[command]
    shown = short_help(parser)
    assert len(shown.splitlines()) <= 45
    assert "\n  idealist " in shown
    assert shown.endswith(("examples.\n", "everything.\n"))
    assert f"`{parser.prog} --help` has " in shown
    for action in parser._actions:
        if action.required and not isinstance(action, argparse._SubParsersAction):
            assert (action.option_strings or [str(action.metavar)])[0] in shown


def test_h_is_shorter_than_help(idealist: Command) -> None:
    short, whole = idealist("compare", "-h"), idealist("compare", "--help")
    assert short.returncode == whole.returncode == 0
    assert len(short.stdout) < len(whole.stdout) / 2
    assert "--all-pairs " not in short.stdout.partition("examples:")[0]
    assert "--all-pairs " in whole.stdout
    part = idealist("plan", "next", "-h").stdout
    assert part.startswith("usage: idealist plan next ")
    assert "`idealist plan next --help` has all" in part
