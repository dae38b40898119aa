"""The public names of this package."""

from idealist.clicks.click_fitting import ClickFit as ClickFit
from idealist.clicks.click_fitting import fit_clicks as fit_clicks
from idealist.clicks.click_fitting import weigh_clicks as weigh_clicks
from idealist.clicks.click_models import ClickModel as ClickModel
from idealist.clicks.interleaved_lists import InterleavedLists as InterleavedLists
from idealist.clicks.interleaved_lists import interleave as interleave
from idealist.clicks.interleaved_lists import simulate_interleaving as simulate_interleaving
from idealist.clicks.interleaving import InterleavingResult as InterleavingResult
from idealist.clicks.interleaving import Preference as Preference
from idealist.clicks.interleaving import analyse_interleaving as analyse_interleaving
from idealist.clicks.interleaving_methods import Balanced as Balanced
from idealist.clicks.interleaving_methods import InterleavedList as InterleavedList
from idealist.clicks.interleaving_methods import Interleaving as Interleaving
from idealist.clicks.interleaving_methods import Optimised as Optimised
from idealist.clicks.interleaving_methods import Probabilistic as Probabilistic
from idealist.clicks.interleaving_methods import TeamDraft as TeamDraft
from idealist.clicks.simulated_logs import BEHAVIOURS as BEHAVIOURS
from idealist.clicks.simulated_logs import ClickBehaviour as ClickBehaviour
from idealist.clicks.simulated_logs import simulate_clicks as simulate_clicks
from idealist.clicks.slate_estimates import ESTIMATORS as ESTIMATORS
from idealist.clicks.slate_estimates import SlateEstimate as SlateEstimate
from idealist.clicks.slate_estimates import SlateEstimates as SlateEstimates
from idealist.clicks.slate_estimates import estimate_clicks as estimate_clicks

__all__: list[str]
