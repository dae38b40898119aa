"""idealist train: features in, a model out."""

from __future__ import annotations

import json
import sys

from idealist.base.wording import and_more, count_of
from idealist.cli.feature_files import FEATURES, add_feature_sources, fill_of, read_feature_files
from idealist.cli.feature_weights import weights_of
from idealist.cli.files import refuse_existing, refuse_inputs, refuse_unwritable, write_file
from idealist.cli.inputs import add_weights
from idealist.cli.messages import say, say_note
from idealist.cli.options import add_conventions, add_format, add_output
from idealist.cli.progress import Progress
from idealist.cli.recipes import add_training, conventions_in, recipe_of, trainer_of
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from idealist.data.features import Features
    from idealist.learn.models.base_model import Model

SUMMARY = "train a ranking model on features, for the measure that is reported"
EPILOG = """examples:
  idealist train train.txt --validate vali.txt -m nDCG@10 -o model.json
  idealist train train.txt --validate vali.txt --model ascent --set restarts=10 -m AP -o model.json
  idealist train train.parquet --model mlp --set hidden=64,32 --loss lambda-rank --bag 5 -o model.safetensors
  idealist train train.txt --validate vali.txt --weights queries.csv --weight-by traffic -o model.json
  idealist train train.txt --settings old.json.toml --set epochs=400 -o new.json

The settings that were in force are written beside the model, as MODEL.toml: --settings reads them. The same command
twice gives the same model."""
SETTINGS = ".toml"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "train", metavar="FEATURES", nargs="+", help=f"{FEATURES}; several files are one table"
    )
    add_output(parser, "the file to write the model to", required=True)
    parser.add_argument(
        "--validate",
        metavar="FEATURES",
        action="append",
        default=[],
        help="features on which the model is selected (default: those it is trained on)",
    )
    parser.add_argument(
        "--to",
        metavar="FORMAT",
        help="json, safetensors, onnx, ranklib, solr, elasticsearch (default: by the ending of the file)",
    )
    parser.add_argument(
        "--checkpoint", metavar="FILE", help="save every epoch to this file, and resume from it if it exists"
    )
    add_format(
        parser, ("text", "json"), about="what was trained: text on standard error, or json on standard output"
    )
    add_training(parser)
    add_feature_sources(parser)
    add_weights(parser)
    add_conventions(parser)


def run(arguments: argparse.Namespace) -> int:
    from idealist.data.features import join_features
    from idealist.learn.model_training import check_export, read_settings, settings_text, train
    from idealist.learn.models.base_model import iterations_text
    from idealist.learn.models.model_storage import save_model

    settings_file = arguments.output + SETTINGS
    refuse_unwritable(arguments.output)
    for path in (arguments.output, settings_file):
        refuse_existing(path, arguments.force)
        refuse_inputs(path, [*arguments.train, *arguments.validate, arguments.settings, arguments.checkpoint])
    settings = {} if arguments.settings is None else read_settings(arguments.settings)
    recipe = recipe_of(arguments, settings, arguments.model)
    conventions = conventions_in(recipe)
    trainer = trainer_of(recipe, arguments.settings)
    fill = fill_of(arguments) if arguments.fill is not None else settings.get("fill")
    rows = join_features(
        read_feature_files(arguments.train, arguments, names=settings.get("features"), fill=fill)
    )
    judged = None
    if arguments.validate:
        parts = read_feature_files(arguments.validate, arguments, names=rows.names, fill=fill)
        judged = join_features(parts)
        _refuse_shared(rows, judged, arguments)
    weights = weights_of(arguments)
    if weights is not None:
        rows = rows.weighted(weights)
        judged = None if judged is None else judged.weighted(weights)
    _note_constant(rows)
    written_as = check_export(
        trainer,
        rows,
        arguments.output,
        measure=recipe["measure"],
        conventions=conventions,
        format=arguments.to,
        bag=recipe["bag"],
    )
    bar = Progress(f"training {trainer.name}")
    try:
        model = train(
            trainer,
            rows,
            judged,
            measure=recipe["measure"],
            conventions=conventions,
            seed=recipe["seed"],
            bag=recipe["bag"],
            progress=bar,
            checkpoint=arguments.checkpoint,
        )
    finally:
        bar.wipe()
    resolved = {
        **recipe,
        "model": trainer.name,
        "parameters": trainer.parameters(),
        "features": list(rows.names),
        "fill": fill,
    }
    save_model(model, arguments.output, format=arguments.to, force=arguments.force)
    value, made_in = model.training.get("value"), iterations_text(model.training)
    where = "training" if judged is None else "validation"
    about = {
        "trained on": ", ".join(arguments.train),
        "chosen on": ", ".join(arguments.validate) or "the same",
        f"{recipe['measure']} there": value,
        **({} if made_in is None else {"iterations": made_in}),
    }
    write_file(settings_file, settings_text(resolved, about), force=arguments.force)
    for note in model.training.get("notes", ()):
        say_note(note)
    for line in _member_lines(model, recipe["measure"]):
        say(line)
    if arguments.format == "json":
        _write_json(model, {"model": arguments.output, "format": written_as.name, "settings": settings_file})
        return 0
    iterations = "" if made_in is None else f", {made_in}"
    measured = "" if value is None else f", {recipe['measure']} {value:.4f} on the {where} queries"
    say(
        f"{arguments.output}: {trainer.name}, {count_of(len(rows.names), 'feature')}{iterations}{measured}; "
        f"written as {written_as.name}, settings in {settings_file}"
    )
    return 0


def _member_lines(model: Model, measure: str) -> Iterator[str]:
    """Of a bag, the round that each of its models is of, and its value."""
    from idealist.learn.models.base_model import Bag, iterations_text

    if not isinstance(model, Bag):
        return
    for number, member in enumerate(model.models, 1):
        made_in = iterations_text(member.training)
        if made_in is not None:
            yield f"model {number} of {len(model.models)}: {made_in}, {measure} {member.training['value']:.4f}"


def _write_json(model: Model, files: dict[str, Any]) -> None:
    from idealist.learn.models.base_model import Bag, training_record

    whole = {**files, "features": list(model.names), "training": training_record(model.training)}
    if isinstance(model, Bag):
        whole["models"] = [training_record(member.training) for member in model.models]
    sys.stdout.write(json.dumps(whole, ensure_ascii=False, allow_nan=False) + "\n")


def _refuse_shared(rows: Features, judged: Features, arguments: argparse.Namespace) -> None:
    """An InputError where a query is both trained and validated on. Queries without ids are known by their file alone."""
    without_ids = rows.numbered or judged.numbered
    paths = [path for path in arguments.validate if path in arguments.train]
    if without_ids and paths:
        raise InputError(
            "the file is both trained on and validated on",
            source=paths[0],
            hint="validate on other queries, or leave --validate out",
        )
    shared = set(rows.queries) & set(judged.queries)
    if shared and not without_ids:
        raise InputError(
            f"query {sorted(shared)[0]!r} is both trained on and validated on{and_more(len(shared))}",
            hint="validate on other queries, or leave --validate out",
        )


def _note_constant(rows: Features) -> None:
    constant = [
        name
        for name, same in zip(rows.names, (rows.matrix == rows.matrix[0]).all(axis=0), strict=True)
        if same
    ]
    if constant:
        shown = ", ".join(constant[:8]) + (", …" if len(constant) > 8 else "")
        what = "1 feature is" if len(constant) == 1 else f"{len(constant):,} features are"
        say_note(f"{what} constant in the training data, and of no use: {shown}")
