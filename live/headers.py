"""What building for Pyodide takes from its runtime: the version of the compiler, and Python's headers for 32 bits.

    headers.py version RUNTIME
    headers.py python RUNTIME
    headers.py write RUNTIME FOLDER

The headers are those of the Python that runs this, but for pyconfig.h: its names are given the values that the runtime's
own Python was built with, which its standard library keeps.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

SYSCONFIG = "_sysconfigdata__emscripten_wasm32-emscripten.py"


def compiler_version(runtime: Path) -> str:
    """The version of Emscripten: "emscripten_6_0_5" → "6.0.5"."""
    return _built_for(runtime)["platform"].removeprefix("emscripten_").replace("_", ".")


def python_version(runtime: Path) -> str:
    """The version of the runtime's Python: "3.15"."""
    return ".".join(_built_for(runtime)["python"].split(".")[:2])


def _built_for(runtime: Path) -> dict[str, str]:
    info: dict[str, str] = json.loads((runtime / "pyodide-lock.json").read_text())["info"]
    return info


def build_values(runtime: Path) -> dict[str, Any]:
    """What the runtime's Python was configured with."""
    with zipfile.ZipFile(runtime / "python_stdlib.zip") as library:
        names: dict[str, Any] = {}
        exec(library.read(SYSCONFIG), names)
    return dict(names["build_time_vars"])


def write_headers(runtime: Path, folder: Path) -> None:
    """Python's headers, with a pyconfig.h for the runtime."""
    if sys.version_info < (3, 12):
        raise SystemExit("the headers of Python 3.12 or newer are needed, whose stable ABI nanobind can use")
    values = build_values(runtime)
    # Debian's pyconfig.h only includes that of the architecture, which lies in a folder beside.
    include = Path(sysconfig.get_path("include"))
    places = [include / "pyconfig.h", *include.parent.glob(f"*/{include.name}/pyconfig.h")]
    text = "\n".join(place.read_text() for place in places)
    names = sorted(set(re.findall(r"(?:# *define|#undef) (\w+)", text)))
    defined = [f"#define {name} {values[name]}" for name in names if _is_set(values.get(name))]
    # What is kept leaves out names that begin with an underscore, such as this one: all that the C library has.
    lines = [
        "#ifndef Py_PYCONFIG_H",
        "#define Py_PYCONFIG_H",
        "#define _GNU_SOURCE 1",
        *defined,
        "#endif",
        "",
    ]
    shutil.copytree(include, folder, dirs_exist_ok=True)
    (folder / "pyconfig.h").write_text("\n".join(lines))
    (folder / SYSCONFIG).write_text(f"build_time_vars = {values!r}\n")


def _is_set(value: Any) -> bool:
    return isinstance(value, int) and value != 0


if __name__ == "__main__":
    asked, runtime = sys.argv[1], Path(sys.argv[2])
    if asked == "version":
        print(compiler_version(runtime))
    elif asked == "python":
        print(python_version(runtime))
    else:
        write_headers(runtime, Path(sys.argv[3]))
