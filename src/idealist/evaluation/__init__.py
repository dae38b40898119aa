"""Runs and judgments in, one value per system, measure and query out."""

from __future__ import annotations

from importlib import import_module

from idealist.data.weights import effective_size
from idealist.evaluation.measuring import evaluate, named_runs
from idealist.evaluation.result import Evaluation, Value
from idealist.evaluation.ties import TieBounds, remark_ties

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.evaluation.joining import join_evaluations
    from idealist.evaluation.saving import read_evaluation

__all__ = [
    "Evaluation",
    "TieBounds",
    "Value",
    "effective_size",
    "evaluate",
    "join_evaluations",
    "named_runs",
    "read_evaluation",
    "remark_ties",
]

# Imported when they are asked for.
LATER = {"join_evaluations": "joining", "read_evaluation": "saving"}


def __getattr__(name: str) -> object:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{LATER[name]}"), name)
