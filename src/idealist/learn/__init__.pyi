"""The public names of this package."""

from idealist.learn import laws as laws
from idealist.learn import losses as losses
from idealist.learn import tensors as tensors
from idealist.learn.cross_encoders import CrossEncoderEvaluator as CrossEncoderEvaluator
from idealist.learn.cross_encoders import CrossEncoderLoss as CrossEncoderLoss
