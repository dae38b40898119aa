"""idealist cross-validate: models compared on queries that they did not see."""

from __future__ import annotations

import os

from idealist.cli.feature_files import FEATURES, add_feature_sources, read_feature_files
from idealist.cli.feature_weights import weights_of
from idealist.cli.files import refuse_existing, refuse_inputs, refuse_unwritable
from idealist.cli.inputs import add_weights
from idealist.cli.messages import say
from idealist.cli.options import add_conventions, add_format, add_output, measures_of, write_view
from idealist.cli.progress import Progress
from idealist.cli.recipes import DEFAULT_MODEL, add_training, conventions_in, recipe_of, stated_parameters
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data.features import Features
    from idealist.data.query_weights import QueryWeights
    from idealist.learn.model_training import CrossValidated

SUMMARY = "compare models by cross-validation over queries"
EPILOG = """examples:
  idealist cross-validate rows.txt --folds 5 --model linear --model ascent -m nDCG@10
  idealist cross-validate S1.txt S2.txt S3.txt S4.txt S5.txt --model linear -m nDCG@10 --report nDCG@1
  idealist cross-validate rows.parquet --model old.toml --model new.toml -o 'runs/{model}.run'

Of several files each is a part. Fold i is tested on part i, chosen on part i−1 and trained on the others, so that every
query is ranked once, by a model that was neither trained nor chosen on it. Models are compared as `idealist compare` does."""
MODEL = "{model}"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rows", metavar="FEATURES", nargs="+", help=f"{FEATURES}; of several, each is a part")
    parser.add_argument(
        "--folds",
        type=int,
        metavar="K",
        help="cut the queries into K parts at random (default: 5, or the files as they are)",
    )
    parser.add_argument(
        "--report",
        action="append",
        default=[],
        metavar="MEASURE",
        help="a further measure to report; may be repeated",
    )
    add_output(parser, f"write the run of each model; {MODEL} in the name stands for the model")
    add_format(parser)
    add_training(parser, several=True)
    add_feature_sources(parser)
    add_weights(parser)
    add_conventions(parser)


def run(arguments: argparse.Namespace) -> int:
    from idealist.learn.model_training import cross_validate
    from idealist.learn.trainers.trainer import Trainer

    recipes = _recipes(arguments)
    for name, several, option in (
        ("measure", "measures", "-m"),
        ("conventions", "conventions", "--conventions"),
    ):
        stated = {str(recipe[name]) for recipe in recipes.values()}
        if len(stated) > 1:
            raise InputError(
                f"the settings of the models state different {several}: {', '.join(sorted(stated))}",
                hint=f"state one for all with {option}",
            )
    first = next(iter(recipes.values()))
    measure, conventions = first["measure"], conventions_in(first)
    outputs = _outputs(arguments, list(recipes))
    parts = _parts(arguments, first)
    weights = weights_of(arguments)
    bar = Progress("cross-validating")
    try:
        result = cross_validate(
            {
                name: {
                    "trainer": Trainer.parse(recipe["model"], **recipe["parameters"]),
                    "seed": recipe["seed"],
                    "bag": recipe["bag"],
                }
                for name, recipe in recipes.items()
            },
            parts,
            measure=measure,
            conventions=conventions,
            progress=bar,
            weights=weights,
        )
    finally:
        bar.wipe()
    for line in _iteration_lines(result):
        say(line)
    for name, path in outputs.items():
        from idealist.data.writing import write_run

        write_run(result.runs[name], path, format="trec", force=arguments.force)
        say(f"{name} → {path}")
    _report(result, [measure, *arguments.report], conventions, arguments, weights)
    return 0


def _iteration_lines(result: CrossValidated) -> Iterator[str]:
    """Of each recipe, the round that the model of each fold is of."""
    from idealist.learn.models.base_model import iterations_text

    for name, models in result.models.items():
        made_in = [iterations_text(model.training) for model in models]
        folds = [f"fold {number}: {text}" for number, text in enumerate(made_in, 1) if text is not None]
        if folds:
            yield f"{name}: {'; '.join(folds)}"


def _recipes(arguments: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """What to train, by name."""
    from idealist.learn.model_training import read_settings

    recipes = {}
    for text in arguments.model or [DEFAULT_MODEL]:
        is_file = text.endswith(".toml")
        name = os.path.basename(text).removesuffix(".toml") if is_file else text
        if name in recipes:
            raise InputError(
                f"two models are called {name!r}", hint="give their settings files names of their own"
            )
        recipes[name] = recipe_of(
            arguments, read_settings(text) if is_file else {}, None if is_file else text
        )
    _apply_where_known(recipes, stated_parameters(arguments))
    return recipes


def _apply_where_known(recipes: dict[str, dict[str, Any]], stated: dict[str, Any]) -> None:
    """What --set and --loss say is for the models that have such a parameter; one of them at least must."""
    from idealist.learn.trainers.trainer import Trainer

    fields = {name: Trainer.named(recipe["model"]).fields for name, recipe in recipes.items()}
    for parameter in stated:
        if not any(parameter in known for known in fields.values()):
            raise InputError(
                f"none of the models has a parameter {parameter!r}",
                hint=f"leave it out, or name a model that has it; the models are {', '.join(recipes)}",
            )
        for name, recipe in recipes.items():
            if parameter not in fields[name]:
                del recipe["parameters"][parameter]


def _outputs(arguments: argparse.Namespace, names: Sequence[str]) -> dict[str, str]:
    if arguments.output is None:
        return {}
    if len(names) > 1 and MODEL not in arguments.output:
        raise InputError(
            f"{arguments.output}: there are {len(names)} runs to write", hint=f"put {MODEL} into the name"
        )
    outputs = {name: arguments.output.replace(MODEL, name) for name in names}
    for path in outputs.values():
        refuse_unwritable(path)
        refuse_existing(path, arguments.force)
        refuse_inputs(path, arguments.rows)
    return outputs


def _parts(arguments: argparse.Namespace, recipe: dict[str, Any]) -> list[Features]:
    from idealist.data.features import join_features
    from idealist.learn.model_training import folds_of

    parts = read_feature_files(
        arguments.rows, arguments, names=recipe.get("features"), fill=recipe.get("fill")
    )
    if len(parts) > 1 and arguments.folds is None:
        return parts
    return folds_of(
        join_features(parts), 5 if arguments.folds is None else arguments.folds, seed=recipe["seed"]
    )


def _report(
    result: CrossValidated,
    texts: Sequence[str],
    conventions: Conventions,
    arguments: argparse.Namespace,
    weights: QueryWeights | None,
) -> None:
    measures = measures_of(list(dict.fromkeys(texts)), arguments)
    if len(result.runs) == 1:
        from idealist.evaluation import evaluate
        from idealist.show.evaluation_tables import evaluation_view

        evaluation = evaluate(
            result.judgments, dict(result.runs), measures, conventions=conventions, weights=weights
        )
        write_view(evaluation_view(evaluation), arguments.format)
        return
    from idealist.comparison import compare
    from idealist.show.comparison_tables import comparison_view

    comparison = compare(
        result.judgments, dict(result.runs), measures, conventions=conventions, weights=weights
    )
    write_view(comparison_view(comparison), arguments.format)
