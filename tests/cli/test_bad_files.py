"""Damaged, endless and absurd inputs: one message and exit 2, never a traceback."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

import idealist as il
from idealist import cli

RUN = b"q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n"
LONG = "1" + "0" * 400


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What the command says; it says one thing, and exits with 2."""
    assert cli.main([str(argument) for argument in arguments]) == 2
    message = capsys.readouterr().err
    assert "Traceback" not in message
    return message


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "x.qrels").write_bytes(b"q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "x.run").write_bytes(RUN)
    return tmp_path


@pytest.mark.parametrize("version", ["9", "10"])
def test_damaged_gzip_in_trec_eval(version: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packed = bytearray(gzip.compress(b"".join(b"q%d Q0 d%d 1 2 t\n" % (n, n * n) for n in range(500))))
    packed[20:200] = bytes(byte ^ 0x55 for byte in packed[20:200])
    (files / "x.gz").write_bytes(packed)
    message = refused(capsys, "trec-eval", version, files / "x.qrels", files / "x.gz")
    assert "Cannot read results file" in message
    assert "Cannot read qrels file" in refused(capsys, "trec-eval", version, files / "x.gz", files / "x.run")


def test_check_of_a_run_and_two_megabytes_of_blanks(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "blank.run").write_bytes(RUN + b" " * 2_000_000)
    assert cli.main(["check", str(files / "blank.run")]) == 2
    message = capsys.readouterr().out
    assert "blank.run: run; 2 rows, 1 query" in message
    assert "longer than a megabyte" in message


@pytest.mark.parametrize(
    ("rating", "message"),
    [
        (f'{{"_id": "a", "rating": {LONG}}}', "query 'q': a rating is too large a number"),
        ('{"_id": "\\ud800", "rating": 1}', "holds a character that is not valid text"),
        ('{"_id": null, "rating": 1}', "query 'q': an _id is None"),
    ],
)
def test_rank_eval_requests(
    rating: str, message: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "r.json").write_text(f'{{"requests": [{{"id": "q", "ratings": [{rating}]}}]}}')
    output = refused(capsys, "evaluate", files / "r.json", files / "x.run")
    assert "r.json: " in output
    assert message in output


def test_rank_eval_responses(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for hit, message in ((f'"a", "_score": {LONG}', "a _score is too large"), ("null", "an _id is None")):
        (files / "r.json").write_text(
            f'{{"metric_score": 1, "details": {{"q": {{"hits": [{{"hit": {{"_id": {hit}}}}}]}}}}}}'
        )
        assert message in refused(capsys, "convert", files / "r.json", files / "y.run", "--as", "run")


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 100_000, "seed = " + "1" * 5000, "x" * (1 << 20) + "y"],
)
def test_gates_that_are_absurd(text: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "gate.toml").write_text(text)
    assert "gate.toml: this is no" in refused(capsys, "gate", files / "gate.toml")


@pytest.mark.parametrize(
    "text",
    ["root:$6$secret:0:0\n", 'a = "x"\na = "secret"\n', "[secret]\n[secret]\n", 'password = "secret"\n'],
)
def test_a_gate_quotes_nothing_of_what_is_none(
    text: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "other").write_text(text)
    assert "secret" not in refused(capsys, "gate", files / "other")


def test_saved_evaluations(tmp_path: Path) -> None:
    runs = {"a": il.Run({"q": {"x": 1.0}}), "b": il.Run({"q": {"y": 1.0}})}
    whole = il.evaluate({"q": {"x": 1, "y": 0}}, runs, "nDCG@10").to_json()
    path = tmp_path / "e.json"
    path.write_text(whole)
    assert il.evaluation.read_evaluation(path).systems == ("a", "b")
    for change, message in (
        ({"systems": []}, "has no systems"),
        ({"measures": []}, "has no measures"),
        ({"judged": json.loads(whole)["judged"][1:]}, "are not those of the systems"),
        ({"judged": [{"k": 10, "system": "a", "share": 10**400}]}, "cannot be read"),
        ({"weights": [10**400]}, "cannot be read"),
    ):
        path.write_text(json.dumps({**json.loads(whole), **change}))
        with pytest.raises(il.InputError, match=message):
            il.evaluation.read_evaluation(path)
    record = json.loads(whole)
    record["provenance"]["judgments"]["sha256"] = []
    path.write_text(json.dumps(record))
    with pytest.raises(il.InputError, match="sha256 is not text"):
        il.evaluation.read_evaluation(path)


@pytest.mark.parametrize("observed", ["1e400", "-1e400", "1e-400", "1e999999"])
def test_why_of_a_number_that_is_none(observed: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = refused(capsys, "why", files / "x.qrels", files / "x.run", f"--observed={observed}")
    assert "is too large or too small for a measure" in output


def test_measures_of_measures(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "Condensed(of=" * 200 + "nDCG" + ")" * 200
    output = refused(capsys, "evaluate", files / "x.qrels", files / "x.run", "-m", text)
    assert "more than 50 deep" in output
    assert len(output) < 300


@pytest.mark.parametrize("error", [MemoryError, RecursionError])
def test_what_python_runs_out_of(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(given: list[str]) -> int:
        raise error

    monkeypatch.setattr(cli, "_dispatch", run)
    assert refused(capsys).startswith("idealist: ")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no endless device")
@pytest.mark.parametrize(
    "arguments",
    [
        ("gate", "/dev/zero"),
        ("trec-eval", "/dev/zero", "x.run"),
        ("trec-eval", "x.qrels", "/dev/zero"),
        ("compare", "--evaluations", "/dev/zero"),
        ("evaluate", "x.qrels", "/dev/zero"),
        ("evaluate", "/dev/zero", "x.run"),
        ("evaluate", "x.qrels", "x.run", "--profiles", "/dev/zero"),
        ("evaluate", "/dev/zero", "x.run", "--input-format", "judgments=letor"),
        ("gsb", "/dev/zero"),
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_an_endless_device(arguments: tuple[str, ...], files: Path) -> None:
    paths = [files / argument if argument in ("x.qrels", "x.run") else argument for argument in arguments]
    command = [sys.executable, "-m", "idealist", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr


RUN_LINE, JUDGMENT_LINE = "q Q0 d 1 1 s", "q 0 d 1"


@pytest.mark.skipif(which("yes") is None, reason="there is no endless text")
@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        (RUN_LINE, "evaluate x.qrels -"),
        (JUDGMENT_LINE, "evaluate - x.run"),
        ("1 qid:1 1:0.5", "evaluate - x.run --input-format judgments=letor"),
        (RUN_LINE, "check x.qrels -"),
        (JUDGMENT_LINE, "check - x.run"),
        (RUN_LINE, "compare x.qrels x.run -"),
        (RUN_LINE, "explain x.qrels - --query q"),
        (RUN_LINE, "convert - y.csv --as run"),
        (RUN_LINE, "fuse x.run - -o y.run"),
        (RUN_LINE, "trec-eval x.qrels /dev/stdin"),
        (RUN_LINE, "trec-eval 10 x.qrels -"),
        (JUDGMENT_LINE, "trec-eval /dev/stdin x.run"),
        ("q,d,good", "gsb -"),
    ],
)
def test_endless_text_has_a_limit(line: str, arguments: str, files: Path) -> None:
    """Two megabytes of it."""
    two_megabytes_are_enough(f"yes '{line}'", arguments, files)


@pytest.mark.skipif(which("yes") is None or which("gzip") is None, reason="there is no endless text")
@pytest.mark.parametrize(
    "arguments", ["evaluate x.qrels -", "check x.qrels -", "trec-eval x.qrels /dev/stdin"]
)
def test_endless_text_that_is_compressed(arguments: str, files: Path) -> None:
    """Two megabytes are a few kilobytes then."""
    two_megabytes_are_enough(f"yes '{RUN_LINE}' | gzip", arguments, files)


def two_megabytes_are_enough(endless: str, arguments: str, files: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{endless} | {sys.executable} -m idealist {arguments}"],
        cwd=files,
        env={**os.environ, "IDEALIST_PIPE_LIMIT": "0.002"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2, done.stderr
    output = done.stdout + done.stderr  # check lists it among what it finds
    assert "more than 0.002 GiB came in a pipe, which may have no end" in output
    assert "save it to a file first" in output


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
@pytest.mark.parametrize("arguments", ["evaluate x.qrels -", "check x.qrels -", "trec-eval 10 x.qrels -"])
def test_endless_text_is_interrupted(arguments: str, files: Path) -> None:
    text = f"{RUN_LINE}\n".encode() * 1000
    source, target = os.pipe()
    command = [sys.executable, "-m", "idealist", *arguments.split()]
    with (
        open(target, "wb", buffering=0) as endless,
        subprocess.Popen(command, cwd=files, stdin=source, stderr=subprocess.PIPE) as reading,
    ):
        os.close(source)
        with contextlib.suppress(BrokenPipeError):
            for block in itertools.count():
                endless.write(text)
                if block == 200:  # a pipe holds a fraction of this: the command reads by now
                    reading.send_signal(signal.SIGINT)
        _, output = reading.communicate()
    assert reading.returncode == 130, output
    assert b"Traceback" not in output


def test_the_limit_of_pipes_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    from idealist.data.opening import bounded

    blocks = [b"x" * 1000] * 3
    monkeypatch.setenv("IDEALIST_PIPE_LIMIT", str(3000 / 2**30))
    assert list(bounded(blocks, "-")) == blocks
    monkeypatch.setenv("IDEALIST_PIPE_LIMIT", str(2999 / 2**30))
    with pytest.raises(il.InputError, match="came in a pipe"):
        list(bounded(blocks, "-"))
    for wrong in ("much", "0", "-1", "nan"):
        monkeypatch.setenv("IDEALIST_PIPE_LIMIT", wrong)
        with pytest.raises(il.InputError, match="not a number of GiB"):
            list(bounded(blocks, "-"))


def test_formats_that_are_read_whole_have_a_limit(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idealist.data.opening.MOST_WHOLE", 1000)
    rows = [{"query": "q", "document": f"d{n}", "score": 1.0} for n in range(100)]
    (files / "list.json").write_text(json.dumps(rows))
    with pytest.raises(il.InputError, match="in a format that is read as a whole"):
        il.read_run(files / "list.json")
    (files / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert len(il.read_run(files / "rows.jsonl")["q"]) == 100


@pytest.mark.parametrize("command", ["fuse", "report", "pool", "grade", "sample", "next"])
def test_inputs_are_not_written_over(command: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if command == "report":
        pytest.importorskip("matplotlib")
    (files / "y.run").write_bytes(RUN)
    (files / "link.run").symlink_to("x.run")
    runs = [files / "x.run", files / "y.run"]
    start = {
        "fuse": ["fuse", *runs],
        "report": ["report", files / "x.qrels", *runs],
        "pool": ["plan", "pool", *runs, "-k", "1"],
        "grade": ["plan", "grade", files / "pool.csv", files / "x.run"],
        "sample": ["plan", "sample", files / "x.run", "-n", "1"],
        "next": ["plan", "next", files / "x.qrels", *runs, "--machine", files / "x.qrels", "--budget", "1"],
    }[command]
    for output in ("x.run", "link.run"):
        message = refused(capsys, *start, "-o", files / output, "--force")
        assert f"{output}: this is one of the inputs" in message
    assert (files / "x.run").read_bytes() == RUN
