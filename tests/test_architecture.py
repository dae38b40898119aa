"""Imports point left, and the quick path stays quick."""

from __future__ import annotations

import ast
import re
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
    ("base", "types", "errors", "conventions", "kernels"),
    ("remote",),
    ("data",),
    ("measures",),
    ("backends",),
    ("statistics",),
    ("evaluation",),
    ("fusion", "checks", "comparison"),
    ("votes",),
    ("clicks",),
    ("plan",),
    ("machine",),
    ("show",),
    ("projects",),
    ("learn", "engines"),
    ("drop_ins", "integrations"),
    ("web",),
    ("cli",),
]
# How many modules `idealist evaluate` of TREC files imports at most: each takes a tenth of a millisecond.
QUICK_PATH = 78
PLACE = {name: place for place, names in enumerate(ORDER) for name in names}
MODULES = sorted(SOURCE.rglob("*.py"))


# The front imports whatever it is asked for, and no module imports a name from it.
FRONT = "idealist"
# What gives packages the names of their stubs; who imports such a name imports the module that the stub names. And what
# imports the names of annotations, when somebody reads them.
NAMING = ("idealist.base.public_names", "idealist.base.annotations")
# Where a variable holds the name of somebody else's library.
# `named` imports the modules of a kind, whose classes derive from it: they stand in the package of the kind, or right of it.
OF_OTHERS = {
    ("idealist.data.collection", "library"),
    ("idealist.measures.own", "module"),
    ("idealist.base.named", "module"),
}


