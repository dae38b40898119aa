"""Sources, opened once: their beginning, all of them, and their lines."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plain_trec import write

from idealist import InputError
from idealist.data.formats.format import HEAD
from idealist.data.opening import BLOCK, Opened

TEXT = b"".join(b"line %d of some length\n" % i for i in range(120_000))


@pytest.mark.parametrize("kind", ["plain", "gzip", "pipe"])
def test_head_and_blocks(tmp_path: Path, kind: str) -> None:
    assert len(TEXT) > 2 * BLOCK
    path = tmp_path / "x"
    writer = None
    if kind == "pipe":
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_bytes, args=(TEXT,))
        writer.start()
    else:
        write(path, gzip.compress(TEXT) if kind == "gzip" else TEXT)
    with Opened(str(path)) as opened:
        assert len(opened.head) >= HEAD
        assert TEXT.startswith(opened.head)
        assert opened.size == (len(TEXT) if kind == "plain" else None)
        assert opened.compression == ("gzip" if kind == "gzip" else None)
        opened.look_further(lambda head: len(head) > HEAD + 10)
        assert TEXT.startswith(opened.head)
        assert len(opened.head) > HEAD + 10
        assert opened.content() == TEXT
    if writer is not None:
        writer.join()


@given(st.lists(st.sampled_from([b"", b"a", b"some", b"x" * 100])), st.booleans())
def test_lines(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], ended: bool) -> None:
    text = b"\n".join(lines) + b"\n" * ended
    path = write(tmp_path_factory.mktemp("lines") / "x", text)
    with Opened(str(path)) as opened:
        found = list(opened.lines())
    assert found == text.removesuffix(b"\n").split(b"\n") if text.strip(b"\n") else not any(found)


def test_lines_over_several_blocks(tmp_path: Path) -> None:
    text = b"short\n" + b"y" * (2 * BLOCK + 5) + b"\n" + TEXT + b"end"
    with Opened(str(write(tmp_path / "x", text))) as opened:
        assert list(opened.lines()) == text.split(b"\n")


def test_a_file_that_changes(tmp_path: Path) -> None:
    path = write(tmp_path / "x", TEXT)
    with pytest.raises(InputError, match="the file changed while it was read"), Opened(str(path)):
        os.truncate(path, 100)


def test_errors_within_are_about_the_source(tmp_path: Path) -> None:
    path = write(tmp_path / "x", TEXT)
    with pytest.raises(InputError, match="x: cannot be read: Input/output error"), Opened(str(path)):
        raise OSError(5, "Input/output error")
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    for bad in ("missing", "", "a\0b"):
        with pytest.raises(InputError):
            Opened(str(tmp_path / bad)).__enter__()
    if before is not None:
        assert len(os.listdir("/proc/self/fd")) == before
