"""idealist model: what is in a model's file, and the same model in another format."""

from __future__ import annotations

import sys

from idealist.base.wording import count_of
from idealist.cli.files import refuse_existing, refuse_inputs
from idealist.cli.messages import say
from idealist.cli.model_files import add_model
from idealist.cli.options import add_format, rendered, write_lines
from idealist.cli.parts import add_parts, run_part
from idealist.errors import InputError
from idealist.learn.models.model_storage import MODEL_FORMATS
from idealist.show import FORMATS, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping
    from typing import Any

    from idealist.learn.models.base_model import Model
    from idealist.show.table import Cell

SUMMARY = "show a ranking model, or convert it for another tool or search engine"
EPILOG = """examples:
  idealist model show lambdamart.txt
  idealist model convert lightgbm.txt model.json --to solr --name movies
  idealist model convert xgboost.json model.json --to elasticsearch --name movies
  idealist model convert model.json ca.txt --to ranklib"""
OPTIONS = {
    "name": "the model's name in the search engine (default: model)",
    "store": "for Solr: the feature store",
    "type": "for Elasticsearch: model/linear, model/xgboost+json or model/ranklib (default: by the kind of model)",
    "algorithm": "for RankLib: the algorithm named in the first line (default: by the kind of model)",
}


def configure(parser: argparse.ArgumentParser) -> None:
    add_parts(parser, "model", PARTS, EPILOG)


def run(arguments: argparse.Namespace) -> int:
    from idealist.learn.libraries import missing_library

    try:
        return run_part(arguments, PARTS)
    except ModuleNotFoundError as error:
        raise missing_library("this model", error) from None


def _configure_show(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_format(parser, tuple(FORMATS))


def _configure_convert(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("output", metavar="OUTPUT", help="the file to write")
    parser.add_argument(
        "--to",
        choices=tuple(MODEL_FORMATS),
        metavar="FORMAT",
        help=f"format of OUTPUT: {', '.join(MODEL_FORMATS)} (default: by its ending)",
    )
    parser.add_argument("--force", action="store_true", help="replace a file that exists already")
    for name, meaning in OPTIONS.items():
        parser.add_argument(f"--{name}", help=meaning)


def _convert(arguments: argparse.Namespace) -> int:
    from idealist.learn.models.model_storage import load_model, save_model

    refuse_existing(arguments.output, arguments.force)
    refuse_inputs(arguments.output, [arguments.model])
    model = load_model(arguments.model, format=arguments.model_format)
    stated = {name: getattr(arguments, name) for name in OPTIONS}
    given: dict[str, Any] = {name: value for name, value in stated.items() if value is not None}
    save_model(model, arguments.output, format=arguments.to, force=arguments.force, **given)
    about = f"{model.kind}, {count_of(len(model.names), 'feature')}"
    say(f"{arguments.model}: {about}, written to {arguments.output}")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from idealist.learn.models.base_model import Bag, iterations_text
    from idealist.learn.models.model_storage import load_model

    model = load_model(arguments.model, format=arguments.model_format)
    if arguments.format == "table":
        lines = [repr(model)[1:-1], *_training_lines(model.training)]
        for number, member in enumerate(model.models if isinstance(model, Bag) else (), 1):
            made_in = iterations_text(member.training)
            if made_in is not None:
                lines.append(f"model {number}: {made_in}, value {member.training['value']}")
        write_lines(*lines, "")
        if len(model.training.get("values", ())) > 1:
            sys.stdout.write(rendered(_epochs_table(model.training), arguments.format) + "\n")
    sys.stdout.write(rendered(_features_table(model), arguments.format))
    return 0


def _training_lines(training: Mapping[str, Any]) -> Iterator[str]:
    """What is known of how a model was made, but for the values of its epochs."""
    from idealist.learn.models.base_model import iterations_text

    for name, value in training.items():
        if name == "notes":
            yield from (f"note: {note}" for note in value)
        elif name == "iterations":
            yield f"iterations: {iterations_text(training)}"
        elif isinstance(value, dict):
            yield f"{name}: {', '.join(f'{key}={one}' for key, one in value.items())}"
        elif name != "values":
            yield f"{name}: {value}"


def _epochs_table(training: Mapping[str, Any]) -> Table:
    """The measure after the first epoch, the one whose weights the model has, and the last."""
    values = training["values"]
    used = training.get("iterations", {}).get("used", len(values))
    epochs = {"first": 1, "of the model": min(used, len(values)), "last": len(values)}
    rows: list[list[Cell]] = []
    for epoch in sorted(set(epochs.values())):
        which = ", ".join(name for name, number in epochs.items() if number == epoch)
        rows.append([epoch, which, values[epoch - 1]])
    return Table(["epoch", "which", str(training.get("measure", "value"))], rows)


def _features_table(model: Model) -> Table:
    """What the model makes of each feature: its weight, or how many nodes of trees compare it."""
    import numpy as np

    from idealist.learn.models.trees import TreeEnsemble

    rows: list[list[Cell]]
    if isinstance(model, TreeEnsemble):
        compared = np.concatenate([np.empty(0, np.int32), *(tree.features for tree in model.trees)])
        rows = [[name, int((compared == place).sum())] for place, name in enumerate(model.names)]
        return Table(["feature", "splits"], rows)
    if hasattr(model, "weights"):
        weights = list(zip(model.names, model.weights, strict=True))
        rows = [[name, f"{weight:.6g}"] for name, weight in weights]
        return Table(["feature", "weight"], rows)
    if not model.names:
        raise InputError("the model has no features")
    return Table(["feature"], [[name] for name in model.names])


PARTS = {
    "show": ("what kind of model it is, and what it makes of each feature", _configure_show, _show),
    "convert": ("the same model as another file", _configure_convert, _convert),
}
