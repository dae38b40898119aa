"""How the package is cut into modules, in figures. `python tests/test_house.py` prints them."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "idealist"
# No figure grows without somebody saying so here.
MOST = {
    "modules": 570,
    "names used more than once": 10,
    "longest chain of imports": 22,
    "per cent of lines in headers": 11.5,
}


def is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def is_header(node: ast.stmt, first: bool) -> bool:
    """A module's docstring, its imports, and what it imports for types alone."""
    if first and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    return (
        isinstance(node, (ast.Import, ast.ImportFrom))
        or is_for_types(node)
        or ast.unparse(node) == "TYPE_CHECKING = False"
    )


def imported(nodes: Iterable[ast.stmt], modules: Iterable[str]) -> set[str]:
    """The modules of ours that statements import when they run."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {
                name if (name := f"{node.module}.{alias.name}") in modules else node.module
                for alias in node.names
            }
    return found & set(modules)


def figures(source: Path) -> dict[str, float]:
    paths = sorted(source.rglob("*.py"))
    names = {}
    for path in paths:
        parts = path.relative_to(source.parent).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    lines = headers = 0
    graph: dict[str, set[str]] = {}
    for name, path in names.items():
        text = path.read_text(encoding="utf-8")
        body = ast.parse(text).body
        lines += len(text.splitlines())
        headers += max(
            (node.end_lineno or 0 for at, node in enumerate(body) if is_header(node, at == 0)), default=0
        )
        graph[name] = imported(body, names) - {name}

    @cache
    def chain(name: str) -> int:
        """How many modules are imported one by the other, beginning with this one."""
        return 1 + max(map(chain, graph[name]), default=0)

    repeated = Counter(path.stem for path in paths if path.stem != "__init__")
    return {
        "modules": len(paths),
        "names used more than once": sum(count > 1 for count in repeated.values()),
        "longest chain of imports": max(map(chain, graph)),
        "per cent of lines in headers": round(100 * headers / lines, 1),
    }


def test_the_house_does_not_grow_unnoticed() -> None:
    found = figures(SOURCE)
    assert {name: number for name, number in found.items() if number > MOST[name]} == {}


if __name__ == "__main__":
    for name, number in figures(Path(sys.argv[1]) if sys.argv[1:] else SOURCE).items():
        print(f"{number:7,}  {name}")
