"""Compressed data: told by its first bytes, several members, cut short, damaged."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plain_trec import write

from idealist import InputError, read_judgments, read_run
from idealist.data import RunFile, match
from idealist.data.compression import compression_of

pyarrow = pytest.importorskip("pyarrow")

TEXT = b"".join(b"q%d Q0 d%d 1 %d.25 t\n" % (i // 1000, i, i * 7919 % 100_003) for i in range(90_000))


def by_arrow(codec: str) -> Callable[[bytes], bytes]:
    def compress(data: bytes) -> bytes:
        sink = pyarrow.BufferOutputStream()
        with pyarrow.CompressedOutputStream(sink, codec) as stream:
            stream.write(data)
        return bytes(sink.getvalue().to_pybytes())

    return compress


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zstd": by_arrow("zstd"),
    "lz4": by_arrow("lz4"),
}
WHOLE = {name: compress(TEXT) for name, compress in COMPRESS.items()}
ENDINGS = {"gzip": ".gz", "bz2": ".bz2", "xz": ".xz", "zstd": ".zst", "lz4": ".lz4"}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("plain") / "x.run", TEXT)


@pytest.mark.parametrize("name", COMPRESS)
def test_the_same_run_however_it_is_compressed(tmp_path: Path, plain: Path, name: str) -> None:
    expected = read_run(plain)
    path = write(tmp_path / f"bm25.run{ENDINGS[name]}", WHOLE[name])
    assert read_run(path) == expected
    assert read_run(path).name == "bm25"
    # The name does not count, the content does.
    assert read_run(write(tmp_path / "x.run", WHOLE[name])) == expected
    judgments = read_judgments(write(tmp_path / "q", b"q1 0 d1003 1\n"))
    assert match(judgments, RunFile(path)) == match(judgments, expected)


@pytest.mark.parametrize("name", COMPRESS)
def test_through_a_pipe(tmp_path: Path, plain: Path, name: str) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(WHOLE[name],))
    writer.start()
    assert read_run(path) == read_run(plain)
    writer.join()


@pytest.mark.parametrize("name", COMPRESS)
def test_members_one_after_the_other(tmp_path: Path, plain: Path, name: str) -> None:
    half = TEXT.index(b"\n", len(TEXT) // 2) + 1
    compress = COMPRESS[name]
    both = compress(TEXT[:half]) + compress(TEXT[half:])
    assert read_run(write(tmp_path / "x", both)) == read_run(plain)


@pytest.mark.parametrize("name", COMPRESS)
def test_cut_short(tmp_path: Path, name: str) -> None:
    whole = WHOLE[name]
    for cut in (len(whole) // 2, len(whole) - 2):
        with pytest.raises(
            InputError, match=f"the {name} data ends too early: the file was cut short"
        ) as caught:
            read_run(write(tmp_path / "x.run", whole[:cut]))
        assert caught.value.source == str(tmp_path / "x.run")
        assert caught.value.hint


@pytest.mark.parametrize("name", ["gzip", "bz2", "xz", "lz4"])
def test_damaged(tmp_path: Path, name: str) -> None:
    whole = WHOLE[name]
    with pytest.raises(InputError, match=f"the {name} data is damaged"):
        read_run(write(tmp_path / "x", whole[:200] + b"\xff" * 50 + whole[250:]))


@given(st.sampled_from(sorted(COMPRESS)), st.integers(0, 300), st.binary(min_size=1, max_size=8))
def test_any_damage_is_a_clear_error_or_none(
    tmp_path_factory: pytest.TempPathFactory, name: str, at: int, new: bytes
) -> None:
    small = COMPRESS[name](TEXT[: TEXT.index(b"\n", 400) + 1])
    path = write(tmp_path_factory.mktemp("damage") / "x", small[:at] + new + small[at + len(new) :])
    try:
        read_run(path)
    except InputError as error:
        assert str(path) in str(error)


def test_what_is_empty_is_empty(tmp_path: Path) -> None:
    for compress in COMPRESS.values():
        with pytest.raises(InputError, match="the file is empty"):
            read_run(write(tmp_path / "x", compress(b"")))


def test_zip_is_not_read(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as archive:
        archive.writestr("a.run", "q Q0 a 1 1 t\n")
    with pytest.raises(InputError, match=r"this is zip data, which cannot be read\nhint: unpack it"):
        read_run(tmp_path / "runs.zip")


def test_ids_are_not_taken_for_compression() -> None:
    assert compression_of(b"BZh9 Q0 a 1 1 t\n") is None
    assert compression_of(bz2.compress(b"")) == compression_of(bz2.compress(b"x")) == "bz2"
