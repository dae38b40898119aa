"""Notebooks are committed without outputs: they are run by `make test-learn`, and differences stay readable."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def test_all_five_are_there() -> None:
    assert [path.stem for path in NOTEBOOKS] == [
        "kaggle-ndcg",
        "machine-judges",
        "recommender-segments",
        "search-comparison",
        "training-letor",
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_outputs_and_assertions_at_the_end(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["outputs"] for cell in code] == [[]] * len(code)
    assert {cell["execution_count"] for cell in code} == {None}
    assert any(line.startswith("assert ") for line in code[-1]["source"])
