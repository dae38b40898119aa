"""Rows without a header: MovieLens ratings, and MS MARCO runs."""

from __future__ import annotations

from idealist.io.delimited import delimited_rows
from idealist.io.formats import Head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist import kernels
    from idealist.io.opening import Opened

NAMES = {
    "msmarco": ("query", "document", "rank"),
    "movielens": ("query", "document", "grade", "timestamp"),
}
DOUBLE = b"::"


def headless_rows(opened: Opened, format: str, kind: str, threads: int) -> kernels.Rows:
    """The rows of MS MARCO (query, document, rank; by tabs or by spaces), or of MovieLens: ratings.csv, which
    has a header, ratings.dat and u.data."""
    first = Head(opened.head).first
    names = None if first.lower().startswith((b"userid", b'"userid')) else NAMES[format]
    delimiter = next((one for one in ("\t", ",", " ") if one.encode() in first), "\t")
    coming: Opened | Halved = opened
    if DOUBLE in first:
        coming, delimiter = Halved(opened), "\t"
    return delimited_rows(
        coming,
        kind,
        delimiter=delimiter,
        names=names,
        columns=None,
        source=opened.source,
        threads=threads,
    )


class Halved:
    """A source whose columns stand apart by `::`, as if they stood apart by tabs."""

    descriptor = -1
    size = None

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self.path, self.source = opened.path, opened.source
        self.head = opened.head.replace(DOUBLE, b"\t")

    def blocks(self) -> Iterator[bytes]:
        rest = b""
        for block in self._opened.blocks():
            text = rest + block
            # The first half of a mark may be the last byte of a block.
            rest = b":" if text.endswith(b":") and not text.endswith(DOUBLE) else b""
            yield text[: len(text) - len(rest)].replace(DOUBLE, b"\t")
        yield rest

    def content(self) -> bytes:
        return b"".join(self.blocks())
