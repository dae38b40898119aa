"""The public names of this package."""

from idealist.statistics.corrections import benjamini_hochberg as benjamini_hochberg
from idealist.statistics.corrections import holm as holm
from idealist.statistics.intervals import Estimate as Estimate
from idealist.statistics.intervals import Interval as Interval
from idealist.statistics.intervals import estimate_mean as estimate_mean
from idealist.statistics.inversion import BoundedMean as BoundedMean
from idealist.statistics.inversion import bounded_mean as bounded_mean
from idealist.statistics.means import mean_interval as mean_interval
from idealist.statistics.power import detectable_difference as detectable_difference
from idealist.statistics.power import needed_queries as needed_queries
from idealist.statistics.power import queries_power as queries_power
from idealist.statistics.resampling import bootstrap_interval as bootstrap_interval
from idealist.statistics.significance import Posterior as Posterior
from idealist.statistics.significance import posterior as posterior
from idealist.statistics.significance import randomisation_test as randomisation_test
from idealist.statistics.significance import sign_test as sign_test
from idealist.statistics.significance import t_test as t_test
from idealist.statistics.significance import wilcoxon_test as wilcoxon_test
from idealist.statistics.tukey import Pair as Pair
from idealist.statistics.tukey import Tukey as Tukey
from idealist.statistics.tukey import randomised_tukey as randomised_tukey
from idealist.statistics.tukey import tukey_blocked as tukey_blocked

__all__: list[str]
