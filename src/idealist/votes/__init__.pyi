"""The public names of this package."""

from idealist.votes.agreement_of_raters import Agreement as Agreement
from idealist.votes.agreement_of_raters import rater_agreement as rater_agreement
from idealist.votes.gsb_result import GSB as GSB
from idealist.votes.rater_models import RaterModel as RaterModel
from idealist.votes.rater_models import rater_model as rater_model
from idealist.votes.system_ranking import StrengthPair as StrengthPair
from idealist.votes.system_ranking import SystemRanking as SystemRanking
from idealist.votes.system_ranking import SystemStrength as SystemStrength
from idealist.votes.system_ranking import rank_systems as rank_systems
from idealist.votes.voting import gsb as gsb
from idealist.votes.voting import gsb_from as gsb_from

__all__: list[str]
