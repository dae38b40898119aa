"""The public names of this package."""

from idealist.evaluation.aggregates import TieBounds as TieBounds
from idealist.evaluation.convention_search import ConventionSearch as ConventionSearch
from idealist.evaluation.convention_search import TriedConventions as TriedConventions
from idealist.evaluation.convention_search import find_conventions as find_conventions
from idealist.evaluation.corrected import CorrectedMeans as CorrectedMeans
from idealist.evaluation.evaluation import Evaluation as Evaluation
from idealist.evaluation.evaluation import Value as Value
from idealist.evaluation.explanation import Explanation as Explanation
from idealist.evaluation.explanation import explain as explain
from idealist.evaluation.explanation import explain_grades as explain_grades
from idealist.evaluation.joining import join_evaluations as join_evaluations
from idealist.evaluation.measuring import evaluate as evaluate
from idealist.evaluation.run_agreement import agree as agree
from idealist.evaluation.saving import read_evaluation as read_evaluation
from idealist.evaluation.tool_differences import ChoiceStep as ChoiceStep
from idealist.evaluation.tool_differences import ToolDifference as ToolDifference
from idealist.evaluation.tool_differences import why as why

__all__: list[str]
