"""The public names of this package."""

from idealist.clicks.behaviours import BEHAVIOURS as BEHAVIOURS
from idealist.clicks.behaviours import ClickBehaviour as ClickBehaviour
from idealist.clicks.fitting import fit_clicks as fit_clicks
from idealist.clicks.models import ClickModel as ClickModel
from idealist.clicks.result import ClickFit as ClickFit
from idealist.clicks.simulation import simulate_clicks as simulate_clicks

__all__: list[str]
