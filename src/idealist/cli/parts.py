"""Commands of several parts, such as `idealist plan next`: their options, help and examples."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    # What a part is about, what adds its options, and what runs it.
    Part = tuple[str, Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], int]]


def add_parts(
    parser: argparse.ArgumentParser, command: str, parts: Mapping[str, Part], examples: str
) -> None:
    """Adds the parts of a command; each shows those of the command's examples that are its own."""
    subparsers = parser.add_subparsers(dest="part", metavar="WHAT", required=True)
    for name, (about, configure, _) in parts.items():
        part = subparsers.add_parser(
            name, help=about, description=about, formatter_class=parser.formatter_class, allow_abbrev=False
        )
        configure(part)
        own = [line for line in examples.splitlines() if line.startswith(f"  idealist {command} {name} ")]
        part.epilog = "\n".join([*([part.epilog, ""] if part.epilog else []), "examples:", *own])


def run_part(arguments: argparse.Namespace, parts: Mapping[str, Part]) -> int:
    *_, run = parts[arguments.part]
    return run(arguments)
