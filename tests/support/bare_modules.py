"""Modules of large packages, loaded by themselves: what they import of their package is made up."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def load_alone(package: str, path: str, made_up: Mapping[str, Mapping[str, Any]]) -> ModuleType:
    """The module in a file of a package, without the import of the package itself, which would want all that it asks for.

    `made_up` has, by the name of a module, the names that the file imports from it.
    """
    folder = _folder(package)
    if folder is None:
        pytest.skip(f"{package} is not installed (make peers installs it)")
    stubs = {name: ModuleType(name) for name in made_up}
    for name, contents in made_up.items():
        vars(stubs[name]).update(contents)
    with pytest.MonkeyPatch.context() as patch:
        for name, stub in stubs.items():
            patch.setitem(sys.modules, name, stub)
        spec = importlib.util.spec_from_file_location(f"alone_{Path(path).stem}", folder / path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


def _folder(package: str) -> Path | None:
    """Where a package lies on the path; none of it is imported."""
    parts = package.split(".")
    return next(
        (found for entry in sys.path if (found := Path(entry, *parts)).is_dir() and any(found.glob("*.py"))),
        None,
    )
