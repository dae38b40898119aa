"""Code on pages of docs/ that wants libraries of another environment: blocks marked `py`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT

BLOCK = re.compile(r"^```py\n(.*?)^```", re.MULTILINE | re.DOTALL)


def run_blocks(page: str, library: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the blocks of a page that name a library, in a folder that has the sample data."""
    for path in (ROOT / "examples" / "shop").iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(folder)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = [block for block in BLOCK.findall(text) if f"idealist.integrations.{library}" in block]
    assert blocks, f"{page} has no block on {library}"
    for block in blocks:
        exec(compile(block, page, "exec", dont_inherit=True), {})
