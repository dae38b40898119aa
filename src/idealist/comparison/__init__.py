"""After measuring: differences and how sure they are, segments of queries, systems weighed against each other."""

from __future__ import annotations

from idealist.comparison.compare import compare, compare_evaluations
from idealist.comparison.contrast import Contrast
from idealist.comparison.corrections import benjamini_hochberg, holm
from idealist.comparison.intervals import Interval, mean_interval
from idealist.comparison.pareto import best_system, hypervolume, pareto_front
from idealist.comparison.result import Comparison
from idealist.comparison.segmentation import Segment, segments, worst_segment
from idealist.comparison.several import Pair
from idealist.comparison.significance import Posterior

__all__ = [
    "Comparison",
    "Contrast",
    "Interval",
    "Pair",
    "Posterior",
    "Segment",
    "benjamini_hochberg",
    "best_system",
    "compare",
    "compare_evaluations",
    "holm",
    "hypervolume",
    "mean_interval",
    "pareto_front",
    "segments",
    "worst_segment",
]
