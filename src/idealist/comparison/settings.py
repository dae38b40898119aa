"""How the tests of a comparison are made."""

from __future__ import annotations

from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.statistics.tests.base import PairedTest


class Settings(Frozen):
    """How the tests were made."""

    seed: int
    permutations: int
    confidence: float
    region: float
    tests: tuple[PairedTest, ...]

    @property
    def level(self) -> float:
        """What p-values are held against."""
        return round(1 - self.confidence, 12)
