"""The public names of this package."""

from idealist.learn.laws.checking import assert_laws as assert_laws
from idealist.learn.laws.checking import check as check
from idealist.learn.laws.names import GENERAL as GENERAL
from idealist.learn.laws.names import LAWS as LAWS
from idealist.learn.laws.results import LawCheck as LawCheck
from idealist.learn.laws.results import LawResults as LawResults
