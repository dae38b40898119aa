"""After measuring: differences and how sure they are, segments of queries, systems weighed against each other."""

from __future__ import annotations

from idealist.comparison.comparing import compare, compare_evaluations
from idealist.comparison.contrast import Contrast
from idealist.comparison.pareto import best_system, hypervolume, pareto_front
from idealist.comparison.result import Comparison
from idealist.comparison.segmentation import Segment, segments, worst_segment

__all__ = [
    "Comparison",
    "Contrast",
    "Segment",
    "best_system",
    "compare",
    "compare_evaluations",
    "hypervolume",
    "pareto_front",
    "segments",
    "worst_segment",
]
