"""From one format to another, in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from idealist import InputError, convert, read_judgments, read_run


def test_convert_tells_runs_and_judgments_apart(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q Q0 b 1 2.0 x\n")
    (tmp_path / "x.qrels").write_text("q 0 a 1\n")
    assert convert(tmp_path / "a.run", tmp_path / "a.csv").rows == 1
    assert convert(tmp_path / "x.qrels", tmp_path / "x.csv").rows == 1
    assert read_run(tmp_path / "a.csv").to_dict() == {"q": {"b": 2.0}}
    assert read_judgments(tmp_path / "x.csv").to_dict() == {"q": {"a": 1.0}}
    (tmp_path / "y.csv").write_text("query,document,value\nq,a,1\n")
    with pytest.raises(InputError, match="does not show whether this is a run or judgments"):
        convert(tmp_path / "y.csv", tmp_path / "z.run")
