"""Ids are hashed with a secret of the process: nobody can make ids that collide, and no result shows the secret."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from idealist import evaluate, read_judgments, read_run


def written(path: Path, documents: list[str]) -> Path:
    path.write_text("".join(f"1 Q0 {document} 1 {score} t\n" for score, document in enumerate(documents)))
    return path


def seconds(path: Path) -> float:
    began = time.process_time()
    read_run(path)
    return time.process_time() - began


def test_ids_that_collided_without_a_secret(tmp_path: Path) -> None:
    """Whatever stands in the middle of these, a hash that starts from the known constants is 0."""
    made = written(tmp_path / "made.run", [f"5iN/^bYu{number:08d}~`vk?RqE" for number in range(40_000)])
    plain = written(
        tmp_path / "plain.run",
        [f"document{number:08d}of a run".replace(" ", "-") for number in range(40_000)],
    )
    usual = min(seconds(plain) for _ in range(3))
    assert min(seconds(made) for _ in range(3)) < 10 * usual + 0.1  # it was two hundred times


def ended(seed: str, *arguments: str | Path) -> tuple[int, str, str]:
    """How a process of Python ends whose hashes start from another secret."""
    process = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    return process.returncode, process.stdout, process.stderr


@pytest.mark.parametrize("name", ["evaluate", "check"])
def test_no_outcome_depends_on_the_secret(tmp_path: Path, name: str) -> None:
    rng = random.Random(5)
    run, judgments = tmp_path / "a.run", tmp_path / "a.qrels"
    lines = [
        f"{query} Q0 d{rng.randrange(90)} 1 {rng.random()} t\n" for query in range(40) for _ in range(30)
    ]
    rng.shuffle(lines)  # queries do not lie together, and documents occur twice
    run.write_text("".join(lines))
    judgments.write_text("".join(f"{query} 0 d{d} {d % 3}\n" for query in range(40) for d in range(0, 90, 3)))
    first, second = (ended(seed, "-m", "idealist", name, judgments, run) for seed in ("1", "2"))
    assert first == second


ON_DISK = """
import sys
from idealist import evaluate
from idealist.data import streaming
streaming.MOST_ROWS = 100
print(evaluate(*sys.argv[1:], "nDCG@10").to_dict())
"""


@pytest.mark.parametrize("documents", [90, 10**9])
def test_nor_what_is_sorted_out_on_disk(tmp_path: Path, documents: int) -> None:
    """Queries go to the same files by any secret, so the first document that is there twice is the same one."""
    rng = random.Random(5)
    lines = [f"{query} Q0 d{rng.randrange(documents)} 1 0 t\n" for query in range(40) for _ in range(30)]
    rng.shuffle(lines)
    run, judgments = tmp_path / "a.run", tmp_path / "a.qrels"
    run.write_text("".join(lines))
    judgments.write_text("".join(f"{line.split()[0]} 0 {line.split()[2]} 1\n" for line in set(lines[::9])))
    first, second = (ended(seed, "-c", ON_DISK, judgments, run) for seed in ("1", "2"))
    assert first == second
    assert ("appears twice" in first[2]) == (documents == 90)


def test_runs_of_other_processes_are_equal(tmp_path: Path) -> None:
    """A run that a process with another secret has read and pickled."""
    run = written(tmp_path / "a.run", [f"a-document-with-a-long-name-{number}" for number in range(5000)])
    script = "import pickle, sys, idealist; pickle.dump(idealist.read_run(sys.argv[1]), sys.stdout.buffer)"
    import pickle

    pickled = subprocess.run(
        [sys.executable, "-c", script, run],
        env={**os.environ, "PYTHONHASHSEED": "77"},
        capture_output=True,
        check=True,
    ).stdout
    here, there = read_run(run), pickle.loads(pickled)
    assert here == there
    judgments = read_judgments({"1": {"a-document-with-a-long-name-4990": 1}})
    assert evaluate(judgments, there, "RR").mean("RR") == 1 / 10
