"""The public names of this package."""

from idealist.plan.budget import DrawnDocument as DrawnDocument
from idealist.plan.budget import JudgmentDraw as JudgmentDraw
from idealist.plan.budget import draw_judgments as draw_judgments
from idealist.plan.decisions import LaunchPower as LaunchPower
from idealist.plan.decisions import LaunchRule as LaunchRule
from idealist.plan.decisions import launch_power as launch_power
from idealist.plan.document_sampling import SampledDocument as SampledDocument
from idealist.plan.document_sampling import grade_sample as grade_sample
from idealist.plan.document_sampling import sample_documents as sample_documents
from idealist.plan.impressions import ImpressionPlan as ImpressionPlan
from idealist.plan.impressions import needed_impressions as needed_impressions
from idealist.plan.impressions import pilot_impressions as pilot_impressions
from idealist.plan.impressions import (
    simulate_needed_impressions as simulate_needed_impressions,
)
from idealist.plan.next_judgments import OpenDifference as OpenDifference
from idealist.plan.next_judgments import OpenDocument as OpenDocument
from idealist.plan.next_judgments import next_documents as next_documents
from idealist.plan.next_judgments import open_differences as open_differences
from idealist.plan.pilots import PairPilot as PairPilot
from idealist.plan.pilots import pilot_pair as pilot_pair
from idealist.plan.pooling import pool_documents as pool_documents
from idealist.plan.query_sampling import SampledQuery as SampledQuery
from idealist.plan.query_sampling import sample_queries as sample_queries
from idealist.plan.sampling_error import SamplingError as SamplingError
from idealist.plan.sampling_error import sampling_errors as sampling_errors
from idealist.plan.votes import VotePilot as VotePilot
from idealist.plan.votes import design_effect as design_effect
from idealist.plan.votes import detectable_gsb as detectable_gsb
from idealist.plan.votes import judgments_power as judgments_power
from idealist.plan.votes import needed_judgments as needed_judgments
from idealist.plan.votes import pilot_votes as pilot_votes
from idealist.statistics.power import detectable_difference as detectable_difference
from idealist.statistics.power import needed_queries as needed_queries
from idealist.statistics.power import queries_power as queries_power

__all__: list[str]
