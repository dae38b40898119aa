"""The public names of this package."""

from idealist.clicks.impression_plan import ImpressionPlan as ImpressionPlan
from idealist.clicks.impression_plan import needed_impressions as needed_impressions
from idealist.clicks.impression_plan import pilot_impressions as pilot_impressions
from idealist.clicks.impression_plan import simulate_needed_impressions as simulate_needed_impressions
from idealist.plan.document_samples import SampledDocument as SampledDocument
from idealist.plan.document_samples import SamplingError as SamplingError
from idealist.plan.document_samples import grade_sample as grade_sample
from idealist.plan.document_samples import pool_documents as pool_documents
from idealist.plan.document_samples import sample_documents as sample_documents
from idealist.plan.document_samples import sampling_errors as sampling_errors
from idealist.plan.judgment_draws import DrawnDocument as DrawnDocument
from idealist.plan.judgment_draws import JudgmentDraw as JudgmentDraw
from idealist.plan.judgment_draws import draw_judgments as draw_judgments
from idealist.plan.launches import LaunchPower as LaunchPower
from idealist.plan.launches import LaunchRule as LaunchRule
from idealist.plan.launches import launch_power as launch_power
from idealist.plan.open_documents import OpenDifference as OpenDifference
from idealist.plan.open_documents import OpenDocument as OpenDocument
from idealist.plan.open_documents import next_documents as next_documents
from idealist.plan.open_documents import open_differences as open_differences
from idealist.plan.pilots import PairPilot as PairPilot
from idealist.plan.pilots import pilot_pair as pilot_pair
from idealist.plan.query_sampling import SampledQuery as SampledQuery
from idealist.plan.query_sampling import sample_queries as sample_queries
from idealist.statistics.power import detectable_difference as detectable_difference
from idealist.statistics.power import needed_queries as needed_queries
from idealist.statistics.power import queries_power as queries_power
from idealist.votes.vote_plan import VotePilot as VotePilot
from idealist.votes.vote_plan import design_effect as design_effect
from idealist.votes.vote_plan import detectable_gsb as detectable_gsb
from idealist.votes.vote_plan import judgments_power as judgments_power
from idealist.votes.vote_plan import needed_judgments as needed_judgments
from idealist.votes.vote_plan import pilot_votes as pilot_votes

__all__: list[str]
