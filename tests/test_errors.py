"""Messages: bounded, and without what a terminal obeys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import idealist as il
from idealist.errors import LONGEST


def test_a_message_is_bounded_whatever_it_quotes() -> None:
    with pytest.raises(il.InputError) as failed:
        il.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "x" * 1_000_000)
    assert len(str(failed.value)) < 2 * LONGEST + 200
    assert "characters left out" in str(failed.value)


def test_a_message_keeps_its_lines_and_shows_control_characters() -> None:
    error = il.InputError("two\nlines \x1b[2J", hint="\x9b")
    assert str(error) == "two\nlines \\x1b[2J\nhint: \\x9b"


def test_notes_and_verdicts_show_control_characters(tmp_path: Path, capsys: Any) -> None:
    """A run's name is its file's, and stands in notes, tables and verdicts."""
    from idealist.cli import main

    (tmp_path / "j.qrels").write_text("".join(f"q{n} 0 d 1\n" for n in range(5)))
    names = [tmp_path / "a\x1b[2J.run", tmp_path / "b\x1b[2J.run"]
    for name in names:
        name.write_text("".join(f"q{n} Q0 d 1 1 t\n" for n in range(4)))
    files = [str(tmp_path / "j.qrels"), *map(str, names)]
    for command in (["evaluate", "--provenance"], ["compare"]):
        for kind in ("table", "markdown", "latex", "csv", "html"):
            assert main([*command, *files, "--format", kind]) == 0
            shown = capsys.readouterr()
            assert "\x1b" not in shown.out + shown.err, (command, kind)
            assert "[2J" in shown.out + shown.err
