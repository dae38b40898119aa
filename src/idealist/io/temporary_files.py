"""Files that are there for as long as the program runs."""

from __future__ import annotations

import os


def temporary_path(name: str) -> str:
    """Where a file of this name can be written, in a folder of its own, which is removed when the program ends."""
    import atexit
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="idealist-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return os.path.join(folder, name)
