"""The public names of this package."""

from idealist.comparison.ab_tests import ABTest as ABTest
from idealist.comparison.ab_tests import GroupDifference as GroupDifference
from idealist.comparison.ab_tests import SampleRatio as SampleRatio
from idealist.comparison.ab_tests import ab as ab
from idealist.comparison.comparing import compare as compare
from idealist.comparison.comparing import compare_evaluations as compare_evaluations
from idealist.comparison.comparison import Comparison as Comparison
from idealist.comparison.comparison import Risk as Risk
from idealist.comparison.comparison import Risks as Risks
from idealist.comparison.contrast import Contrast as Contrast
from idealist.comparison.pareto import best_system as best_system
from idealist.comparison.pareto import hypervolume as hypervolume
from idealist.comparison.pareto import pareto_front as pareto_front
from idealist.comparison.segmentation import Segment as Segment
from idealist.comparison.segmentation import segments as segments
from idealist.comparison.segmentation import worst_segment as worst_segment
from idealist.comparison.verdict import Guard as Guard
from idealist.comparison.verdict import Margin as Margin
from idealist.comparison.verdict import Verdict as Verdict
from idealist.comparison.verdict import decide as decide
from idealist.comparison.verdict import read_margin as read_margin

__all__: list[str]
