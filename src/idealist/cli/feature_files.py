"""Where commands of learning get features from."""

from __future__ import annotations

from idealist.cli.sources import add_text, expanded
from idealist.cli.table_columns import stated_columns
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from idealist.data.features import Features

FEATURES = "features: LETOR or SVMlight text, CSV, TSV, JSONL, Parquet, FILE::TABLE …, compressed or not"


def add_feature_sources(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("features (the format is detected from the content)")
    group.add_argument(
        "--features",
        metavar="NAME,…",
        help="names of the features to use (default: all numeric columns; in LETOR all numbers)",
    )
    group.add_argument(
        "--fill",
        metavar="NUMBER|keep",
        help="number in place of NULL, nan and empty cells (default: they are an error); keep leaves them as they are, for trees",
    )
    group.add_argument(
        "--columns",
        metavar="OURS=THEIRS,…",
        help="names of your columns for query, document and grade, such as query=uid",
    )
    group.add_argument(
        "--input-format", metavar="FORMAT", help="letor, csv, … (default: detected from the content)"
    )
    group.add_argument(
        "--query-sizes",
        metavar="FILE",
        help="how many rows each query has, for LETOR rows without qid: (default: FILE.query beside them)",
    )
    add_text(group)


def read_feature_files(
    paths: Sequence[str],
    arguments: argparse.Namespace,
    *,
    names: Sequence[str] | None = None,
    fill: float | str | None = None,
) -> list[Features]:
    """The features of each file. `names` are those that a model takes, or settings say; what is stated goes before it."""
    from idealist.data.feature_reading import read_features

    stated = None if arguments.features is None else [name.strip() for name in arguments.features.split(",")]
    how: dict[str, Any] = {
        "features": names if stated is None else stated,
        "fill": fill_of(arguments) if arguments.fill is not None else fill,
        "columns": stated_columns(arguments.columns),
        "format": arguments.input_format,
        "query_sizes": arguments.query_sizes,
        "encoding": arguments.encoding,
        "decimal": arguments.decimal,
    }
    files = expanded(list(paths))
    if arguments.query_sizes is not None and len(files) > 1:
        raise InputError(
            "--query-sizes is for one file, and several are named",
            hint="call theirs FILE.query, each beside its file",
        )
    tables = []
    for path in files:
        try:
            tables.append(read_features(path, **how))
        except InputError:
            _refuse_model(path)
            raise
    return tables


def _refuse_model(path: str) -> None:
    """An InputError if what was to be features is a model."""
    import os

    from idealist.learn.models.model_storage import format_of_file

    form = format_of_file(path) if os.path.isfile(path) else None
    if form is not None:
        raise InputError(
            f"this is {form.label}, not features",
            source=path,
            hint="`idealist model show` shows it; features are LETOR, CSV, Parquet …",
        )


def fill_of(arguments: argparse.Namespace) -> float | str | None:
    """What --fill says."""
    text: str | None = arguments.fill
    if text is None or text == "keep":
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"--fill {text!r} is neither a number nor keep", hint="for example --fill 0"
        ) from None
