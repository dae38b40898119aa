"""The public names of this package."""

from idealist.machine.answers import Estimate as Estimate
from idealist.machine.answers import MachineAnswers as MachineAnswers
from idealist.machine.asking import AnswerCache as AnswerCache
from idealist.machine.asking import Endpoint as Endpoint
from idealist.machine.asking import ask as ask
from idealist.machine.asking import estimate as estimate
from idealist.machine.judge_quality import JudgeReport as JudgeReport
from idealist.machine.judge_quality import report as report
from idealist.machine.questions import Prompt as Prompt
from idealist.machine.questions import Questions as Questions
from idealist.machine.questions import Scale as Scale
from idealist.machine.questions import attempts_in as attempts_in
from idealist.machine.questions import grade_questions as grade_questions
from idealist.machine.questions import vote_questions as vote_questions

__all__: list[str]
