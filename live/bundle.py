"""What the site serves as its folder live/: the scripts, the runtime, and Idealist and NumPy as an archive each.

bundle.py RUNTIME NATIVE NUMPY FOLDER
"""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
# What the examples of the documentation read; the page *Try it* shows three of its files.
SHOP = ROOT / "examples" / "shop"
PASTED = ("shop.qrels", "a.run", "b.run")
LEFT_OUT = "web"  # a server cannot run in a page


def bundle(runtime: Path, native: Path, numpy: Path, folder: Path) -> None:
    """Writes the folder anew."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(HERE / "page", folder)
    for name in RUNTIME:
        shutil.copy(runtime / name, folder)
    for name in PASTED:
        shutil.copy(SHOP / name, folder / "samples")
    with zipfile.ZipFile(folder / "idealist.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for package in (ROOT / "src" / "idealist", HERE / "in_browser"):
            for path in sorted(package.rglob("*")):
                inside = path.relative_to(package)
                if path.is_file() and inside.parts[0] != LEFT_OUT and path.suffix in (".py", ".pyi", ".css"):
                    archive.write(path, package.name / inside)
        for path in sorted(SHOP.iterdir()):
            archive.write(path, Path("shop") / path.name)
        archive.write(native, "idealist/kernels/_native.abi3.so")
    with zipfile.ZipFile(folder / "numpy.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(numpy.rglob("*")):
            if path.suffix in (".py", ".so"):
                archive.write(path, "numpy" / path.relative_to(numpy))


if __name__ == "__main__":
    bundle(*map(Path, sys.argv[1:5]))
