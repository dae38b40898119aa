"""idealist init: a project file, by looking at the files that are there."""

from __future__ import annotations

from idealist.cli.files import refuse_existing, write_file
from idealist.cli.options import write_lines
from idealist.errors import InputError
from idealist.projects.settings import PROJECT_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = f"write a project file, {PROJECT_FILE}, by looking at the files of this folder"
EPILOG = """examples:
  idealist init
  idealist evaluate   # the runs, judgments and measures of the project

Judgments, runs and votes are recognised by their content, here and in the folders directly within. Nothing is asked, and no file
is changed."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help=f"replace {PROJECT_FILE} if it exists already")


def run(arguments: argparse.Namespace) -> int:
    from idealist.projects.finding import find_files, project_text

    refuse_existing(PROJECT_FILE, arguments.force)
    found = find_files()
    if not found:
        raise InputError(
            "there are no judgments, runs or votes in this folder",
            hint="tables need columns such as query, document and grade, score or vote; `idealist check FILE` says what a file is",
        )
    write_file(PROJECT_FILE, project_text(found), force=arguments.force)
    write_lines(f"{PROJECT_FILE}: written", *_lines(found.judgments, found.runs, found.votes))
    return 0


def _lines(judgments: tuple[str, ...], runs: tuple[str, ...], votes: tuple[str, ...]) -> list[str]:
    """What was found, and what was found besides."""
    lines = []
    for name, paths in (("judgments", judgments), ("votes", votes)):
        if paths:
            besides = f" (found besides: {', '.join(paths[1:])})" if paths[1:] else ""
            lines.append(f"  {name:<9}  {paths[0]}{besides}")
    if runs:
        lines.insert(min(len(lines), 1 if judgments else 0), f"  {'runs':<9}  {', '.join(runs)}")
    return lines
