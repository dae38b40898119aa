"""How much may come in a pipe: what is read from one is kept, in memory or on disk, and it need not end."""

from __future__ import annotations

import os

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

VARIABLE = "IDEALIST_PIPE_LIMIT"
DEFAULT = 2.0  # GiB, some 50 million lines of a run


def bounded(blocks: Iterable[bytes], source: str) -> Iterator[bytes]:
    """The blocks of a pipe, decompressed, until they are more than IDEALIST_PIPE_LIMIT allows."""
    limit = pipe_limit()
    size = 0
    for block in blocks:
        size += len(block)
        if size > limit * (1 << 30):
            raise InputError(
                f"more than {limit:g} GiB came in a pipe, which may have no end",
                source=source,
                hint=f"save it to a file first: files may be larger; or set {VARIABLE} to more GiB",
            )
        yield block


def pipe_limit() -> float:
    """In GiB."""
    stated = os.environ.get(VARIABLE, "")
    try:
        limit = float(stated) if stated else DEFAULT
    except ValueError:
        limit = -1.0
    if not limit > 0:
        raise InputError(f"{VARIABLE} is {stated!r}, not a number of GiB", hint=f"for example {VARIABLE}=8")
    return limit
