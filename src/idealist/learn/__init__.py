"""Learning to rank: the measures on tensors, losses, laws of losses, rankers and trainers."""

from __future__ import annotations

from idealist.errors import MissingDependency
from idealist.front import public_names

__all__, _public_name, __dir__ = public_names(__name__)

# What the names here may want beside NumPy and SciPy, and what to install for it.
LIBRARIES = {
    "torch": "idealist[learn]",
    "lightgbm": "idealist[learn]",
    "safetensors": "idealist[learn]",
    "sklearn": "idealist[learn]",
    "xgboost": "xgboost",
    "catboost": "catboost",
    "onnx": "onnx onnxscript",
    "sentence_transformers": "sentence-transformers",
}


def __getattr__(name: str) -> object:
    try:
        return _public_name(name)
    except ModuleNotFoundError as error:
        if error.name in LIBRARIES:
            raise MissingDependency(
                f"idealist.learn.{name} needs {error.name}, which is not installed",
                hint=f"pip install '{LIBRARIES[error.name]}'",
            ) from None
        raise
