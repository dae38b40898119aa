"""`idealist judge` as a user runs it, against an endpoint on this machine."""

from __future__ import annotations

import contextlib
import json
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from conftest import Command
from support.fake_endpoint import FakeEndpoint, Handler, endpoint, grading

from idealist import read_judgments, read_votes

KEY = "sk-very-secret-0123456789"


def command(shop: Path, fake: FakeEndpoint | str, *more: object) -> list[object]:
    url = fake if isinstance(fake, str) else fake.url
    texts = [shop / "queries.tsv", shop / "documents.jsonl", shop / "a.run", shop / "b.run"]
    return ["judge", *texts, "-k", 2, "--endpoint", url, "--model", "m", *more]


def test_grades_to_a_file_and_back(shop: Path, tmp_path: Path, idealist: Command) -> None:
    output, cache = tmp_path / "machine.csv", tmp_path / "answers.sqlite"
    with endpoint(grading(2)) as fake:
        done = idealist(*command(shop, fake, "-o", output, "--cache", cache))
    assert done.returncode == 0, done.stderr
    lines = output.read_text().splitlines()
    assert lines[0] == "query,document,grade,grades,model,prompt,date,attempts"
    judgments = read_judgments(output)
    assert len(judgments) == 40
    assert sum(map(len, judgments.to_dict().values())) == len(lines) - 1
    assert "what asking takes" in done.stderr
    assert "text that speaks to the judge" in done.stdout  # p007 of the shop
    evaluated = idealist("evaluate", output, shop / "a.run", "-m", "P@1")
    assert evaluated.returncode == 0, evaluated.stderr


def test_other_formats(shop: Path, tmp_path: Path, idealist: Command) -> None:
    cache = tmp_path / "answers.sqlite"
    with endpoint(grading(1)) as fake:
        for name in ("machine.qrels", "machine.jsonl"):
            done = idealist(*command(shop, fake, "-o", tmp_path / name, "--cache", cache, "--format", "json"))
            assert done.returncode == 0, done.stderr
            assert json.loads(done.stdout)["model"] == "m"
    assert len(fake.bodies) == len({json.dumps(body) for body in fake.bodies})  # the second one asked nothing
    first = (tmp_path / "machine.qrels").read_text().split()
    assert first[1].startswith("m:")
    both = [read_judgments(tmp_path / name).to_dict() for name in ("machine.qrels", "machine.jsonl")]
    assert both[0] == both[1]


def test_a_dry_run_asks_nothing(shop: Path, tmp_path: Path, idealist: Command) -> None:
    cache = tmp_path / "answers.sqlite"
    with endpoint(grading()) as fake:
        done = idealist(
            *command(shop, fake, "--dry-run", "--prices", "0.15,0.6", "--rate", 30, "--cache", cache)
        )
    assert (done.returncode, fake.bodies) == (0, []), done.stderr
    assert "at most about 0.0" in done.stdout
    assert "minutes" in done.stdout


def test_votes_to_a_file_and_gsb(shop: Path, tmp_path: Path, idealist: Command) -> None:
    output = tmp_path / "votes.csv"

    def react(handler: Handler, body: dict[str, Any], number: int) -> None:
        left, right = body["messages"][-1]["content"].split("Right list:")
        handler.say(json.dumps({"better": "left" if len(left) > len(right) else "same"}))

    with endpoint(react) as fake:
        done = idealist(*command(shop, fake, "--pairwise", "-o", output, "--cache", tmp_path / "c.sqlite"))
    assert done.returncode == 0, done.stderr
    votes = read_votes(output)
    assert len(votes) == 2 * 39  # a.run lacks a query
    done = idealist("gsb", output)
    assert done.returncode == 0, done.stderr


def test_unread_answers_show_in_the_exit_code(shop: Path, tmp_path: Path, idealist: Command) -> None:
    answers = tmp_path / "answers.jsonl"
    with endpoint(lambda h, b, n: h.say("No idea")) as fake:
        done = idealist(
            *command(shop, fake, "--answers", answers, "--cache", tmp_path / "c.sqlite", "--limit", 3)
        )
    assert done.returncode == 1
    assert "not read: 3 answers (3 not understood), such as 'No idea'" in done.stdout
    records = [json.loads(line) for line in answers.read_text().splitlines()]
    assert [(record["content"], record["read"]) for record in records] == [("No idea", None)] * 3


