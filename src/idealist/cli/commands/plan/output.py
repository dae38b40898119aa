"""Where the samples and pools of `idealist plan` are written."""

from __future__ import annotations

from idealist.cli import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def add_drawn(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """The seed of what is drawn, the file that it is written to, and in which format."""
    options.add_seed(parser)
    options.add_output(parser)
    options.add_format(parser, formats)
