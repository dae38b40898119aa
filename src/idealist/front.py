"""Public names that are imported on first use. A package lists them once, in its stub `__init__.pyi`,
which type checkers read as well."""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def public_names(
    package: str,
    *,
    moved: Mapping[str, str] | None = None,
    likely: Callable[[str], str] | None = None,
) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a package with a stub. `moved` says where names are that were here;
    `likely` gives what a name that is not here may mean, "" where it does not know."""
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

    def in_other_letters(name: str) -> str:
        """The public name that differs in capitals alone, which Python's own guess takes for another word."""
        return next((f"{package}.{public}" for public in names if public.casefold() == name.casefold()), "")

    def find(name: str) -> object:
        source = _source(stub, name)
        if source is None:
            message = f"module {package!r} has no attribute {name!r}"
            meant = (moved or {}).get(name, "") or (likely(name) if likely else "") or in_other_letters(name)
            if meant:
                raise AttributeError(f"{message}: it is {meant}", name="")  # Python adds no guess of its own
            raise AttributeError(message, name=name, obj=module)
        source_module, original = source
        if source_module == package:
            return import_module(f"{package}.{original}")
        value = getattr(import_module(source_module), original)
        setattr(module, name, value)  # the next time it is there
        return value

    return names, find, lambda: names


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
