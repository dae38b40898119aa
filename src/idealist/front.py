"""Public names that are imported on first use. A package lists them once, in its stub `__init__.pyi`,
which type checkers read as well."""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def public_names(package: str) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a package with a stub."""
    module = sys.modules[package]
    stub = module.__spec__.loader.get_data(f"{module.__file__}i")  # type: ignore[union-attr]
    sources = _sources(stub.decode())
    names = sorted(sources)

    def find(name: str) -> object:
        if name not in sources:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        source_module, original = sources[name]
        if source_module == package:
            return import_module(f"{package}.{original}")
        value = getattr(import_module(source_module), original)
        setattr(module, name, value)  # the next time it is there
        return value

    return names, find, lambda: names


def _sources(stub: str) -> dict[str, tuple[str, str]]:
    """Where each name of a stub comes from: its module, and its name there. A stub is lines of `from MODULE import NAME as
    NAME`, several names between parentheses or not.

    >>> _sources("from a.b import (\\n    C as C,\\n    D as D,\\n)\\nfrom a import e as f\\n")
    {'C': ('a.b', 'C'), 'D': ('a.b', 'D'), 'f': ('a', 'e')}
    """
    sources = {}
    for statement in f"\n{stub}".split("\nfrom ")[1:]:
        module, _, names = statement.partition("\n\n")[0].partition(" import ")
        for name in names.strip(" ()\n").split(","):
            if words := name.split():
                sources[words[-1]] = module, words[0]
    return sources
