"""The public names of this package."""

from idealist.votes.intervals import agresti_min_interval as agresti_min_interval
from idealist.votes.intervals import tango_interval as tango_interval
from idealist.votes.raters import Agreement as Agreement
from idealist.votes.raters import rater_agreement as rater_agreement
from idealist.votes.result import GSB as GSB
from idealist.votes.voting import gsb as gsb
from idealist.votes.voting import gsb_from as gsb_from

__all__: list[str]
