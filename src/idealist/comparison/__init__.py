"""After measuring: intervals, segments of queries, and systems weighed against each other."""

from __future__ import annotations

from idealist.comparison.intervals import Interval, mean_interval
from idealist.comparison.pareto import best_system, hypervolume, pareto_front
from idealist.comparison.segmentation import Segment, segments, worst_segment

__all__ = [
    "Interval",
    "Segment",
    "best_system",
    "hypervolume",
    "mean_interval",
    "pareto_front",
    "segments",
    "worst_segment",
]
