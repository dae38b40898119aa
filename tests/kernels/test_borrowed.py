"""What the core holds on to belongs to it: files, and the keys of dicts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from idealist import InputError, evaluate, kernels, read_judgments, read_run


def test_a_window_outlives_the_file_it_was_made_from(tmp_path: Path) -> None:
    """Another file has taken the number of the closed one."""
    first, second = tmp_path / "a.run", tmp_path / "b.run"
    first.write_text("1 Q0 mine 1 2.5 t\n")
    second.write_text("1 Q0 other 1 9.5 t\n")
    descriptor = os.open(first, os.O_RDONLY)
    window = kernels.file_window(descriptor, first.stat().st_size, "run", 0, 1)
    os.close(descriptor)
    stranger = os.open(second, os.O_RDONLY)
    try:
        assert stranger == descriptor
        gathering = kernels.Gathering(1)
        gathering.add(window)
        assert gathering.rows(1).documents("1") == {"mine": 2.5}
    finally:
        os.close(stranger)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux lists open files")
def test_a_window_closes_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("1 Q0 d 1 2.5 t\n")
    before = len(os.listdir("/proc/self/fd"))
    with path.open("rb") as file:
        windows = [kernels.file_window(file.fileno(), 15, "run", 0, 1) for _ in range(50)]
    assert len(os.listdir("/proc/self/fd")) == before + 50
    del windows
    assert len(os.listdir("/proc/self/fd")) == before
    with pytest.raises(OSError, match="Bad file descriptor"):
        kernels.file_window(-1, 15, "run", 0, 1)


def test_no_code_of_a_score_runs_while_its_dict_is_read() -> None:
    scores: dict[str, Any] = {f"a-document-of-its-own-{at}": at for at in range(50)}

    class Clearing(int):
        def __eq__(self, other: object) -> bool:
            scores.clear()
            return False

        __hash__ = int.__hash__

    scores["last"] = Clearing(2**60)
    options = kernels.MatchOptions("id-descending", False, False, False, None)
    assert kernels.match_dict({"q": scores}, read_judgments({"q": {"last": 1}}).rows, options) is None
    assert len(scores) == 51


def test_large_whole_numbers_of_other_classes_are_numbers() -> None:
    class Id(int):
        pass

    run = {"q": {"a": Id(2**60), "b": Id(2**60 + 2**20)}}
    assert read_run(run)["q"] == {"a": 2.0**60, "b": 2.0**60 + 2**20}
    assert evaluate({"q": {"b": 1}}, run, "RR").mean("RR") == 1
    with pytest.raises(InputError, match="float"):
        read_run({"q": {"a": Id(2**60 + 1)}})
