"""The public names of this package."""

from idealist.decision.margin import Margin as Margin
from idealist.decision.margin import read_margin as read_margin
from idealist.decision.verdict import Guard as Guard
from idealist.decision.verdict import Verdict as Verdict
from idealist.decision.verdict import decide as decide

__all__: list[str]
