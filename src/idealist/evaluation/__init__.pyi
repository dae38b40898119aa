"""The public names of this package."""

from idealist.evaluation.agreement import agree as agree
from idealist.evaluation.correcting import CorrectedMeans as CorrectedMeans
from idealist.evaluation.explanation import Explanation as Explanation
from idealist.evaluation.explanation import explain as explain
from idealist.evaluation.explanation import explain_grades as explain_grades
from idealist.evaluation.joining import join_evaluations as join_evaluations
from idealist.evaluation.measuring import evaluate as evaluate
from idealist.evaluation.result import Evaluation as Evaluation
from idealist.evaluation.result import Value as Value
from idealist.evaluation.saving import read_evaluation as read_evaluation
from idealist.evaluation.ties import TieBounds as TieBounds

__all__: list[str]
