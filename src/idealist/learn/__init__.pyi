"""The public names of this package."""

from idealist.learn import tensors as tensors
