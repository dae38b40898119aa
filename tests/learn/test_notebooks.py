"""The example notebooks run from the first cell to the last, whose assertions hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT

nbformat = pytest.importorskip("nbformat", reason="make test-learn installs it")
nbclient = pytest.importorskip("nbclient", reason="make test-learn installs it")

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


# What Jupyter's client warns of is its own matter: the kernel is another process, with filters of its own.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    )
    client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    tables = [output for output in shown if "<table" in output.get("data", {}).get("text/html", "")]
    assert tables, "results show themselves as tables"
    assert not [output for output in shown if output.get("name") == "stderr"], "nothing warns"
