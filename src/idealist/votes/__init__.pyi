"""The public names of this package."""

from idealist.votes.rater_models import rater_model as rater_model
from idealist.votes.rater_result import RaterModel as RaterModel
from idealist.votes.raters import Agreement as Agreement
from idealist.votes.raters import rater_agreement as rater_agreement
from idealist.votes.result import GSB as GSB
from idealist.votes.strengths import StrengthPair as StrengthPair
from idealist.votes.strengths import SystemRanking as SystemRanking
from idealist.votes.strengths import SystemStrength as SystemStrength
from idealist.votes.system_ranking import rank_systems as rank_systems
from idealist.votes.voting import gsb as gsb
from idealist.votes.voting import gsb_from as gsb_from

__all__: list[str]
