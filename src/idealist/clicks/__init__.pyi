"""The public names of this package."""

from idealist.clicks.behaviours import BEHAVIOURS as BEHAVIOURS
from idealist.clicks.behaviours import ClickBehaviour as ClickBehaviour
from idealist.clicks.estimates import SlateEstimate as SlateEstimate
from idealist.clicks.estimates import SlateEstimates as SlateEstimates
from idealist.clicks.estimating import ESTIMATORS as ESTIMATORS
from idealist.clicks.estimating import estimate_clicks as estimate_clicks
from idealist.clicks.fitting import fit_clicks as fit_clicks
from idealist.clicks.models import ClickModel as ClickModel
from idealist.clicks.propensities import weigh_clicks as weigh_clicks
from idealist.clicks.result import ClickFit as ClickFit
from idealist.clicks.simulation import simulate_clicks as simulate_clicks

__all__: list[str]
