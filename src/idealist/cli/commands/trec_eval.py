"""idealist trec-eval: trec_eval's own command, options and output."""

from __future__ import annotations

import sys

from idealist.drop_ins.trec_eval.program import run as run_command
from idealist.errors import IdealistError

SUMMARY = "trec_eval, byte for byte: trec-eval [9|10] and its own options"


def run(arguments: list[str]) -> int:
    if sys.stdout is None:
        raise IdealistError("standard output is closed")
    return run_command(arguments)
