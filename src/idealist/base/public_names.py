"""Public names that are imported on first use. A package lists them once, in its stub `__init__.pyi`,
which type checkers read as well."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from idealist.base.annotations import named, read_late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


def public_names(
    package: str, *, likely: Callable[[str], str] | None = None
) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a package with a stub. A name that is not here is an error that says where
    it is; `likely` gives what it may mean otherwise, "" where it does not know."""
    module = sys.modules[package]
    loader = module.__spec__.loader  # type: ignore[union-attr]
    try:
        stub = loader.get_data(f"{module.__file__}i").decode()  # type: ignore[union-attr]
    except OSError as error:
        raise ImportError(
            f"{package}: its list of public names is missing, {module.__file__}i; what packs programs leaves such files out "
            "unless it is told to take the package's data along, as PyInstaller is by --collect-all idealist"
        ) from error
    names = _names(stub)

    def find(name: str) -> object:
        source = _source(stub, name)
        if source is None:
            message = f"module {package!r} has no attribute {name!r}"
            if _may_be_module(module, name):
                raise AttributeError(message, name=name, obj=module)
            meant = (
                _elsewhere(name, str)
                or (likely(name) if likely else "")
                or next(
                    (f"{package}.{public}" for public in names if public.casefold() == name.casefold()), ""
                )
                or _elsewhere(name, str.casefold)
            )
            if meant:
                raise AttributeError(f"{message}: it is {meant}", name="")  # Python adds no guess of its own
            raise AttributeError(message, name=name, obj=module)
        source_module, original = source
        if source_module == package:
            value: object = import_module(f"{package}.{original}")
        else:
            owner = import_module(source_module)
            # An alias of a type is there for type checkers alone, until somebody asks for it.
            value = getattr(owner, original) if hasattr(owner, original) else named(source_module, original)
        read_late(value)
        setattr(module, name, value)  # the next time it is there
        return value

    for name in vars(module).keys() & set(names):
        read_late(vars(module)[name])
    return names, find, lambda: names


def _may_be_module(package: ModuleType, name: str) -> bool:
    """Whether Python may be asking for a module that it has not imported yet, as it does before it looks for its file."""
    if name.startswith("_"):
        return True
    paths = [f"{folder}/{name}" for folder in package.__path__]
    return any(os.path.isdir(path) or os.path.isfile(f"{path}.py") for path in paths)


def _elsewhere(name: str, spelled: Callable[[str], str]) -> str:
    """Where a public name stands that was looked for in another package: the root's first."""
    front = __name__.partition(".")[0]
    root = sys.modules[front]
    packages = {
        public: import_module(f"{front}.{public}") for public in root.__all__ if _may_be_module(root, public)
    }
    for path, package in {
        front: root,
        **{f"{front}.{public}": found for public, found in packages.items()},
    }.items():
        for public in getattr(package, "__all__", ()):
            if spelled(public) == spelled(name):
                return f"{path}.{public}"
    return ""


# A stub is lines of `from MODULE import NAME as NAME`, several names between parentheses or not. It is searched, and not
# parsed: the front has two hundred names, and every command imports it to use a few.


def _names(stub: str) -> list[str]:
    """The names of a stub, sorted.

    >>> _names("from a.b import (\\n    D as D,\\n    C as C,\\n)\\nfrom a import e as f\\n")
    ['C', 'D', 'f']
    """
    return sorted([part[: part.index("\n")].rstrip(",") for part in stub.split(" as ")[1:]])


def _source(stub: str, name: str) -> tuple[str, str] | None:
    """The module that a name of a stub comes from, and its name there.

    >>> stub = "from a.b import (\\n    D as D,\\n    C as C,\\n)\\nfrom a import e as f\\n"
    >>> _source(stub, "C"), _source(stub, "f"), _source(stub, "e")
    (('a.b', 'C'), ('a', 'e'), None)
    """
    end = max(stub.find(f" as {name},\n"), stub.find(f" as {name}\n"))
    if end < 0:
        return None
    statement = stub[stub.rfind("\nfrom ", 0, end) + 1 : end].split()
    return statement[1], statement[-1]
