"""Runs and judgments in, one value per system, measure and query out."""

from __future__ import annotations

from idealist.evaluation.measuring import evaluate, named_runs
from idealist.evaluation.result import Evaluation, Value, count_queries, effective_size
from idealist.evaluation.ties import TieBounds, remark_ties

__all__ = [
    "Evaluation",
    "TieBounds",
    "Value",
    "count_queries",
    "effective_size",
    "evaluate",
    "named_runs",
    "remark_ties",
]
