"""The same option is called, described and preset alike in every command that has it."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from conftest import Command

from idealist.cli import FOREIGN
from idealist.cli.parser import COMMANDS, command_parser
from idealist.comparison.comparing import baseline_named
from idealist.errors import InputError

# Those with a parser of ours, and the parts of `plan` as commands of their own.
PARSERS: dict[str, argparse.ArgumentParser] = {}
for command in COMMANDS:
    if command in FOREIGN:
        continue
    _, its_parser = command_parser(command)
    PARSERS[command] = its_parser
    for action in its_parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            PARSERS |= {f"{command} {part}": parser for part, parser in action.choices.items()}

ALIKE = (
    "baseline",
    "seed",
    "confidence",
    "threads",
    "policy",
    "gate",
    "guard",
    "segments",
    "weights",
    "weight_by",
)
SHAPES = {
    "output": "FILE",
    "columns": "OURS=THEIRS,…",
    "input_format": "FORMAT",
    "margin": "M",
    "rounds": "N",
}


def options_of(name: str) -> dict[str, argparse.Action]:
    """By command, the option of this name."""
    return {
        command: action
        for command, parser in PARSERS.items()
        for action in parser._actions
        if action.dest == name and action.option_strings
    }


@pytest.mark.parametrize("command", PARSERS)
def test_every_help_has_examples(command: str) -> None:
    assert f"  idealist {command.split()[0]}" in (PARSERS[command].epilog or "")


@pytest.mark.parametrize("command", PARSERS)
def test_every_help_can_be_read_by_itself(command: str) -> None:
    """It says what the option is: not its default alone, nor what the option before it is of."""
    for action in PARSERS[command]._actions:
        if isinstance(action, argparse._SubParsersAction):
            continue
        assert action.help, f"{command} {action.dest}"
        assert not action.help.startswith(("default", "of ", "likewise")), f"{command} {action.dest}"


@pytest.mark.parametrize("name", ALIKE)
def test_help_and_default_are_the_same(name: str) -> None:
    options = options_of(name)
    assert len(options) > 1
    if name == "seed":  # a file of settings may hold it, before the default does
        assert {options[command].default for command in ("train", "cross-validate")} == {None}
        del options["train"], options["cross-validate"]
    if name in ("baseline", "guard"):  # of an A/B test: a group of users, a metric
        options.pop("ab", None)
    assert (
        len({(tuple(action.option_strings), action.help, action.default) for action in options.values()}) == 1
    )


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_named_is_called_the_same(name: str) -> None:
    options = options_of(name)
    assert len(options) > 2
    assert {action.metavar for action in options.values()} == {SHAPES[name]}


def test_formats_begin_with_the_default() -> None:
    for command, action in options_of("format").items():
        assert action.choices is not None, command
        assert action.default == next(iter(action.choices)), command


def test_a_report_takes_what_compare_takes() -> None:
    compare, report = (
        {option for action in PARSERS[name]._actions for option in action.option_strings}
        for name in ("compare", "report")
    )
    assert compare - report == {
        "--format",
        "--show",
        "--list-tests",
        "--order",
        "--risk",
        "--gate",
    }  # a page has one format, and does not decide a build
    assert report - compare == {"--votes", "--title", "--date"}


@pytest.mark.parametrize("stated", ["b", "runs/b.run", "./runs/b.run", "b.run"])
def test_a_baseline_by_name_or_file(stated: str) -> None:
    assert baseline_named(stated, ["a", "b"], {"runs/a.run": "a", "runs/b.run": "b"}) == "b"


def test_a_baseline_that_is_not_there() -> None:
    with pytest.raises(InputError, match="the baseline 'c' is not among the runs"):
        baseline_named("c", ["a", "b"], {})
    with pytest.raises(InputError, match=r"'x\.run' is not among"):  # two files of this name
        baseline_named("x.run", ["a", "b"], {"old/x.run": "a", "new/x.run": "b"})


def test_every_command_that_reads_runs_takes_threads() -> None:
    """Which have RUN, SOURCE or FILE among their arguments, or a pilot of runs."""
    reading = {command for command, parser in PARSERS.items() if "--query-sizes" in parser.format_help()}
    features = {"train", "rank", "cross-validate", "features"}  # trainers say what they take
    # Votes, queries, judgments.
    tables = {"plan judgments", "plan sample", "plan grade", "rank-systems", "raters", "fetch-run"}
    assert reading - set(options_of("threads")) <= features | tables


@pytest.mark.parametrize("count", ["0"])
def test_threads_are_used_where_runs_are_read(
    count: str, idealist: Command, shop: Path, tmp_path: Path
) -> None:
    """By what is refused: a number of threads that cannot be is found wherever it is used."""
    judgments, runs = shop / "shop.qrels", [shop / "a.run", shop / "b.run"]
    out = tmp_path / "out.csv"
    for command in (
        ["explain", judgments, runs[0], "--query", "q1"],
        ["convert", runs[0], out],
        ["convert", judgments, tmp_path / "out.parquet"],
        ["fuse", *runs, "-o", out],
        ["plan", "next", judgments, *runs],
        ["plan", "pool", *runs, "-k", "3", "-o", out],
        ["plan", "queries", "--effect", "0.02", "--pilot", judgments, *runs],
    ):
        done = idealist(*command, "--threads", count)
        assert done.returncode == 2, command
        assert f"threads must be a whole number of 1 or more, not {count}" in done.stderr, command


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["fuse", "a.run", "b.run", "--weights", "1,2"], "hint: --weights is called --run-weights"),
        (["fuse", "a.run", "b.run", "--set", "weights=1,2"], "did you mean run_weights?"),
        (["evaluate", "a", "b", "--groups", "x"], "hint: --groups is called --query-sizes"),
        (["compare", "a", "b", "c", "--permutations", "9"], "hint: --permutations is called --rounds"),
        (["fuse", "a", "b", "--normalize", "max"], "hint: --normalize is called --normalisation"),
        (["gsb", "votes.csv", "--column", "vote=label"], "hint: --column is called --columns"),
        (["model", "show", "a", "--from", "json"], "hint: --from is called --model-format"),
        (["agree", "a", "b", "--weights", "x"], "hint: `idealist agree --help` lists the options"),
    ],
)
def test_an_old_name_of_an_option_leads_to_the_new_one(
    arguments: list[str], hint: str, idealist: Command, shop: Path
) -> None:
    files = {"a.run": str(shop / "a.run"), "b.run": str(shop / "b.run")}
    done = idealist(*(files.get(word, word) for word in arguments))
    assert done.returncode == 2
    assert hint in done.stderr
