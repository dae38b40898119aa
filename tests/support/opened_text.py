"""An open source as the readers of text see it, and a file of one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from idealist import kernels

HEAD = 1 << 16
BLOCK = 1 << 20


class Opened:
    """Bytes that come in blocks, or a file that is read from its descriptor."""

    def __init__(self, text: bytes, cuts: Iterable[int] = (), path: Path | None = None) -> None:
        self.text = text
        self.head = text[:HEAD]
        edges = {*(min(cut, len(text)) for cut in cuts), *range(0, len(text), BLOCK), len(text)}
        self.edges = sorted(edges)
        self.descriptor = -1
        self.size: int | None = None
        if path is not None:
            path.write_bytes(text)
            self.descriptor = os.open(path, os.O_RDONLY)
            self.size = len(text)

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)

    def blocks(self) -> Iterator[bytes]:
        for begin, end in zip(self.edges, self.edges[1:], strict=False):
            yield self.text[begin:end]


def as_dict(rows: kernels.Rows) -> dict[str, dict[str, float]]:
    return {query: rows.documents(query) or {} for query in rows.queries()}
