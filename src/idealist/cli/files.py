"""Files that commands write: whole or not at all, and never over another by accident."""

from __future__ import annotations

from idealist.io.targets import Target, refuse_existing, refuse_inputs

__all__ = ["refuse_existing", "refuse_inputs", "write_file"]


def write_file(path: str, text: str | bytes, *, force: bool = False) -> None:
    """Writes under another name beside it and renames: whoever looks sees the old file or the whole new one."""
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    with Target(path, force=force) as place, open(place, "wb") as opened:
        opened.write(content)
