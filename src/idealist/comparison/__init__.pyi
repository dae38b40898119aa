"""The public names of this package."""

from idealist.comparison.comparing import compare as compare
from idealist.comparison.comparing import compare_evaluations as compare_evaluations
from idealist.comparison.contrast import Contrast as Contrast
from idealist.comparison.pareto import best_system as best_system
from idealist.comparison.pareto import hypervolume as hypervolume
from idealist.comparison.pareto import pareto_front as pareto_front
from idealist.comparison.result import Comparison as Comparison
from idealist.comparison.risk import Risk as Risk
from idealist.comparison.risk import Risks as Risks
from idealist.comparison.segmentation import Segment as Segment
from idealist.comparison.segmentation import segments as segments
from idealist.comparison.segmentation import worst_segment as worst_segment

__all__: list[str]
