"""idealist compare, as a user runs it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Command

QUERIES = [f"q{at:02}" for at in range(30)]


def lines(places: dict[str, int], name: str) -> str:
    """A run of three judged documents, the relevant one at a place."""
    orders = {1: "xyz", 2: "yxz", 3: "yzx"}
    return "".join(
        f"{query} Q0 {document} {rank} {10 - rank} {name}\n"
        for query, place in places.items()
        for rank, document in enumerate(orders[place], 1)
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    grades = "".join(f"{query} 0 x 1\n{query} 0 y 0\n{query} 0 z 0\n" for query in QUERIES)
    (tmp_path / "t.qrels").write_text(grades)
    old = {query: 1 + at % 3 for at, query in enumerate(QUERIES)}
    (tmp_path / "old.run").write_text(lines(old, "old"))
    (tmp_path / "good.run").write_text(
        lines({q: 1 if at % 4 else old[q] for at, q in enumerate(QUERIES)}, "g")
    )
    (tmp_path / "bad.run").write_text(
        lines({q: 3 if at % 4 else old[q] for at, q in enumerate(QUERIES)}, "b")
    )
    (tmp_path / "odd.run").write_text(
        lines({q: 1 + (at + (at > 1)) % 3 for at, q in enumerate(QUERIES)}, "o")
    )
    rows = "".join(f"{query},{'head' if at < 15 else 'tail'}\n" for at, query in enumerate(QUERIES))
    (tmp_path / "segments.csv").write_text("query,segment\n" + rows)
    return tmp_path


def test_two_runs(folder: Path, idealist: Command) -> None:
    done = idealist("compare", folder / "t.qrels", folder / "old.run", folder / "good.run", "-m", "RR")
    assert (done.returncode, done.stderr) == (0, "")
    table = [line.split() for line in done.stdout.splitlines()]
    assert table[0][:4] == ["measure", "system", "value", "difference"]
    assert table[1] == ["RR", "old", "0.6111"]
    assert table[2][:3] == ["RR", "good", "0.9056"]
    assert "15/15/0" in table[2]
    assert "moved most" in done.stdout
    assert "conventions: default" not in done.stdout
    assert "good  SHIP: better" in done.stdout


@pytest.mark.parametrize(
    ("runs", "code"),
    [
        (("old", "good"), 0),
        (("old", "bad"), 1),
        (("old", "odd"), 3),
        (("old", "good", "odd"), 3),
        (("old", "good", "odd", "bad"), 1),
        (("good", "bad", "old"), 1),
    ],
)
def test_gate(folder: Path, idealist: Command, runs: tuple[str, ...], code: int) -> None:
    files = [folder / f"{name}.run" for name in runs]
    done = idealist("compare", folder / "t.qrels", *files, "-m", "RR", "--gate")
    assert done.returncode == code, done.stderr
    assert f"gate: exit code {code}" in done.stdout
    assert ("by the worst of them" in done.stdout) == (len(runs) > 2)
    assert idealist("compare", folder / "t.qrels", *files, "-m", "RR").returncode == 0


def test_formats(folder: Path, idealist: Command) -> None:
    files = [folder / name for name in ("t.qrels", "old.run", "good.run", "bad.run")]
    arguments = ("compare", *files, "-m", "RR", "-m", "nDCG@2", "--segments", folder / "segments.csv")
    record = json.loads(idealist(*arguments, "--all-pairs", "--format", "json").stdout)
    assert [(contrast["system"], contrast["measure"]) for contrast in record["contrasts"]] == [
        ("good", "RR"),
        ("bad", "RR"),
        ("good", "nDCG@2"),
        ("bad", "nDCG@2"),
    ]
    assert record["family"] == 12
    assert len(record["segments"]) == 8
    assert len(record["pairs"]) == 6
    assert record["verdicts"]["bad"]["outcome"] == "block"
    assert record["gate"] is None
    done = idealist(*arguments, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == 12
    assert float(rows[0]["p_value"]) == record["contrasts"][0]["p_value"]
    assert {row["segment"] for row in rows} == {"", "head", "tail"}
    assert "verdict on RR" in done.stderr
    pairs = list(csv.DictReader(io.StringIO(idealist(*arguments, "--all-pairs", "--format", "csv").stdout)))
    assert [row["first"] for row in pairs[:3]] == ["old", "old", "good"]
    markdown = idealist(*arguments, "--format", "markdown", "--all-pairs", "--gate")
    assert markdown.returncode == 1
    assert "### Verdict on bad by RR: block" in markdown.stdout
    assert "| measure | pair | and | difference |" in markdown.stdout
    latex = idealist(*arguments, "--format", "latex").stdout
    assert latex.count(r"\toprule") == latex.count(r"\end{tabular}") == 2  # all queries, and segments
    text = re.sub(r"(?s)\\begin\{tabular\}.*?\\end\{tabular\}", "", latex)
    assert all(line.startswith("% ") for line in text.splitlines() if line)


def test_baseline_by_path_or_name(folder: Path, idealist: Command) -> None:
    files = [folder / name for name in ("t.qrels", "old.run", "good.run")]
    by_path = idealist("compare", *files, "-m", "RR", "--baseline", folder / "good.run")
    by_name = idealist("compare", *files, "-m", "RR", "--baseline", "good")
    assert by_path.stdout == by_name.stdout
    assert by_path.stdout.splitlines()[1].split()[:2] == ["RR", "good"]
    wrong = idealist("compare", *files, "--baseline", "best")
    assert wrong.returncode == 2
    assert (
        wrong.stderr == "idealist: the baseline 'best' is not among the runs\nhint: name one of: old, good\n"
    )
    single = idealist("compare", *files[:2])
    assert single.returncode == 2
    assert "only one system, 'old'" in single.stderr


def test_rope_and_seed(folder: Path, idealist: Command) -> None:
    arguments = ("compare", *(folder / name for name in ("t.qrels", "old.run", "odd.run")), "-m", "RR")
    shown = idealist(*arguments, "--rope", "0.05").stdout.splitlines()
    assert shown[0].endswith("worse/equivalent/better")
    beliefs = [float(part) for part in shown[2].split()[-1].split("/")]
    assert sum(beliefs) == pytest.approx(1, abs=0.02)
    first, same, other = (
        idealist(*arguments, "--tests", "randomisation", "--seed", seed, "--format", "csv").stdout
        for seed in (1, 1, 2)
    )
    assert first == same
    assert first != other
    for wrong in (("--seed", "-1"), ("--rounds", "0"), ("--confidence", "95"), ("--margin", "-1")):
        done = idealist(*arguments, *wrong)
        assert (done.returncode, done.stdout) == (2, ""), wrong
        assert " must " in done.stderr


def test_more_tests(folder: Path, idealist: Command) -> None:
    arguments = ("compare", *(folder / name for name in ("t.qrels", "old.run", "good.run")), "-m", "RR")
    plain, more = (
        json.loads(idealist(*arguments, *options, "--format", "json").stdout)["contrasts"][0]
        for options in ((), ("--more-tests",))
    )
    ends = more.pop("bootstrap")
    assert plain == more
    assert ends["low"] == pytest.approx(plain["student"]["low"], abs=0.03)
    assert ends["reliable"] is False
    shown = idealist(*arguments, "--more-tests").stdout
    assert "p (Wilcoxon)" in shown
    assert f"[{ends['low']:.4f}, {ends['high']:.4f}]" in shown


def test_threads_do_not_matter(folder: Path, idealist: Command) -> None:
    files = [folder / name for name in ("t.qrels", "old.run", "odd.run", "good.run")]
    arguments = ("compare", *files, "--all-pairs", "--more-tests", "--format", "json")
    one_thread = idealist(*arguments, "--threads", "1", OPENBLAS_NUM_THREADS="1").stdout
    two = idealist(*arguments, "--threads", "2", OPENBLAS_NUM_THREADS="2").stdout
    assert one_thread == two


def test_segments_that_do_not_fit(folder: Path, idealist: Command) -> None:
    arguments = ("compare", *(folder / name for name in ("t.qrels", "old.run", "odd.run")), "-m", "RR")
    (folder / "few.csv").write_text("query,segment\nq00,a\n")
    few = folder / "few.csv"
    assert f"{few}: query 'q01' has no segment" in idealist(*arguments, "--segments", few).stderr
    (folder / "two.csv").write_text("query,segment\nq00,a\nq00,b\n")
    twice = idealist(*arguments, "--segments", folder / "two.csv")
    assert "two.csv, line 3: query 'q00' is in two segments" in twice.stderr
    (folder / "gap.csv").write_text("query,segment\nq00,\nq01,a\n")
    assert (
        "gap.csv, line 2: segment is empty" in idealist(*arguments, "--segments", folder / "gap.csv").stderr
    )
    assert "--segment-by names a column" in idealist(*arguments, "--segment-by", "kind").stderr
    users = (folder / "segments.csv").read_text().replace("segment", "kind")
    (folder / "users.csv").write_text(users)
    by_column = idealist(*arguments, "--profiles", folder / "users.csv", "--segment-by", "kind")
    by_file = idealist(*arguments, "--segments", folder / "segments.csv")
    assert by_column.returncode == 0, by_column.stderr
    assert by_column.stdout == by_file.stdout


def test_a_single_query(folder: Path, idealist: Command) -> None:
    (folder / "one.qrels").write_text("q01 0 x 1\n")
    files = [folder / name for name in ("one.qrels", "old.run", "good.run")]
    done = idealist("compare", *files, "-m", "RR", "--gate")
    assert done.returncode == 3
    assert "note: a single query: there is no interval and no test" in done.stdout
    assert json.loads(idealist("compare", *files, "--format", "json").stdout)["family"] == 0


def test_progress_on_a_terminal_only(folder: Path) -> None:
    pty = pytest.importorskip("pty")
    code = (
        "import idealist.cli.progress as p; p.PATIENCE = -1\n"
        "bar = p.Progress('randomising'); bar(1, 2); bar(2, 2); bar(1, 4)"
    )
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", code], stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 4000).decode()
    os.close(ours)
    assert "randomising" in shown
    assert " 50 %" in shown
    assert "\r\033[K" in shown
    quiet = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert quiet.stderr == b""


def test_guards_are_chosen(idealist: Command, shop: Path) -> None:
    arguments = ["compare", shop / "shop.qrels", shop / "a.run", shop / "b.run", "-m", "nDCG@10", "--gate"]
    assert idealist(*arguments).returncode == 3  # less is judged for a
    assert idealist(*arguments, "--guards", "measures,queries").returncode == 0
    assert idealist(*arguments, "--guards", "none").returncode == 0
    done = idealist(*arguments, "--guards", "judges")
    assert done.returncode == 2
    assert "a guard must be measures, segments, judged, queries or losses, not 'judges'" in done.stderr


def test_segments_of_another_column(idealist: Command, shop: Path) -> None:
    arguments = ["compare", shop / "shop.qrels", shop / "a.run", shop / "b.run", "-m", "nDCG@10"]
    done = idealist(*arguments, "--segments", shop / "queries.csv", "--segment-by", "kind")
    assert done.returncode == 0, done.stderr
    assert "narrow" in done.stdout
    assert "0.7391" in done.stdout  # the means are not weighted


def test_letters_name_the_systems_that_are_worse(idealist: Command, shop: Path) -> None:
    arguments = [
        "compare",
        shop / "shop.qrels",
        shop / "a.run",
        shop / "b.run",
        "-m",
        "nDCG@10",
        "--all-pairs",
    ]
    latex = idealist(*arguments, "--format", "latex").stdout
    assert r"\textbf{0.9279}$^{a}$" in latex
    assert r"\textless{}0.0001" in latex


def test_what_files_are_called_is_no_markup(idealist: Command, shop: Path, tmp_path: Path) -> None:
    strange = tmp_path / "<img src=x>.run"
    strange.write_bytes((shop / "b.run").read_bytes())
    done = idealist("compare", shop / "shop.qrels", shop / "a.run", strange, "-m", "RR", "--format", "html")
    assert done.returncode == 0, done.stderr
    assert "<img" not in done.stdout


def test_margins_as_shares_and_guards_of_their_own(folder: Path, idealist: Command) -> None:
    arguments = ("compare", *(folder / name for name in ("t.qrels", "old.run", "good.run")), "-m", "RR")
    assert "margin 0.0122 (2 % of the baseline's mean):" in idealist(*arguments).stdout
    assert (
        "verdict on RR, margin 0.0611 (10 % of the baseline's mean):"
        in idealist(*arguments, "--margin", "10%").stdout
    )
    assert "verdict on RR, margin 0.0500:" in idealist(*arguments, "--margin", "0.05").stdout
    # P@1 is measured because it is guarded, and 30 queries show that it does not lose a third of its baseline.
    passed = idealist(*arguments, "--guard", "P@1=33%", "--gate")
    assert (passed.returncode, "passed  other measures: P@1" in passed.stdout) == (0, True)
    segments = ("--segments", folder / "segments.csv")
    odd = ("compare", *(folder / name for name in ("t.qrels", "old.run", "odd.run")), "-m", "RR")
    held = idealist(*odd, *segments, "--guard", "tail=0.1%")
    assert "FAILED  segments: tail may be worse by more than" in held.stdout
    for wrong, message in (("P@1", "has no name and margin"), ("body=1%", "no measure or segment 'body'")):
        assert message in idealist(*arguments, "--guard", wrong).stderr


def test_a_significant_loss_blocks_unless_a_margin_is_stated(folder: Path, idealist: Command) -> None:
    arguments = ("compare", *(folder / name for name in ("t.qrels", "old.run", "bad.run")), "-m", "RR")
    assert idealist(*arguments, "--gate").returncode == 1
    stated = idealist(*arguments, "--gate", "--margin", "0.6", "--guards", "none")
    assert stated.returncode == 0
    assert "SHIP: worse, but not by more than the margin you set, 0.6000" in stated.stdout
    assert "the margin 0.6000 is 98 % of the baseline's mean 0.6111" in stated.stdout


def test_chosen_tests(folder: Path, idealist: Command) -> None:
    arguments = ("compare", *(folder / name for name in ("t.qrels", "old.run", "good.run")), "-m", "RR")
    heading, *_ = idealist(*arguments, "--tests", "sign,randomisation(seed=3)").stdout.splitlines()
    p_values = heading.split("interval")[1].split("wins")[0]
    assert p_values.split() == ["p", "p", "(sign)", "p", "(randomised)"]  # of one test, Holm's is p itself
    record = json.loads(idealist(*arguments, "--tests", "sign", "--format", "json").stdout)
    assert record["contrasts"][0]["tests"].keys() == {"sign"}
    wrong = idealist(*arguments, "--tests", "anova")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "there is no test 'anova'\nhint: name one of: bootstrap, " in wrong.stderr


def test_the_list_of_tests(idealist: Command) -> None:
    listed = idealist("compare", "--list-tests").stdout
    assert [line.split()[0] for line in listed.splitlines()[1:]] == [
        "bootstrap",
        "randomisation",
        "sign",
        "t",
        "wilcoxon",
    ]


def test_five_columns_fit_and_all_are_there_for_the_asking(idealist: Command, shop: Path) -> None:
    """Elsewhere than on a terminal too; what is the default, and p a second time, are not printed."""
    arguments = ("compare", *(shop / name for name in ("shop.qrels", "a.run", "b.run")))
    most = idealist(*arguments).stdout.splitlines()
    titles = ["measure", "system", "value", "difference", "95 % interval", "p (Holm)", "wins/ties/losses"]
    assert re.split(r"  +", most[0]) == titles
    table = most[: most.index("")]
    (compared,) = [line for line in most if line.startswith("compared with")]
    assert max(map(len, [*table, compared])) <= 100
    assert not [line for line in most if line.startswith("conventions: default")]
    shown = idealist(*arguments, "--show", "all").stdout
    assert {"p", "dz", "detectable"} <= set(re.split(r"  +", shown.splitlines()[0]))
    assert "detectable: the true difference" in shown
    assert "queries that lost more than half of their value" in shown
    assert "conventions: default" in shown
    single = idealist(*arguments, "-m", "RR").stdout
    assert "Holm" not in single
    assert "p_adjusted" in idealist(*arguments, "-m", "RR", "--format", "json").stdout
