"""The public names of this package."""

from idealist.engines.spark.comparing import compare as compare
from idealist.engines.spark.evaluating import evaluate as evaluate
from idealist.engines.spark.reading import read_frame as read_frame
from idealist.engines.spark.result import SparkEvaluation as SparkEvaluation

__all__: list[str]
