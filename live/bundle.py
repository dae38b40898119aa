"""The page as a folder that any web server can serve: page, runtime, and Idealist as one archive.

bundle.py RUNTIME NATIVE FOLDER
"""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "src" / "idealist"
# What needs a server, a cluster or PyTorch cannot run in a page.
LEFT_OUT = ("web", "learn", "engines")
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
SHOP = HERE.parent / "examples" / "shop"
SAMPLES = ("shop.qrels", "a.run", "b.run")


def bundle(runtime: Path, native: Path, folder: Path) -> None:
    """Writes the folder anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in (HERE / "page").iterdir():
        shutil.copy(path, folder)
    for name in RUNTIME:
        shutil.copy(runtime / name, folder)
    for name in SAMPLES:
        shutil.copy(SHOP / name, folder)
    with zipfile.ZipFile(folder / "idealist.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(PACKAGE.rglob("*")):
            inside = path.relative_to(PACKAGE)
            if path.is_file() and inside.parts[0] not in LEFT_OUT and path.suffix in (".py", ".pyi", ".css"):
                archive.write(path, Path("idealist") / inside)
        archive.write(native, "idealist/kernels/_native.abi3.so")


if __name__ == "__main__":
    bundle(*map(Path, sys.argv[1:4]))
