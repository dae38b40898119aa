"""What pages name in code marks exists: options of commands, commands, targets of make, modules and names, files."""

from __future__ import annotations

import argparse
import os
import re
from importlib import import_module
from pathlib import Path

import pytest
from conftest import ROOT

from idealist import MissingDependency
from idealist.cli.parser import COMMANDS, command_parser, has_parser

PAGES = [
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if "generated" not in path.parts),
    *(ROOT / name for name in ("README.md", "README.zh-CN.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
]
# Of other programs, which pages show too.
OTHERS_OPTIONS = {"--archives", "--data-binary", "--detach", "--packages", "--rm", "--strict"}
# Made when they are asked for.
MADE = ("build/", "docs/generated/")
MADE_FOLDERS = re.compile(r"(\.git|\.bench|\.venv.*|build|dist|docs/generated)$")
TARGETS = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    """Every option of a command and of its parts."""
    found: set[str] = set()
    for action in parser._actions:
        found |= set(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            for part in action.choices.values():
                found |= options_of(part)
    return found


OPTIONS = {"--version"}
for command in COMMANDS:
    if has_parser(command):
        OPTIONS |= options_of(command_parser(command)[1])


def source_files() -> set[str]:
    """All files but those that make writes. Not asked of git, since .ci/run and a source archive have no repository."""
    found: set[str] = set()
    for folder, inside, names in os.walk(ROOT):
        place = Path(folder).relative_to(ROOT)
        inside[:] = [name for name in inside if not MADE_FOLDERS.match((place / name).as_posix())]
        found |= {(place / name).as_posix() for name in names}
    return found


def code_marks(page: Path) -> list[str]:
    """What stands between backticks within a line, but not in blocks, which are run."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`([^`\n]+)`", text)


def exists(name: str) -> bool:
    """Whether a dotted name is a module or a name in one; one that needs a library that is not installed counts."""
    module, names = name, list[str]()
    while module:
        try:
            found: object = import_module(module)
            for part in names:
                found = getattr(found, part)
        except AttributeError:
            return False
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("idealist"):
                return True
            module, _, last = module.rpartition(".")
            names.insert(0, last)
        except MissingDependency:
            return True
        else:
            return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_options_commands_targets_and_names(page: Path) -> None:
    for code in code_marks(page):
        for option in re.findall(r"(?<![\w-])--[a-z][\w-]+", code):
            script = re.match(r"(?:python )?(benchmarks/\w+\.py)", code)
            if script is not None:
                assert f'"{option}"' in (ROOT / script[1]).read_text(encoding="utf-8"), code
            else:
                assert option in OPTIONS | OTHERS_OPTIONS, option
        if said := re.match(r"idealist ([a-z][\w-]*)", code):
            assert said[1] in COMMANDS, code
        if said := re.fullmatch(r"make ([a-z][\w-]*)( .*)?", code):
            assert said[1] in TARGETS, code
        for name in re.findall(r"(?<![\w.-])idealist(?:\.[A-Za-z_]\w*)+(?![\w.])", code):
            if not name.endswith((".fish", ".egg", ".toml")):
                assert exists(name), name


DESIGN = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "design").glob("*.md"))


@pytest.mark.parametrize("name", ["ARCHITECTURE.md", "CONTRIBUTING.md", *DESIGN])
def test_files(name: str) -> None:
    """A path of several parts is that of a file or folder, from the root or from any folder; NAME stands for any."""
    files = source_files()
    paths = files | {str(folder) for file in files for folder in Path(file).parents}
    known = {f"/{path}" for path in paths} | {f"/{path.rpartition('.')[0]}" for path in files}
    for code in code_marks(ROOT / name):
        if not re.fullmatch(r"\.?[\w-]+(/[\w.*-]+)+/?", code) or re.search(r"NAME|LIBRARY", code):
            continue
        pattern = re.escape(f"/{code.rstrip('/')}").replace(r"\*", ".*")
        assert code.startswith(MADE) or any(re.search(f"{pattern}$", path) for path in known), code
