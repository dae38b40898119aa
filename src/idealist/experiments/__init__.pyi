"""The public names of this package."""

from idealist.experiments.analysis import ab as ab
from idealist.experiments.result import ABTest as ABTest
from idealist.experiments.result import GroupDifference as GroupDifference
from idealist.experiments.result import SampleRatio as SampleRatio

__all__: list[str]
