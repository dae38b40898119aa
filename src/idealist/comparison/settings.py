"""The settings of the tests of a comparison."""

from __future__ import annotations

from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.statistics.tests.base import PairedTest


class Settings(Frozen):
    """Seed, rounds, confidence and tests of a comparison."""

    seed: int
    rounds: int
    confidence: float
    region: float
    tests: tuple[PairedTest, ...]

    @property
    def level(self) -> float:
        """The significance level that p-values are compared with."""
        return round(1 - self.confidence, 12)
