"""How the tests of a comparison are made."""

from __future__ import annotations

from idealist.frozen import Frozen


class Settings(Frozen):
    """How the tests were made."""

    seed: int
    permutations: int
    confidence: float
    region: float

    @property
    def level(self) -> float:
        """What p-values are held against."""
        return round(1 - self.confidence, 12)
