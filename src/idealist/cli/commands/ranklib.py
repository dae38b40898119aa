"""idealist ranklib: RankLib's own options, with our trainers."""

from __future__ import annotations

import sys

from idealist.errors import IdealistError

SUMMARY = "RankLib's command: the same options and files"


def run(arguments: list[str]) -> int:
    if sys.stdout is None:
        raise IdealistError("standard output is closed")
    from idealist.cli.progress import Progress
    from idealist.learn.libraries import missing_library

    try:
        from idealist.drop_ins.ranklib.ranklib_command import run as run_command

        return run_command(arguments, Progress("training"))
    except ModuleNotFoundError as error:
        raise missing_library("idealist ranklib", error) from None
