"""Imports point left, and the quick path stays quick."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

SOURCE = ROOT / "src" / "idealist"
# Data flows right; a module may import what stands left of it, or beside it in the same package.
ORDER = [
    ("errors", "frozen", "wording", "results", "conventions", "kernels"),
    ("data",),
    ("io",),
    ("measures",),
    ("evaluation",),
    ("presets", "fusion", "checking", "statistics"),
    ("decision",),
    ("comparison", "votes"),
    ("planning", "judges"),
    ("report",),
    ("learn", "engines", "integrations"),
    ("web",),
    ("cli",),
]
PLACE = {name: place for place, names in enumerate(ORDER) for name in names}
MODULES = sorted(SOURCE.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> set[str]:
    """Which parts of the package a module imports, wherever in it the import stands."""
    parts: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, _, rest = name.partition(".")
            if package == "idealist" and rest and not rest.startswith("__"):
                parts.add(rest.partition(".")[0])
    return parts


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_left(path: Path) -> None:
    part = part_of(path)
    if part in ("__init__", "__main__"):
        return
    assert part in PLACE, f"{part} has no place in the order"
    for other in imported_parts(path) - {part}:
        assert PLACE[other] < PLACE[part] or (PLACE[other] == PLACE[part] == 0), f"{path} imports {other}"


def test_the_quick_path_imports_nothing_heavy(shop: Path) -> None:
    code = f"""
import sys
from idealist.cli import main
main(["evaluate", {str(shop / "shop.qrels")!r}, {str(shop / "a.run")!r}])
heavy = {{"numpy", "scipy", "pandas", "polars", "pyarrow", "dataclasses", "inspect", "typing", "shutil", "difflib"}}
sys.exit(repr(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_module_is_a_bag_or_a_giant() -> None:
    for path in MODULES:
        assert path.stem not in ("utils", "common", "helpers", "core", "misc"), path
        # The package's own is a list of names.
        assert path == SOURCE / "__init__.py" or len(path.read_text(encoding="utf-8").splitlines()) <= 400, (
            path
        )
