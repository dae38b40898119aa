"""idealist trec-eval: trec_eval's own command, options and output."""

from __future__ import annotations

import sys

from idealist.errors import IdealistError
from idealist.integrations.trec_eval.command import run as run_command

SUMMARY = "trec_eval, byte for byte: trec-eval [9|10] and its own options"


def run(arguments: list[str]) -> int:
    if sys.stdout is None:
        raise IdealistError("standard output is closed")
    return run_command(arguments)
