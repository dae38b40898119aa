"""Files of models, as commands name them."""

from __future__ import annotations

from idealist.learn.models.model_storage import MODEL_FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a model file, in any supported format")
    parser.add_argument(
        "--model-format",
        choices=tuple(MODEL_FORMATS),
        metavar="FORMAT",
        help=f"format of MODEL: {', '.join(MODEL_FORMATS)} (default: detected from the content)",
    )
