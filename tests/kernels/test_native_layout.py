"""The folders of the native core: includes point left, every file is built, none is a giant."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT

NATIVE = ROOT / "native"
# A file may include what stands in its own folder or left of it.
ORDER = ["base", "read", "rank", "write", "bind"]
FILES = sorted(path for path in NATIVE.rglob("*") if path.suffix in (".hpp", ".cpp"))
INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)


def test_the_folders_are_those_of_the_order() -> None:
    assert {path.relative_to(NATIVE).parts[0] for path in FILES} == set(ORDER)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(NATIVE)))
def test_includes_point_left(path: Path) -> None:
    here = ORDER.index(path.parent.name)
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        assert (NATIVE / name).is_file(), f"{name}: an include names the folder, then the file"
        assert ORDER.index(name.partition("/")[0]) <= here, f"{path.name} includes {name}"


def test_every_source_file_is_built() -> None:
    built = re.findall(
        r"^  (native/\S+)$", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert built == sorted(str(path.relative_to(ROOT)) for path in FILES if path.suffix == ".cpp")


def test_only_bindings_know_python() -> None:
    for path in FILES:
        knows = re.search(r"#include <(nanobind|Python\.h)", path.read_text(encoding="utf-8"))
        assert not knows or path.parent.name == "bind", path


def test_one_file_asks_the_operating_system() -> None:
    """The others compile for POSIX and Windows alike."""
    header = r"#include <(?:dlfcn|fcntl|io|poll|pthread|sched|signal|unistd|windows|xlocale|sys/\w+)\.h>"
    system = re.compile(rf"{header}|\b(?:_WIN32|__APPLE__|__linux__|__EMSCRIPTEN__|ssize_t|off_t)\b")
    assert files_with(system) == ["base/system.cpp"]


def test_one_file_knows_compilers() -> None:
    compiler = re.compile(r"__builtin_|__attribute__|__extension__|__int128|_MSC_VER|__GNUC__|__clang__")
    assert files_with(compiler) == ["base/compiler.hpp"]


def files_with(pattern: re.Pattern[str]) -> list[str]:
    return [
        path.relative_to(NATIVE).as_posix()
        for path in FILES
        if pattern.search(path.read_text(encoding="utf-8"))
    ]


def test_whole_numbers_have_one_size_everywhere() -> None:
    """A long has 32 bits on Windows."""
    assert files_with(re.compile(r"^[^/\n]*\b(?<!-)long\b(?! double)[^-]", re.MULTILINE)) == []


def test_no_file_is_a_giant() -> None:
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name: length for name, length in lengths.items() if length > 300} == {}
