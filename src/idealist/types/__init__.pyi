"""The public names of this package."""

from idealist.data.run import GivenTable as GivenTable
from idealist.evaluation.inputs import GivenJudgments as GivenJudgments
from idealist.evaluation.inputs import GivenRun as GivenRun
from idealist.evaluation.inputs import GivenRuns as GivenRuns

__all__: list[str]
