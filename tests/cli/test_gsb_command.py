"""idealist gsb as a user meets it."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest

from idealist.cli import main
from idealist.votes.vote_table import read_votes
from idealist.votes.voting import gsb


@pytest.fixture
def votes(tmp_path: Path) -> Any:
    """Writes votes, each on a query of its own, with more columns if given."""

    def write(words: list[str], **columns: list[str]) -> str:
        path = tmp_path / "votes.csv"
        with path.open("w", newline="", encoding="utf-8") as opened:
            writer = csv.writer(opened)
            writer.writerow(["query", "vote", *columns])
            writer.writerows(zip(map(str, range(len(words))), words, *columns.values(), strict=True))
        return str(path)

    return write


def gsb_command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["gsb", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_worked_example(capsys: Any, votes: Any) -> None:
    code, out, _ = gsb_command(capsys, votes(["good", "same", "bad", "bad"]))
    assert code == 0
    lines = out.splitlines()
    assert lines[1].split()[:3] == ["GSB", "(G−B)/N", "-0.2500"]
    assert "votes: good 1, same 1, bad 2 on 4 queries" in lines
    assert "other test: p 1.0000 (exact binomial)" in lines
    assert lines[-1].startswith("UNDECIDED: ")
    assert "more judgments would decide" in lines[-1]


@pytest.mark.parametrize(
    ("words", "code"),
    [(["good"] * 30, 0), (["bad"] * 30, 1), (["good", "bad"], 3)],
)
def test_the_gate(capsys: Any, votes: Any, words: list[str], code: int) -> None:
    path = votes(words)
    assert gsb_command(capsys, path, "--gate")[0] == code
    assert gsb_command(capsys, path)[0] == 0


def test_the_sign_policy_prints_its_errors(capsys: Any, votes: Any) -> None:
    code, out, _ = gsb_command(
        capsys, votes(["good"] * 44 + ["bad"] * 46 + ["same"] * 210), "--policy", "sign", "--gate"
    )
    assert code == 1
    assert "blocks a candidate that is as good 48 % of the time" in out


def test_the_sample_in_every_format(capsys: Any, shop: Path) -> None:
    path = shop / "votes.csv"
    result = gsb(read_votes(path))
    _, text, _ = gsb_command(capsys, path, "--raters")
    assert f"{result.value:.4f}" in text
    assert "raters agree: raw" in text
    assert "below the floor" in text
    _, out, _ = gsb_command(capsys, path, "--format", "json")
    record = json.loads(out)
    assert record == json.loads(result.to_json())
    assert record["verdict"]["outcome"] == result.verdict.outcome
    _, out, _ = gsb_command(capsys, path, "--format", "csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["segment"] for row in rows] == ["all", "broad", "narrow"]
    assert float(rows[0]["gsb"]) == result.value
    _, out, _ = gsb_command(capsys, path, "--format", "markdown")
    assert out.startswith("### Verdict: ")
    assert "| GSB | (G−B)/N |" in out
    assert "\n- votes: good" in out


def test_columns_candidate_scale_and_shares(capsys: Any, votes: Any) -> None:
    path = votes(["A", "B", "tie", "A"], label=["3", "1", "0", "-1"], part=["x", "x", "y", "y"])
    _, out, _ = gsb_command(capsys, path, "--candidate", "A", "--format", "json")
    assert json.loads(out)["value"] == 0.25
    _, out, _ = gsb_command(capsys, path, "--columns", "vote=label", "--scale", "3", "--format", "json")
    assert json.loads(out)["severity"]["value"] == 3 / 12
    shared = ["--columns", "segment=part", "--share", "x=3", "--share", "y=1"]
    code, out, _ = gsb_command(capsys, path, *shared)
    assert code == 0
    assert "share of traffic" in out


def test_words_of_ones_own(capsys: Any, votes: Any) -> None:
    path = votes(["1", "2", "3", "1", "👍"])
    code, out, _ = gsb_command(capsys, path, "--words", "good=1,same=2,bad=3,good=👍", "--format", "json")
    assert code == 0
    record = json.loads(out)
    assert (record["good"], record["same"], record["bad"]) == (3, 1, 1)
    code, _, err = gsb_command(capsys, path)
    assert code == 2
    assert "--words good=…,same=…,bad=…" in err


def test_by_a_measure(capsys: Any, shop: Path) -> None:
    files = [shop / "a.run", shop / "b.run"]
    arguments = ["--judgments", shop / "shop.qrels", *files, "-m", "nDCG@10", "--threshold", "0.01"]
    code, out, err = gsb_command(capsys, *arguments, "--gate")
    assert code == 3
    assert "FAILED  equally judged: judged@10 0.67 and 1.00" in out
    assert "note: b compared with a by nDCG@10; differences up to 0.01 are same" in out
    assert "note: conventions: ties id-descending" in out
    assert "1 query judged but not in the run" in err
    assert gsb_command(capsys, "--judgments", shop / "shop.qrels", *reversed(files), "--gate")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such.csv"], "no-such.csv: there is no such file"),
        (["VOTES", "VOTES"], "votes are read from one file, not 2"),
        (["VOTES", "--threshold", "0.1"], "--threshold goes with --judgments"),
        (["VOTES", "--judgments", "x"], "two runs are compared, not 1"),
        (["VOTES", "--judgments", "x", "--words", "good=1"], "--words is for votes"),
        (["VOTES", "--columns", "vote"], "--columns: 'vote' is not OURS=THEIRS"),
        (["VOTES", "--columns", "vote=label"], "there is no column 'label'"),
        (["VOTES", "--columns", "a=b,a=c"], "--columns a is given twice"),
        (["--counts", "1,2,3", "--columns", "vote=label"], "--columns is for a table of votes"),
        (["--counts", "20", "23", "17"], "counts are one word: --counts 20,23,17"),
        (["--counts", "20,", "23,", "17"], "counts are one word: --counts 20,23,17"),
        (["--counts", "20,23,17", "VOTES"], "give one or the other"),
        (["VOTES", "--words", "good"], "--words 'good' is not good=WORD"),
        (["VOTES", "--words", "fine=1"], "words: 'fine' is not a vote"),
        (["VOTES", "--words", "good=1,bad=1"], "words: '1' has two meanings"),
        (["VOTES", "--words", "good=never"], "no vote is never"),
        (["VOTES", "--share", "x=much"], "the share of 'x' must be a number, not 'much'"),
        (["VOTES", "--share", "x=1"], "the votes have no segments, so shares cannot be used"),
        (["VOTES", "--confidence", "95"], "confidence must lie between 0 and 1, not 95"),
        (["VOTES", "--margin", "-1"], "the margin must be 0 or more, not -1"),
        (["VOTES", "--candidate", "A"], "candidate A changes nothing"),
    ],
)
def test_wrong_usage(capsys: Any, votes: Any, arguments: list[str], message: str) -> None:
    path = votes(["good", "bad"])
    code, out, err = gsb_command(
        capsys, *(path if argument == "VOTES" else argument for argument in arguments), "--gate"
    )
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_wrong_files_name_the_line(capsys: Any, votes: Any) -> None:
    code, _, err = gsb_command(capsys, votes(["good", "fine"]))
    assert code == 2
    assert "votes.csv, line 3: unknown vote 'fine'" in err
    assert "hint: known are good/same/bad" in err


@pytest.mark.slow
def test_the_same_on_any_number_of_threads(idealist: Any, votes: Any) -> None:
    rng = random.Random(4)
    n = 12_000
    path = votes(
        [str(rng.randint(-3, 3)) for _ in range(n)],
        document=[str(at // 3) for at in range(n)],
        shop=[str(at // 6) for at in range(n)],
        rater=[str(at * 7 % 9) for at in range(n)],
        weight=[f"{1 + at // 3 % 7 / 3:.4f}" for at in range(n)],
    )
    arguments = ["gsb", path, "--columns", "query=shop", "--fold", "mean", "--interval", "bootstrap"]
    one_thread, two = (
        idealist(*arguments, "--format", "json", OPENBLAS_NUM_THREADS=threads, OMP_NUM_THREADS=threads)
        for threads in ("1", "2")
    )
    assert one_thread.returncode == 0, one_thread.stderr
    assert one_thread.stdout == two.stdout


def test_guards_are_chosen(capsys: Any, shop: Path) -> None:
    files = ["--judgments", shop / "shop.qrels", shop / "a.run", shop / "b.run", "-m", "nDCG@10", "--gate"]
    assert gsb_command(capsys, *files)[0] == 3  # less is judged for a
    assert gsb_command(capsys, *files, "--guards", "queries")[0] == 0
    code, out, _ = gsb_command(capsys, shop / "votes.csv", "--guards", "sides")
    assert (code, "agreement of raters:" in out, "passed  sides" in out) == (0, False, True)
    code, _, err = gsb_command(capsys, shop / "votes.csv", "--guards", "none,sides")
    assert (code, "a guard must be agreement, sides, anchors, segments, judged or queries" in err) == (
        2,
        True,
    )


def test_csv_says_the_verdict_beside_the_numbers(capsys: Any, shop: Path) -> None:
    _, out, err = gsb_command(capsys, shop / "votes.csv", "--format", "csv")
    assert out.startswith("segment,gsb,")
    assert err.startswith("UNDECIDED: better, but known answers failed (difference 0.2752, ")


def test_a_bootstrap_of_few_queries_is_not_trusted(capsys: Any, tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("query,vote\n" + "".join(f"q{at},{'good' if at % 3 else 'bad'}\n" for at in range(27)))
    said_of_few = "with 27 queries a bootstrap interval is too narrow"
    assert said_of_few in gsb_command(capsys, votes, "--interval", "bootstrap")[1]
    assert said_of_few not in gsb_command(capsys, votes)[1]


def test_the_sequential_line_and_verdict(capsys: Any, votes: Any) -> None:
    path = votes(["good"] * 30)
    # 2³⁰ · Beta(40, 10)/Beta(10, 10) = 12,070, so that p is 1/12,070
    line = "sequential test: p <0.0001, e-value 1.21e+04; you may stop at 20 (5 %); GSB at every look: 0.3903 to 1.0000"
    assert line in gsb_command(capsys, path)[1].splitlines()
    code, out, _ = gsb_command(capsys, path, "--sequential", "--gate")
    assert code == 0
    assert "95 % interval 0.3903 to 1.0000" in out
    assert "this verdict is valid at every look" in out
    assert gsb_command(capsys, votes(["good"] * 10), "--gate")[0] == 0
    assert gsb_command(capsys, votes(["good"] * 10), "--gate", "--sequential")[0] == 3


def test_votes_that_are_not_in_the_sequential_line(capsys: Any, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("query,vote\n" + "a,good\nb,good\nc,good\n" * 2)
    _, out, _ = gsb_command(capsys, path)
    assert (
        "note: 3 votes are not in the sequential test: their queries came back after others had begun" in out
    )
    _, out, _ = gsb_command(capsys, path, "--votes-per-query", 2, "--format", "json")
    assert json.loads(out)["sequential"]["votes"] == 6


def test_a_sequential_verdict_is_for_votes(capsys: Any, shop: Path) -> None:
    files = ["--judgments", shop / "shop.qrels", shop / "a.run", shop / "b.run"]
    code, _, err = gsb_command(capsys, *files, "--sequential")
    assert (code, "sequential is for votes" in err) == (2, True)


def test_intervals_that_are_not_reliable_say_so(capsys: Any, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    rows = [("x", "same"), ("y", "same")] * 19 + [("x", "same"), ("y", "bad")]
    path.write_text("query,rater,vote\n" + "".join(f"{at // 2},{r},{v}\n" for at, (r, v) in enumerate(rows)))
    _, out, _ = gsb_command(capsys, path, "--raters")
    assert "raters agree: raw 0.95 [0.31, 1.00] (unreliable: few disagreements)" in out
    assert out.count("unreliable: few disagreements") > 3


def test_runs_and_judgments_are_no_votes(idealist: Any, shop: Path) -> None:
    for name, what in (("a.run", "this is a run"), ("shop.qrels", "these are judgments")):
        done = idealist("gsb", shop / name)
        assert done.returncode == 2
        assert f"{name}: {what}, not votes" in done.stderr
