"""The public names of this package."""

from idealist.learn import laws as laws
from idealist.learn import losses as losses
from idealist.learn import tensors as tensors
from idealist.learn.tensors.catalogue import TopItems as TopItems
from idealist.learn.tensors.catalogue import top_items as top_items
from idealist.learn.tensors.catalogue import top_matches as top_matches
from idealist.learn.tensors.evaluation import TensorEvaluation as TensorEvaluation
from idealist.learn.tensors.evaluation import evaluate_tensors as evaluate_tensors
from idealist.learn.tensors.metric import RankingMetric as RankingMetric
from idealist.learn.cross_encoders import CrossEncoderEvaluator as CrossEncoderEvaluator
from idealist.learn.cross_encoders import CrossEncoderLoss as CrossEncoderLoss
