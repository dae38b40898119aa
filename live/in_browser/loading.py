"""NumPy, loaded when something first imports it: most of what pages ask does without."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder

NUMPY = "numpy"


class WhenImported(MetaPathFinder):
    """Has `load` put NumPy where Python looks for modules, and leaves finding it there to Python."""

    def __init__(self, load: Callable[[], bool]) -> None:
        self.load = load

    def find_spec(self, name: str, *_: object) -> None:
        if name == NUMPY and self.load():
            sys.meta_path.remove(self)
            importlib.invalidate_caches()


def numpy_when_imported(load: Callable[[], bool]) -> None:
    """From now on, `load` is called when NumPy is first imported, and again later if it says that it could not."""
    sys.meta_path.insert(0, WhenImported(load))
