"""What learning may want beside NumPy and SciPy, and what to install for it."""

from __future__ import annotations

from idealist.errors import MissingDependency

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


def missing_library(what: str, error: ModuleNotFoundError) -> ImportError:
    """The error to raise for one about a library: with what to install, where it is one of these."""
    if error.name not in LIBRARIES:
        return error
    return MissingDependency(
        f"{what} needs {error.name}, which is not installed",
        hint=f"pip install '{LIBRARIES[error.name]}'",
    )
