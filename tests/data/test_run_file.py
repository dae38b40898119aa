"""A run measured while it is read is the run measured whole."""

from __future__ import annotations

import os
import random
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.plain_trec import BAD, plain_reader, write
from support.strategies import tasks

from idealist import Conventions, InputError, Judgments, Run, evaluate, read_run
from idealist.data import RunFile, match

TIES = ["id-descending", "id-ascending", "input-order", "averaged", "optimistic", "pessimistic"]


@given(tasks(), st.sampled_from(TIES), st.integers(1, 4), st.randoms())
def test_a_file_measured_while_it_is_read(
    tmp_path_factory: pytest.TempPathFactory, task: Any, ties: str, threads: int, random: Any
) -> None:
    """The same rankings as from the whole run, with queries together or scattered."""
    queries, judged = task
    lines = [
        f"{q} Q0 {d} 1 {s} t".encode("utf-8", "surrogateescape")
        for q in queries
        for d, s in queries[q].items()
    ]
    assume(lines and any(queries[q] for q in judged if q in queries))
    path, judgments = tmp_path_factory.mktemp("stream") / "x.run", Judgments(judged)
    for scattered in (False, True):
        if scattered:
            random.shuffle(lines)
        run = read_run(write(path, b"\n".join(lines)))
        conventions = Conventions(ties=ties)
        streamed = match(judgments, RunFile(path), conventions, threads=threads)
        assert streamed == match(judgments, run, conventions)
        assert streamed.run_queries == len(run)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("together", [True, False])
def test_a_large_file_measured_while_it_is_read(tmp_path: Path, threads: int, together: bool) -> None:
    """Queries of one row, of many rows, and of several pieces; some unjudged, some missing."""
    rng = random.Random(5)
    sizes = [1, 1, 700, 3, 40_000, 2, 1, 90_000, 5, 30_000, 1]
    lines, judged = [], {"missing": {"d1": 1.0}}
    for query, size in enumerate(sizes):
        documents = [f"doc{number}" for number in rng.sample(range(10**6), size)]
        lines += [f"q{query} Q0 {d} 1 {rng.randrange(50)}.25 t" for d in documents]
        if query % 3:
            judged[f"q{query}"] = {d: float(rng.randrange(3)) for d in documents[:: max(1, size // 50)]}
    if not together:
        lines = lines[1:] + lines[:1] + [f"q4 Q0 late 1 {rng.random()} t"]
    path = write(tmp_path / "x.run", "\n".join(lines).encode())
    streamed = match(Judgments(judged), RunFile(path), threads=threads)
    assert streamed == match(Judgments(judged), read_run(path))
    assert streamed.missing == ["missing"]
    assert streamed.run_queries == len(sizes)


@pytest.mark.parametrize(("text", "line", "message"), BAD)
def test_bad_runs_measured_while_they_are_read(
    tmp_path: Path, text: bytes, line: int | None, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        match(Judgments({"q": {"a": 1}}), RunFile(write(tmp_path / "x.run", text)))
    assert caught.value.line == line


def test_a_file_that_changes_is_an_error_or_right(tmp_path: Path) -> None:
    """Another process rewrites, cuts and deletes the file while it is read, over and over."""
    path, rows = tmp_path / "x.run", 60_000
    versions = [
        b"".join(b"q Q0 d%05d 1 %05d t\n" % (i, i if version else rows - i) for i in range(rows))
        for version in range(2)
    ]
    expected = [Run(plain_reader(text, 6, 2, 4)) for text in versions]
    judgments = Judgments({"q": {"d00000": 1, "d20000": 2, "d59999": 3}})
    rankings = [match(judgments, run) for run in expected]
    assert rankings[0] != rankings[1]
    path.write_bytes(versions[0])
    stop = threading.Event()

    def disturb() -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            if turn % 3 == 0:
                os.truncate(path, 1000)
            elif turn % 3 == 1:
                path.write_bytes(versions[turn % 2])
            else:
                path.unlink()
                path.write_bytes(versions[turn % 2])
            stop.wait(0.03 * (turn % 4))

    worker = threading.Thread(target=disturb)
    worker.start()
    try:
        for _ in range(60):
            try:
                run = read_run(path)
                # A whole version, or a file that was already short when it was opened.
                assert run in expected or len(run.rows) < rows
                ranked = match(judgments, RunFile(path))
                assert ranked in rankings or next(iter(ranked)).retrieved < rows
            except InputError as error:
                assert re.search("changed|no such file|empty|columns|number|no query", str(error))
    finally:
        stop.set()
        worker.join()


@pytest.mark.parametrize("size", [1, 40_000])
def test_a_pipe_is_opened_once(tmp_path: Path, size: int) -> None:
    text = b"".join(b"q%d Q0 d%d 1 %d t\n" % (i // 100, i, i) for i in range(size))
    for _ in range(5):
        path = tmp_path / "pipe"
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_bytes, args=(text,))
        writer.start()
        ranked = match(Judgments({"q0": {"d0": 1}}), RunFile(path))
        writer.join()
        path.unlink()
        assert ranked.run_queries == (size + 99) // 100


def test_measures_of_rankings_do_not_read_the_run_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.run"
    path.write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    monkeypatch.setattr(RunFile, "read", lambda self: pytest.fail("the run was read as a whole"))
    measures = ["nDCG", "NumQ", "NumRet", "pNDCG", "Bpref", "ERR", "Residual"]
    result = evaluate({"q": {"b": 1}}, RunFile(path), measures, profiles={"user": ["q"]})
    assert result.aggregate("NumRet") == 2.0
