"""Files of models, as commands name them."""

from __future__ import annotations

from idealist.learn.models.formats.registry import MODULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a model file, in any supported format")
    parser.add_argument(
        "--model-format",
        choices=tuple(MODULES),
        metavar="FORMAT",
        help=f"format of MODEL: {', '.join(MODULES)} (default: detected from the content)",
    )
