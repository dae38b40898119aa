"""The public names of this package."""

from idealist.engines.spark.dataframes import read_frame as read_frame
from idealist.engines.spark.spark_evaluation import SparkEvaluation as SparkEvaluation
from idealist.engines.spark.spark_evaluation import compare as compare
from idealist.engines.spark.spark_evaluation import evaluate as evaluate

__all__: list[str]
