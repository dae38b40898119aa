"""idealist doctor: what works here, and what to install for the rest."""

from __future__ import annotations

from idealist.cli.options import add_result, write_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "print versions, threads, and what is missing for each feature"
EPILOG = """examples:
  idealist doctor
  idealist doctor --format json"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_result(parser)


def run(arguments: argparse.Namespace) -> int:
    from idealist.cli.installation import inspect_installation, installation_view

    write_view(installation_view(inspect_installation()), arguments.format)
    return 0
