"""Imports point left, and the quick path stays quick."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from conftest import ROOT

import idealist

SOURCE = ROOT / "src" / "idealist"
# Data flows right; a module may import what stands left of it, or beside it in the same package.
ORDER = [
    ("front", "system", "errors", "frozen", "wording", "results", "conventions", "kernels"),
    ("data",),
    ("io",),
    ("measures",),
    ("statistics",),
    ("evaluation",),
    ("presets", "fusion", "checking"),
    ("decision",),
    ("comparison", "votes", "clicks"),
    ("interleaving",),
    ("plan", "remote"),
    ("judges",),
    ("reporting",),
    ("learn", "engines", "integrations"),
    ("web",),
    ("cli",),
]
# How many modules `idealist evaluate` of TREC files imports at most: each takes a tenth of a millisecond.
QUICK_PATH = 72
PLACE = {name: place for place, names in enumerate(ORDER) for name in names}
MODULES = sorted(SOURCE.rglob("*.py"))


# The front imports whatever it is asked for, and no module imports a name from it.
FRONT = "idealist"
# What gives packages the names of their stubs; who imports such a name imports the module that the stub names.
NAMING = "idealist.front"
# Where a variable holds the name of somebody else's library.
OF_OTHERS = {("idealist.data.collection", "library")}


def module_name(path: Path) -> str:
    parts = (FRONT, *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {module_name(path): path for path in MODULES}


def stub_names() -> dict[str, str]:
    """The module that gives each name of a package that has a stub."""
    found: dict[str, str] = {}
    for path in SOURCE.rglob("*/__init__.pyi"):
        package = module_name(path)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom):
                found |= {f"{package}.{alias.asname}": f"{node.module}.{alias.name}" for alias in node.names}
    return found


STUB_NAMES = stub_names()


def executed(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below one, but those under `if TYPE_CHECKING`, which no run executes."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            for other in child.orelse:
                yield other
                yield from executed(other)
        else:
            yield child
            yield from executed(child)


def module_of(name: str) -> str:
    """The module that gives a dotted name: itself, or the one it is a name in."""
    if name == f"{FRONT}.__version__":
        return ""  # known before the front imports anything
    name = STUB_NAMES.get(name, name)
    while name and name not in PATHS:
        name = name.rpartition(".")[0]
    return name


def import_module_targets(call: ast.Call, module: str) -> set[str]:
    """What a call of `import_module` may import: the module named, or all that begin as an f-string begins."""
    argument = call.args[0]
    if isinstance(argument, ast.Constant):
        return {module_of(str(argument.value))}
    if (module, ast.unparse(argument)) in OF_OTHERS:
        return set()
    assert isinstance(argument, ast.JoinedStr), f"{module}: import_module of {ast.unparse(argument)}"
    prefix = ""
    for part in argument.values:
        if isinstance(part, ast.Constant):
            prefix += str(part.value)
        elif ast.unparse(part) == "{__name__}":
            prefix += module
        else:
            break
    assert prefix.startswith(f"{FRONT}."), f"{module}: import_module of {ast.unparse(argument)}"
    return {name for name in PATHS if name.startswith(prefix)}


def imports_of(tree: ast.AST, module: str) -> set[str]:
    """The modules of the package that a module imports when it runs, at its top or within functions."""
    found: set[str] = set()
    for node in executed(tree):
        if isinstance(node, ast.Import):
            found |= {module_of(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute"
            found |= {module_of(f"{node.module}.{alias.name}") for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            found |= import_module_targets(node, module)
    return found - {"", module}


def cycles(graph: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """Sets of modules each of which is reached from every other one."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        seen, ahead = set[str](), [start]
        while ahead:
            for module in graph[ahead.pop()] - seen:
                seen.add(module)
                ahead.append(module)
        reached[start] = seen
    loops = (
        frozenset(other for other in reached[module] if module in reached[other])
        for module in graph
        if module in reached[module]
    )
    return set(loops)


IMPORTS = {
    name: set() if name == NAMING else imports_of(ast.parse(path.read_text(encoding="utf-8")), name)
    for name, path in PATHS.items()
    if name != FRONT
}


def part_of(module: str) -> str:
    return module.split(".")[1]


@pytest.mark.parametrize("module", [name for name in IMPORTS if name != f"{FRONT}.__main__"])
def test_imports_point_left(module: str) -> None:
    part = part_of(module)
    assert part in PLACE, f"{part} has no place in the order"
    assert FRONT not in IMPORTS[module], f"{module} imports a name from the front"
    for other in {part_of(name) for name in IMPORTS[module]} - {part}:
        assert PLACE[other] < PLACE[part] or (PLACE[other] == PLACE[part] == 0), f"{module} imports {other}"


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert cycles(IMPORTS) == set()


def test_what_is_counted_as_an_import() -> None:
    def imported(code: str, module: str = "idealist.fusion.base") -> set[str]:
        return imports_of(ast.parse(code), module)

    late = "def f():\n    from idealist.data.run import Run"
    assert imported(late) == {"idealist.data.run"}
    assert imported("from idealist.data import Run, run") == {"idealist.data", "idealist.data.run"}
    assert imported(f"if TYPE_CHECKING:\n    import os\nelse:\n    {late[8:].strip()}") == {
        "idealist.data.run"
    }
    assert imported("if TYPE_CHECKING:\n    from idealist.data import Run") == set()
    assert imported("import_module('idealist.errors')") == {"idealist.errors"}
    assert imported("importlib.import_module('numpy')") == set()
    every = {name for name in PATHS if name.startswith("idealist.presets.")}
    assert imported("import_module(f'idealist.presets.{x}')") == every >= {"idealist.presets.walk"}
    assert imported("import_module(f'{__name__}.{x}')", "idealist.presets") == every


def test_a_cycle_is_found() -> None:
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == {frozenset("bc")}
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == {frozenset("abc")}
    assert cycles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == set()


def test_the_quick_path_imports_nothing_heavy(shop: Path) -> None:
    code = f"""
import sys
from idealist.cli import main
main(["evaluate", {str(shop / "shop.qrels")!r}, {str(shop / "a.run")!r}])
print(*sys.modules, file=sys.stderr, sep="\\n")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = done.stderr.splitlines()
    heavy = {
        "numpy",
        "scipy",
        "pandas",
        "polars",
        "pyarrow",
        "dataclasses",
        "inspect",
        "typing",
        "shutil",
        "difflib",
    }
    assert heavy & set(imported) == set()
    # `signal` alone makes enums of its names, which takes as long as five modules of ours.
    assert "signal" not in imported
    own = [name for name in imported if name.split(".")[0] == "idealist"]
    assert len(own) <= QUICK_PATH, "import what this path does not use within functions: " + ", ".join(own)


def test_no_module_is_a_bag_or_a_giant() -> None:
    for path in MODULES:
        assert path.stem not in ("utils", "common", "helpers", "core", "misc"), path
        # The package's own is a list of names.
        assert path == SOURCE / "__init__.py" or len(path.read_text(encoding="utf-8").splitlines()) <= 400, (
            path
        )


def test_every_module_is_installed() -> None:
    """What builds the wheel may leave folders out by their name."""
    installed = Path(idealist.__file__).parent
    files = [*MODULES, *SOURCE.rglob("*.pyi"), *SOURCE.rglob("*.css")]
    files += [path for path in (SOURCE / "web").rglob("*.*") if path.suffix != ".pyc"]
    assert [path for path in files if not (installed / path.relative_to(SOURCE)).exists()] == []
