"""What commands train with: options, settings files, and what they come to together."""

from __future__ import annotations

from idealist.cli.options import MEASURE, add_measure_defaults, add_seed, conventions_of, measures_of
from idealist.conventions import CHOICES, DEFAULT, parse_conventions
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.learn.trainers.trainer import Trainer
    from idealist.measures import Measure

DEFAULT_MODEL = "linear"


def add_training(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    from idealist.learn.trainers.trainer import Trainer

    group = parser.add_argument_group("training")
    if several:
        group.add_argument(
            "--model",
            action="append",
            metavar="NAME|FILE.toml",
            help=f"{', '.join(Trainer.names())}, or a settings file; may be repeated, the first is the baseline (default: {DEFAULT_MODEL})",
        )
    else:
        group.add_argument(
            "--model", metavar="NAME", help=f"{', '.join(Trainer.names())} (default: {DEFAULT_MODEL})"
        )
        group.add_argument("--settings", metavar="FILE.toml", help="a file of settings; options override it")
    group.add_argument(
        "--loss",
        metavar="LOSS",
        help="the loss of linear, mlp and attention: lambda-rank, pirank, 'soft(temperature=0.3)' … (default: soft, made from the measure)",
    )
    group.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the model; may be repeated",
    )
    group.add_argument(
        "-m",
        "--measure",
        metavar="MEASURE",
        help=f"the measure by which the model is selected (default: {MEASURE})",
    )
    group.add_argument(
        "--bag", type=int, metavar="N", help="fit N models from different seeds, and average their scores"
    )
    add_seed(group)
    group.set_defaults(seed=None)
    add_measure_defaults(parser)


def recipe_of(arguments: argparse.Namespace, settings: dict[str, Any], model: str | None) -> dict[str, Any]:
    """Settings, with what the options state in their place: model, measure, seed, bag and parameters."""
    chosen = model or settings.get("model") or DEFAULT_MODEL
    parameters = dict(settings.get("parameters", {}))
    parameters |= stated_parameters(arguments)
    recipe = {**settings, "model": chosen, "parameters": parameters}
    for name, default in (("seed", 0), ("bag", 1)):
        stated = getattr(arguments, name)
        recipe[name] = settings.get(name, default) if stated is None else stated
    recipe["measure"] = str(measure_of(arguments, settings))
    recipe["conventions"] = conventions_text(arguments, settings)
    return recipe


def conventions_text(arguments: argparse.Namespace, settings: dict[str, Any]) -> str | None:
    """The choices in force that are not the default, as text that can be read again; None where there are none. What
    options state goes before the settings."""
    stated = conventions_of(arguments)
    base = parse_conventions(settings["conventions"]) if "conventions" in settings else DEFAULT
    chosen = {
        field: getattr(stated if getattr(stated, field) != getattr(DEFAULT, field) else base, field)
        for field in CHOICES
    }
    changed = [f"{field}={choice}" for field, choice in chosen.items() if choice != getattr(DEFAULT, field)]
    return ",".join(changed) or None


def conventions_in(recipe: dict[str, Any]) -> Conventions:
    """The conventions that a recipe says."""
    return parse_conventions(recipe["conventions"]) if recipe.get("conventions") else DEFAULT


def stated_parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """What --set and --loss say."""
    parameters: dict[str, Any] = {}
    for text in arguments.set:
        name, equals, value = (piece.strip() for piece in text.partition("="))
        name = name.replace("-", "_")
        if not (name and equals):
            raise InputError(f"--set {text!r} is not NAME=VALUE", hint="for example --set epochs=50")
        if name in parameters:
            raise InputError(f"--set gives {name} twice", hint="give it once")
        parameters[name] = value
    if arguments.loss is not None:
        if "loss" in parameters:
            raise InputError("the loss is given by --loss and by --set", hint="leave one out")
        parameters["loss"] = arguments.loss
    return parameters


def trainer_of(recipe: dict[str, Any], settings: str | None) -> Trainer:
    """The trainer of a recipe. What is wrong with a parameter that only the settings file says is said of that file."""
    from idealist.learn.trainers.trainer import Trainer

    try:
        return Trainer.parse(recipe["model"], **recipe["parameters"])
    except InputError as error:
        if settings is None or error.source is not None:
            raise
        raise InputError(
            f"[parameters] or options: {error.message}", source=settings, hint=error.hint
        ) from None


def measure_of(arguments: argparse.Namespace, settings: dict[str, Any]) -> Measure:
    (measure,) = measures_of([arguments.measure or settings.get("measure") or MEASURE], arguments)
    return measure
