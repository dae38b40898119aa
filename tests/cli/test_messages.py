"""Messages and helps fit a terminal, and are whole lines elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Command
from support.terminal import on_a_terminal

from idealist.cli.parser import COMMANDS, command_parser, has_parser
from idealist.show.cells import text_width

COLUMNS = (80, 120)
# Commands, with a part of what each of them says on standard error.
SAYING = {
    ("evaluate", "shop.qrels", "a.run", "-m", "nDCG@10", "--format", "csv"): "counted as 0 where a measure is undefined",
    ("evaluate", "shop.qrels", "a.run", "--conventions", "lightgbm", "--format", "csv"): "`idealist conventions",
    ("gate", "gate.toml"): "values are likely too low",
    ("explain", "shop.qrels", "a.run"): "idealist explain shop.qrels a.run --query ID",
    ("evaluate", "shop.qrels", "a.run", "-m", "ndgc@10"): "did you mean",
    ("gsb", "votes.csv", "--a-very-long-option-that-there-is-not-and-never-was"): "`idealist gsb --help` lists",
    ("evaluate", "shop.qrels", "a.run", "--items", "items.csv"): "--items changes nothing",
}  # fmt: skip


@pytest.fixture(autouse=True)
def in_the_shop(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop)


def words(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("arguments", SAYING)
def test_messages_fit_a_terminal(arguments: tuple[str, ...], columns: int, idealist: Command) -> None:
    """They are broken between words alone, and what belongs to a line stands further in."""
    plain = idealist(*arguments)
    assert SAYING[arguments] in plain.stderr
    shown = on_a_terminal(*arguments, columns=columns, NO_COLOR="1")
    assert max(map(text_width, shown.splitlines())) <= columns
    assert set(words(plain.stderr)) <= set(words(shown))
    for line in plain.stderr.splitlines():
        if text_width(line) > columns:
            first, second, *_ = shown[shown.index(line[:20]) :].splitlines()
            next_word = re.match(r" +(\(?`[^`]*`|\S+)", second)
            assert next_word is not None
            assert text_width(f"{first} {next_word[1]}") > columns


def test_messages_elsewhere_are_a_line_each(idealist: Command) -> None:
    """Whatever COLUMNS says."""
    done = idealist(
        "evaluate", "shop.qrels", "a.run", "--conventions", "lightgbm", "--format", "csv", COLUMNS="40"
    )  # fmt: skip
    assert done.stderr == (
        "note: a: 1 query judged but not in the run, skipped\n"
        "note: 1 query judged, but with nothing relevant: counted as 1 where a measure is undefined\n"
        "conventions: ties input-order · missing skip · empty one · negative error, otherwise default "
        "(`idealist conventions idealist` lists them)\n"
    )


def test_commands_and_paths_stay_whole() -> None:
    shown = on_a_terminal("evaluate", "shop.qrels", "a.run", "--at-least", "x", columns=57)
    assert "`" not in shown.replace("`idealist evaluate --help`", "")
    name = "a folder with blanks/and a run in it.run"
    shown = on_a_terminal("evaluate", "shop.qrels", name, columns=50)
    assert name in shown
    assert max(map(len, shown.splitlines())) <= 50


def test_wide_letters_count_twice(tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """中 takes two columns."""
    monkeypatch.chdir(tmp_path)
    shown = on_a_terminal("convert", shop / "shop.qrels", "中文" * 15 + ".csv", columns=80)
    assert shown == f"judgments: 760 rows, 40 queries →\n  {'中文' * 15}.csv\n"


@pytest.mark.parametrize("columns", COLUMNS)
def test_every_help_fits_a_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    import argparse

    monkeypatch.setenv("COLUMNS", str(columns))
    parsers = [command_parser(name)[1] for name in COMMANDS if has_parser(name)]
    for parser in parsers:
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()
    for parser in parsers:
        for line in parser.format_help().splitlines():
            assert len(line) <= columns, (parser.prog, line)


def test_examples_of_a_help_can_be_copied_from_any_terminal(idealist: Command) -> None:
    """A command that is folded goes on behind a backslash, and an option keeps its value."""
    shown = on_a_terminal("judge", "--help", columns=70)
    assert (
        "  idealist judge queries.tsv documents.jsonl a.run b.run -k 10 \\\n    --endpoint http://" in shown
    )
    wide, narrow = (idealist("judge", "--help", COLUMNS=width).stdout for width in ("200", "70"))
    assert words(narrow[narrow.index("examples:") :].replace("\\\n", "")) == words(
        wide[wide.index("examples:") :]
    )


def test_notes_are_not_in_the_output_where_standard_error_is_closed() -> None:
    command = f"{sys.executable} -m idealist evaluate shop.qrels a.run -m nDCG@10 --format csv 2>&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("system,measure,value,n\n")


def test_progress_is_one_line_of_the_terminal() -> None:
    code = (
        "import idealist.cli.progress as p; p.PATIENCE = -1\n"
        "bar = p.Progress('reading ' + 'long/' * 40 + 'bm25.run', 'bytes'); bar(1, 2); bar.wipe()"
    )
    shown = on_a_terminal(columns=80, program=["-c", code])
    (line,) = [line for line in shown.replace("\033[K", "").split("\r") if line]
    assert text_width(line) < 80
    assert line.startswith("…")
    assert "long/bm25.run █" in line
