"""The public names of this package."""

from idealist.statistics.beliefs import Posterior as Posterior
from idealist.statistics.beliefs import posterior as posterior
from idealist.statistics.corrections import adjust as adjust
from idealist.statistics.corrections import benjamini_hochberg as benjamini_hochberg
from idealist.statistics.corrections import holm as holm
from idealist.statistics.interval import Interval as Interval
from idealist.statistics.intervals import mean_interval as mean_interval
from idealist.statistics.inversion import BoundedMean as BoundedMean
from idealist.statistics.inversion import bounded_mean as bounded_mean
from idealist.statistics.means import Estimate as Estimate
from idealist.statistics.means import estimate_mean as estimate_mean
from idealist.statistics.paired import Sample as Sample
from idealist.statistics.paired_shares import agresti_min_interval as agresti_min_interval
from idealist.statistics.paired_shares import tango_interval as tango_interval
from idealist.statistics.prediction_powered import PoweredMean as PoweredMean
from idealist.statistics.prediction_powered import powered_mean as powered_mean
from idealist.statistics.resampling import bootstrap_interval as bootstrap_interval
from idealist.statistics.sequential import EProcess as EProcess
from idealist.statistics.tests.base import PairedTest as PairedTest
from idealist.statistics.tests.base import Significance as Significance
from idealist.statistics.tests.bootstrap import BootstrapTest as BootstrapTest
from idealist.statistics.tests.randomisation import RandomisationTest as RandomisationTest
from idealist.statistics.tests.sign import SignTest as SignTest
from idealist.statistics.tests.student import TTest as TTest
from idealist.statistics.tests.wilcoxon import WilcoxonTest as WilcoxonTest
from idealist.statistics.tukey import Pair as Pair
from idealist.statistics.tukey import Tukey as Tukey
from idealist.statistics.tukey import randomised_tukey as randomised_tukey
from idealist.statistics.tukey import tukey_blocked as tukey_blocked

__all__: list[str]
