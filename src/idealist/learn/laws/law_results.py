"""The results of checking the laws of a loss; without PyTorch."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.wording import count_of

HOLDS, BROKEN, NOT_CLAIMED = "holds", "broken", "not claimed"


class LawCheck(Frozen):
    """One law: whether it holds, and what contradicts it if it does not."""

    law: str
    outcome: str
    counterexample: str = ""


class LawResults(Result, list[LawCheck]):
    """Every law, in the order of `LAWS`, for one loss."""

    def __init__(self, checks: list[LawCheck], name: str = "") -> None:
        super().__init__(checks)
        self.name = name

    @property
    def broken(self) -> list[str]:
        """The names of the laws that do not hold."""
        return [check.law for check in self if check.outcome == BROKEN]

    @property
    def ok(self) -> bool:
        return not self.broken

    def outcome(self, law: str) -> str:
        """ "holds", "broken" or "not claimed"."""
        return next(check.outcome for check in self if check.law == law)

    def _gist(self) -> str:
        checked = sum(check.outcome != NOT_CLAIMED for check in self)
        broken = ", ".join(self.broken) or "none"
        return f"{self.name + ', ' if self.name else ''}{count_of(checked, 'law')}, broken: {broken}"
