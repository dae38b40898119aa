"""The public names of this package."""

from idealist.statistics.intervals import Posterior as Posterior
from idealist.statistics.intervals import mean_interval as mean_interval
from idealist.statistics.intervals import posterior as posterior
from idealist.statistics.inversion import BoundedMean as BoundedMean
from idealist.statistics.inversion import bounded_mean as bounded_mean
from idealist.statistics.mean_estimates import Estimate as Estimate
from idealist.statistics.mean_estimates import Interval as Interval
from idealist.statistics.mean_estimates import estimate_mean as estimate_mean
from idealist.statistics.multiple_comparisons import Pair as Pair
from idealist.statistics.multiple_comparisons import Tukey as Tukey
from idealist.statistics.multiple_comparisons import adjust as adjust
from idealist.statistics.multiple_comparisons import benjamini_hochberg as benjamini_hochberg
from idealist.statistics.multiple_comparisons import holm as holm
from idealist.statistics.multiple_comparisons import randomised_tukey as randomised_tukey
from idealist.statistics.multiple_comparisons import tukey_blocked as tukey_blocked
from idealist.statistics.paired import Sample as Sample
from idealist.statistics.paired_shares import agresti_min_interval as agresti_min_interval
from idealist.statistics.paired_shares import tango_interval as tango_interval
from idealist.statistics.paired_tests import BootstrapTest as BootstrapTest
from idealist.statistics.paired_tests import PairedTest as PairedTest
from idealist.statistics.paired_tests import RandomisationTest as RandomisationTest
from idealist.statistics.paired_tests import Significance as Significance
from idealist.statistics.paired_tests import SignTest as SignTest
from idealist.statistics.paired_tests import TTest as TTest
from idealist.statistics.paired_tests import WilcoxonTest as WilcoxonTest
from idealist.statistics.prediction_powered import PoweredMean as PoweredMean
from idealist.statistics.prediction_powered import powered_mean as powered_mean
from idealist.statistics.resampling import bootstrap_interval as bootstrap_interval
from idealist.statistics.sequential_testing import EProcess as EProcess

__all__: list[str]
