"""Compressed data, recognised by its first bytes: gzip, bz2, xz, zstd, lz4; several members one after the other."""

from __future__ import annotations

from idealist.errors import InputError, MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

BLOCK = 1 << 20
MAGIC = {
    b"\x1f\x8b\x08": "gzip",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
}
# Behind "BZh" and a digit: the first block, or the end of what is empty. "BZh9" alone may be an id.
BZ2_NEXT = (b"1AY&SY", b"\x17rE8P\x90")
# What a compressed file is called besides its own name, and what compresses it.
ENDINGS = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd", ".lz4": "lz4"}
AGAIN = "fetch or compress the file again"


def compression_of(head: bytes) -> str | None:
    """How data that begins so is compressed, if it is."""
    for magic, name in MAGIC.items():
        if head.startswith(magic):
            return name
    if head[:3] == b"BZh" and head[3:4].isdigit() and head[4:10] in BZ2_NEXT:
        return "bz2"
    return None


def without_ending(name: str) -> str:
    """The name of what is in a compressed file.

    >>> without_ending("bm25.run.gz")
    'bm25.run'
    """
    return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)


def decompressed(blocks: Iterator[bytes], compression: str, source: str) -> Iterator[bytes]:
    if compression == "gzip":
        return _gunzipped(blocks, source)
    start, wrong = _decompressor(compression)
    if start is None:
        return _by_arrow(blocks, compression, source)
    return _members(blocks, start, wrong, compression, source)


def _decompressor(compression: str) -> tuple[Callable[[], Any] | None, tuple[type[Exception], ...]]:
    """The first bytes of a member, its decompressor and the errors it raises; None where Python itself has nothing."""
    if compression == "bz2":
        import bz2

        return bz2.BZ2Decompressor, (OSError, ValueError)
    if compression == "xz":
        import lzma

        return lzma.LZMADecompressor, (lzma.LZMAError,)
    if compression == "zstd":
        try:
            from compression import zstd  # type: ignore[import-not-found, unused-ignore]  # Python 3.14
        except ImportError:
            return None, ()
        return zstd.ZstdDecompressor, (zstd.ZstdError,)
    return None, ()


def _members(
    blocks: Iterator[bytes],
    start: Callable[[], Any],
    wrong: tuple[type[Exception], ...],
    name: str,
    source: str,
) -> Iterator[bytes]:
    member = None
    for block in blocks:
        while block:
            if member is None:
                block = block.lstrip(b"\0")  # padding between members
                if not block:
                    break
                member = start()
            try:
                yield member.decompress(block, BLOCK)
                while not (member.needs_input or member.eof):
                    yield member.decompress(b"", BLOCK)
            except wrong as error:
                raise _damaged(name, error, source) from None
            block = b""
            if member.eof:
                block, member = member.unused_data, None
    if member is not None:
        raise _cut_short(name, source)


def _gunzipped(blocks: Iterator[bytes], source: str) -> Iterator[bytes]:
    import zlib

    member = zlib.decompressobj(wbits=31)
    begun = False
    try:
        for block in blocks:
            while block:
                if not begun:
                    block = block.lstrip(b"\0")  # padding between members
                    begun = bool(block)
                yield member.decompress(block, BLOCK)
                while member.unconsumed_tail and not member.eof:
                    yield member.decompress(member.unconsumed_tail, BLOCK)
                block = member.unused_data
                if member.eof:
                    member, begun = zlib.decompressobj(wbits=31), False
    except zlib.error as error:
        raise _damaged("gzip", error, source) from None
    if begun:
        raise _cut_short("gzip", source)


def _by_arrow(blocks: Iterator[bytes], compression: str, source: str) -> Iterator[bytes]:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependency(
            f"{source}: {compression} data needs pyarrow", hint="pip install 'idealist[tables]'"
        ) from None
    from io import BufferedReader, RawIOBase

    broken: list[InputError | OSError] = []

    class BlockFile(RawIOBase):
        """The blocks as a file that Arrow reads. What is wrong with them is kept: Arrow would wrap it."""

        unread = b""

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            try:
                self.unread = self.unread or next(blocks, b"")
            except (InputError, OSError) as error:
                broken.append(error)
                raise
            chunk = self.unread[: len(buffer)]
            buffer[: len(chunk)] = chunk
            self.unread = self.unread[len(chunk) :]
            return len(chunk)

    try:
        with pyarrow.CompressedInputStream(BufferedReader(BlockFile(), BLOCK), compression) as stream:
            while block := stream.read(BLOCK):
                yield block
    except OSError as error:
        if broken:
            raise broken[0] from None
        if "truncated" in str(error).lower():
            raise _cut_short(compression, source) from None
        raise _damaged(compression, error, source) from None


def _damaged(name: str, error: Exception, source: str) -> InputError:
    return InputError(f"the {name} data is damaged: {error}", source=source, hint=AGAIN, code="damaged")


def _cut_short(name: str, source: str) -> InputError:
    return InputError(
        f"the {name} data ends too early: the file was cut short", source=source, hint=AGAIN, code="cut-short"
    )
