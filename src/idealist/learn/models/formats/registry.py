"""The list of model file formats."""

from __future__ import annotations

from importlib import import_module

from idealist.base.named import one_of
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.learn.models.formats.base import ModelFormat

# The modules, in the order in which they are asked whether a file is theirs, and whether they take a model.
MODULES: tuple[str, ...] = (
    "json",
    "safetensors",
    "onnx",
    "lightgbm",
    "xgboost",
    "catboost",
    "ranklib",
    "elasticsearch",
    "solr",
)


def formats() -> Iterator[ModelFormat]:
    """All formats, each imported when it is asked for."""
    for module in MODULES:
        yield _imported(module)


def format_named(name: str) -> ModelFormat:
    """A format by its name, which is that of its module.

    >>> format_named("json").endings
    ('.json',)
    """
    if name not in MODULES:
        raise InputError(f"there is no model format {name!r}", hint=one_of(name, MODULES))
    return _imported(name)


def _imported(module: str) -> ModelFormat:
    format: ModelFormat = import_module(f"idealist.learn.models.formats.{module}").FORMAT
    return format
