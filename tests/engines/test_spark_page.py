"""The examples of docs/scale.md, which need a cluster."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

BLOCKS = re.findall(
    r"^```pycon\n(.*?)^```",
    (ROOT / "docs" / "scale.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)


@pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning",  # it has no say in which pandas is there
)
def test_what_the_page_shows(spark: Any, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(BLOCKS) == 1
    monkeypatch.chdir(shop)
    for block in BLOCKS:
        test = doctest.DocTestParser().get_doctest(block, {"spark": spark}, "scale.md", "scale.md", 0)
        assert doctest.DocTestRunner().run(test).failed == 0
