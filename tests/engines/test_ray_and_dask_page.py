"""The examples of docs/engines.md that need Dask and Ray, which are not where other pages are tested."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import ray
from conftest import ROOT

BLOCKS = re.findall(
    r"^```py\n(.*?)^```", (ROOT / "docs" / "engines.md").read_text(encoding="utf-8"), re.M | re.S
)


def test_there_is_one_for_each() -> None:
    assert [re.findall(r"idealist\.engines\.(\w+)", block) for block in BLOCKS] == [["dask"], ["ray"]]


@pytest.mark.parametrize("block", BLOCKS, ids=["dask", "ray"])
@pytest.mark.filterwarnings("default::DeprecationWarning", "default::FutureWarning", "default::UserWarning")
def test_what_the_page_shows(
    block: str,
    shop: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("a.run", "shop.qrels"):
        shutil.copy(shop / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "docs/engines.md", "exec", dont_inherit=True), {})
    assert "run     nDCG@10  0.7391  40" in capsys.readouterr().out
    import pyarrow.parquet as pq

    assert len(pq.read_table(tmp_path / "values")) == 40
    ray.shutdown()  # where the page started it
