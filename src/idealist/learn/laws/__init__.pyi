"""The public names of this package."""

from idealist.learn.laws.law_results import LawCheck as LawCheck
from idealist.learn.laws.law_results import LawResults as LawResults
from idealist.learn.laws.loss_laws import GENERAL as GENERAL
from idealist.learn.laws.loss_laws import LAWS as LAWS
from idealist.learn.laws.loss_laws import assert_laws as assert_laws
from idealist.learn.laws.loss_laws import check as check