def module_name(path: Path) -> str:
    parts = (FRONT, *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


# The core is a module of its own, which imports none.
PATHS = {module_name(path): path for path in [*MODULES, SOURCE / "kernels/_native.pyi"]}


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
    name: set() if name in NAMING else imports_of(ast.parse(path.read_text(encoding="utf-8")), name)
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


def test_the_order_names_every_part_once() -> None:
    parts = {part_of(name) for name in PATHS if name not in (FRONT, f"{FRONT}.__main__")}
    assert sorted(name for names in ORDER for name in names) == sorted(parts)


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert cycles(IMPORTS) == set()


def folder_imports(package: Path) -> dict[str, set[str]]:
    """Which folders of a package import which others of it, in any of their modules."""
    start = f"{module_name(package / '__init__.py')}."
    graph: dict[str, set[str]] = {path.parent.name: set() for path in package.glob("*/__init__.py")}
    for module, others in IMPORTS.items():
        folder = module.removeprefix(start).split(".")[0]
        if module.startswith(start) and folder in graph:
            found = {other.removeprefix(start).split(".")[0] for other in others if other.startswith(start)}
            graph[folder] |= (found & set(graph)) - {folder}
    return graph


PACKAGES = sorted(path.parent for path in SOURCE.rglob("*/__init__.py"))
# A folder per command: they are described as one.
ALIKE = (SOURCE / "cli" / "commands",)
WEB = f"{FRONT}.web"
# A folder per feature of the workbench, with its pages, its API, its store and its templates; each may import those before it.
FEATURES = (
    *("texts", "base", "access", "projects", "people", "comparing"),
    *("judging", "studies", "planning", "exports", "demo"),
)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_folders_of_a_package_have_an_order(package: Path) -> None:
    assert cycles(folder_imports(package)) == set()


def test_the_features_of_the_workbench_have_this_order() -> None:
    folders = folder_imports(SOURCE / "web")
    assert sorted(folders) == sorted(FEATURES)
    for feature, others in folders.items():
        before = FEATURES[: FEATURES.index(feature)]
        assert others <= set(before), f"{feature} imports {', '.join(others - set(before))}"


def test_no_feature_imports_what_puts_the_workbench_together() -> None:
    """What was opened (`workbench`) is below the features, the application and the server are above them."""
    features = [module for module in IMPORTS if module.startswith(f"{WEB}.") and module.count(".") > 2]
    assert [name for name in features if IMPORTS[name] & {f"{WEB}.app", f"{WEB}.serving"}] == []
    opened = {name.split(".")[2] for name in IMPORTS[f"{WEB}.workbench"] if name.startswith(f"{WEB}.")}
    assert opened <= {"base", "access"}


def test_no_two_templates_of_the_workbench_have_the_same_name() -> None:
    """They are found by their names, whichever folder of a feature they are in."""
    names = [path.name for path in (SOURCE / "web").rglob("*.html")]
    assert sorted(set(names)) == sorted(names)


def test_only_other_trees_import_the_package() -> None:
    """The package imports no test, benchmark, example or script of the site or of the page in the browser."""
    trees = ("tests", "benchmarks", "examples", "live", "website")
    outside = {path.stem for tree in trees for path in (ROOT / tree).rglob("*.py")} | {*trees, "support"}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                top = name.split(".")[0]
                assert top not in outside or top in sys.stdlib_module_names, f"{path} imports {name}"


ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_the_order_in_the_document_is_this_one() -> None:
    written = re.search(r"`(base ·[^`]*)`", ARCHITECTURE)
    assert written is not None
    stages = [stage.split("·") for stage in written[1].split("→")]
    assert [tuple(name.strip() for name in stage) for stage in stages] == ORDER


@pytest.mark.parametrize(
    "package",
    [path for path in PACKAGES if path.parent not in ALIKE],
    ids=lambda path: str(path.relative_to(SOURCE)),
)
def test_the_document_says_where_every_folder_is(package: Path) -> None:
    """By its path, or by its name in the row of the folder above it."""
    path = package.relative_to(SOURCE)
    if f"`{path}/`" not in ARCHITECTURE:
        (row,) = re.findall(rf"^\| .*`{path.parent}/`.*$", ARCHITECTURE, flags=re.M) or [""]
        assert re.search(rf"`{path.name}/?`", row), f"the table does not say what {path}/ is"


def test_the_document_names_folders_that_exist() -> None:
    table = ARCHITECTURE.partition("## Where things are")[2].partition("These are the folders")[0]
    for row in re.findall(r"^\| (`.*?) \|", table, flags=re.M):
        for name in re.findall(r"`([^`*]+)`", row):
            here = name.rstrip("/")
            found = [SOURCE / here, SOURCE / f"{here}.py", ROOT / here]
            assert any(path.exists() for path in found), name


def test_what_is_counted_as_an_import() -> None:
    def imported(code: str, module: str = "idealist.fusion.methods") -> set[str]:
        return imports_of(ast.parse(code), module)

    late = "def f():\n    from idealist.data.run import Run"
    assert imported(late) == {"idealist.data.run"}
    assert imported("from idealist.cli import main, parser") == {"idealist.cli", "idealist.cli.parser"}
    assert imported(f"if TYPE_CHECKING:\n    import os\nelse:\n    {late[8:].strip()}") == {
        "idealist.data.run"
    }
    assert imported("if TYPE_CHECKING:\n    from idealist.data import Run") == set()
    assert imported("import_module('idealist.errors')") == {"idealist.errors"}
    assert imported("importlib.import_module('numpy')") == set()
    every = {name for name in PATHS if name.startswith("idealist.evaluation.")}
    assert (
        imported("import_module(f'idealist.evaluation.{x}')")
        == every
        >= {"idealist.evaluation.tool_differences"}
    )
    assert imported("import_module(f'{__name__}.{x}')", "idealist.evaluation") == every


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
    # `signal` alone makes enums of its names, which takes as long as five modules of ours. An editable install imports it
    # to build the core anew.
    assert "signal" not in imported or any(name.startswith("_editable") for name in imported)
    own = [name for name in imported if name.split(".")[0] == "idealist"]
    assert len(own) <= QUICK_PATH, "import what this path does not use within functions: " + ", ".join(own)


def test_no_module_is_a_bag_or_a_giant() -> None:
    for path in MODULES:
        assert path.stem not in ("utils", "common", "helpers", "core", "misc"), path
        # The package's own is a list of names.
        assert path == SOURCE / "__init__.py" or len(path.read_text(encoding="utf-8").splitlines()) <= 600, (
            path
        )


def test_every_module_is_installed() -> None:
    """What builds the wheel may leave folders out by their name."""
    installed = Path(idealist.__file__).parent
    files = [*MODULES, *SOURCE.rglob("*.pyi"), *SOURCE.rglob("*.css")]
    files += [path for path in (SOURCE / "web").rglob("*.*") if path.suffix != ".pyc"]
    assert [path for path in files if not (installed / path.relative_to(SOURCE)).exists()] == []


@pytest.mark.parametrize("folder", ["", *(f"{feature}/" for feature in FEATURES)])
def test_the_document_names_every_module_of_the_workbench(folder: str) -> None:
    """The largest package: who looks for something finds its module there, but for pages and APIs, whose names say it."""
    (row,) = re.findall(rf"^\| `web/{folder}`.*$", ARCHITECTURE, flags=re.M)
    modules = {path.stem for path in (SOURCE / "web" / folder).glob("*.py")} - {"__init__"}
    unnamed = modules - set(re.findall(r"`(\w+)`", row))
    assert {name for name in unnamed if not name.endswith(("_pages", "_api"))} == set()
