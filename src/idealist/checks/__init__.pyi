"""The public names of this package."""

from idealist.checks.checking import check as check
from idealist.checks.findings import CODES as CODES
from idealist.checks.findings import CheckedFile as CheckedFile
from idealist.checks.findings import CheckResult as CheckResult
from idealist.checks.findings import Code as Code
from idealist.checks.findings import Finding as Finding
from idealist.checks.findings import Location as Location
from idealist.checks.repaired_copies import Repaired as Repaired
from idealist.checks.repaired_copies import repair as repair

__all__: list[str]
