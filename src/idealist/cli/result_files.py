"""-o FILE of commands that print a result: what would be printed goes to the file, whole or not at all."""

from __future__ import annotations

import sys
from io import StringIO

from idealist.cli.files import refuse_existing, refuse_inputs, refuse_unwritable, write_file
from idealist.cli.messages import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from types import ModuleType


def run_to_file(module: ModuleType, arguments: argparse.Namespace) -> int:
    """Runs a command and gives its exit code. Nothing is written where it ends with an error."""
    path = arguments.result_file
    refuse_existing(path, arguments.force)
    refuse_inputs(path, _texts(arguments))
    refuse_unwritable(path)
    printed, sys.stdout = sys.stdout, StringIO()
    try:
        code: int = module.run(arguments)
        text = sys.stdout.getvalue()
    finally:
        sys.stdout = printed
    write_file(path, text, force=arguments.force)
    say(f"{path}: written")
    return code


def _texts(arguments: argparse.Namespace) -> list[str | None]:
    """Whatever may be the name of a file that is read."""
    given = [value for name, value in vars(arguments).items() if name != "result_file"]
    several = [text for value in given if isinstance(value, list) for text in value]
    return [text for text in (*given, *several) if isinstance(text, str)]