# A shell starts what runs in its background with SIGINT ignored.
INTERRUPTIBLE = """
import signal

from idealist.cli import entry

signal.signal(signal.SIGINT, signal.default_int_handler)
entry()
"""


class Held:
    """Answers the first requests, and holds the others back until it is released: those of all four threads."""

    ANSWERED, ON_THEIR_WAY = 16, 4

    def __init__(self) -> None:
        self.released = Event()

    def __call__(self, handler: Handler, body: dict[str, Any], number: int) -> None:
        if number > self.ANSWERED:
            self.released.wait(60)
        with contextlib.suppress(OSError):  # whoever asked is gone
            handler.say('{"grade": 1}')

    def interrupt(self, fake: FakeEndpoint, words: list[object], sent: signal.Signals) -> tuple[int, str]:
        """Sends a signal to the command when all its threads wait for answers: the exit code, and what it says."""
        with subprocess.Popen(
            [sys.executable, "-c", INTERRUPTIBLE, *map(str, words)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            while len(fake.bodies) < self.ANSWERED + self.ON_THEIR_WAY and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(sent)
            if sent == signal.SIGKILL:
                process.wait()
            self.released.set()
            _, said = process.communicate(timeout=60)
        return process.returncode, said


def kept_answers(cache: Path) -> int:
    with contextlib.closing(sqlite3.connect(cache)) as kept:
        (answers,) = kept.execute("SELECT count(*) FROM answers").fetchone()
    return int(answers)


def test_a_run_that_is_killed_goes_on_where_it_ended(shop: Path, tmp_path: Path, idealist: Command) -> None:
    output, cache = tmp_path / "machine.csv", tmp_path / "answers.sqlite"
    held = Held()
    with endpoint(held) as fake:
        words = command(shop, fake, "-o", output, "--cache", cache)
        code, _ = held.interrupt(fake, words, signal.SIGKILL)
        assert code == -signal.SIGKILL
        assert not output.exists()
        assert kept_answers(cache) == held.ANSWERED
        done = idealist(*words)
        assert done.returncode == 0, done.stderr
        # Only what was on its way when the process was killed is asked again.
        assert len(fake.bodies) - len({json.dumps(body) for body in fake.bodies}) == held.ON_THEIR_WAY
        assert len(read_judgments(output)) == 40


def test_ctrl_c_keeps_what_was_answered(shop: Path, tmp_path: Path) -> None:
    cache = tmp_path / "answers.sqlite"
    held = Held()
    with endpoint(held) as fake:
        code, said = held.interrupt(fake, command(shop, fake, "--cache", cache), signal.SIGINT)
        assert code == 130, said
        assert "Traceback" not in said
        # What was on its way was waited for, and nothing more was sent.
        assert kept_answers(cache) == len(fake.bodies) == held.ANSWERED + held.ON_THEIR_WAY


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--endpoint", "localhost"], "must be an address of http or https"),
        (["--scale", "many"], "the scale must be grades"),
        (["--prices", "1"], "--prices must be two numbers"),
        (["-o", "machine.xml"], "the ending names no format"),
        (["--pairwise", "-o", "votes.qrels"], "the ending names no format"),
        (["--template", "nowhere.txt"], "nowhere.txt: the template cannot be read"),
        (["--body", "{"], "further fields of a request"),
        (["--samples", "0"], "samples must be"),
        (["--concurrency", "0"], "concurrency must be"),
        (["--pairwise", "--judged", "shop.qrels"], "--judged is for grades"),
        (["-o", "a.run"], "a.run"),
    ],
)
def test_what_cannot_be_right(
    shop: Path,
    tmp_path: Path,
    idealist: Command,
    monkeypatch: pytest.MonkeyPatch,
    more: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(shop)
    done = idealist(*command(shop, "http://127.0.0.1:9/v1", "--cache", tmp_path / "c.sqlite", *more))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_an_endpoint_that_is_not_there_says_what_to_do(shop: Path, tmp_path: Path, idealist: Command) -> None:
    with endpoint(grading()) as fake:
        url = fake.url
    done = idealist(*command(shop, url, "--cache", tmp_path / "c.sqlite"), OPENAI_API_KEY=KEY)
    assert done.returncode == 2
    assert "cannot be reached: Connection refused" in done.stderr
    assert "hint: is the address right, and the server started?" in done.stderr
    assert KEY not in done.stderr + done.stdout
