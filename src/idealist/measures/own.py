"""Measures of your own in texts: `module:Class`, and parameters that only they have."""

from __future__ import annotations

import os
import sys

from idealist.base.named import top_level
from idealist.errors import InputError
from idealist.measures.measure import Measure, registered
from idealist.measures.measure_parameters import PARAMETERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

HINT = "write it as Python imports it, from this folder or from what is installed: module:Class"


def with_modules(text: str) -> str:
    """A text of measures, in which those of a module have their own names: "ours:Mine(p=0.5)@10" becomes "Mine(p=0.5)@10".

    Their modules are imported, from the working folder too, so this is for texts of whoever runs the program alone. What is
    no module:Class stays as it is.

    >>> with_modules("nDCG(gain={0:0,1:5})@10 idealist.measures.families.binary:AP@5")
    'nDCG(gain={0:0,1:5})@10 AP@5'
    """
    for part in top_level(text, ", \t\n"):
        name = part.partition("(")[0].partition("@")[0]
        module, colon, of_class = name.partition(":")
        if colon:
            text = text.replace(name, _named(module, of_class).name, 1)
    return text


def _named(module: str, of_class: str) -> type[Measure]:
    """The class, which texts may then name."""
    found = getattr(_imported(module), of_class, None)
    if not (isinstance(found, type) and issubclass(found, Measure) and found is not Measure):
        members = vars(sys.modules[module]).items()
        own = [
            name
            for name, it in members
            if isinstance(it, type) and issubclass(it, Measure) and it.__module__ == module
        ]
        raise InputError(
            f"{module} has no measure called {of_class!r}"
            if found is None
            else f"{module}:{of_class} is not a class of measures, which derive from idealist.Measure",
            hint=f"it has: {', '.join(own)}" if own else "write a class that derives from idealist.Measure",
        )
    if registered().setdefault(found.name, found) is not found:
        raise InputError(
            f"{module}:{of_class} has the name of another measure, {found.name!r}",
            hint="choose another name",
        )
    return found


def _imported(module: str) -> ModuleType:
    from importlib import import_module

    if module.endswith(".py") or "/" in module or not module:
        raise InputError(f"{module!r} is not the name of a module", hint=HINT)
    # As `python -m` does; an installed command looks for modules beside itself.
    if (folder := os.getcwd()) not in sys.path and "" not in sys.path:
        sys.path.insert(0, folder)
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise InputError(f"{module} cannot be imported: {error}", hint="install what it needs") from None
        raise InputError(f"there is no module {module!r}", hint=HINT) from None
    except Exception as error:
        raise InputError(
            f"{module} cannot be imported: {type(error).__name__}: {error}",
            hint=f"python -c 'import {module}' shows where",
        ) from None


def read_own(cls: type[Measure], field: str, value: Any) -> Any:
    """The value of a parameter that no measure of the package has, from text: a number where the default is one.

    >>> from idealist import Measure
    >>> class Mine(Measure):
    ...     patience: float = 0.5
    ...     words: str = "all"
    >>> read_own(Mine, "patience", "0.25"), read_own(Mine, "words", "some")
    (0.25, 'some')
    """
    default = getattr(cls, field, None)
    if field in PARAMETERS or not isinstance(value, str):
        return value
    if isinstance(default, bool):
        if value in ("true", "false"):
            return value == "true"
        raise InputError(f"{field} must be true or false, not {value!r}", hint=f"by default it is {default}")
    if isinstance(default, (int, float)):
        try:
            return type(default)(value)
        except ValueError:
            whole = "a whole number" if isinstance(default, int) else "a number"
            raise InputError(
                f"{field} must be {whole}, not {value!r}", hint=f"by default it is {default}"
            ) from None
    return value
