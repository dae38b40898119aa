"""The public names of this package."""

from idealist.judges.asking import ask as ask
from idealist.judges.asking import estimate as estimate
from idealist.judges.attempts import attempts_in as attempts_in
from idealist.judges.cache import AnswerCache as AnswerCache
from idealist.judges.endpoint import Endpoint as Endpoint
from idealist.judges.judge_report import JudgeReport as JudgeReport
from idealist.judges.judge_reporting import report as report
from idealist.judges.prompts import Prompt as Prompt
from idealist.judges.prompts import Scale as Scale
from idealist.judges.questions import Questions as Questions
from idealist.judges.questions import grade_questions as grade_questions
from idealist.judges.questions import vote_questions as vote_questions
from idealist.judges.result import Estimate as Estimate
from idealist.judges.result import MachineAnswers as MachineAnswers

__all__: list[str]
