"""Files of features that are damaged."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pyarrow.ipc

import idealist as il


def test_a_damaged_arrow_file_names_itself(tmp_path: Path) -> None:
    path = tmp_path / "rows.arrow"
    table = pyarrow.table({"query": ["q"] * 50, "document": [str(n) for n in range(50)], "grade": [1.0] * 50})
    with pyarrow.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    content = path.read_bytes()
    for at in range(len(content) // 2, len(content) - 10, 7):
        path.write_bytes(content[:at] + b"\xff\xff\xff\x7f" + content[at + 4 :])
        try:
            il.read_features(path)
        except il.InputError as error:
            assert "rows.arrow" in str(error)
