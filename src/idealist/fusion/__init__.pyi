"""The public names of this package."""

from idealist.fusion.fusing import NORMALISATIONS as NORMALISATIONS
from idealist.fusion.fusing import fuse as fuse
from idealist.fusion.methods import Method as Method
from idealist.fusion.tuning import TunedFusion as TunedFusion
from idealist.fusion.tuning import tune_fusion as tune_fusion

__all__: list[str]
