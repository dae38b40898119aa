"""The public names of this package."""

from idealist.checking.checking import check as check
from idealist.checking.codes import CODES as CODES
from idealist.checking.codes import Code as Code
from idealist.checking.repair import Repaired as Repaired
from idealist.checking.repair import repair as repair
from idealist.checking.result import CheckedFile as CheckedFile
from idealist.checking.result import CheckResult as CheckResult
from idealist.checking.result import Finding as Finding
from idealist.checking.result import Location as Location

__all__: list[str]
