"""The options of engines say what they are for."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from conftest import Command


def test_options_of_spark_need_spark(idealist: Command) -> None:
    done = idealist("evaluate", "x.qrels", "x.run", "--master", "local[2]")
    assert done.returncode == 2
    assert "--master is for --engine spark" in done.stderr


@pytest.mark.skipif(find_spec("pyspark") is not None, reason="it is installed here")
def test_spark_says_what_to_install(idealist: Command) -> None:
    done = idealist("evaluate", "--engine", "spark", "x.parquet", "y.parquet")
    assert done.returncode == 2
    assert "pip install 'idealist[spark]'" in done.stderr
