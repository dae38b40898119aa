"""Models to files and back: the list of formats, and which one a file is in or is written in."""

from __future__ import annotations

import os
from importlib import import_module

from idealist.base.named import one_of
from idealist.data.formats.letor import is_features
from idealist.data.targets import Target
from idealist.errors import InputError
from idealist.learn.libraries import missing_library
from idealist.learn.models.formats.model_format import HEAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.learn.models.base_model import Model
    from idealist.learn.models.formats.model_format import ModelFormat

    Path = str | os.PathLike[str]


# The module of each format, which has it under the format's name in capitals. In the order in which they are asked whether
# a file is theirs, and whether they take a model.
MODEL_FORMATS = {
    "json": "own_formats",
    "safetensors": "own_formats",
    "onnx": "onnx_files",
    "lightgbm": "lightgbm_files",
    "xgboost": "xgboost_files",
    "catboost": "catboost_files",
    "ranklib": "ranklib_files",
    "elasticsearch": "elasticsearch_files",
    "solr": "solr_files",
}


def formats() -> Iterator[ModelFormat]:
    """All formats, each imported when it is asked for."""
    for name in MODEL_FORMATS:
        yield _imported(name)


def format_named(name: str) -> ModelFormat:
    """A format by its name.

    >>> format_named("json").endings
    ('.json',)
    """
    if name not in MODEL_FORMATS:
        raise InputError(f"there is no model format {name!r}", hint=one_of(name, MODEL_FORMATS))
    return _imported(name)


def _imported(name: str) -> ModelFormat:
    module = import_module(f"idealist.learn.models.formats.{MODEL_FORMATS[name]}")
    format: ModelFormat = getattr(module, name.upper())
    return format


def load_model(path: Path, *, format: str | None = None) -> Model:
    """The model in a file. The format is detected from the content unless `format` names it. Nothing is unpickled."""
    file = os.fspath(path)
    head = _head(file)
    chosen = format_named(format) if format is not None else _recognised(head)
    if chosen is None:
        if any(is_features(line) for line in head.splitlines()[:5]):
            raise InputError(
                "these are features, not a model",
                source=file,
                hint="name the model first, then the features",
            )
        raise InputError(
            "the file is empty" if not head else "this is not a model file of a known format",
            source=file,
            hint=f"formats: {', '.join(known.label for known in formats())}",
        )
    try:
        return chosen.read(file)
    except ModuleNotFoundError as error:
        raise missing_library(f"reading {chosen.label}", error) from None


def save_model(
    model: Model, path: Path, *, format: str | None = None, force: bool = False, **options: Any
) -> None:
    """Writes a model: whole or not at all, and over another file only by `force`.

    The format is the one that `format` names, or else that of the file's ending; without an ending, the first that takes
    such a model. `options` are those of the format.
    """
    file = os.fspath(path)
    chosen = format_for(model, file, format, **options)
    with Target(file, force=force) as unfinished:
        try:
            chosen.write(model, unfinished, **options)
        except ModuleNotFoundError as error:
            raise missing_library(f"writing {chosen.label}", error) from None


def format_for(model: Model, path: Path, format: str | None = None, **options: Any) -> ModelFormat:
    """The format that `save_model` would write a model in; an InputError if it cannot hold it, or lacks such an option."""
    file = os.fspath(path)
    chosen = format_named(format) if format is not None else _by_ending(model, file)
    if not chosen.takes(model):
        able = [known.name for known in formats() if known.takes(model)]
        raise InputError(
            f"{file}: a {model.kind} model cannot be written as {chosen.label}",
            hint=f"formats that take it: {', '.join(able)}" if able else "",
        )
    for option in options:
        if option not in chosen.options:
            has = ", ".join(chosen.options)
            raise InputError(
                f"{chosen.label} has no option {option!r}", hint=f"it has {has}" if has else "leave it out"
            )
    return chosen


def format_of_file(path: Path) -> ModelFormat | None:
    """The format that a file is in, by its content; None where none recognises it."""
    return _recognised(_head(os.fspath(path)))


def _head(file: str) -> bytes:
    try:
        with open(file, "rb") as opened:
            return opened.read(HEAD)
    except (OSError, ValueError) as error:
        reason = (
            "there is no such file" if isinstance(error, FileNotFoundError) else f"cannot be read: {error}"
        )
        raise InputError(reason, source=file, hint="check the path") from None


def _recognised(head: bytes) -> ModelFormat | None:
    return next((known for known in formats() if known.recognises(head)), None) if head else None


def _by_ending(model: Model, file: str) -> ModelFormat:
    """The format of the longest ending that the file has; without an ending, the first that takes such a model."""
    name = os.path.basename(file).lower()
    if "." not in name.lstrip("."):
        able = next((known for known in formats() if known.takes(model)), None)
        if able is None:
            raise InputError(
                f"{file}: no format takes a {model.kind} model", hint=f"formats: {', '.join(MODEL_FORMATS)}"
            )
        return able
    endings = {ending: known for known in formats() for ending in known.endings}
    mine = max((ending for ending in endings if name.endswith(ending)), key=len, default=None)
    if mine is None:
        raise InputError(
            f"{file}: the ending {os.path.splitext(name)[1]!r} names no format of models",
            hint=f"endings: {', '.join(endings)}; or name the format: --to ranklib (format='ranklib' in Python)",
        )
    return endings[mine]
