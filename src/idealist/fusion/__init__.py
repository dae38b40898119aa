"""Runs combined into one: methods, normalisations, and parameters tuned on judgments."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.fusion.base import Method
    from idealist.fusion.fusing import fuse
    from idealist.fusion.normalization import NORMALIZATIONS
    from idealist.fusion.registry import methods, parse_method
    from idealist.fusion.tuning import TunedFusion, tune_fusion

__all__ = ["NORMALIZATIONS", "Method", "TunedFusion", "fuse", "methods", "parse_method", "tune_fusion"]

# Where each is; imported when asked for.
PLACES = {
    "NORMALIZATIONS": "normalization",
    "Method": "base",
    "TunedFusion": "tuning",
    "fuse": "fusing",
    "methods": "registry",
    "parse_method": "registry",
    "tune_fusion": "tuning",
}


def __getattr__(name: str) -> object:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
