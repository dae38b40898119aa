"""After measuring: differences and how sure they are, segments of queries, systems weighed against each other."""

from __future__ import annotations

from idealist.comparison.comparing import compare, compare_evaluations
from idealist.comparison.contrast import Contrast
from idealist.comparison.corrections import benjamini_hochberg, holm
from idealist.comparison.intervals import Interval, mean_interval
from idealist.comparison.pareto import best_system, hypervolume, pareto_front
from idealist.comparison.raters import Agreement, rater_agreement
from idealist.comparison.result import Comparison
from idealist.comparison.segmentation import Segment, segments, worst_segment
from idealist.comparison.several import Pair
from idealist.comparison.significance import Posterior
from idealist.comparison.vote_result import GSB
from idealist.comparison.voting import gsb, gsb_from

__all__ = [
    "GSB",
    "Agreement",
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
    "gsb",
    "gsb_from",
    "holm",
    "hypervolume",
    "mean_interval",
    "pareto_front",
    "rater_agreement",
    "segments",
    "worst_segment",
]
