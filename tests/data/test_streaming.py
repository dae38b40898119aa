"""Runs that do not fit: streamed window by window, or sorted out on disk."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest

from idealist import InputError, Judgments, Run, evaluate, kernels, read_run
from idealist.data import RunFile, match, opening, streaming

SIZES = [1, 1, 700, 3, 40_000, 2, 1, 90_000, 5, 30_000, 1]


def lines_and_judgments() -> tuple[list[str], Judgments]:
    rng = random.Random(5)
    lines, judged = [], {"missing": {"d1": 1.0}}
    for query, size in enumerate(SIZES):
        documents = [f"doc{number}" for number in rng.sample(range(10**6), size)]
        lines += [f"q{query} Q0 {d} 1 {rng.randrange(50)}.25 t" for d in documents]
        if query % 3:
            judged[f"q{query}"] = {d: float(rng.randrange(3)) for d in documents[:: max(1, size // 50)]}
    return lines, Judgments(judged)


@pytest.mark.parametrize("pieces", [1, 2, 7])
@pytest.mark.parametrize("threads", [1, 3])
def test_windows_of_any_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pieces: int, threads: int
) -> None:
    """Queries within a window, across a border, and over several windows."""
    monkeypatch.setattr(opening, "WINDOW_PIECES", pieces)
    lines, judgments = lines_and_judgments()
    path = tmp_path / "x.run"
    path.write_text("\n".join(lines))
    streamed = match(judgments, RunFile(path), threads=threads)
    assert streamed == match(judgments, read_run(path))
    assert streamed.notes == ()
    assert streamed.run_queries == len(SIZES)


@pytest.mark.parametrize("kind", ["file", "parquet"])
def test_sorted_out_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(streaming, "MOST_ROWS", 1000)
    monkeypatch.setattr(streaming, "PARTS", 5)
    monkeypatch.setattr(streaming, "WINDOW_ROWS", 10_000)
    monkeypatch.setattr(opening, "WINDOW_PIECES", 2)
    lines, judgments = lines_and_judgments()
    random.Random(1).shuffle(lines)
    path = tmp_path / "x.run"
    path.write_text("\n".join(lines))
    expected = read_run(path)
    run: Any = RunFile(path)
    if kind == "parquet":
        from pyarrow import parquet

        parquet.write_table(pyarrow.table(expected).sort_by("document"), tmp_path / "x.parquet")
        run = RunFile(tmp_path / "x.parquet")
    streamed = match(judgments, run)
    assert streamed == match(judgments, expected)
    assert streamed.run_queries == len(SIZES)
    assert "160,714 rows were sorted out on disk first" in streamed.notes[0]
    assert "sorted out on disk" in evaluate(judgments, run, "AP").notes[0]
    assert sum(SIZES) == 160_714


def test_what_is_wrong_is_found_on_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "MOST_ROWS", 10)
    lines = [f"q{i % 7} Q0 d{i} 1 0.5 t" for i in range(100)]
    path = tmp_path / "x.run"
    path.write_text("\n".join([*lines, "q1 Q0 d1 1 0.5 t"]))
    with pytest.raises(InputError, match=r"x\.run: document 'd1' appears twice for query 'q1'") as caught:
        match(Judgments({"q1": {"d1": 1}}), RunFile(path))
    assert caught.value.line is None  # it is not known any more
    path.write_text("\n".join([*lines, "q1 Q0 dx 1 x t"]))
    with pytest.raises(InputError, match="line 101: the score is not a number: 'x'"):
        match(Judgments({"q1": {"d1": 1}}), RunFile(path))


def test_one_query_over_many_windows() -> None:
    """What is open at the end of a window goes on in the next, without a copy each time."""
    judgments = Judgments({"q": {"d5": 1.0, "d70000": 2.0}})
    frame = pyarrow.table(
        {
            "query": ["q"] * 100_000,
            "document": [f"d{i}" for i in range(100_000)],
            "score": [float(-i) for i in range(100_000)],
        }
    )
    reader = kernels.ArrowReader(frame.__arrow_c_stream__())
    reader.choose(0, 1, 2, False, False)
    from idealist.conventions import DEFAULT, match_options

    stream = kernels.Stream(judgments.rows, match_options(DEFAULT), 2)
    while (window := reader.next(777)) is not None:
        assert stream.add(window)
    found = stream.finish()
    assert found is not None
    assert found[0].query(0) == (100_000, [6, 70_001], [1.0, 2.0], [2.0, 1.0])
    assert found[1:] == (1, 100_000)


def test_a_reader_without_columns_is_no_crash() -> None:
    reader = kernels.ArrowReader(pyarrow.table({"a": ["x"]}).__arrow_c_stream__())
    with pytest.raises(RuntimeError, match="no columns were chosen"):
        reader.next(1)
    with pytest.raises(IndexError):
        reader.choose(0, 1, 2, False, False)
    with pytest.raises(ValueError, match="cannot be read as ids or numbers"):
        reader.choose(0, 0, 0, False, False)
    capsule = pyarrow.table({"a": ["x"]}).__arrow_c_stream__()
    kernels.ArrowReader(capsule)
    with pytest.raises(ValueError, match="already been read"):
        kernels.ArrowReader(capsule)
    with pytest.raises(ValueError, match="Capsule"):
        kernels.ArrowReader(object())


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="this system does not tell")
def test_memory_does_not_grow_with_the_run(tmp_path: Path) -> None:
    """A run of 120 MB is measured in less memory than it has bytes."""
    path, judged = tmp_path / "x.run", tmp_path / "x.qrels"
    with path.open("w") as out:
        for q in range(4000):
            out.writelines(f"q{q} Q0 document{d * 7919 % 100003} {d} {1000 - d} t\n" for d in range(800))
    judged.write_text("".join(f"q{q} 0 document7919 1\n" for q in range(4000)))
    assert peak_of(path, judged) < os.path.getsize(path)


FORMS: dict[str, Any] = {
    "run": lambda rows: "\n".join(f"{q} Q0 {d} 1 {s} t" for q, d, s in rows),
    "csv": lambda rows: "\n".join(["qid,docid,score", *(f'{q},"{d}",{s}' for q, d, s in rows)]),
    "tsv": lambda rows: "\n".join(["query\tdocument\tscore", *(f"{q}\t{d}\t{s}" for q, d, s in rows)]),
    "jsonl": lambda rows: "\n".join(
        f'{{"query": "{q}", "document": "{d}", "score": {s}}}' for q, d, s in rows
    ),
}


@pytest.mark.parametrize("how", ["plain", "gzip", "pipe", "gzip in a pipe"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("together", [True, False])
def test_every_text_is_streamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, how: str, together: bool
) -> None:
    """Small windows, a pipe that goes to disk, and rows on disk where queries do not lie together."""
    monkeypatch.setattr(opening, "WINDOW", 1 << 16)
    monkeypatch.setattr(opening, "MOST_KEPT", 1 << 16)
    monkeypatch.setattr(streaming, "MOST_ROWS", 1000)
    monkeypatch.setattr(streaming, "PARTS", 3)
    rng = random.Random(2)
    rows = [(f"q{q}", f"d{d}", rng.randrange(100) / 4) for q in range(40) for d in range(q * 30)]
    judgments = Judgments({f"q{q}": {f"d{d}": 1.0 for d in range(0, 900, 7)} for q in range(0, 45, 2)})
    expected: dict[str, dict[str, float]] = {}
    for q, d, s in rows:
        expected.setdefault(q, {})[d] = s
    if not together:
        rng.shuffle(rows)
    content = FORMS[form](rows).encode()
    if "gzip" in how:
        content = gzip.compress(content)
    path = tmp_path / f"x.{form}"
    if "pipe" in how:
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_bytes, args=(content,))
        writer.start()
    else:
        path.write_bytes(content)
    found = match(judgments, RunFile(path))
    assert found == match(judgments, Run(expected))
    assert found.run_queries == 39
    assert bool(found.notes) == (not together)


def test_progress_is_told(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    path = tmp_path / "x.run"
    path.write_text("q Q0 d 1 0.5 t\n")
    match(Judgments({"q": {"d": 1}}), RunFile(path, progress=lambda done, whole: seen.append((done, whole))))
    assert seen == [(15, 15), (1, 1)]


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="this system does not tell")
def test_memory_does_not_grow_with_a_parquet_file(tmp_path: Path) -> None:
    from pyarrow import parquet

    peaks, sizes = [], []
    for queries in (1000, 10_000):
        rng = np.random.default_rng(queries)
        names = np.repeat(np.arange(queries), 1000)
        table = pyarrow.table(
            {
                "query": pyarrow.array(names).cast("string"),
                "document": pyarrow.array(names * 10**6 + rng.permutation(len(names))).cast("string"),
                "score": rng.random(len(names)),
            }
        )
        path = tmp_path / f"{queries}.parquet"
        parquet.write_table(table, path, row_group_size=200_000)
        judged = tmp_path / f"{queries}.qrels"
        judged.write_text("".join(f"{query} 0 x 1\n" for query in range(queries)))
        peaks.append(peak_of(path, judged))
        sizes.append(os.path.getsize(path))
    assert peaks[1] - peaks[0] < (sizes[1] - sizes[0]) / 2


def peak_of(run: Path, judgments: Path) -> int:
    """The peak memory of a process that measures a run, in bytes."""
    script = (
        "import re, sys, idealist; from idealist.data import frames; from idealist.data import RunFile\n"
        "frames.WINDOW_ROWS = 100_000\n"
        "idealist.evaluate(idealist.read_judgments(sys.argv[2]), RunFile(sys.argv[1]), 'RR')\n"
        "print(*re.findall(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(run), str(judgments)], capture_output=True, text=True, check=True
    )
    return int(done.stdout) * 1024


def test_temporary_files_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "MOST_ROWS", 10)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    path = tmp_path / "x.run"
    path.write_text("\n".join(f"q{i % 7} Q0 d{i} 1 0.5 t" for i in range(100)))
    with pytest.raises(InputError, match="no temporary file can be made"):
        match(Judgments({"q1": {"d1": 1}}), RunFile(path))


def test_few_open_files_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda what: (256, 4096))
    assert streaming.part_count() == 128
    monkeypatch.setattr("resource.getrlimit", lambda what: (1024, 4096))
    assert streaming.part_count() == 256
