"""The pages of the site that are made from the code: the help of every command, and the public names of Python.

python website/generate.py docs/generated
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from idealist.cli.parser import COMMANDS, command_parser, overview

SOURCE = Path(__file__).parent.parent / "src"
# Measures have a page of their own, made from the registry.
MEASURES = "idealist.measures.families."


def command_helps(command: str) -> Iterator[tuple[str, str]]:
    """The help of a command; one that takes another tool's options prints it itself."""
    module = import_module(f"idealist.cli.commands.{command.replace('-', '_')}")
    if hasattr(module, "configure"):
        yield from helps(command_parser(command)[1])
    else:
        line = [sys.executable, "-m", "idealist", command, "-h"]
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        yield f"idealist {command}", done.stdout.strip()


def helps(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    """The help of a command and of the commands below it."""
    yield parser.prog, parser.format_help().rstrip()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from helps(below)


def commands_page() -> str:
    parts = [
        "# Commands",
        "Every command with its options, as `idealist COMMAND --help` prints them. [Start](../index.md) and"
        " [How do I …?](../how-do-i.md) show the common ones at work.",
        f"```text\n{overview().format_help().rstrip()}\n```",
    ]
    for command in COMMANDS:
        for prog, text in command_helps(command):
            level = "##" if prog == f"idealist {command}" else "###"
            parts.append(f"{level} {prog}\n\n```text\n{text}\n```")
    return "\n\n".join(parts) + "\n"


def names_of(package: str) -> dict[str, str]:
    """The public names of a package, and the module that each comes from, as its stub lists them."""
    stub = SOURCE / package.replace(".", "/") / "__init__.pyi"
    return {
        alias.asname or alias.name: statement.module or package
        for statement in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }


def packages() -> list[str]:
    """The public packages: the front, and those that a public stub names and that have a stub themselves."""
    listed = ["idealist"]
    for package in listed:
        listed += [
            f"{package}.{name}"
            for name, module in names_of(package).items()
            if module == package and (SOURCE / package.replace(".", "/") / name / "__init__.pyi").exists()
        ]
    return listed


def package_page(package: str, listed: list[str]) -> str:
    names = names_of(package)
    elsewhere = set() if package == "idealist" else set(names_of("idealist"))
    shown = [
        name
        for name, module in sorted(names.items(), key=lambda pair: (pair[0][:1].isupper(), pair[0]))
        if not module.startswith(MEASURES) and name not in elsewhere and f"{package}.{name}" not in listed
    ]
    repeated = sorted(name for name in set(names) & elsewhere if not names[name].startswith(MEASURES))
    about = ast.get_docstring(
        ast.parse((SOURCE / package.replace(".", "/") / "__init__.py").read_text(encoding="utf-8"))
    )
    parts = [f"# {package}", about or ""]
    if package in ("idealist", "idealist.measures"):
        which = "Twenty of" if package == "idealist" else "All"
        parts.append(f"{which} the [measures](../measures.md), which have a page of their own, are here too.")
    if repeated:
        parts.append(
            f"Also here, as in [idealist](idealist.md): {', '.join(f'`{name}`' for name in repeated)}."
        )
    parts += [f"::: {package}.{name}" for name in shown]
    return "\n\n".join(parts) + "\n"


def main(folder: Path) -> None:
    # As wide as a page of the site, whatever the terminal, and without its colours.
    os.get_terminal_size = lambda *_: os.terminal_size((96, 24))
    os.environ["NO_COLOR"] = "1"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        old.unlink()
    listed = packages()
    pages = {"commands": commands_page()} | {package: package_page(package, listed) for package in listed}
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    print(f"{len(pages)} pages in {folder}: {', '.join(pages)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
