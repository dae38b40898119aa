"""The public names of learning."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest


@pytest.mark.parametrize("package", ["idealist.learn", "idealist.learn.laws", "idealist.learn.losses"])
def test_public_names_are_those_of_the_stub(package: str) -> None:
    learn = importlib.import_module(package)
    stub = Path(str(learn.__file__) + "i").read_text(encoding="utf-8")
    names = [
        str(alias.asname)
        for node in ast.parse(stub).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    assert sorted(names) == learn.__all__ == dir(learn)
    assert all(hasattr(learn, name) for name in learn.__all__)
