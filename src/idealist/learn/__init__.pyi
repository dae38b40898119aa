"""The public names of this package."""

from idealist.learn import laws as laws
from idealist.learn import losses as losses
from idealist.learn import tensors as tensors
