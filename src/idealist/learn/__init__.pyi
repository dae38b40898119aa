"""The public names of this package."""

from idealist.learn import tensors as tensors
from idealist.learn.tensors.evaluation import TensorEvaluation as TensorEvaluation
from idealist.learn.tensors.evaluation import evaluate_tensors as evaluate_tensors
from idealist.learn.tensors.metric import RankingMetric as RankingMetric
