"""The public names of this package."""

from idealist.data.arguments import GivenJudgments as GivenJudgments
from idealist.data.arguments import GivenRun as GivenRun
from idealist.data.arguments import GivenRuns as GivenRuns
from idealist.data.run import GivenTable as GivenTable

__all__: list[str]
