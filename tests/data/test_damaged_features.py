"""Files of features that are damaged."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pyarrow.ipc
import pytest

import idealist as il
from idealist.data.formats.arrow import Arrow


def test_what_pyarrow_cannot_read_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged length may ask for more memory than there is, which is no OSError and no ValueError."""

    def too_large(self: Arrow, content: object) -> object:
        raise pyarrow.ArrowMemoryError("malloc of size 432345564294676480 failed")

    path = tmp_path / "rows.arrow"
    table = pyarrow.table({"query": ["q"], "document": ["d"], "grade": [1.0], "bm25": [0.5]})
    with pyarrow.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    monkeypatch.setattr(Arrow, "read_all", too_large)
    with pytest.raises(il.InputError, match=r"rows\.arrow: the Arrow data cannot be read: malloc"):
        il.data.read_features(path)
