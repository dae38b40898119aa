"""The command as a user meets it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.terminal import on_a_terminal

from idealist import Conventions, evaluate, read_judgments, read_run
from idealist.cli import main
from idealist.conventions import CHOICES


def test_evaluate_puts_runs_side_by_side(idealist: Any, shop: Path) -> None:
    done = idealist(
        "evaluate", shop / "shop.qrels", shop / "a.run", shop / "b.run", "-m", "nDCG@10", "-m", "num_ret"
    )
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["measure", "a", "b", "n"]
    result = evaluate(
        read_judgments(shop / "shop.qrels"), [read_run(shop / "a.run"), read_run(shop / "b.run")], "nDCG@10"
    )
    expected = [f"{result.mean('nDCG@10', system):.4f}" for system in ("a", "b")]
    assert lines[1].split() == ["nDCG@10", *expected, "40"]
    assert lines[2].split() == ["NumRet", "780", "800", "40"]
    assert lines[-1] == "conventions: default (`idealist conventions idealist` lists them)"
    assert "a: 1 query judged but not in the run, counted as an empty ranking" in done.stderr
    assert "\033" not in done.stdout


def test_n_is_shown_per_system_when_it_differs(idealist: Any, shop: Path) -> None:
    done = idealist(
        "evaluate", shop / "shop.qrels", shop / "a.run", shop / "b.run", "-m", "AP", "--missing", "skip"
    )
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["measure", "a", "b", "n", "a", "n", "b"]
    assert lines[1].split()[-2:] == ["39", "40"]
    assert "missing skip" in lines[-1]


def test_by_query(idealist: Any, shop: Path) -> None:
    done = idealist("evaluate", shop / "shop.qrels", shop / "b.run", "-m", "RR", "--by-query")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["query", "measure", "b", "n"]
    assert len(lines) == 1 + 40 + 1 + 1 + 3  # title, queries, rule, summary, judged, conventions
    assert lines[42].split()[0] == "all"


@pytest.mark.parametrize("by_query", [False, True])
@pytest.mark.parametrize("kind", ["table", "json", "jsonl", "csv", "markdown", "latex"])
def test_every_format(idealist: Any, shop: Path, kind: str, by_query: bool) -> None:
    more = ["--by-query"] if by_query else []
    done = idealist("evaluate", shop / "shop.qrels", shop / "a.run", "-m", "AP RR", "--format", kind, *more)
    assert done.returncode == 0
    judgments, run = read_judgments(shop / "shop.qrels"), read_run(shop / "a.run")
    result = evaluate(judgments, run, ["AP", "RR", "Judged"])
    mean = result.mean("AP")
    if kind == "json":
        whole = json.loads(done.stdout)
        assert whole["summary"][0] == {"system": "a", "measure": "AP", "mean": mean, "n": 40}
        assert ("by_query" in whole) == by_query
    elif kind == "jsonl":
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert {"system": "a", "measure": "AP", "mean": mean, "n": 40} in lines
        assert lines[-1] == {"conventions": Conventions().to_dict()}
        # A query that the run lacks has no documents to be judged.
        shares = [result.value("Judged", query) for query in run]
        assert lines[-2] == {
            "judged": [{"k": None, "system": "a", "share": pytest.approx(sum(shares) / len(shares))}]
        }
        assert lines[-3] == {"ties": evaluate(judgments, run, ["AP", "RR"]).tie_bounds()}
        assert len(lines) == 2 + 4 + by_query * 80
    elif kind == "csv":
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        assert "conventions: default" in done.stderr
        values = [float(row["value"]) for row in rows if row["measure"] == "AP"]
        assert values == (list(result.by_query("AP").values()) if by_query else [mean])
    else:
        assert f"{mean:.4f}" in done.stdout
        assert "conventions: default" in done.stdout


def test_parameters_and_conventions_reach_the_numbers(idealist: Any, shop: Path) -> None:
    done = idealist(
        *(
            "evaluate",
            shop / "shop.qrels",
            shop / "a.run",
            "-m",
            "nDCG@5",
            "-m",
            "AP",
            "-m",
            "P(level=3)@5",
            "-m",
            "R(level=1)",
        ),
        *("--gain", "exp", "--level", "2", "--ties", "averaged", "--format", "json"),
    )
    whole = json.loads(done.stdout)
    names = [entry["measure"] for entry in whole["summary"]]
    assert names == ["nDCG(gain=exp)@5", "AP(level=2)", "P(level=3)@5", "R"]
    expected = evaluate(
        read_judgments(shop / "shop.qrels"),
        read_run(shop / "a.run"),
        names,
        conventions=Conventions(ties="averaged"),
    )
    assert [entry["mean"] for entry in whole["summary"]] == [expected.mean(name) for name in names]
    assert whole["conventions"]["ties"] == "averaged"


def test_every_convention_is_an_option(idealist: Any, shop: Path) -> None:
    for field, (_, choices) in CHOICES.items():
        for choice in choices:
            done = idealist("evaluate", shop / "shop.qrels", shop / "b.run", "-m", "AP", f"--{field}", choice)
            if choice == "error" and field == "empty":
                assert done.returncode == 2
                assert "has nothing relevant" in done.stderr
            else:
                assert done.returncode == 0, done.stderr
                differs = choice != getattr(Conventions(), field)
                assert (f"{field} {choice}" if differs else "conventions: default") in done.stdout


def test_runs_of_one_name_are_told_apart(idealist: Any, shop: Path, tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.run").write_text("red-lipstick Q0 p001 1 1 t\n")
    first, second = tmp_path / "x" / "a.run", tmp_path / "y" / "a.run"
    done = idealist("evaluate", shop / "shop.qrels", first, second, "-m", "AP", "--format", "csv")
    assert [row["system"] for row in csv.DictReader(io.StringIO(done.stdout))] == [str(first), str(second)]
    done = idealist("evaluate", shop / "shop.qrels", first, first, "-m", "AP", "--format", "csv")
    assert [row["system"] for row in csv.DictReader(io.StringIO(done.stdout))] == [
        f"{first} (1)",
        f"{first} (2)",
    ]


def test_explain(idealist: Any, shop: Path) -> None:
    done = idealist("explain", shop / "shop.qrels", shop / "a.run", "--query", "red-lipstick", "-m", "nDCG@3")
    lines = done.stdout.splitlines()
    assert "ideal document" in lines[0]
    assert [line.split()[0] for line in lines[1:4]] == ["1", "2", "3"]
    assert any(line.startswith("nDCG@3 of query red-lipstick = DCG / IDCG = ") for line in lines)


def test_explain_grades(idealist: Any) -> None:
    done = idealist("explain", "--grades", "3,2,3,0,1,2", "--gain", "exp")
    assert "nDCG(gain=exp) = DCG / IDCG = 13.8483 / 14.5954 = 0.9488" in done.stdout
    done = idealist("explain", "--grades", "5 1 3 2 4", "--measure", "DCG(gain=exp)")
    assert "DCG(gain=exp) = 42.2258" in done.stdout
    assert "ideal" not in done.stdout.splitlines()[0]
    done = idealist("explain", "--grades", "5,1,3,2,4", "--measure", "CG")
    assert "CG = 15.0000" in done.stdout
    done = idealist("explain", "--grades", "1,-,0", "--judged", "1,0,2", "-m", "IDCG", "--rows", "1")
    assert "IDCG = 2.6309" in done.stdout
    assert "… and 2 more ranks (--rows)" in done.stdout
    done = idealist("explain", "--grades", "1,0", "--rows", "1")
    assert "… and 1 more rank (--rows)" in done.stdout
    done = idealist("explain", "--grades", "0,0")
    assert "is undefined: nothing judged has a gain; it counts as 0.0000" in done.stdout
    done = idealist("explain", "--grades", "1,0", "--format", "markdown")
    assert done.stdout.startswith("| rank | grade |")
    assert "│" not in done.stdout
    done = idealist("explain", "--grades", "1.5,0.5", "--empty", "skip")
    assert "   1  1.5000  1.5000" in done.stdout
    done = idealist("explain", "--grades", "0,0", "--empty", "skip")
    assert "nDCG: left out by the conventions" in done.stdout


def test_measures(idealist: Any) -> None:
    done = idealist("measures")
    assert done.returncode == 0
    assert "nDCG" in done.stdout
    done = idealist("measures", "ndcg_cut_10")
    assert done.stdout.startswith("nDCG (gain family)")
    assert "Järvelin" in done.stdout
    assert "discount" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "missing.qrels", "a.run"], "missing.qrels: there is no such file"),
        (["evaluate", "shop.qrels", "missing.run"], "missing.run: there is no such file"),
        (["evaluate", "shop.qrls", "a.run"], "did you mean shop.qrels?"),
        (["evaluate", "gone/shop.qrels", "a.run"], "there is no folder gone"),
        (["convert", "a.rum", "a.csv"], "did you mean a.run?"),
        (["evaluate", "shop.qrels", "."], "this is a folder"),
        (["evaluate", "shop.qrels", "empty.run"], "empty.run: the file is empty"),
        (["evaluate", "shop.qrels", "bad.run"], "bad.run, line 2: expected 6 columns, found 2"),
        (["evaluate", "shop.qrels", "other.run"], "other: the run and the judgments have no query in common"),
        (["evaluate", "a.run", "a.run"], "this looks like a run, where judgments should be"),
        (["evaluate", "shop.qrels", "a.run", "-m", "nDGC@10"], "did you mean nDCG"),
        (["evaluate", "shop.qrels", "a.run", "-m", "ngcd@10"], "did you mean nDCG or"),
        (["evaluate", "shop.qrels", "a.run", "-m", "recall10"], "did you mean R@10?"),
        (["evaluate", "shop.qrels", "titles.run"], "a line that names the columns has no place in TREC text"),
        (["evaluate", "shop.qrels", "three.run"], "with other columns, a first line must name them"),
        (["compare", "a.run", "b.run"], "give at least two runs, besides the judgments"),
        (["plan"], "WHAT is one of queries, judgments, "),
        (["completion"], "SHELL is one of bash, zsh, fish;"),
        (["--measure", "AP"], "there is no command before '--measure'"),
        (
            ["evaluate", "shop.qrels", "a.run", "-m", "P@0"],
            "the cut-off k must be a whole number, 1 or more, not 0",
        ),
        (["evaluate", "shop.qrels", "a.run", "--gain", "{1:3}", "-m", "nDCG"], "which the gain table lacks"),
        (["evaluate", "shop.qrels", "a.run", "--gain", "cubic"], "gain='cubic' is unknown"),
        (["evaluate", "shop.qrels", "a.run", "--level", "x", "-m", "AP"], "level must be a number, not 'x'"),
        (["evaluate", "shop.qrels", "a.run", "--ties", "random"], "invalid choice: 'random'"),
        (["evaluate", "shop.qrels"], "judgments and runs are needed, or --numbers"),
        (["explain", "shop.qrels", "a.run"], "explain needs JUDGMENTS, RUN and --query"),
        (["explain", "shop.qrels", "a.run", "--query", "nope"], "query 'nope' is not judged"),
        (
            ["explain", "shop.qrels", "a.run", "--query", "lipstick", "-m", "alpha-nDCG"],
            "cannot be explained: it looks at",
        ),
        (["explain", "--grades", "3,x"], "'x' is not a grade"),
        (["explain", "--grades", " "], "--grades is empty"),
        (["explain", "--grades", "3,,2"], "'' is not a grade"),
        (["explain", "--grades", "3", "--rows", "0"], "--rows must be a whole number, 1 or more, not 0"),
        (["explain", "--grades", "3", "-m", "DCG", "-m", "CG"], "one measure at a time"),
        (["evaluate", "shop.qrels", "a.run", "--level", "2", "-m", "nDCG"], "--level changes nothing"),
        (["explain", "shop.qrels", "a.run", "--query", "red-lipstik"], "for example, 'red-lipstick'"),
        (["explain", "--grades", "1,2", "-m", "nDCG DCG"], "one measure at a time"),
        (
            ["explain", "shop.qrels", "a.run", "--query", "lipstick", "--judged", "1"],
            "--judged goes with --grades",
        ),
        (["evaluate", "shop.qrels", "a.run", "--gain", "cubic", "-m", "AP"], "gain='cubic' is unknown"),
        (
            ["evaluate", "shop.qrels", "a.run", "--threads", "0"],
            "threads must be a whole number of 1 or more, not 0",
        ),
        (["explain", "--grades", "3", "--query", "x"], "--grades is given instead of files"),
        (["measures", "nDGC"], "did you mean nDCG"),
        (["nope"], "there is no command 'nope'\nhint: `idealist --help` lists the commands"),
        (["evalute", "shop.qrels"], "there is no command 'evalute'\nhint: did you mean evaluate? "),
        (["evaluate", "shop.qrels", "a.run", "--mesure", "AP"], "hint: did you mean --measure? "),
        (["evaluate", "shop.qrels", "a.run", "--mesure=AP"], "hint: did you mean --measure? "),
        (["plan", "nxt"], "hint: did you mean next? "),
        (["evaluate", "shop.qrels", "a.run", "--ties", "averagd"], "hint: did you mean averaged? "),
    ],
)
def test_input_errors_exit_2_without_traceback(
    idealist: Any,
    shop: Path,
    tmp_path: Path,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("shop.qrels", "a.run"):
        (tmp_path / name).write_bytes((shop / name).read_bytes())
    (tmp_path / "empty.run").write_bytes(b"")
    (tmp_path / "bad.run").write_bytes(b"q Q0 d 1 1 t\nq d\n")
    (tmp_path / "other.run").write_bytes(b"q Q0 d 1 1 t\n")
    (tmp_path / "titles.run").write_bytes(b"query Q0 document rank score system\nq Q0 d 1 1 t\n")
    (tmp_path / "three.run").write_bytes(b"lipstick p002 1.5\n")
    monkeypatch.chdir(tmp_path)
    done = idealist(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_help_and_version(idealist: Any) -> None:
    assert "evaluate" in idealist("--help").stdout
    assert idealist("--version").stdout.startswith("idealist 0.")
    for command in ("evaluate", "explain", "measures"):
        done = idealist(command, "--help")
        assert done.returncode == 0
        assert f"idealist {command}" in done.stdout
        assert idealist("help", command).stdout == done.stdout
    assert idealist("help").stdout == idealist("--help").stdout
    assert idealist("help", "plan", "next").stdout == idealist("plan", "next", "--help").stdout


def test_usage_fits_a_terminal(idealist: Any) -> None:
    """All but the examples, which are there to be copied."""
    for command in ("evaluate", "compare", "explain"):
        options = idealist(command, "--help", COLUMNS="80").stdout.partition("\nexamples:")[0]
        assert max(map(len, options.splitlines())) <= 80


def test_the_bare_command_prints_help(idealist: Any) -> None:
    alone, with_help = idealist(), idealist("--help")
    assert (alone.returncode, alone.stderr) == (0, "")
    assert alone.stdout == with_help.stdout
    assert re.search(r"^  evaluate +measure runs against judgments$", alone.stdout, re.MULTILINE)


def test_a_reader_that_stops_early_is_no_error(shop: Path) -> None:
    command = f"{sys.executable} -m idealist evaluate {shop}/shop.qrels {shop}/a.run --by-query | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("query")
    assert all(line.startswith("note: ") for line in done.stderr.splitlines())


def test_judged_shares_say_what_they_are_over(capsys: pytest.CaptureFixture[str], shop: Path) -> None:
    files = [str(shop / "shop.qrels"), str(shop / "a.run")]
    output = {}
    for missing in ("zero", "skip"):
        assert main(["evaluate", *files, "-m", "Judged@10", "-m", "nDCG@10", "--missing", missing]) == 0
        output[missing] = capsys.readouterr().out
    said = "judged: @10 a 0.67 (over the queries in the run; Judged@10 counts those it lacks as 0)\n"
    assert said in output["zero"]
    assert "judged: @10 a 0.67\n" in output["skip"]


def test_output_that_cannot_be_written(shop: Path) -> None:
    command = f"{sys.executable} -m idealist evaluate {shop}/shop.qrels {shop}/b.run"
    for place, message in [
        ("> /dev/full", "cannot write: No space left"),
        (">&-", "standard output is closed"),
    ]:
        done = subprocess.run(
            ["bash", "-c", f"{command} {place}"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert message in done.stderr
        assert "Traceback" not in done.stderr


def test_any_id_and_any_terminal(idealist: Any, tmp_path: Path) -> None:
    """Ids that are not UTF-8 come out as they went in; an ASCII terminal gets question marks for
    them, and for lines and arrows what looks like them."""
    (tmp_path / "x.qrels").write_bytes(b"q\xff 0 d 1\n")
    (tmp_path / "x.run").write_bytes(b"q\xff Q0 d 1 1 t\n")
    arguments = [sys.executable, "-m", "idealist", "evaluate", "x.qrels", "x.run", "--by-query", "-m", "AP"]
    for encoding in ("utf-8", "ascii", "latin-1"):
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        assert (b"q\xff" in done.stdout) == (encoding == "utf-8")
        assert (b"-----" in done.stdout) == (encoding != "utf-8")  # the line above the means


def test_color_only_on_a_terminal(shop: Path) -> None:
    """Under a pseudo-terminal the best system stands out, unless NO_COLOR is set."""
    command = ("evaluate", shop / "shop.qrels", shop / "a.run", shop / "b.run")
    assert "\033[1m" in on_a_terminal(*command, NO_COLOR="")
    assert "\033" not in on_a_terminal(*command, NO_COLOR="1")


def test_tables_fit_a_terminal_and_are_whole_elsewhere(idealist: Any, shop: Path) -> None:
    command = ("explain", shop / "shop.qrels", shop / "a.run", "--query", "sneakers", "-m", "nDCG@3")
    whole = idealist(*command, COLUMNS="80").stdout
    assert max(map(len, whole.splitlines())) == 137
    assert on_a_terminal(*command, NO_COLOR="1", COLUMNS="137") == whole
    fitted = on_a_terminal(*command, NO_COLOR="1", COLUMNS="80")
    assert max(map(len, fitted.splitlines())) <= 80
    assert sorted(set(fitted.split())) == sorted(set(whole.split()))


def test_a_wrong_argument_is_quoted_in_bounded_length(idealist: Any) -> None:
    done = idealist("fuse", "a.run", "b.run", "--seed", "9" * 9_000 + "\x1b[2J")
    assert done.returncode == 2
    assert "argument --seed: invalid int value" in done.stderr
    assert "\x1b" not in done.stderr
    assert len(done.stderr) < 2_500


INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what is in its background without
module, sys.argv = sys.argv[1], ["idealist", "measures"]

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
from idealist.__main__ import entry
entry()
"""


@pytest.mark.parametrize(
    "module", ["idealist.cli", "idealist.cli.messages", "idealist.cli.commands.measures"]
)
def test_an_interrupt_while_the_command_is_imported_says_nothing(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, module], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) in [(-signal.SIGINT, "", ""), (130, "", "")]
